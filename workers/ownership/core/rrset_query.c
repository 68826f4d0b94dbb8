#include "core/rrset_query.h"

#include "model/rr.h"

size_t rrset_query_write(struct rrset_query *query, uint16_t id,
                         const struct tsig_key *key, uint64_t now, uint8_t *data)
{
	const struct packet_header header = {
		.id = id, .count = { [SECTION_QUESTION] = 1 },
	};
	struct packet_writer writer;

	packet_writer_init(&writer, data, RRSET_QUERY_MAX);
	packet_put_question(&writer, &query->name, query->type, RR_CLASS_IN);
	sent_message_finish(&query->request, key, now, &header, &writer);
	return writer.len;
}

static bool rrset_query_is_echoed(const struct rrset_query *query, struct reply *reply)
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
	return !reader->broken && name_equal(&name, &query->name) &&
	       type == query->type && class == RR_CLASS_IN;
}

static bool rrset_query_has_record(const struct rrset_query *query,
                                   const struct packet_rr *rr)
{
	struct name owner = rr->name;

	name_fold(&owner);
	return rr->type == query->type && rr->class == RR_CLASS_IN &&
	       name_equal(&owner, &query->name);
}

/* False: a record does not fit its type. */
static bool rrset_query_read_records(const struct rrset_query *query, struct reply *reply,
                                     const struct rrset_query_buffers *buffers,
                                     struct rrset *set)
{
	struct canonical *record = buffers->record;
	struct packet_rr rr;

	*set = (struct rrset){ .type = query->type };
	for (int i = 0; i < reply->header.count[SECTION_ANSWER]; i++) {
		struct rdata rdata;

		packet_read_rr(&reply->reader, &rr);
		if (!canonical_of_packet(&reply->reader, &rr, record))
			return false;
		if (!rrset_query_has_record(query, &rr))
			continue;
		rdata.len = (uint16_t)(record->len - record->rdata);
		rdata.octets = arena_dup(buffers->arena, record->octets + record->rdata,
		                         rdata.len);
		rrset_push(set, rr.ttl, rdata, buffers->arena);
	}
	rrset_sort(set);
	return true;
}

enum err rrset_query_read(const struct rrset_query *query, const uint8_t *data,
                          size_t len, uint64_t now,
                          const struct rrset_query_buffers *buffers, struct rrset *set,
                          struct why *why)
{
	struct reply reply;
	struct rrset got;
	enum rcode rcode;

	reply_read(&query->request, data, len, now, &reply);
	rcode = reply.header.flags & FLAG_RCODE;
	if (reply.kind != REPLY_MATCHES)
		return fail(why, ERR_REMOTE, "%s", reply.fault);
	if (rcode != RCODE_NOERROR && rcode != RCODE_NXDOMAIN)
		return fail(why, ERR_REMOTE, "answers with %s", rcode_name(rcode));
	if (reply.header.flags & FLAG_TC)
		return fail(why, ERR_REMOTE, "sends a truncated message");
	if (!rrset_query_is_echoed(query, &reply))
		return fail(why, ERR_REMOTE, "sends an answer to a different query");
	if (!(reply.header.flags & FLAG_AA))
		return fail(why, ERR_REMOTE, "answers without the AA flag: the server is "
		            "not authoritative for the name");
	if (!rrset_query_read_records(query, &reply, buffers, &got))
		return fail(why, ERR_REMOTE, "sends a malformed record");
	*set = got;
	return OK;
}
