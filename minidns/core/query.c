#include "core/query.h"

#include <string.h>

enum {
	CLASS_NONE = 254,
	OPT_LEN = 11,			/* without options */
	OPTION_HEAD = 4,		/* code and length */
	OPTION_KEEPALIVE = 11, OPTION_EXTENDED_ERROR = 15,
	/* in the TTL of an OPT record */
	EDNS_VERSION = 0x00ff0000, EDNS_DO = 0x00008000,
};

/* The state while the records of a request are read. */
struct walk {
	struct packet_reader reader;
	struct packet_header header;
	struct query *query;
	bool tcp;
	int opts, tsigs;
	bool wrong;			/* the answer is FORMERR */
	uint8_t edns_version;
	bool has_soa;
};

static bool query_is_notify(const struct query *query)
{
	return (query->flags & FLAG_OPCODE) >> OPCODE_SHIFT == OPCODE_NOTIFY;
}

/* ---- the records after the question ---- */

/* The first cookie option counts (RFC 7873 5.2). */
static void query_read_cookie(struct walk *walk, const uint8_t *data, size_t len)
{
	struct query *query = walk->query;

	if (query->has_cookie)
		return;
	query->has_cookie = true;
	query->cookie_len = len;
	if (len <= COOKIE_MAX_LEN)
		memcpy(query->cookie_option, data, len);
	walk->wrong |= !cookie_len_is_good(len);
}

/* A client sends this option without a time (RFC 7828 3.2.1). */
static void query_read_keepalive(struct walk *walk, size_t len)
{
	if (!walk->tcp)
		return;
	walk->query->wants_keepalive = true;
	walk->wrong |= len > 0;
}

static void query_read_option(struct walk *walk, struct packet_reader *options)
{
	uint16_t code = packet_read_u16(options);
	size_t len = packet_read_u16(options);

	if (options->broken || options->len - options->at < len) {
		options->broken = true;
		return;
	}
	if (code == COOKIE_OPTION)
		query_read_cookie(walk, options->data + options->at, len);
	else if (code == OPTION_KEEPALIVE)
		query_read_keepalive(walk, len);
	options->at += len;
}

static void query_read_options(struct walk *walk, const struct packet_rr *rr)
{
	struct packet_reader options = packet_rdata(&walk->reader, rr);

	while (!options.broken && options.at < options.len)
		query_read_option(walk, &options);
	walk->wrong |= options.broken;
}

static uint16_t query_bounded_size(uint16_t size)
{
	if (size < PACKET_UDP_MIN)
		return PACKET_UDP_MIN;
	return size > PACKET_UDP_MAX ? PACKET_UDP_MAX : size;
}

static void query_read_opt(struct walk *walk, enum section section,
                           const struct packet_rr *rr)
{
	struct query *query = walk->query;

	if (section != SECTION_ADDITIONAL || walk->opts++ || rr->name.len != 1)
		walk->wrong = true;
	query->has_edns = true;
	query->udp_size = query_bounded_size(rr->class);
	query->dnssec_ok = rr->ttl & EDNS_DO;
	walk->edns_version = (rr->ttl & EDNS_VERSION) >> 16;
	query_read_options(walk, rr);
}

/* The TSIG record must be the last one, and there may be only one. */
static void query_read_tsig(struct walk *walk, enum section section,
                            const struct packet_rr *rr, size_t at)
{
	if (section != SECTION_ADDITIONAL || walk->tsigs++ ||
	    !tsig_read(&walk->reader, rr, at, &walk->query->tsig))
		walk->wrong = true;
}

/*
 * Reads the SOA where one is expected: the version of an IXFR client (RFC 1995 3), or the
 * news in a NOTIFY.
 */
static void query_read_soa(struct walk *walk, const struct packet_rr *rr)
{
	struct name owner = rr->name;

	name_fold(&owner);
	if (rr->type != RR_SOA || rr->class != walk->query->class ||
	    !name_equal(&owner, &walk->query->name) || walk->has_soa ||
	    !packet_soa_serial(&walk->reader, rr, &walk->query->ixfr_serial))
		walk->wrong = true;
	walk->has_soa = true;
}

