/*
 * Any bytes as a body: no decoder dies, a request that was understood comes back the same
 * when it is encoded, signed and decoded again, and the dispatcher answers it. No
 * signature but our own is good. The scan for a caller finds the caller of each call that
 * was understood, and reads pieces as it reads the whole.
 */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/envelope.h"
#include "runtime/rpc.h"
#include "runtime/rpc_caller.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_MAX = 65536 };

/* Random octets; nobody signed a message of the corpus with them. */
static const struct signature_keys keys = {
	{ { "a", "\x8f\x02\xd1\x5c\x33\xe7\x90\x4a"
	         "\x1b\x66\xf8\x2d\xc4\x75\xa9\x0e", 16 } }, 1,
};

static const struct envelope_signer signer = { &keys.key[0], "topic", 1000 };

static enum err run_nothing(void *self, struct request *req)
{
	(void)self;
	(void)req;
	return OK;
}

static const struct rpc_method methods[] = {
	{ "echo",    run_nothing, "value" },
	{ "nothing", run_nothing, "a? b?" },
	{ 0 }
};

static enum signature_result verify(const struct envelope_proof *proof)
{
	return signature_verify(&keys, &(struct signed_text){ "topic", proof->text,
	                                                      proof->text_len },
	                        proof->signature,
	                        &(struct signature_time){ 1000, INT_MAX });
}

/* A signed answer comes back, and its signature is good. */
static void answer_back(const struct buf *body)
{
	struct envelope_reply reply;
	struct why why;

	if (envelope_reply_decode(body->data, body->len, SIZE_MAX, &reply, &why))
		abort();
	if (strcmp(reply.msg_id, "m") || !reply.ending || verify(&reply.proof))
		abort();
	envelope_reply_clear(&reply);
}

static void dispatch(const struct envelope_request *request)
{
	struct request req = { .method = request->method, .args = request->args };
	struct buf reply = { 0 };
	enum err err;

	context_decode(request->context, "", &req.context, &req.why);
	err = rpc_check_version("1.5", req.method, request->namespace, request->version,
	                        &req.why);
	if (!err)
		err = rpc_dispatch(methods, NULL, &req);
	if (err)
		envelope_failure_encode("m", err, req.why.text, &signer, &reply);
	else
		envelope_result_encode("m", req.result, &signer, &reply);
	answer_back(&reply);
	json_decref(req.result);
	buf_clear(&reply);
}

static bool same(const struct envelope_request *one, const struct envelope_request *two)
{
	return strcmp(one->method, two->method) == 0 &&
	       json_equal(one->args, two->args) &&
	       json_equal(one->context, two->context) && !one->msg_id == !two->msg_id;
}

static void there_and_back(const struct envelope_request *request)
{
	struct envelope_call call = {
		.method = request->method,
		.args = request->args,
		.context = request->context,
		.version = request->version,
		.unique_id = request->unique_id,
		.msg_id = request->msg_id,
		.reply_queue = request->reply_queue,
		.signer = &signer,
	};
	struct envelope_request again;
	struct buf body = { 0 };
	struct why why;

	envelope_request_encode(&call, &body);
	if (envelope_request_decode(body.data, body.len, SIZE_MAX, &again, &why))
		abort();
	if (!same(request, &again) || verify(&again.proof))
		abort();
	envelope_request_clear(&again);
	buf_clear(&body);
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static bool scan(const uint8_t *data, size_t size, size_t piece, struct caller_scan *into,
                 const char **msg_id, const char **queue)
{
	*into = (struct caller_scan){ 0 };
	for (size_t at = 0; at < size; at += piece)
		caller_scan(into, data + at, size - at < piece ? size - at : piece);
	return caller_found(into, msg_id, queue);
}

/* REQUEST is NULL if the body is none. */
static void find_caller(const uint8_t *data, size_t size,
                        const struct envelope_request *request)
{
	struct caller_scan whole, pieces;
	const char *msg_id, *queue, *msg_id2, *queue2;
	bool found = scan(data, size, size + 1, &whole, &msg_id, &queue);

	if (scan(data, size, 3, &pieces, &msg_id2, &queue2) != found)
		abort();
	if (found && (strcmp(msg_id, msg_id2) || strcmp(queue, queue2) ||
	              !reply_queue_valid(queue)))
		abort();
	if (!request)
		return;
	if (request->msg_id && *request->msg_id && is_plain(request->msg_id) && !found)
		abort();
	if (found && (!request->msg_id || strcmp(msg_id, request->msg_id) ||
	              strcmp(queue, request->reply_queue)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct envelope_notification note;
	struct envelope_request request;
	struct envelope_reply reply;
	struct why why;

	if (!envelope_request_decode(data, size, BODY_MAX, &request, &why)) {
		if (!verify(&request.proof))
			abort();
		there_and_back(&request);
		dispatch(&request);
		find_caller(data, size, &request);
		envelope_request_clear(&request);
	} else {
		find_caller(data, size, NULL);
	}
	if (!envelope_reply_decode(data, size, BODY_MAX, &reply, &why)) {
		if (!verify(&reply.proof))
			abort();
		envelope_reply_clear(&reply);
	}
	if (!envelope_notification_decode(data, size, BODY_MAX, &note, &why))
		envelope_notification_clear(&note);
	return 0;
}
