#include "core/query.h"

#include <string.h>

enum {
	CLASS_NONE = 254,
	OPT_LEN = 11,			/* without options */
	/* in the TTL of an OPT record */
	EDNS_VERSION = 0x00ff0000, EDNS_DO = 0x00008000,
};

/* What was met on the way through the records of a request. */
struct walk {
	struct packet_reader reader;
	struct packet_header header;
	struct query *query;
	int opts, tsigs;
	bool wrong;			/* FORMERR */
	uint8_t edns_version;
	bool has_soa;
};

/* ---- the records behind the question ---- */

static void read_options(struct walk *walk, const struct packet_rr *rr)
{
	struct packet_reader options = packet_rdata(&walk->reader, rr);

	while (!options.broken && options.at < options.len) {
		packet_read_u16(&options);

		size_t len = packet_read_u16(&options);

		if (options.broken || options.len - options.at < len)
			options.broken = true;
		else
			options.at += len;
	}
	walk->wrong |= options.broken;
}

static uint16_t bounded_size(uint16_t size)
{
	if (size < PACKET_UDP_MIN)
		return PACKET_UDP_MIN;
	return size > PACKET_UDP_MAX ? PACKET_UDP_MAX : size;
}

static void read_opt(struct walk *walk, enum section section, const struct packet_rr *rr)
{
	struct query *query = walk->query;

	if (section != SECTION_ADDITIONAL || walk->opts++ || rr->name.len != 1)
		walk->wrong = true;
	query->has_edns = true;
	query->udp_size = bounded_size(rr->class);
	query->dnssec_ok = rr->ttl & EDNS_DO;
	walk->edns_version = (rr->ttl & EDNS_VERSION) >> 16;
	read_options(walk, rr);
}

/* The last record of all, and one of them. */
static void read_tsig(struct walk *walk, enum section section, const struct packet_rr *rr,
                      size_t at)
{
	if (section != SECTION_ADDITIONAL || walk->tsigs++ ||
	    !tsig_read(&walk->reader, rr, at, &walk->query->tsig))
		walk->wrong = true;
}

/*
 * An SOA where one is expected: what an IXFR client has (RFC
 * 1995 3), what a NOTIFY tells.
 */
static void read_soa(struct walk *walk, const struct packet_rr *rr)
{
	struct name owner = rr->name;

	name_fold(&owner);
	if (rr->type != RR_SOA || rr->class != walk->query->class ||
	    !name_equal(&owner, &walk->query->name) || walk->has_soa ||
	    !packet_soa_serial(&walk->reader, rr, &walk->query->ixfr_serial))
		walk->wrong = true;
	walk->has_soa = true;
}

static void read_plain(struct walk *walk, enum section section,
                       const struct packet_rr *rr)
{
	bool notify = (walk->query->flags & FLAG_OPCODE) >> OPCODE_SHIFT == OPCODE_NOTIFY;
	bool ixfr = !notify && walk->query->type == RR_IXFR;

	if ((ixfr && section == SECTION_AUTHORITY) ||
	    (notify && section == SECTION_ANSWER))
		read_soa(walk, rr);
	else if (section != SECTION_ADDITIONAL)
		walk->wrong = true;	/* a question carries no answers */
}

static void read_record(struct walk *walk, enum section section)
{
	size_t at = walk->reader.at;
	struct packet_rr rr;

	packet_read_rr(&walk->reader, &rr);
	if (walk->reader.broken)
		return;
	if (walk->tsigs)
		walk->wrong = true;	/* something stands behind the signature */
	if (rr.type == RR_OPT)
		read_opt(walk, section, &rr);
	else if (rr.type == RR_TSIG)
		read_tsig(walk, section, &rr, at);
	else
		read_plain(walk, section, &rr);
}

static void read_records(struct walk *walk)
{
	for (int section = SECTION_ANSWER; section < SECTIONS; section++)
		for (int i = 0; i < walk->header.count[section]; i++) {
			read_record(walk, section);
			if (walk->reader.broken)
				return;
		}
}

/* ---- the judgement ---- */

static void read_question(struct walk *walk)
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

static bool is_malformed(const struct walk *walk, bool tcp)
{
	const struct query *query = walk->query;
	uint16_t class = query->class;

	if (walk->reader.broken || walk->wrong)
		return true;
	if (!class || class == CLASS_NONE || class == RR_CLASS_ANY)
		return true;
	if ((query->flags & FLAG_OPCODE) >> OPCODE_SHIFT == OPCODE_NOTIFY)
		return false;
	return (query->type == RR_IXFR && !walk->has_soa) ||
	       (query->type == RR_AXFR && !tcp);
}

static enum rcode judge(const struct walk *walk, bool tcp)
{
	const struct query *query = walk->query;
	bool transfer = query->type == RR_AXFR || query->type == RR_IXFR;

	if (is_malformed(walk, tcp))
		return RCODE_FORMERR;
	if (walk->edns_version)
		return RCODE_BADVERS;
	if ((query->flags & FLAG_OPCODE) >> OPCODE_SHIFT == OPCODE_NOTIFY)
		return RCODE_REFUSED;	/* we are nobody's secondary */
	if (query->class != RR_CLASS_IN)
		return transfer ? RCODE_NOTAUTH : RCODE_REFUSED;
	return RCODE_NOERROR;
}

static enum query_fate refuse(struct query *query, enum rcode rcode)
{
	query->rcode = rcode;
	return QUERY_REFUSED;
}