static void query_read_plain(struct walk *walk, enum section section,
                             const struct packet_rr *rr)
{
	bool notify = query_is_notify(walk->query);
	bool ixfr = !notify && walk->query->type == RR_IXFR;

	if ((ixfr && section == SECTION_AUTHORITY) ||
	    (notify && section == SECTION_ANSWER))
		query_read_soa(walk, rr);
	else if (section != SECTION_ADDITIONAL)
		walk->wrong = true;	/* a question must not have answers */
}

static void query_read_record(struct walk *walk, enum section section)
{
	size_t at = walk->reader.at;
	struct packet_rr rr;

	packet_read_rr(&walk->reader, &rr);
	if (walk->reader.broken)
		return;
	if (walk->tsigs)
		walk->wrong = true;	/* a record follows the signature */
	if (rr.type == RR_OPT)
		query_read_opt(walk, section, &rr);
	else if (rr.type == RR_TSIG)
		query_read_tsig(walk, section, &rr, at);
	else
		query_read_plain(walk, section, &rr);
}

static void query_read_records(struct walk *walk)
{
	for (int section = SECTION_ANSWER; section < SECTIONS; section++)
		for (int i = 0; i < walk->header.count[section]; i++) {
			query_read_record(walk, section);
			if (walk->reader.broken)
				return;
		}
}

/* ---- check ---- */

static void query_read_question(struct walk *walk)
{
	struct query *query = walk->query;

	packet_read_name(&walk->reader, &query->raw);
	query->type = packet_read_u16(&walk->reader);
	query->class = packet_read_u16(&walk->reader);
	if (walk->reader.broken)
		return;
	query->name = query->raw;
	name_fold(&query->name);
	query->has_question = true;
}

static bool query_is_malformed(const struct walk *walk)
{
	const struct query *query = walk->query;
	uint16_t class = query->class;

	if (walk->reader.broken || walk->wrong)
		return true;
	if (!query->has_question)
		return query_is_notify(query) || !query->has_cookie;
	if (!class || class == CLASS_NONE || class == RR_CLASS_ANY)
		return true;
	if (query_is_notify(query))
		return false;
	return (query->type == RR_IXFR && !walk->has_soa) ||
	       (query->type == RR_AXFR && !walk->tcp);
}

static enum rcode query_check(const struct walk *walk)
{
	const struct query *query = walk->query;
	bool transfer = query->type == RR_AXFR || query->type == RR_IXFR;

	if (query_is_malformed(walk))
		return RCODE_FORMERR;
	if (walk->edns_version)
		return RCODE_BADVERS;
	if (!query->has_question)
		return RCODE_NOERROR;
	if (query_is_notify(query))
		return RCODE_REFUSED;	/* mini-DNS is no secondary */
	if (query->class != RR_CLASS_IN)
		return transfer ? RCODE_NOTAUTH : RCODE_REFUSED;
	return RCODE_NOERROR;
}

static enum query_verdict query_refuse(struct query *query, enum rcode rcode)
{
	query->rcode = rcode;
	return QUERY_REFUSED;
}

static enum query_verdict query_choose_verdict(const struct query *query)
{
	if (query->rcode)
		return QUERY_REFUSED;
	return query->has_question ? QUERY_SERVE : QUERY_COOKIE;
}

enum query_verdict query_read(const uint8_t *packet, size_t len, bool tcp,
                              struct query *query)
{
	struct walk walk = {
		.reader = packet_reader(packet, len), .query = query, .tcp = tcp,
	};
	int opcode;

	memset(query, 0, sizeof(*query));
	query->packet_len = len;
	query->udp_size = PACKET_UDP_MIN;
	packet_read_header(&walk.reader, &walk.header);
	query->id = walk.header.id;
	query->flags = walk.header.flags;
	if (walk.reader.broken || query->flags & FLAG_QR)
		return QUERY_SILENCE;
	opcode = (query->flags & FLAG_OPCODE) >> OPCODE_SHIFT;
	if (opcode != OPCODE_QUERY && opcode != OPCODE_NOTIFY)
		return query_refuse(query, RCODE_NOTIMP);
	if (walk.header.count[SECTION_QUESTION] > 1)	/* RFC 9619 */
		return query_refuse(query, RCODE_FORMERR);
	if (walk.header.count[SECTION_QUESTION])
		query_read_question(&walk);
	if (!walk.reader.broken)
		query_read_records(&walk);
	query->rcode = query_check(&walk);
	return query_choose_verdict(query);
}

