#include "dns/tsig.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/log.h"

enum {
	/* shortest MAC in octets; also at least half of the full MAC */
	MAC_LEAST = 10,
	TIMES = 8,			/* octets: the time and the fudge */
	ARCOUNT = 10,			/* offset in a header */
	VARIABLES = 2 * NAME_MAX_WIRE + 2 + 4 + TIMES + 2 + 2 + TSIG_OTHER_TIME,
};

static const struct {
	const char *text;
	const char *wire;
	size_t len;
} algorithms[HMAC_HASHES] = {
	[HMAC_SHA1] = { "hmac-sha1", "\11hmac-sha1", 11 },
	[HMAC_SHA224] = { "hmac-sha224", "\13hmac-sha224", 13 },
	[HMAC_SHA256] = { "hmac-sha256", "\13hmac-sha256", 13 },
	[HMAC_SHA384] = { "hmac-sha384", "\13hmac-sha384", 13 },
	[HMAC_SHA512] = { "hmac-sha512", "\13hmac-sha512", 13 },
};

const char *tsig_error_name(enum tsig_error error)
{
	switch (error) {
	case TSIG_NO_ERROR: return "no error";
	case TSIG_MALFORMED: return "FORMERR";
	case TSIG_BADSIG: return "BADSIG";
	case TSIG_BADKEY: return "BADKEY";
	case TSIG_BADTIME: return "BADTIME";
	case TSIG_BADTRUNC: return "BADTRUNC";
	}
	return "an error";
}

/* ---- keys ---- */

static bool tsig_find_hash(const char *text, enum hmac_hash *hash)
{
	for (int i = 0; i < HMAC_HASHES; i++)
		if (!strcmp(text, algorithms[i].text)) {
			*hash = i;
			return true;
		}
	return false;
}

enum err tsig_key_parse(const char *name, const char *algorithm, const char *secret,
                        struct tsig_key *key, struct why *why)
{
	ssize_t len = base64_decode(secret, key->secret, sizeof(key->secret));
	enum err err = name_parse(name, "name", &key->name, why);

	if (err)
		return err;
	if (!tsig_find_hash(algorithm, &key->hash))
		return fail(why, ERR_INVALID, "algorithm: must be hmac-sha1, "
		            "hmac-sha224, hmac-sha256, hmac-sha384 or hmac-sha512, not "
		            "'%.40s'",
		            algorithm);
	if (len < 1)
		return fail(why, ERR_INVALID,
		            "secret: must contain 1 to %d octets in base64",
		            TSIG_SECRET_MAX);
	key->secret_len = (size_t)len;
	return OK;
}

static bool tsig_is_by(const struct tsig *tsig, const struct tsig_key *key)
{
	return name_equal(&tsig->key, &key->name) &&
	       tsig->algorithm.len == algorithms[key->hash].len &&
	       !memcmp(tsig->algorithm.wire, algorithms[key->hash].wire,
	               algorithms[key->hash].len);
}

/* ---- the digest ---- */

struct octets {
	uint8_t data[VARIABLES];
	size_t len;
};

static void octets_put(struct octets *to, const void *data, size_t len)
{
	bug_if(len > sizeof(to->data) - to->len);
	memcpy(to->data + to->len, data, len);
	to->len += len;
}

static void octets_put_number(struct octets *to, uint64_t number, int octets)
{
	while (octets--)
		to->data[to->len++] = number >> 8 * octets;
}

/*
 * The fields that are signed in addition to the message (4.3.3); later only the time
 * fields (5.3.1).
 */
struct variables {
	uint64_t time;
	uint16_t fudge, error;
	bool has_other;
	uint64_t other;			/* 48 bits */
};

static void octets_put_variables(struct octets *to, const struct tsig_chain *chain,
                                 const struct variables *variables)
{
	const struct tsig_key *key = &chain->key;

	if (!chain->answered) {
		octets_put(to, key->name.wire, key->name.len);
		octets_put_number(to, RR_CLASS_ANY, 2);
		octets_put_number(to, 0, 4);		/* TTL */
		octets_put(to, algorithms[key->hash].wire, algorithms[key->hash].len);
	}
	octets_put_number(to, variables->time, 6);
	octets_put_number(to, variables->fudge, 2);
	if (chain->answered)
		return;
	octets_put_number(to, variables->error, 2);
	octets_put_number(to, variables->has_other ? TSIG_OTHER_TIME : 0, 2);
	if (variables->has_other)
		octets_put_number(to, variables->other, TSIG_OTHER_TIME);
}

/* A message without its TSIG record. HEADER replaces its first octets. */
struct body {
	const uint8_t *header, *message;
	size_t len;
};

enum { PRIOR_PARTS = 2, BODY_PARTS = 3 };

