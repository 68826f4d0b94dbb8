#include "dns/axfr_reader.h"

#include <string.h>

#include "base/log.h"
#include "dns/tsig_reason.h"

enum { TYPE_META_FIRST = 128, TYPE_META_LAST = 255 };

size_t incoming_ask(struct incoming *incoming, const struct name *zone, uint16_t id,
                    const struct tsig_key *key, uint64_t now, uint8_t *data)
{
	struct packet_header header = { .id = id, .count = { [SECTION_QUESTION] = 1 } };
	struct packet_writer writer;

	*incoming = (struct incoming){
		.id = id, .zone = *zone, .is_signed = key, .vouched = true,
		.limits = { UINT64_MAX, UINT64_MAX },
	};
	packet_writer_init(&writer, data, INCOMING_ASK_MAX);
	packet_put_question(&writer, zone, RR_AXFR, RR_CLASS_IN);
	packet_set_header(&writer, &header);
	if (key) {
		tsig_chain_begin(&incoming->chain, key);
		tsig_sign(&incoming->chain, TSIG_FINE, NULL, now, &writer);
	}
	return writer.len;
}

void incoming_clear(struct incoming *incoming)
{
	tsig_gap_clear(&incoming->gap);
	explicit_bzero(&incoming->chain, sizeof(incoming->chain));
}

/* The first reason is the one that is told. */
static bool refuse(struct incoming *incoming, const char *fault)
{
	if (!incoming->fault)
		incoming->fault = fault;
	incoming->left = 0;
	return false;
}

/* ---- a message ---- */

/* From the second on it may be left out (RFC 5936 2.2.1). */
static bool is_our_question(const struct incoming *incoming, unsigned count,
                            struct packet_reader *reader)
{
	struct name name;
	uint16_t type, class;

	if (!count)
		return incoming->messages;
	packet_read_name(reader, &name);
	type = packet_read_u16(reader);
	class = packet_read_u16(reader);
	name_fold(&name);
	return count == 1 && !reader->broken && name_equal(&name, &incoming->zone) &&
	       type == RR_AXFR && class == RR_CLASS_IN;
}

static const char *rcode_fault(enum rcode rcode)
{
	switch (rcode) {
	case RCODE_FORMERR: return "answers FORMERR";
	case RCODE_SERVFAIL: return "answers SERVFAIL";
	case RCODE_NXDOMAIN: return "answers NXDOMAIN";
	case RCODE_NOTIMP: return "answers NOTIMP";
	case RCODE_REFUSED: return "answers REFUSED";
	case RCODE_NOTAUTH: return "answers NOTAUTH";
	default: return "answers an error";
	}
}

/* It counts without a signature too, for the log; the server's time does not. */
static bool hear_error(struct incoming *incoming, enum rcode rcode, const uint8_t *data,
                       const struct tsig *tsig)
{
	incoming->rcode = rcode;
	if (incoming->is_signed && !incoming->messages && tsig->present)
		incoming->server_time = tsig_server_time(&incoming->chain, data, tsig);
	return refuse(incoming, tsig->present && tsig->error
	                            ? tsig_words_refusal(tsig->error)
	                            : rcode_fault(rcode));
}

/* NULL: by whom it says to be, or one of those whose signature comes later. */
static const char *signature_fault(struct incoming *incoming, const uint8_t *data,
                                   size_t len, const struct tsig *tsig, uint64_t now)
{
	const char *fault;

	if (!incoming->is_signed)
		return tsig->present ? "signs an answer to an unsigned question" : NULL;
	incoming->vouched = tsig->present;
	if (!tsig->present)
		return tsig_gap_add(&incoming->gap, &incoming->chain, data, len)
			       ? NULL : "answers without a signature";
	if (tsig->error && !tsig->mac_len)
		return tsig_words_refusal(tsig->error);
	fault = tsig_words_fault(tsig_verify_behind(&incoming->chain, &incoming->gap,
	                                            data, tsig, now));
	return !fault && tsig->error ? tsig_words_refusal(tsig->error) : fault;
}