/* ---- its signature ---- */

enum query_verdict query_verify(struct query *query, const uint8_t *packet,
                                const struct tsig_key *key, uint64_t now)
{
	query->now = now;
	if (!query->tsig.present || query->rcode == RCODE_FORMERR)
		return query_choose_verdict(query);
	query->tsig_error = TSIG_BADKEY;
	if (key) {
		tsig_chain_begin(&query->chain, key);
		query->tsig_error = tsig_verify(&query->chain, packet, &query->tsig, now);
	}
	switch (query->tsig_error) {
	case TSIG_NO_ERROR:
		query->signature = SIGNED;
		return query_choose_verdict(query);
	case TSIG_MALFORMED:
		return query_refuse(query, RCODE_FORMERR);
	case TSIG_BADKEY:
	case TSIG_BADSIG:
		query->signature = BADLY_SIGNED;
		break;
	case TSIG_BADTIME:
	case TSIG_BADTRUNC:
		query->signature = SIGNED;
	}
	return query_refuse(query, RCODE_NOTAUTH);
}

void query_wipe(struct query *query)
{
	explicit_bzero(&query->chain, sizeof(query->chain));
}

const struct tsig_key *query_key(const struct query *query)
{
	bool good = query->signature == SIGNED && !query->tsig_error;

	return good ? &query->chain.key : NULL;
}

/* ---- the frame of an answer ---- */

static bool query_answers_cookie(const struct query *query)
{
	return query->has_cookie && query->cookie.result != COOKIE_MALFORMED;
}

/* The length of the options without the text of an error. */
static size_t query_options_len(const struct query *query)
{
	size_t len = 0;

	if (query_answers_cookie(query))
		len += OPTION_HEAD + COOKIE_LEN;
	if (query->wants_keepalive)
		len += OPTION_HEAD + sizeof(uint16_t);
	if (query->error)
		len += OPTION_HEAD + sizeof(uint16_t);
	return len;
}

static size_t query_least_tail_len(const struct query *query)
{
	size_t len = query->has_edns ? OPT_LEN + query_options_len(query) : 0;

	if (query->signature != UNSIGNED)
		len += tsig_room(&query->tsig.key, &query->tsig.algorithm);
	return len;
}

/* The length of the required options. */
static size_t query_least_len(const struct query *query)
{
	return PACKET_HEADER + query->raw.len + 4 + query_least_tail_len(query);
}

/* The octets of the error's text: the whole text, or 0 if it is too long. */
static size_t query_text_len(const struct query *query)
{
	size_t len = query->has_edns && query->error ? strlen(query->error->text) : 0;

	return query_least_len(query) + len <= query->udp_size ? len : 0;
}

static size_t query_tail_len(const struct query *query)
{
	return query_least_tail_len(query) + query_text_len(query);
}

/* The limit of the answer. A client whose key has a long name accepts a longer answer. */
static size_t query_limit(const struct query *query, bool tcp)
{
	size_t least = query_least_len(query);

	if (tcp)
		return PACKET_MAX;
	return query->udp_size > least ? query->udp_size : least;
}

static void query_begin(const struct query *query, bool tcp, uint8_t *data, size_t size,
                        struct packet_writer *writer)
{
	size_t limit = query_limit(query, tcp);

	packet_writer_init(writer, data, limit < size ? limit : size);
	writer->limit -= query_tail_len(query);
}

void query_answer_begin(const struct query *query, bool tcp, uint8_t *data, size_t size,
                        struct packet_writer *writer)
{
	query_begin(query, tcp, data, size, writer);
	if (query->has_question)
		packet_put_question(writer, &query->raw, query->type, query->class);
}

static void query_put_option(struct packet_writer *writer, uint16_t code, size_t len)
{
	packet_put_u16(writer, code);
	packet_put_u16(writer, len);
}

static void query_put_options(const struct query *query, struct packet_writer *writer)
{
	if (query_answers_cookie(query)) {
		query_put_option(writer, COOKIE_OPTION, COOKIE_LEN);
		packet_put(writer, query->cookie.answer, COOKIE_LEN);
	}
	if (query->wants_keepalive) {
		query_put_option(writer, OPTION_KEEPALIVE, sizeof(uint16_t));
		packet_put_u16(writer, query->keepalive_ds);
	}
	if (query->error) {
		query_put_option(writer, OPTION_EXTENDED_ERROR,
		                 sizeof(uint16_t) + query_text_len(query));
		packet_put_u16(writer, query->error->code);
		packet_put(writer, query->error->text, query_text_len(query));
	}
}

