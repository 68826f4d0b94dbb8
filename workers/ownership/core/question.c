#include "core/question.h"

#include "model/rr.h"

size_t question_put(struct question *question, uint16_t id, const struct tsig_key *key,
                    uint64_t now, uint8_t *data)
{
	const struct packet_header header = {
		.id = id, .count = { [SECTION_QUESTION] = 1 },
	};
	struct packet_writer writer;

	packet_writer_init(&writer, data, QUESTION_MAX);
	packet_put_question(&writer, &question->name, question->type, RR_CLASS_IN);
	sent_message_finish(&question->request, key, now, &header, &writer);
	return writer.len;
}

static bool is_ours(const struct question *question, struct reply *reply)
{
	struct packet_reader *reader = &reply->reader;
	struct name name;
	uint16_t type, class;

	if (reply->header.count[SECTION_QUESTION] != 1)
		return false;
	packet_read_name(reader, &name);
	type = packet_read_u16(reader);
	class = packet_read_u16(reader);
	name_fold(&name);
	return !reader->broken && name_equal(&name, &question->name) &&
	       type == question->type && class == RR_CLASS_IN;
}

static bool is_of_set(const struct question *question, const struct packet_rr *rr)
{
	struct name owner = rr->name;

	name_fold(&owner);
	return rr->type == question->type && rr->class == RR_CLASS_IN &&
	       name_equal(&owner, &question->name);
}

/* False: a record is not what its type says. */
static bool read_set(const struct question *question, struct reply *reply,
                     const struct question_room *room, struct rrset *set)
{
	struct canonical *record = room->record;
	struct packet_rr rr;

	*set = (struct rrset){ .type = question->type };
	for (int i = 0; i < reply->header.count[SECTION_ANSWER]; i++) {
		struct rdata rdata;

		packet_read_rr(&reply->reader, &rr);
		if (!canonical_of_packet(&reply->reader, &rr, record))
			return false;
		if (!is_of_set(question, &rr))
			continue;
		rdata.len = (uint16_t)(record->len - record->rdata);
		rdata.octets = arena_dup(room->arena, record->octets + record->rdata,
		                         rdata.len);
		rrset_push(set, rr.ttl, rdata, room->arena);
	}
	rrset_sort(set);
	return true;
}

enum err question_answer(const struct question *question, const uint8_t *data, size_t len,
                         uint64_t now, const struct question_room *room,
                         struct rrset *set, struct why *why)
{
	struct reply reply;
	struct rrset got;
	enum rcode rcode;

	reply_read(&question->request, data, len, now, &reply);
	rcode = reply.header.flags & FLAG_RCODE;
	if (reply.kind != REPLY_MATCHES)
		return fail(why, ERR_REMOTE, "%s", reply.fault);
	if (rcode != RCODE_NOERROR && rcode != RCODE_NXDOMAIN)
		return fail(why, ERR_REMOTE, "answers %s", rcode_name(rcode));
	if (reply.header.flags & FLAG_TC)
		return fail(why, ERR_REMOTE, "sends a truncated message");
	if (!is_ours(question, &reply))
		return fail(why, ERR_REMOTE, "answers another question");
	if (!(reply.header.flags & FLAG_AA))
		return fail(why, ERR_REMOTE, "answers without authority");
	if (!read_set(question, &reply, room, &got))
		return fail(why, ERR_REMOTE, "sends a malformed record");
	*set = got;
	return OK;
}