/* Whatever its records are. */
static bool take_header(struct incoming *incoming, struct packet_header *header)
{
	struct packet_reader *reader = &incoming->reader;

	packet_read_header(reader, header);
	if (reader->broken || header->id != incoming->id || !(header->flags & FLAG_QR) ||
	    header->flags & FLAG_OPCODE)
		return refuse(incoming, "sends what is no answer to our question");
	if (header->flags & FLAG_RCODE)
		return true;
	if (header->flags & FLAG_TC)
		return refuse(incoming, "sends a truncated message");
	if (!is_our_question(incoming, header->count[SECTION_QUESTION], reader))
		return refuse(incoming, "answers another question");
	return true;
}

bool incoming_take(struct incoming *incoming, const uint8_t *data, size_t len,
                   uint64_t now)
{
	struct packet_header header;
	struct tsig tsig;
	const char *fault;

	if (incoming->fault || incoming->ended || incoming->left)
		return refuse(incoming, "goes on behind its end");
	incoming->reader = packet_reader(data, len);
	if (!take_header(incoming, &header))
		return false;
	if (!tsig_find(data, len, &tsig))
		return refuse(incoming, "sends a malformed message");
	if (header.flags & FLAG_RCODE)
		return hear_error(incoming, header.flags & FLAG_RCODE, data, &tsig);
	fault = signature_fault(incoming, data, len, &tsig, now);
	if (fault)
		return refuse(incoming, fault);
	incoming->left = header.count[SECTION_ANSWER];
	incoming->messages++;
	incoming->octets += len;
	if (!incoming->left)
		return refuse(incoming, "sends a message without records");
	return true;
}

/* ---- its records ---- */

static bool is_apex(const struct incoming *incoming, const struct packet_rr *rr)
{
	struct name owner = rr->name;

	name_fold(&owner);
	return name_equal(&owner, &incoming->zone);
}

static bool begin(struct incoming *incoming, const struct packet_rr *rr,
                  const struct canonical *record)
{
	if (rr->type != RR_SOA || !is_apex(incoming, rr) ||
	    !packet_soa_serial(&incoming->reader, rr, &incoming->serial))
		return refuse(incoming, "sends no SOA of the zone at first");
	incoming->has_soa = true;
	incoming->soa_len = record->len;
	bug_if(record->len > sizeof(incoming->soa));
	memcpy(incoming->soa, record->octets, record->len);
	return true;
}

/* The SOA again: is it the one that it began with, and the last that is said? */
static bool end(struct incoming *incoming, const struct canonical *record)
{
	if (record->len != incoming->soa_len ||
	    memcmp(record->octets, incoming->soa, record->len))
		return refuse(incoming, "ends with another SOA than it began with");
	if (incoming->left)
		return refuse(incoming, "goes on behind its end");
	if (!incoming->vouched)
		return refuse(incoming, "ends without a signature");
	incoming->ended = true;
	return true;
}

static bool is_data(const struct packet_rr *rr)
{
	return rr->class == RR_CLASS_IN && rr->type && rr->type != RR_OPT &&
	       (rr->type < TYPE_META_FIRST || rr->type > TYPE_META_LAST);
}

static bool take_record(struct incoming *incoming, struct packet_rr *rr,
                        struct canonical *record)
{
	packet_read_rr(&incoming->reader, rr);
	if (!is_data(rr) || !canonical_of_packet(&incoming->reader, rr, record))
		return refuse(incoming, "sends a malformed record");
	incoming->left--;
	/* the SOA comes twice */
	if (incoming->records++ > incoming->limits.records ||
	    incoming->octets > incoming->limits.octets)
		return refuse(incoming, "sends more than the zone could ever have");
	return true;
}

static enum incoming_step failed(const struct incoming *incoming)
{
	return incoming->rcode ? INCOMING_REFUSED : INCOMING_BROKEN;
}

enum incoming_step incoming_next(struct incoming *incoming, struct canonical *record)
{
	struct packet_rr rr;

	if (incoming->fault)
		return failed(incoming);
	if (incoming->ended)
		return INCOMING_END;
	if (!incoming->left)
		return INCOMING_MORE;
	if (!take_record(incoming, &rr, record))
		return failed(incoming);
	if (!incoming->has_soa)
		return begin(incoming, &rr, record) ? INCOMING_RECORD : failed(incoming);
	if (rr.type != RR_SOA || !is_apex(incoming, &rr))
		return INCOMING_RECORD;
	return end(incoming, record) ? INCOMING_END : failed(incoming);
}
