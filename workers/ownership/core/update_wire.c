#include "core/update_wire.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "dns/tsig_reason.h"
#include "model/rr.h"

enum { RR_FIXED = 10 };			/* type, class, TTL, length */

/* How each kind is written (2.4, 2.5). Only additions have a TTL. */
static const struct {
	uint16_t class;
	bool has_rdata;
} forms[] = {
	[UPDATE_SET_IS]     = { RR_CLASS_IN,   true },
	[UPDATE_NO_SET]     = { RR_CLASS_NONE, false },
	[UPDATE_NO_NAME]    = { RR_CLASS_NONE, false },
	[UPDATE_DELETE_SET] = { RR_CLASS_ANY,  false },
	[UPDATE_DELETE]     = { RR_CLASS_NONE, true },
	[UPDATE_ADD]        = { RR_CLASS_IN,   true },
};

static uint16_t update_rr_type(const struct update_rr *rr)
{
	return rr->kind == UPDATE_NO_NAME ? RR_ANY : rr->type;
}

static size_t update_rr_rdata_len(const struct update_rr *rr)
{
	return forms[rr->kind].has_rdata ? rr->rdata.len : 0;
}

/* ---- size ---- */

static size_t update_rrs_octets(const struct update_rrs *rrs)
{
	size_t octets = 0;

	for (size_t i = 0; i < rrs->count; i++)
		octets += rrs->rrs[i].name.len + RR_FIXED +
		          update_rr_rdata_len(&rrs->rrs[i]);
	return octets;
}

struct batch_size update_wire_size(const struct update *update)
{
	return (struct batch_size){
		.changes = update->changes.count,
		.octets = update_rrs_octets(&update->prerequisites) +
		          update_rrs_octets(&update->changes),
	};
}

/* ---- the message ---- */

static void update_wire_put_rr(const struct update_rr *rr, struct packet_writer *writer)
{
	packet_put_owner(writer, rr->name.wire);
	packet_put_u16(writer, update_rr_type(rr));
	packet_put_u16(writer, forms[rr->kind].class);
	packet_put_u32(writer, rr->kind == UPDATE_ADD ? rr->ttl : 0);
	packet_put_u16(writer, update_rr_rdata_len(rr));
	packet_put(writer, rr->rdata.octets, update_rr_rdata_len(rr));
}

/* Prerequisites that are in the message already, by their octets. */
struct prerequisite_set {
	struct map *map;
	struct buf key;
};

static bool prerequisite_is_written(struct prerequisite_set *seen,
                                    const struct update_rr *rr)
{
	struct buf *key = &seen->key;

	buf_reset(key);
	buf_append(key, rr->name.wire, rr->name.len);
	buf_u16(key, update_rr_type(rr));
	buf_u16(key, forms[rr->kind].class);
	buf_append(key, rr->rdata.octets, update_rr_rdata_len(rr));
	if (map_get(seen->map, key->data, key->len))
		return true;
	map_put(seen->map, key->data, key->len, seen);
	return false;
}

/* Returns the number of prerequisites. */
static uint16_t update_wire_put_prerequisites(const struct update_message *message,
                                              struct packet_writer *writer)
{
	struct prerequisite_set seen = { .map = map_new(message->id) };
	uint16_t count = 0;

	for (size_t i = 0; i < message->count; i++) {
		const struct update_rrs *rrs = &message->updates[i]->prerequisites;

		for (size_t k = 0; k < rrs->count && !writer->full; k++) {
			if (prerequisite_is_written(&seen, &rrs->rrs[k]))
				continue;
			update_wire_put_rr(&rrs->rrs[k], writer);
			count++;
		}
	}
	map_free(&seen.map);
	buf_clear(&seen.key);
	return count;
}

static uint16_t update_wire_put_changes(const struct update_message *message,
                                        struct packet_writer *writer)
{
	uint16_t count = 0;

	for (size_t i = 0; i < message->count; i++) {
		const struct update_rrs *rrs = &message->updates[i]->changes;

		for (size_t k = 0; k < rrs->count && !writer->full; k++, count++)
			update_wire_put_rr(&rrs->rrs[k], writer);
	}
	return count;
}

size_t update_wire_put(const struct update_message *message, struct update_sent *sent,
                       uint8_t *data)
{
	size_t room = message->key ? tsig_room_of(message->key) : 0;
	struct packet_header header = {
		.id = message->id,
		.flags = OPCODE_UPDATE << OPCODE_SHIFT,
		.count = { [SECTION_QUESTION] = 1 },	/* the zone */
	};
	struct packet_writer writer;

	packet_writer_init(&writer, data, PACKET_MAX - room);
	packet_put_question(&writer, message->zone, RR_SOA, RR_CLASS_IN);
	header.count[SECTION_ANSWER] = update_wire_put_prerequisites(message, &writer);
	header.count[SECTION_AUTHORITY] = update_wire_put_changes(message, &writer);
	if (writer.full)
		return 0;
	writer.limit = PACKET_MAX;
	sent->is_known_key = message->is_known_key;
	sent->ahead_s = message->ahead_s;
	sent_message_finish(&sent->request, message->key, message->now + message->ahead_s,
	                    &header, &writer);
	return writer.len;
}

/* ---- the answer ---- */

static void update_wire_explain_clocks(const struct tsig *tsig, uint64_t now,
                                       struct why *why)
{
	char clocks[TSIG_CLOCKS];

	tsig_reason_clocks(tsig->other, now, clocks);
	snprintf(why->text, sizeof(why->text), "answers with BADTIME: %s",
	         clocks);
}

static enum outcome update_wire_refused(const struct reply *reply, bool is_known_key,
                                        uint64_t now, struct why *why)
{
	static const char not_allowed[] =
	    "answers with BADKEY, although the server has the key: allow the key to make "
	    "this change";
	const struct tsig *tsig = &reply->tsig;
	bool is_policy = tsig->error == TSIG_BADKEY && is_known_key;

	if (tsig->error == TSIG_BADTIME && tsig->other_len == TSIG_OTHER_TIME)
		update_wire_explain_clocks(tsig, now, why);
	else
		snprintf(why->text, sizeof(why->text), "%s",
		         is_policy ? not_allowed : reply->fault);
	if (is_policy)
		return OUTCOME_POLICY;
	return outcome_of_reply(reply->header.flags & FLAG_RCODE, tsig->error);
}

/* The answer cannot be trusted, so the outcome is unknown. */
static enum outcome update_wire_unverified(const struct reply *reply, struct why *why)
{
	enum rcode rcode = reply->header.flags & FLAG_RCODE;

	if (reply->kind == REPLY_INVALID && rcode)
		snprintf(why->text, sizeof(why->text), "%s (%s)", reply->fault,
		         rcode_name(rcode));
	else
		snprintf(why->text, sizeof(why->text), "%s", reply->fault);
	return OUTCOME_AGAIN;
}

enum outcome update_wire_outcome(const struct update_sent *sent, const uint8_t *data,
                                 size_t len, uint64_t now, struct why *why)
{
	struct reply reply;
	enum rcode rcode;

	reply_read(&sent->request, data, len, now + sent->ahead_s, &reply);
	rcode = reply.header.flags & FLAG_RCODE;
	if (reply.kind == REPLY_TSIG_REFUSED)
		return update_wire_refused(&reply, sent->is_known_key, now, why);
	if (reply.kind != REPLY_MATCHES)
		return update_wire_unverified(&reply, why);
	why->text[0] = '\0';
	if (rcode)
		snprintf(why->text, sizeof(why->text), "answers with %s",
		         rcode_name(rcode));
	return outcome_of_reply(rcode, 0);
}