static void query_put_opt(const struct query *query, enum rcode rcode,
                          struct packet_writer *writer)
{
	uint32_t dnssec_ok = query->dnssec_ok ? EDNS_DO : 0;

	packet_put(writer, "", 1);
	packet_put_u16(writer, RR_OPT);
	packet_put_u16(writer, PACKET_UDP_MAX);
	packet_put_u32(writer, (uint32_t)rcode >> 4 << 24 | dnssec_ok);
	packet_put_u16(writer, query_options_len(query) + query_text_len(query));
	query_put_options(query, writer);
}

/* Prepares the query for the next message of a transfer. */
static void query_go_on(struct query *query)
{
	query->has_question = false;
	query->has_edns = query_answers_cookie(query);
	query->wants_keepalive = false;
	query->error = NULL;
}

/* Writes the end of a message without the signature. */
static void query_put_tail(const struct query *query, uint16_t flags, enum rcode rcode,
                           const uint16_t count[SECTIONS], struct packet_writer *writer)
{
	struct packet_header header = {
		.id = query->id,
		.flags = FLAG_QR | flags | (rcode & FLAG_RCODE) |
			 (query->flags & (FLAG_OPCODE | FLAG_RD | FLAG_CD)),
	};

	memcpy(header.count, count, sizeof(header.count));
	header.count[SECTION_QUESTION] = query->has_question;
	writer->limit += query_tail_len(query);
	writer->full = false;
	if (query->has_edns) {
		query_put_opt(query, rcode, writer);
		header.count[SECTION_ADDITIONAL]++;
	}
	packet_set_header(writer, &header);
}

static void query_sign(struct query *query, struct packet_writer *writer)
{
	if (query->signature == SIGNED)
		tsig_sign(&query->chain, query->tsig_error, &query->tsig, query->now,
		          writer);
	else if (query->signature == BADLY_SIGNED)
		tsig_refuse(query->tsig_error, &query->tsig, query->now, writer);
}

void query_answer_end(struct query *query, uint16_t flags, enum rcode rcode,
                      const uint16_t count[SECTIONS], struct packet_writer *writer)
{
	query_put_tail(query, flags, rcode, count, writer);
	query_sign(query, writer);
	query_go_on(query);
}

/* The question is copied without the table of names, because no other name follows. */
size_t query_answer_ready(const struct query *query, uint16_t flags,
                          const uint8_t *record, size_t len, bool tcp, uint8_t *data,
                          size_t size)
{
	uint16_t count[SECTIONS] = { 0 };
	struct packet_writer writer;

	query_begin(query, tcp, data, size, &writer);
	packet_put(&writer, query->raw.wire, query->raw.len);
	packet_put_u16(&writer, query->type);
	packet_put_u16(&writer, query->class);
	packet_put(&writer, record, len);
	count[SECTION_ANSWER] = !writer.full;
	query_put_tail(query, writer.full ? flags | FLAG_TC : flags, RCODE_NOERROR, count,
	               &writer);
	if (query->signature != UNSIGNED) {
		struct query copy = *query;	/* signing changes its chain */

		query_sign(&copy, &writer);
	}
	return writer.len;
}

/* QUERY is a copy, which this function changes. */
static size_t query_answer_nothing(struct query query, uint16_t flags, enum rcode rcode,
                                   struct packet_writer *writer)
{
	static const uint16_t nothing[SECTIONS];

	query_answer_end(&query, flags, rcode, nothing, writer);
	return writer->len;
}

size_t query_answer_rcode(const struct query *query, enum rcode rcode, uint8_t *data,
                          size_t size)
{
	struct packet_writer writer;

	query_answer_begin(query, true, data, size, &writer);
	return query_answer_nothing(*query, 0, rcode, &writer);
}

size_t query_answer_truncated(const struct query *query, uint8_t *data, size_t size)
{
	struct packet_writer writer;

	query_answer_begin(query, true, data, size, &writer);
	return query_answer_nothing(*query, FLAG_TC, RCODE_NOERROR, &writer);
}
