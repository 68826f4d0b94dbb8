#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <string.h>

#include "core/keyring.h"
#include "core/query.h"
#include "core/tsig.h"
#include "packets.h"

/*
 * What dnspython, BIND, Knot and NSD make of our signatures is seen in
 * tests/integration/test_minidns_tsig.py; here is what no well-behaved peer does.
 */

enum { NOW = 1800000000 };

static const char *const algorithms[] = {
	"hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512",
};

static struct tsig_key key_of(const char *algorithm)
{
	struct tsig_key key;
	struct why why;

	assert_int_equal(tsig_key_parse("Key.Example.", algorithm,
	                                "MDEyMzQ1Njc4OWFiY2RlZg==", &key, &why), OK);
	return key;
}

/* RFC 4231 4.2 and RFC 2202: key 20 x 0x0b, "Hi There". */
static void hashes_are_those_of_the_rfcs(void **state)
{
	static const struct { enum hmac_hash hash; const char *mac; } cases[] = {
		{ HMAC_SHA1, "\266\027\061\206\125\005\162\144" },
		{ HMAC_SHA224, "\211\157\261\022\212\273\337\031" },
		{ HMAC_SHA256, "\260\064\114\141\330\333\070\123" },
		{ HMAC_SHA384, "\257\320\071\104\330\110\225\142" },
		{ HMAC_SHA512, "\207\252\174\336\245\357\141\235" },
	};
	uint8_t key[20], mac[HMAC_MAX];

	(void)state;
	memset(key, 0x0b, sizeof(key));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct hmac_part parts[] = {
			{ "Hi ", 3 }, { "", 0 }, { "There", 5 },
		};

		hmac(cases[i].hash, key, sizeof(key), parts, 3, mac);
		assert_memory_equal(mac, cases[i].mac, 8);
	}
}

static void begin_message(struct packet_writer *writer, uint8_t *data, uint16_t flags)
{
	struct name name = name_of("example.org.");
	const struct packet_header header = {
		.id = 0x1234, .flags = flags, .count = { [SECTION_QUESTION] = 1 },
	};

	packet_writer_init(writer, data, PACKET_UDP_MAX);
	packet_put(writer, name.wire, name.len);
	packet_put_u32(writer, RR_SOA << 16 | RR_CLASS_IN);
	packet_set_header(writer, &header);
}

/* A signed question; *chain is then its sender's. */
static size_t put_question(struct tsig_chain *chain, const struct tsig_key *key,
                           uint8_t *data)
{
	struct packet_writer writer;

	begin_message(&writer, data, 0);
	tsig_chain_begin(chain, key);
	tsig_sign(chain, TSIG_FINE, NULL, NOW, &writer);
	return writer.len;
}

static enum tsig_error judge(struct tsig_chain *chain, const uint8_t *data, size_t len,
                             uint64_t now)
{
	struct tsig tsig;

	if (!tsig_find(data, len, &tsig) || !tsig.present)
		return TSIG_MALFORMED;
	return tsig_verify(chain, data, &tsig, now);
}

static void both_sides_agree(void **state)
{
	uint8_t data[PACKET_UDP_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		struct tsig_key key = key_of(algorithms[i]);
		struct tsig_chain client, server;
		struct packet_writer writer;
		size_t len = put_question(&client, &key, data);

		tsig_chain_begin(&server, &key);
		assert_int_equal(judge(&server, data, len, NOW + 300), TSIG_FINE);
		for (int message = 0; message < 5; message++) {
			begin_message(&writer, data, FLAG_QR);
			tsig_sign(&server, TSIG_FINE, NULL, NOW, &writer);
			assert_int_equal(judge(&client, data, writer.len, NOW),
			                 TSIG_FINE);
		}
	}
}

/* None can be left out, said twice, or put before another. */
static void a_chain_has_one_order(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client, server, at[4];
	uint8_t data[4][PACKET_UDP_MAX];
	size_t len[4];

	(void)state;
	len[0] = put_question(&client, &key, data[0]);
	tsig_chain_begin(&server, &key);
	judge(&server, data[0], len[0], NOW);
	for (int i = 1; i < 4; i++) {
		struct packet_writer writer;

		begin_message(&writer, data[i], FLAG_QR);
		tsig_sign(&server, TSIG_FINE, NULL, NOW, &writer);
		len[i] = writer.len;
	}
	at[0] = client;
	for (int i = 1; i < 4; i++) {
		at[i] = at[i - 1];
		assert_int_equal(judge(&at[i], data[i], len[i], NOW), TSIG_FINE);
	}
	for (int done = 0; done < 4; done++)
		for (int next = 1; next < 4; next++) {
			struct tsig_chain chain = at[done];
			enum tsig_error error = judge(&chain, data[next], len[next], NOW);

			assert_int_equal(!error, next == done + 1);
		}
}