enum query_fate query_read(const uint8_t *packet, size_t len, bool tcp,
                           struct query *query)
{
	struct walk walk = { .reader = packet_reader(packet, len), .query = query };
	int opcode;

	memset(query, 0, sizeof(*query));
	query->udp_size = PACKET_UDP_MIN;
	packet_read_header(&walk.reader, &walk.header);
	query->id = walk.header.id;
	query->flags = walk.header.flags;
	if (walk.reader.broken || query->flags & FLAG_QR)
		return QUERY_SILENCE;
	opcode = (query->flags & FLAG_OPCODE) >> OPCODE_SHIFT;
	if (opcode != OPCODE_QUERY && opcode != OPCODE_NOTIFY)
		return refuse(query, RCODE_NOTIMP);
	if (walk.header.count[SECTION_QUESTION] != 1)	/* RFC 9619 */
		return refuse(query, RCODE_FORMERR);
	read_question(&walk);
	if (!walk.reader.broken)
		read_records(&walk);
	query->rcode = judge(&walk, tcp);
	return query->rcode ? QUERY_REFUSED : QUERY_SERVE;
}

/* ---- its signature ---- */

enum query_fate query_verify(struct query *query, const uint8_t *packet,
                             const struct tsig_key *key, uint64_t now)
{
	query->now = now;
	if (!query->tsig.present || query->rcode == RCODE_FORMERR)
		return query->rcode ? QUERY_REFUSED : QUERY_SERVE;
	query->tsig_error = TSIG_BADKEY;
	if (key) {
		tsig_chain_begin(&query->chain, key);
		query->tsig_error = tsig_verify(&query->chain, packet, &query->tsig, now);
	}
	switch (query->tsig_error) {
	case TSIG_FINE:
		query->signature = SIGNED;
		return query->rcode ? QUERY_REFUSED : QUERY_SERVE;
	case TSIG_MALFORMED:
		return refuse(query, RCODE_FORMERR);
	case TSIG_BADKEY:
	case TSIG_BADSIG:
		query->signature = BADLY_SIGNED;
		break;
	case TSIG_BADTIME:
	case TSIG_BADTRUNC:
		query->signature = SIGNED;
	}
	return refuse(query, RCODE_NOTAUTH);
}

const struct tsig_key *query_key(const struct query *query)
{
	bool good = query->signature == SIGNED && !query->tsig_error;

	return good ? &query->chain.key : NULL;
}

/* ---- the frame of an answer ---- */

static size_t tail_len(const struct query *query)
{
	size_t len = query->has_edns ? OPT_LEN : 0;

	if (query->signature != UNSIGNED)
		len += tsig_room(&query->tsig.key, &query->tsig.algorithm);
	return len;
}

/* Whoever signs with a long name takes an answer that has room for it. */
static size_t limit_of(const struct query *query, bool tcp)
{
	size_t least = PACKET_HEADER + query->raw.len + 4 + tail_len(query);

	if (tcp)
		return PACKET_MAX;
	return query->udp_size > least ? query->udp_size : least;
}

void query_answer_begin(const struct query *query, bool tcp, uint8_t *data, size_t size,
                        struct packet_writer *writer)
{
	size_t limit = limit_of(query, tcp);

	packet_writer_init(writer, data, limit < size ? limit : size);
	writer->limit -= tail_len(query);
	if (!query->has_question)
		return;
	packet_put(writer, query->raw.wire, query->raw.len);
	packet_put_u16(writer, query->type);
	packet_put_u16(writer, query->class);
}

static void put_opt(enum rcode rcode, bool dnssec_ok, struct packet_writer *writer)
{
	packet_put(writer, "", 1);
	packet_put_u16(writer, RR_OPT);
	packet_put_u16(writer, PACKET_UDP_MAX);
	packet_put_u32(writer, (uint32_t)rcode >> 4 << 24 | (dnssec_ok ? EDNS_DO : 0));
	packet_put_u16(writer, 0);
}

void query_answer_end(struct query *query, uint16_t flags, enum rcode rcode,
                      const uint16_t count[SECTIONS], struct packet_writer *writer)
{
	struct packet_header header = {
		.id = query->id,
		.flags = FLAG_QR | flags | (rcode & FLAG_RCODE) |
			 (query->flags & (FLAG_OPCODE | FLAG_RD | FLAG_CD)),
	};

	memcpy(header.count, count, sizeof(header.count));
	header.count[SECTION_QUESTION] = query->has_question;
	writer->limit += tail_len(query);
	writer->full = false;
	if (query->has_edns) {
		put_opt(rcode, query->dnssec_ok, writer);
		header.count[SECTION_ADDITIONAL]++;
	}
	packet_set_header(writer, &header);
	if (query->signature == SIGNED)
		tsig_sign(&query->chain, query->tsig_error, &query->tsig, query->now,
		          writer);
	else if (query->signature == BADLY_SIGNED)
		tsig_refuse(query->tsig_error, &query->tsig, query->now, writer);
	query->has_question = false;
	query->has_edns = false;
}

size_t query_answer_rcode(struct query *query, enum rcode rcode, uint8_t *data,
                          size_t size)
{
	static const uint16_t nothing[SECTIONS];
	struct packet_writer writer;

	query_answer_begin(query, true, data, size, &writer);
	query_answer_end(query, 0, rcode, nothing, &writer);
	return writer.len;
}
