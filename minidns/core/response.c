#include "core/response.h"

#include "dns/tsig_words.h"

static const char *const names[VERDICT_COUNT] = {
	[VERDICT_MISMATCH] = "mismatch",
	[VERDICT_TRUNCATED] = "truncated",
	[VERDICT_SERIAL] = "serial",
	[VERDICT_ABSENT] = "absent",
	[VERDICT_LAME] = "lame",
	[VERDICT_FAILED] = "failed",
	[VERDICT_UNASKED] = "unasked",
};

const char *verdict_name(enum verdict verdict)
{
	return names[verdict];
}

size_t ask_encode(struct ask *ask, const struct tsig_key *key, uint64_t now,
                  uint8_t *data)
{
	struct packet_writer writer;
	struct packet_header header = {
		.id = ask->id,
		.flags = ask->opcode << OPCODE_SHIFT |
			 (ask->opcode == OPCODE_NOTIFY ? FLAG_AA : 0),	/* RFC 1996 3.3 */
		.count = { [SECTION_QUESTION] = 1 },
	};

	packet_writer_init(&writer, data, ASK_MAX);
	packet_put_question(&writer, &ask->zone, RR_SOA, RR_CLASS_IN);
	packet_set_header(&writer, &header);
	ask->is_signed = key;
	if (key) {
		tsig_chain_begin(&ask->chain, key);
		tsig_sign(&ask->chain, TSIG_FINE, NULL, now, &writer);
	}
	return writer.len;
}

static bool is_same_name(const struct name *a, const struct name *b)
{
	struct name left = *a, right = *b;

	name_fold(&left);
	name_fold(&right);
	return name_equal(&left, &right);
}

/*
 * The question comes back, by RFC 5452 octet by octet; an error may come without it
 * (RFC 1035 knows no rule).
 */
static bool is_our_question(const struct ask *ask, const struct packet_header *header,
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
	return !reader->broken && is_same_name(&name, &ask->zone) && type == RR_SOA &&
	       class == RR_CLASS_IN;
}

static bool is_our_answer(const struct ask *ask, const struct packet_header *header,
                          struct packet_reader *reader, bool *exact)
{
	return !reader->broken && header->id == ask->id && header->flags & FLAG_QR &&
	       (header->flags & FLAG_OPCODE) >> OPCODE_SHIFT == ask->opcode &&
	       is_our_question(ask, header, reader, exact);
}

/* What an rcode says by itself; SERIAL: look at the records. */
static enum verdict of_rcode(enum rcode rcode)
{
	switch (rcode) {
	case RCODE_NOERROR:
		return VERDICT_SERIAL;
	case RCODE_REFUSED:
	case RCODE_NOTAUTH:
	case RCODE_NXDOMAIN:
		return VERDICT_ABSENT;
	default:
		return VERDICT_FAILED;
	}
}

static bool is_soa_of(const struct ask *ask, const struct packet_rr *rr)
{
	return rr->type == RR_SOA && rr->class == RR_CLASS_IN &&
	       is_same_name(&rr->name, &ask->zone);
}

/*
 * The SOA in the answer section. One that is broken says no
 * more than none of an error.
 */
static enum verdict find_serial(const struct ask *ask, struct packet_reader *reader,
                                const struct packet_header *header, uint32_t *serial)
{
	struct packet_rr rr;
	uint32_t got;

	for (int i = 0; i < header->count[SECTION_ANSWER]; i++) {
		packet_read_rr(reader, &rr);
		if (reader->broken)
			return VERDICT_FAILED;
		if (!is_soa_of(ask, &rr))
			continue;
		if (!packet_soa_serial(reader, &rr, &got))
			return VERDICT_FAILED;
		if (!(header->flags & FLAG_AA))
			return VERDICT_LAME;
		*serial = got;
		return VERDICT_SERIAL;
	}
	return VERDICT_ABSENT;
}

/* NULL: the answer is signed as it must be. */
static const char *signature_fault(const struct ask *ask, const uint8_t *data, size_t len,
                                   uint64_t now)
{
	struct tsig_chain chain = ask->chain;
	struct tsig tsig;
	const char *fault;

	if (!tsig_find(data, len, &tsig) || !tsig.present)
		return "answers without a signature";
	if (tsig.error && !tsig.mac_len)
		return tsig_words_refusal(tsig.error);
	fault = tsig_words_fault(tsig_verify(&chain, data, &tsig, now));
	return !fault && tsig.error ? tsig_words_refusal(tsig.error) : fault;
}

struct judgement verdict_of(const struct ask *ask, const uint8_t *data, size_t len,
                            uint64_t now)
{
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct judgement judgement = { .verdict = VERDICT_MISMATCH };
	bool exact;

	packet_read_header(&reader, &header);
	if (!is_our_answer(ask, &header, &reader, &exact))
		return judgement;
	judgement.is_exact = exact;
	judgement.rcode = header.flags & FLAG_RCODE;
	judgement.fault = ask->is_signed ? signature_fault(ask, data, len, now) : NULL;
	if (judgement.fault)
		return judgement;
	judgement.verdict = of_rcode(judgement.rcode);
	if (ask->opcode == OPCODE_NOTIFY) {
		judgement.verdict = judgement.rcode ? VERDICT_FAILED : VERDICT_SERIAL;
		return judgement;
	}
	if (header.flags & FLAG_TC)
		judgement.verdict = VERDICT_TRUNCATED;
	else if (judgement.verdict == VERDICT_SERIAL)
		judgement.verdict = find_serial(ask, &reader, &header, &judgement.serial);
	return judgement;
}