static void each_bit_counts(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client, server;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	/* not the id, for which the record has its own, nor the case of names */
	for (size_t bit = 16; bit < 8 * len; bit++) {
		uint8_t was = data[bit / 8];

		data[bit / 8] ^= 1 << bit % 8;
		tsig_chain_begin(&server, &key);
		if ((was ^ data[bit / 8]) != 0x20)
			assert_int_not_equal(judge(&server, data, len, NOW), TSIG_FINE);
		data[bit / 8] = was;
	}
	assert_int_equal(judge(&server, data, len, NOW), TSIG_FINE);
}

static void clocks_may_differ_by_the_fudge(void **state)
{
	static const struct { int64_t off; enum tsig_error want; } cases[] = {
		{ 0, TSIG_FINE }, { 300, TSIG_FINE }, { -300, TSIG_FINE },
		{ 301, TSIG_BADTIME }, { -301, TSIG_BADTIME }, { -NOW, TSIG_BADTIME },
	};
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client, server;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tsig_chain_begin(&server, &key);
		assert_int_equal(judge(&server, data, len, NOW + cases[i].off),
		                 cases[i].want);
	}
}

/* As if the question had come with a MAC of LEN octets, the first of its own. */
static enum tsig_error judge_cut(const uint8_t *data, size_t len, size_t mac_len)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain server;
	struct tsig tsig;

	tsig_chain_begin(&server, &key);
	assert_true(tsig_find(data, len, &tsig));
	tsig.mac_len = mac_len;
	return tsig_verify(&server, data, &tsig, NOW);
}

static void a_signature_is_whole(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	for (size_t mac_len = 0; mac_len < 80; mac_len++)
		assert_int_equal(judge_cut(data, len, mac_len),
		                 mac_len < 16 || mac_len > 32 ? TSIG_MALFORMED
		                 : mac_len < 32		      ? TSIG_BADTRUNC
						      : TSIG_FINE);
}

/* ---- queries ---- */

static struct tsig tsig_of(const uint8_t *data, size_t len)
{
	struct tsig tsig;

	assert_true(tsig_find(data, len, &tsig));
	assert_true(tsig.present);
	return tsig;
}

/* What is answered to a signed question that comes SKEW seconds late, with KEY known. */
static struct tsig answer_to(const struct tsig_key *key, int skew, enum tsig_error want,
                             bool is_signed)
{
	struct tsig_key own = key_of("hmac-sha256");
	uint8_t data[PACKET_UDP_MAX], answer[PACKET_MAX];
	struct tsig_chain client;
	struct query query;
	struct tsig tsig;
	size_t len = put_question(&client, &own, data);

	query_read(data, len, false, &query);
	assert_int_equal(query_verify(&query, data, key, NOW + skew),
	                 want ? QUERY_REFUSED : QUERY_SERVE);
	assert_int_equal(query.rcode, want ? RCODE_NOTAUTH : RCODE_NOERROR);
	assert_int_equal(query_key(&query) != NULL, !want);
	len = query_answer_rcode(&query, query.rcode, answer, sizeof(answer));
	tsig = tsig_of(answer, len);
	assert_int_equal(tsig.error, want);
	assert_int_equal(tsig.mac_len != 0, is_signed);
	if (is_signed)
		assert_int_equal(tsig_verify(&client, answer, &tsig, NOW), TSIG_FINE);
	return tsig;
}

static void errors_are_told_as_the_rfc_has_it(void **state)
{
	struct tsig_key key = key_of("hmac-sha256"), other = key, renamed = key;
	struct tsig late;

	(void)state;
	other.secret[0] ^= 1;
	renamed.hash = HMAC_SHA512;
	answer_to(&key, 0, TSIG_FINE, true);
	answer_to(NULL, 0, TSIG_BADKEY, false);
	answer_to(&renamed, 0, TSIG_BADKEY, false);
	answer_to(&other, 0, TSIG_BADSIG, false);
	late = answer_to(&key, 301, TSIG_BADTIME, true);
	assert_int_equal(late.time, NOW);		/* the client's */
	assert_int_equal(late.other_len, 6);
	assert_int_equal(late.other, NOW + 301);	/* ours */
}

