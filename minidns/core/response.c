#include "core/response.h"

#include "dns/tsig_reason.h"

static const char *const names[RESPONSE_KINDS] = {
	[RESPONSE_MISMATCH] = "mismatch",
	[RESPONSE_TRUNCATED] = "truncated",
	[RESPONSE_SERIAL] = "serial",
	[RESPONSE_ABSENT] = "absent",
	[RESPONSE_LAME] = "lame",
	[RESPONSE_FAILED] = "failed",
	[RESPONSE_UNASKED] = "unasked",
};

const char *response_kind_name(enum response_kind kind)
{
	return names[kind];
}

size_t soa_request_encode(struct soa_request *ask, const struct tsig_key *key,
                          uint64_t now, uint8_t *data)
{
	struct packet_writer writer;
	struct packet_header header = {
		.id = ask->id,
		.flags = ask->opcode << OPCODE_SHIFT |
			 (ask->opcode == OPCODE_NOTIFY ? FLAG_AA : 0),	/* RFC 1996 3.3 */
		.count = { [SECTION_QUESTION] = 1 },
	};

	packet_writer_init(&writer, data, SOA_REQUEST_MAX);
	packet_put_question(&writer, &ask->zone, RR_SOA, RR_CLASS_IN);
	packet_set_header(&writer, &header);
	ask->is_signed = key;
	if (key) {
		tsig_chain_begin(&ask->chain, key);
		tsig_sign(&ask->chain, TSIG_NO_ERROR, NULL, now, &writer);
	}
	return writer.len;
}

static bool response_same_name(const struct name *a, const struct name *b)
{
	struct name left = *a, right = *b;

	name_fold(&left);
	name_fold(&right);
	return name_equal(&left, &right);
}

/*
 * True: the question comes back octet by octet (RFC 5452). An error may come without the
 * question, because RFC 1035 has no rule for that.
 */
static bool response_has_our_question(const struct soa_request *ask,
                                      const struct packet_header *header,
                                      struct packet_reader *reader, bool *exact)
{
	struct name name;
	uint16_t type, class;

	*exact = false;
	if (!header->count[SECTION_QUESTION])
		return header->flags & FLAG_RCODE;
	if (header->count[SECTION_QUESTION] != 1)
		return false;
	packet_read_name(reader, &name);
	type = packet_read_u16(reader);
	class = packet_read_u16(reader);
	*exact = name_equal(&name, &ask->zone);
	return !reader->broken && response_same_name(&name,
	                                             &ask->zone) && type == RR_SOA &&
	       class == RR_CLASS_IN;
}

static bool response_is_ours(const struct soa_request *ask,
                             const struct packet_header *header,
                             struct packet_reader *reader, bool *exact)
{
	return !reader->broken && header->id == ask->id && header->flags & FLAG_QR &&
	       (header->flags & FLAG_OPCODE) >> OPCODE_SHIFT == ask->opcode &&
	       response_has_our_question(ask, header, reader, exact);
}

/* The meaning of an rcode; RESPONSE_SERIAL: read the records. */
static enum response_kind response_of_rcode(enum rcode rcode)
{
	switch (rcode) {
	case RCODE_NOERROR:
		return RESPONSE_SERIAL;
	case RCODE_REFUSED:
	case RCODE_NOTAUTH:
	case RCODE_NXDOMAIN:
		return RESPONSE_ABSENT;
	default:
		return RESPONSE_FAILED;
	}
}

static bool response_is_soa(const struct soa_request *ask, const struct packet_rr *rr)
{
	return rr->type == RR_SOA && rr->class == RR_CLASS_IN &&
	       response_same_name(&rr->name, &ask->zone);
}

/* Finds the SOA in the answer section. A malformed SOA means the same as no SOA. */
static enum response_kind response_find_serial(const struct soa_request *ask,
                                               struct packet_reader *reader,
                                               const struct packet_header *header,
                                               uint32_t *serial)
{
	struct packet_rr rr;
	uint32_t got;

	for (int i = 0; i < header->count[SECTION_ANSWER]; i++) {
		packet_read_rr(reader, &rr);
		if (reader->broken)
			return RESPONSE_FAILED;
		if (!response_is_soa(ask, &rr))
			continue;
		if (!packet_soa_serial(reader, &rr, &got))
			return RESPONSE_FAILED;
		if (!(header->flags & FLAG_AA))
			return RESPONSE_LAME;
		*serial = got;
		return RESPONSE_SERIAL;
	}
	return RESPONSE_ABSENT;
}

/* NULL: the signature of the answer is as required. */
static const char *response_signature_fault(const struct soa_request *ask,
                                            const uint8_t *data, size_t len,
                                            uint64_t now, struct response *response)
{
	struct tsig_chain chain = ask->chain;
	struct tsig tsig;
	const char *fault;

	if (!tsig_find(data, len, &tsig) || !tsig.present) {
		response->is_unsigned_absence = ask->opcode == OPCODE_QUERY &&
		                                response->rcode == RCODE_REFUSED;
		return response->is_unsigned_absence
		           ? "answers with REFUSED, without a TSIG record"
		           : "answers without a TSIG record";
	}
	if (tsig.error && !tsig.mac_len)
		return tsig_reason_refused(tsig.error);
	fault = tsig_reason_invalid(tsig_verify(&chain, data, &tsig, now));
	return !fault && tsig.error ? tsig_reason_refused(tsig.error) : fault;
}

struct response response_read(const struct soa_request *ask, const uint8_t *data,
                              size_t len, uint64_t now)
{
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct response response = { .kind = RESPONSE_MISMATCH };
	bool exact;

	packet_read_header(&reader, &header);
	if (!response_is_ours(ask, &header, &reader, &exact))
		return response;
	response.is_exact = exact;
	response.rcode = header.flags & FLAG_RCODE;
	response.fault = ask->is_signed ? response_signature_fault(ask, data, len, now,
	                                                           &response)
	                                : NULL;
	if (response.fault)
		return response;
	response.kind = response_of_rcode(response.rcode);
	if (ask->opcode == OPCODE_NOTIFY) {
		response.kind = response.rcode ? RESPONSE_FAILED : RESPONSE_SERIAL;
		return response;
	}
	if (header.flags & FLAG_TC)
		response.kind = RESPONSE_TRUNCATED;
	else if (response.kind == RESPONSE_SERIAL)
		response.kind = response_find_serial(ask, &reader, &header,
		                                     &response.serial);
	return response;
}
