#include "dns/reply.h"

#include <string.h>

#include "base/log.h"
#include "dns/tsig_reason.h"

void sent_message_finish(struct sent_message *request, const struct tsig_key *key,
                         uint64_t now, const struct packet_header *header,
                         struct packet_writer *writer)
{
	request->id = header->id;
	request->opcode = (header->flags & FLAG_OPCODE) >> OPCODE_SHIFT;
	request->is_signed = key;
	packet_set_header(writer, header);
	if (!key)
		return;
	tsig_chain_begin(&request->chain, key);
	tsig_sign(&request->chain, TSIG_NO_ERROR, NULL, now, writer);
}

void sent_message_sign_again(struct sent_message *request, uint64_t now, uint8_t *data,
                             size_t len)
{
	struct tsig_key key = request->chain.key;
	struct packet_reader reader = packet_reader(data, len);
	struct packet_header header;
	struct packet_writer writer;
	struct tsig tsig;

	bug_if(!request->is_signed || !tsig_find(data, len, &tsig));
	packet_read_header(&reader, &header);
	header.count[SECTION_ADDITIONAL]--;
	packet_writer_init(&writer, data, len);
	writer.len = tsig.at;
	sent_message_finish(request, &key, now, &header, &writer);
	explicit_bzero(&key, sizeof(key));
}

void sent_message_clear(struct sent_message *request)
{
	explicit_bzero(&request->chain, sizeof(request->chain));
}

static bool reply_matches(const struct sent_message *request, const struct reply *reply)
{
	const struct packet_header *header = &reply->header;

	return !reply->reader.broken && header->id == request->id &&
	       header->flags & FLAG_QR &&
	       (header->flags & FLAG_OPCODE) >> OPCODE_SHIFT == request->opcode;
}

/* True: an error about an unknown key or secret, which the server cannot sign. */
static bool reply_is_unsignable(const struct reply *reply)
{
	const struct tsig *tsig = &reply->tsig;

	return (tsig->error == TSIG_BADKEY || tsig->error == TSIG_BADSIG) &&
	       !tsig->mac_len && reply->header.flags & FLAG_RCODE;
}

/*
 * Why the signature is not valid; NULL: it is valid. A server with another time signs
 * this error with its own time or with ours (5.2.3). Both are accepted.
 */
static const char *reply_signature_fault(const struct sent_message *request,
                                         const uint8_t *data,
                                         const struct tsig *tsig, uint64_t now)
{
	struct tsig_chain chain = request->chain;
	enum tsig_error error;

	if (!tsig->present)
		return "answers without a TSIG record";
	if (tsig->error && !tsig->mac_len)
		return tsig_reason_refused(tsig->error);
	error = tsig_verify(&chain, data, tsig,
	                    tsig->error == TSIG_BADTIME ? tsig->time : now);
	explicit_bzero(&chain, sizeof(chain));
	return tsig_reason_invalid(error);
}

static void reply_set(struct reply *reply, enum reply_kind kind, const char *fault)
{
	reply->kind = kind;
	reply->fault = fault;
}

static void reply_check_signature(const struct sent_message *request, const uint8_t *data,
                                  uint64_t now, struct reply *reply)
{
	const char *fault = reply_signature_fault(request, data, &reply->tsig, now);

	if (reply->tsig.present && reply_is_unsignable(reply))
		reply_set(reply, REPLY_TSIG_REFUSED, fault);
	else if (fault)
		reply_set(reply, REPLY_INVALID, fault);
	else if (reply->tsig.error)
		reply_set(reply, REPLY_TSIG_REFUSED,
		          tsig_reason_refused(reply->tsig.error));
	else
		reply_set(reply, REPLY_MATCHES, NULL);
}

void reply_read(const struct sent_message *request, const uint8_t *data, size_t len,
                uint64_t now, struct reply *reply)
{
	reply->tsig = (struct tsig){ .present = false };
	reply->reader = packet_reader(data, len);
	packet_read_header(&reply->reader, &reply->header);
	if (!reply_matches(request, reply))
		reply_set(reply, REPLY_UNRELATED,
		          "sends a message that is not the expected answer");
	else if (!tsig_find(data, len, &reply->tsig))
		reply_set(reply, REPLY_INVALID, "sends a malformed message");
	else if (request->is_signed)
		reply_check_signature(request, data, now, reply);
	else if (reply->tsig.present)
		reply_set(reply, REPLY_INVALID, "sends a signed answer to an unsigned "
		          "message");
	else
		reply_set(reply, REPLY_MATCHES, NULL);
}

uint64_t reply_server_time(const struct sent_message *request, const uint8_t *data,
                           size_t len)
{
	struct reply reply = { .reader = packet_reader(data, len) };

	packet_read_header(&reply.reader, &reply.header);
	if (!request->is_signed || !reply_matches(request, &reply) ||
	    !(reply.header.flags & FLAG_RCODE) || !tsig_find(data, len, &reply.tsig) ||
	    !reply.tsig.present)
		return 0;
	return tsig_server_time(&request->chain, data, &reply.tsig);
}