static void tsig_digest(const struct tsig_chain *chain, struct tsig_gap *gap,
                        const struct body *body, const struct variables *variables,
                        uint8_t mac[HMAC_MAX])
{
	uint8_t prior_len[2] = { chain->mac_len >> 8, chain->mac_len & 0xff };
	struct octets behind = { .len = 0 };
	const struct hmac_part parts[PRIOR_PARTS + BODY_PARTS] = {
		{ prior_len, chain->mac_len ? sizeof(prior_len) : 0 },
		{ chain->mac, chain->mac_len },
		{ body->header, PACKET_HEADER },
		{ body->message + PACKET_HEADER, body->len - PACKET_HEADER },
		{ behind.data,
		  (octets_put_variables(&behind, chain, variables), behind.len) },
	};

	if (gap && gap->digest)
		hmac_stream_end(&gap->digest, parts + PRIOR_PARTS, BODY_PARTS, mac);
	else
		hmac(chain->key.hash, chain->key.secret, chain->key.secret_len, parts,
		     PRIOR_PARTS + BODY_PARTS, mac);
}

void tsig_chain_begin(struct tsig_chain *chain, const struct tsig_key *key)
{
	chain->key = *key;
	chain->mac_len = 0;
	chain->answered = false;
}

/* From the second answer on, the short form is used. */
static void tsig_chain_advance(struct tsig_chain *chain, const uint8_t *mac, size_t len)
{
	chain->answered = chain->mac_len;
	bug_if(len > sizeof(chain->mac));
	memcpy(chain->mac, mac, len);
	chain->mac_len = len;
}

/* ---- verify ---- */

static bool tsig_is_mac_len(size_t len, size_t whole)
{
	size_t least = whole / 2 > MAC_LEAST ? whole / 2 : MAC_LEAST;

	return len >= least && len <= whole;
}

static bool tsig_is_in_time(const struct tsig *tsig, uint64_t now)
{
	uint64_t off = tsig->time > now ? tsig->time - now : now - tsig->time;

	return off <= tsig->fudge;
}

bool tsig_gap_add(struct tsig_gap *gap, const struct tsig_chain *chain,
                  const uint8_t *packet, size_t len)
{
	uint8_t prior_len[2] = { chain->mac_len >> 8, chain->mac_len & 0xff };
	const struct hmac_part prior[PRIOR_PARTS] = {
		{ prior_len, sizeof(prior_len) }, { chain->mac, chain->mac_len },
	};

	if (!chain->answered || ++gap->count > TSIG_GAP_MAX)
		return false;
	if (!gap->digest)
		gap->digest = hmac_stream_new(chain->key.hash, chain->key.secret,
		                              chain->key.secret_len, prior, PRIOR_PARTS);
	hmac_stream_add(gap->digest, &(struct hmac_part){ packet, len });
	return true;
}

enum tsig_error tsig_verify(struct tsig_chain *chain, const uint8_t *packet,
                            const struct tsig *tsig, uint64_t now)
{
	return tsig_verify_behind(chain, NULL, packet, tsig, now);
}

void tsig_gap_clear(struct tsig_gap *gap)
{
	hmac_stream_free(&gap->digest);
	gap->count = 0;
}

enum tsig_error tsig_verify_behind(struct tsig_chain *chain, struct tsig_gap *gap,
                                   const uint8_t *packet, const struct tsig *tsig,
                                   uint64_t now)
{
	const struct variables variables = {
		.time = tsig->time, .fudge = tsig->fudge, .error = tsig->error,
		.has_other = tsig->other_len == TSIG_OTHER_TIME, .other = tsig->other,
	};
	size_t whole = hmac_len(chain->key.hash);
	uint8_t header[PACKET_HEADER], mac[HMAC_MAX];
	unsigned additional;

	if (!tsig_is_by(tsig, &chain->key))
		return TSIG_BADKEY;
	if (!tsig_is_mac_len(tsig->mac_len, whole))
		return TSIG_MALFORMED;
	memcpy(header, packet, sizeof(header));
	additional = (header[ARCOUNT] << 8 | header[ARCOUNT + 1]) - 1;
	header[0] = tsig->original_id >> 8;
	header[1] = tsig->original_id & 0xff;
	header[ARCOUNT] = additional >> 8 & 0xff;
	header[ARCOUNT + 1] = additional & 0xff;
	tsig_digest(chain, gap, &(struct body){ header, packet, tsig->at }, &variables,
	            mac);
	if (gap)
		tsig_gap_clear(gap);
	if (CRYPTO_memcmp(mac, tsig->mac, tsig->mac_len))
		return TSIG_BADSIG;
	tsig_chain_advance(chain, tsig->mac, tsig->mac_len);
	if (!tsig_is_in_time(tsig, now))
		return TSIG_BADTIME;
	return tsig->mac_len < whole ? TSIG_BADTRUNC : TSIG_NO_ERROR;
}

