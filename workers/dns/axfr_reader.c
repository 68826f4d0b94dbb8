#include "dns/axfr_reader.h"

#include <string.h>

#include "base/log.h"
#include "dns/tsig_reason.h"

enum { TYPE_META_FIRST = 128, TYPE_META_LAST = 255 };

size_t axfr_reader_query(struct axfr_reader *axfr, const struct name *zone, uint16_t id,
                         const struct tsig_key *key, uint64_t now, uint8_t *data)
{
	struct packet_header header = { .id = id, .count = { [SECTION_QUESTION] = 1 } };
	struct packet_writer writer;

	*axfr = (struct axfr_reader){
		.id = id, .zone = *zone, .is_signed = key, .is_verified = true,
		.limits = { UINT64_MAX, UINT64_MAX },
	};
	packet_writer_init(&writer, data, AXFR_QUERY_MAX);
	packet_put_question(&writer, zone, RR_AXFR, RR_CLASS_IN);
	packet_set_header(&writer, &header);
	if (key) {
		tsig_chain_begin(&axfr->chain, key);
		tsig_sign(&axfr->chain, TSIG_NO_ERROR, NULL, now, &writer);
	}
	return writer.len;
}

void axfr_reader_clear(struct axfr_reader *axfr)
{
	tsig_gap_clear(&axfr->gap);
	explicit_bzero(&axfr->chain, sizeof(axfr->chain));
}

/* Sets the fault; keeps an earlier one. */
static bool axfr_refuse(struct axfr_reader *axfr, const char *fault)
{
	if (!axfr->fault)
		axfr->fault = fault;
	axfr->left = 0;
	return false;
}

/* ---- a message ---- */

/* Later messages may have no question (RFC 5936 2.2.1). */
static bool axfr_is_our_question(const struct axfr_reader *axfr, unsigned count,
                                 struct packet_reader *reader)
{
	struct name name;
	uint16_t type, class;

	if (!count)
		return axfr->messages;
	packet_read_name(reader, &name);
	type = packet_read_u16(reader);
	class = packet_read_u16(reader);
	name_fold(&name);
	return count == 1 && !reader->broken && name_equal(&name, &axfr->zone) &&
	       type == RR_AXFR && class == RR_CLASS_IN;
}

static const char *axfr_rcode_fault(enum rcode rcode)
{
	switch (rcode) {
	case RCODE_FORMERR: return "answers with FORMERR";
	case RCODE_SERVFAIL: return "answers with SERVFAIL";
	case RCODE_NXDOMAIN: return "answers with NXDOMAIN";
	case RCODE_NOTIMP: return "answers with NOTIMP";
	case RCODE_REFUSED: return "answers with REFUSED";
	case RCODE_NOTAUTH: return "answers with NOTAUTH";
	default: return "answers with an error";
	}
}

/* An unsigned error only counts for the log. The server's time needs a signature. */
static bool axfr_on_error(struct axfr_reader *axfr, enum rcode rcode, const uint8_t *data,
                          const struct tsig *tsig)
{
	axfr->rcode = rcode;
	if (axfr->is_signed && !axfr->messages && tsig->present)
		axfr->server_time = tsig_server_time(&axfr->chain, data, tsig);
	return axfr_refuse(axfr, tsig->present && tsig->error ?
	                   tsig_reason_refused(tsig->error) : axfr_rcode_fault(rcode));
}

/* NULL: the signature is valid, or the signature of a later message covers this one. */
static const char *axfr_signature_fault(struct axfr_reader *axfr, const uint8_t *data,
                                        size_t len, const struct tsig *tsig, uint64_t now)
{
	const char *fault;

	if (!axfr->is_signed)
		return tsig->present ? "sends a signed answer to an unsigned "
		        "query" : NULL;
	axfr->is_verified = tsig->present;
	if (!tsig->present)
		return tsig_gap_add(&axfr->gap, &axfr->chain, data, len)
			       ? NULL : "answers without a TSIG record";
	if (tsig->error && !tsig->mac_len)
		return tsig_reason_refused(tsig->error);
	fault = tsig_reason_invalid(tsig_verify_behind(&axfr->chain, &axfr->gap,
	                                               data, tsig, now));
	return !fault && tsig->error ? tsig_reason_refused(tsig->error) : fault;
}

/* Reads the header and the question. */
static bool axfr_read_header(struct axfr_reader *axfr, struct packet_header *header)
{
	struct packet_reader *reader = &axfr->reader;

	packet_read_header(reader, header);
	if (reader->broken || header->id != axfr->id || !(header->flags & FLAG_QR) ||
	    header->flags & FLAG_OPCODE)
		return axfr_refuse(axfr, "sends a message that is not the expected "
		                   "answer");
	if (header->flags & FLAG_RCODE)
		return true;
	if (header->flags & FLAG_TC)
		return axfr_refuse(axfr, "sends a truncated message");
	if (!axfr_is_our_question(axfr, header->count[SECTION_QUESTION], reader))
		return axfr_refuse(axfr, "answers a different query");
	return true;
}