/* The longest names there are leave room for each other over UDP. */
static void long_names_fit(void **state)
{
	char text[300] = "";
	struct tsig_key key = key_of("hmac-sha512");
	struct query query = { .has_question = true, .type = RR_SOA, .class = RR_CLASS_IN,
	                       .udp_size = PACKET_UDP_MIN, .signature = SIGNED };
	uint8_t data[PACKET_MAX];
	struct tsig tsig;

	(void)state;
	for (int i = 0; i < 3; i++)
		strcat(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		             "aaaaaaaaaaaaaaa.");
	strcat(text, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.");
	key.name = query.raw = query.name = query.tsig.key = name_of(text);
	assert_int_equal(key.name.len, NAME_MAX_WIRE);
	query.tsig.algorithm = name_of("hmac-sha512.");
	tsig_chain_begin(&query.chain, &key);
	tsig = tsig_of(data, query_answer_rcode(&query, RCODE_REFUSED, data,
	                                        sizeof(data)));
	assert_int_equal(tsig.at, PACKET_HEADER + NAME_MAX_WIRE + 4);
}

/* ---- keys ---- */

static void keyrings_are_read(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *fault;
	} cases[] = {
		{ NULL, 0, NULL },
		{ "", 0, NULL },
		{ "k. hmac-sha256 aGlkZGVu", 1, NULL },
		{ " \n\tK.  hmac-sha1\taGlkZGVu ;b. hmac-sha512 aGlkZGVu\n\n", 2, NULL },
		{ "k. hmac-sha256", 0, "NAME ALGORITHM SECRET" },
		{ "k. hmac-sha256 aGlkZGVu more", 0, "NAME ALGORITHM SECRET" },
		{ "k. hmac-md5 aGlkZGVu", 0, "hmac-md5" },
		{ "k. hmac-sha256 c2VjcmV", 0, "base64" },
		{ "k hmac-sha256 aGlkZGVu", 0, "name" },
	};
	struct keyring keyring = { .keys = NULL };
	struct name name = name_of("k.");
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum err err = keyring_parse(&keyring, cases[i].text, &why);

		assert_int_equal(err, cases[i].fault ? ERR_INVALID : OK);
		if (err) {
			assert_non_null(strstr(why.text, cases[i].fault));
			assert_null(strstr(why.text, "aGlk"));
			assert_int_equal(keyring.count, 2);	/* as it was */
			continue;
		}
		assert_int_equal(keyring.count, cases[i].count);
		assert_int_equal(!keyring_find(&keyring, &name), !cases[i].count);
	}
	keyring_clear(&keyring);
}

static struct known_key known_key_of(int number)
{
	struct known_key known = { .domain = "" };
	char text[32];

	snprintf(text, sizeof(text), "k%d.", number);
	known.key.name = name_of(text);
	known.key.secret_len = number;
	return known;
}

static void each_of_many_keys_is_found(void **state)
{
	enum { KEYS = 100 };
	struct keyring keyring = { .keys = NULL }, taken = { .keys = NULL };

	(void)state;
	for (int i = KEYS; i-- > 0; ) {
		struct known_key known = known_key_of(i);

		keyring_add(&keyring, &known);
	}
	keyring_sort(&keyring);
	keyring_replace(&taken, &keyring);
	assert_null(keyring.keys);
	for (int i = 0; i <= KEYS; i++) {
		struct name name = known_key_of(i).key.name;
		const struct known_key *known = keyring_find(&taken, &name);

		assert_int_equal(!known, i == KEYS);
		if (known)
			assert_int_equal(known->key.secret_len, i);
	}
	keyring_clear(&taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_of_many_keys_is_found),
		cmocka_unit_test(hashes_are_those_of_the_rfcs),
		cmocka_unit_test(both_sides_agree),
		cmocka_unit_test(a_chain_has_one_order),
		cmocka_unit_test(each_bit_counts),
		cmocka_unit_test(clocks_may_differ_by_the_fudge),
		cmocka_unit_test(a_signature_is_whole),
		cmocka_unit_test(errors_are_told_as_the_rfc_has_it),
		cmocka_unit_test(long_names_fit),
		cmocka_unit_test(keyrings_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