uint64_t tsig_server_time(const struct tsig_chain *chain, const uint8_t *packet,
                          const struct tsig *tsig)
{
	struct tsig_chain copy = *chain;
	bool is_good;

	if (tsig->error != TSIG_BADTIME || tsig->other_len != TSIG_OTHER_TIME)
		return 0;
	is_good = tsig_verify(&copy, packet, tsig, tsig->time) == TSIG_NO_ERROR;
	explicit_bzero(&copy, sizeof(copy));
	return is_good ? tsig->other : 0;
}

/* ---- sign ---- */

size_t tsig_room(const struct name *key, const struct name *algorithm)
{
	/* type, class, TTL, length; the times; MAC; id, error; other data */
	return key->len + 10 + algorithm->len + TIMES + 2 + HMAC_MAX + 4 + 2 +
	       TSIG_OTHER_TIME;
}

size_t tsig_room_of(const struct tsig_key *key)
{
	return tsig_room(&key->name, &(struct name){ .len = algorithms[key->hash].len });
}

struct record {
	const uint8_t *key, *algorithm;
	size_t key_len, algorithm_len;
	const uint8_t *mac;
	size_t mac_len;
	uint16_t original_id;
	const struct variables *variables;
};

static void tsig_put_u48(struct packet_writer *writer, uint64_t number)
{
	packet_put_u16(writer, number >> 32);
	packet_put_u32(writer, number & 0xffffffff);
}

static void tsig_count_record(struct packet_writer *writer)
{
	if (!++writer->data[ARCOUNT + 1])
		writer->data[ARCOUNT]++;
}

static void tsig_put_record(struct packet_writer *writer, const struct record *record)
{
	const struct variables *variables = record->variables;
	size_t other = variables->has_other ? TSIG_OTHER_TIME : 0;

	packet_put(writer, record->key, record->key_len);
	packet_put_u16(writer, RR_TSIG);
	packet_put_u16(writer, RR_CLASS_ANY);
	packet_put_u32(writer, 0);
	packet_put_u16(writer, record->algorithm_len + TIMES + 2 + record->mac_len + 4 +
			       2 + other);
	packet_put(writer, record->algorithm, record->algorithm_len);
	tsig_put_u48(writer, variables->time);
	packet_put_u16(writer, variables->fudge);
	packet_put_u16(writer, record->mac_len);
	packet_put(writer, record->mac, record->mac_len);
	packet_put_u16(writer, record->original_id);
	packet_put_u16(writer, variables->error);
	packet_put_u16(writer, other);
	if (other)
		tsig_put_u48(writer, variables->other);
	bug_if(writer->full);
	tsig_count_record(writer);
}

static uint16_t tsig_message_id(const struct packet_writer *writer)
{
	return writer->data[0] << 8 | writer->data[1];
}

void tsig_sign(struct tsig_chain *chain, enum tsig_error error, const struct tsig *tsig,
               uint64_t now, struct packet_writer *writer)
{
	/*
	 * a sender with a wrong clock gets our time; the answer is signed with the
	 * sender's time (5.2.3)
	 */
	bool late = error == TSIG_BADTIME && tsig;
	const struct variables variables = {
		.time = late ? tsig->time : now, .fudge = TSIG_FUDGE_S, .error = error,
		.has_other = late, .other = now,
	};
	uint8_t mac[HMAC_MAX];
	const struct record record = {
		.key = chain->key.name.wire, .key_len = chain->key.name.len,
		.algorithm = (const uint8_t *)algorithms[chain->key.hash].wire,
		.algorithm_len = algorithms[chain->key.hash].len,
		.mac = mac, .mac_len = hmac_len(chain->key.hash),
		.original_id = tsig_message_id(writer), .variables = &variables,
	};

	tsig_digest(chain, NULL,
	            &(struct body){ writer->data, writer->data, writer->len }, &variables,
	            mac);
	tsig_chain_advance(chain, mac, record.mac_len);
	tsig_put_record(writer, &record);
}

void tsig_refuse(enum tsig_error error, const struct tsig *tsig, uint64_t now,
                 struct packet_writer *writer)
{
	const struct variables variables = {
		.time = now, .fudge = TSIG_FUDGE_S, .error = error,
	};

	tsig_put_record(writer, &(struct record){
		.key = tsig->key.wire, .key_len = tsig->key.len,
		.algorithm = tsig->algorithm.wire, .algorithm_len = tsig->algorithm.len,
		.original_id = tsig_message_id(writer), .variables = &variables,
	});
}
