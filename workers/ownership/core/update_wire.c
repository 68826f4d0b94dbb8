#include "core/update_wire.h"

#include <string.h>

#include "dns/packet.h"
#include "dns/tsig_words.h"
#include "model/rr.h"

enum { OPCODE_UPDATE = 5, CLASS_NONE = 254, CLASS_ANY = 255, RR_FIXED = 10 };

/* ---- the question ---- */

/* How each kind is written (RFC 2136 2.4, 2.5). */
static const struct {
	uint16_t class;
	bool has_rdata, has_ttl;
} kinds[] = {
	[UPDATE_SET_IS]     = { RR_CLASS_IN, true,  false },
	[UPDATE_NO_SET]     = { CLASS_NONE,  false, false },
	[UPDATE_NO_NAME]    = { CLASS_NONE,  false, false },
	[UPDATE_DELETE_SET] = { CLASS_ANY,   false, false },
	[UPDATE_DELETE]     = { CLASS_NONE,  true,  false },
	[UPDATE_ADD]        = { RR_CLASS_IN, true,  true  },
};

static void put_rr(struct packet_writer *writer, const struct update_rr *rr)
{
	uint16_t len = kinds[rr->kind].has_rdata ? rr->rdata.len : 0;

	packet_put_question(writer, &rr->name,
	                    rr->kind == UPDATE_NO_NAME ? RR_ANY : rr->type,
	                    kinds[rr->kind].class);
	packet_put_u32(writer, kinds[rr->kind].has_ttl ? rr->ttl : 0);
	packet_put_u16(writer, len);
	packet_put(writer, rr->rdata.octets, len);
}

static size_t put_all(struct packet_writer *writer, const struct update_rrs *rrs)
{
	for (size_t i = 0; i < rrs->count; i++)
		put_rr(writer, &rrs->rrs[i]);
	return rrs->count;
}

static size_t octets_of(const struct update_rrs *rrs)
{
	size_t octets = 0;

	for (size_t i = 0; i < rrs->count; i++)
		octets += rrs->rrs[i].name.len + RR_FIXED + rrs->rrs[i].rdata.len;
	return octets;
}

struct batch_size update_size(const struct update *update)
{
	return (struct batch_size){
		update->changes.count,
		octets_of(&update->prerequisites) + octets_of(&update->changes),
	};
}

size_t update_write(struct update_ask *ask, const struct name *zone, uint16_t id,
                    const struct update *const *updates, size_t count,
                    const struct tsig_key *key, uint64_t now, uint8_t *data)
{
	struct packet_header header = { .id = id, .flags = OPCODE_UPDATE << OPCODE_SHIFT,
	                                .count = { [SECTION_QUESTION] = 1 } };
	struct packet_writer writer;
	size_t required = 0, changes = 0;

	*ask = (struct update_ask){ .id = id, .is_signed = key };
	packet_writer_init(&writer, data, PACKET_MAX);
	packet_put_question(&writer, zone, RR_SOA, RR_CLASS_IN);
	for (size_t i = 0; i < count; i++)
		required += put_all(&writer, &updates[i]->prerequisites);
	for (size_t i = 0; i < count; i++)
		changes += put_all(&writer, &updates[i]->changes);
	if (writer.full || required > UINT16_MAX || changes > UINT16_MAX)
		return 0;
	header.count[SECTION_ANSWER] = (uint16_t)required;
	header.count[SECTION_AUTHORITY] = (uint16_t)changes;
	packet_set_header(&writer, &header);
	if (key) {
		tsig_chain_begin(&ask->chain, key);
		tsig_sign(&ask->chain, TSIG_FINE, NULL, now, &writer);
	}
	return writer.full ? 0 : writer.len;
}

void update_ask_clear(struct update_ask *ask)
{
	explicit_bzero(ask, sizeof(*ask));
}

/* ---- the answer ---- */

static enum outcome no_answer(const char **words, const char *fault)
{
	*words = fault;
	return OUTCOME_AGAIN;
}

/* Of a question that was not signed any answer is as good as another. */
static const char *signature_fault(struct update_ask *ask, const uint8_t *data,
                                   const struct tsig *tsig, uint64_t now)
{
	if (!ask->is_signed)
		return NULL;
	if (!tsig->present)
		return "answers without a signature";
	return tsig_words_fault(tsig_verify(&ask->chain, data, tsig, now));
}

static const char *refusal_of(enum rcode rcode)
{
	switch (rcode) {
	case RCODE_YXDOMAIN: return "has the name already";
	case RCODE_YXRRSET: return "has such records already";
	case RCODE_NXRRSET: return "has other records than it had";
	case RCODE_NXDOMAIN: return "has the name no more";
	case RCODE_NOTZONE: return "says that a name is outside the zone";
	case RCODE_NOTAUTH: return "has no such zone, or does not let us (NOTAUTH)";
	case RCODE_REFUSED: return "does not allow it (REFUSED)";
	case RCODE_FORMERR: return "cannot read the update (FORMERR)";
	case RCODE_NOTIMP: return "takes no updates (NOTIMP)";
	case RCODE_SERVFAIL: return "could not do it (SERVFAIL)";
	default: return "answers an error";
	}
}

enum outcome update_read(struct update_ask *ask, const uint8_t *data, size_t len,
                         uint64_t now, const char **words)
{
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct tsig tsig;

	packet_read_header(&reader, &header);
	if (reader.broken || header.id != ask->id || !(header.flags & FLAG_QR) ||
	    (header.flags & FLAG_OPCODE) >> OPCODE_SHIFT != OPCODE_UPDATE)
		return no_answer(words, "answers what was not asked");
	if (!tsig_find(data, len, &tsig))
		return no_answer(words, "answers what cannot be read");

	enum rcode rcode = header.flags & FLAG_RCODE;
	if (tsig.present && tsig.error) {
		*words = tsig_words_refusal(tsig.error);
		return outcome_of_reply((uint8_t)rcode, tsig.error);
	}
	const char *fault = signature_fault(ask, data, &tsig, now);
	if (fault)
		return no_answer(words, fault);
	*words = rcode ? refusal_of(rcode) : "";
	return outcome_of_reply((uint8_t)rcode, 0);
}