bool axfr_reader_add(struct axfr_reader *axfr, const uint8_t *data, size_t len,
                     uint64_t now)
{
	struct packet_header header;
	struct tsig tsig;
	const char *fault;

	if (axfr->fault || axfr->ended || axfr->left)
		return axfr_refuse(axfr, "sends more data after the final SOA record");
	axfr->reader = packet_reader(data, len);
	if (!axfr_read_header(axfr, &header))
		return false;
	if (!tsig_find(data, len, &tsig))
		return axfr_refuse(axfr, "sends a malformed message");
	if (header.flags & FLAG_RCODE)
		return axfr_on_error(axfr, header.flags & FLAG_RCODE, data, &tsig);
	fault = axfr_signature_fault(axfr, data, len, &tsig, now);
	if (fault)
		return axfr_refuse(axfr, fault);
	axfr->left = header.count[SECTION_ANSWER];
	axfr->messages++;
	axfr->octets += len;
	if (!axfr->left)
		return axfr_refuse(axfr, "sends a message without records");
	return true;
}

/* ---- records ---- */

static bool axfr_is_apex(const struct axfr_reader *axfr, const struct packet_rr *rr)
{
	struct name owner = rr->name;

	name_fold(&owner);
	return name_equal(&owner, &axfr->zone);
}

static bool axfr_begin(struct axfr_reader *axfr, const struct packet_rr *rr,
                       const struct canonical *record)
{
	if (rr->type != RR_SOA || !axfr_is_apex(axfr, rr) ||
	    !packet_soa_serial(&axfr->reader, rr, &axfr->serial))
		return axfr_refuse(axfr, "does not begin the transfer with the SOA "
		                   "record of the zone");
	axfr->has_soa = true;
	axfr->soa_len = record->len;
	bug_if(record->len > sizeof(axfr->soa));
	memcpy(axfr->soa, record->octets, record->len);
	return true;
}

/* The second SOA must equal the first one and be the last record. */
static bool axfr_end(struct axfr_reader *axfr, const struct canonical *record)
{
	if (record->len != axfr->soa_len ||
	    memcmp(record->octets, axfr->soa, record->len))
		return axfr_refuse(axfr, "ends the transfer with an SOA record that "
		                   "differs from the first SOA record");
	if (axfr->left)
		return axfr_refuse(axfr, "sends more data after the final SOA record");
	if (!axfr->is_verified)
		return axfr_refuse(axfr, "ends the transfer without a TSIG record");
	axfr->ended = true;
	return true;
}

static bool axfr_is_data(const struct packet_rr *rr)
{
	return rr->class == RR_CLASS_IN && rr->type && rr->type != RR_OPT &&
	       (rr->type < TYPE_META_FIRST || rr->type > TYPE_META_LAST);
}

static bool axfr_read_record(struct axfr_reader *axfr, struct packet_rr *rr,
                             struct canonical *record)
{
	packet_read_rr(&axfr->reader, rr);
	if (!axfr_is_data(rr) || !canonical_of_packet(&axfr->reader, rr, record))
		return axfr_refuse(axfr, "sends a malformed record");
	axfr->left--;
	/* the SOA comes twice, so one more record is allowed */
	if (axfr->records++ > axfr->limits.records || axfr->octets > axfr->limits.octets)
		return axfr_refuse(axfr, "sends more data than the limit for a zone");
	return true;
}

static enum axfr_reader_step axfr_failed(const struct axfr_reader *axfr)
{
	return axfr->rcode ? AXFR_READER_REFUSED : AXFR_READER_BROKEN;
}

enum axfr_reader_step axfr_reader_next(struct axfr_reader *axfr, struct canonical *record)
{
	struct packet_rr rr;

	if (axfr->fault)
		return axfr_failed(axfr);
	if (axfr->ended)
		return AXFR_READER_END;
	if (!axfr->left)
		return AXFR_READER_MORE;
	if (!axfr_read_record(axfr, &rr, record))
		return axfr_failed(axfr);
	if (!axfr->has_soa)
		return axfr_begin(axfr, &rr, record) ? AXFR_READER_RECORD
		                                    : axfr_failed(axfr);
	if (rr.type != RR_SOA || !axfr_is_apex(axfr, &rr))
		return AXFR_READER_RECORD;
	return axfr_end(axfr, record) ? AXFR_READER_END : axfr_failed(axfr);
}
