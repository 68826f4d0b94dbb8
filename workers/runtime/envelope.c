#include "runtime/envelope.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/json.h"
#include "runtime/rpc_caller.h"

#define ENVELOPE_VERSION "2.0"
#define CONTEXT_PREFIX "_context_"
#define SIGNATURE_KEY "zonefleet.signature"

enum {
	NAME_MAX_LEN = 255,	/* AMQP's short string: queue names, methods, ids */
	HEARTBEAT_MAX_S = 24 * 3600,
	DUMP_FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(17),
};

/* ---- versions ---- */

/*
 * Parses "1.2" or "1.2.3", digits only. Python refuses all other texts with the same
 * answer.
 */
static bool version_parse(const char *text, long parts[3])
{
	enum { DIGITS_MAX = 9 };

	parts[2] = 0;
	for (int i = 0; i < 3; i++) {
		size_t digits = strspn(text, "0123456789");

		if (digits == 0 || digits > DIGITS_MAX)
			return false;
		parts[i] = strtol(text, NULL, 10);
		text += digits;
		if (*text == 0)
			return i > 0;
		if (*text++ != '.')
			return false;
	}
	return false;
}

bool envelope_version_compatible(const char *implemented, const char *requested)
{
	long imp[3], req[3];

	if (!version_parse(implemented, imp) || !version_parse(requested, req))
		return false;
	if (req[0] != imp[0] || req[1] > imp[1])
		return false;
	return req[1] < imp[1] || req[2] <= imp[2];
}

/* ---- decoding ---- */

#define REQUEST(member) offsetof(struct envelope_request, member)
#define REPLY(member) offsetof(struct envelope_reply, member)
#define NOTIFICATION(member) offsetof(struct envelope_notification, member)

/* A text of a message, and the offset of its const char *. */
struct field {
	const char *key;
	int flags;
	size_t offset;
};

static enum err envelope_texts_decode(const json_t *message, const struct field *fields,
                                      void *into, struct why *why)
{
	for (const struct field *f = fields; f->key; f++) {
		const char **text = (const char **)((char *)into + f->offset);
		enum err err = json_get_text(message, f->key, f->flags, NAME_MAX_LEN,
		                             text, why);

		if (err)
			return err;
	}
	return OK;
}

static enum err envelope_inner_decode(const json_t *version, const json_t *text,
                                      size_t max, json_t **message, struct why *why)
{
	if (!json_is_string(version) ||
	    !envelope_version_compatible(ENVELOPE_VERSION, json_string_value(version)))
		return fail(why, ERR_INVALID, "oslo.version: must be \"%s\"",
		            ENVELOPE_VERSION);
	if (!json_is_string(text))
		return fail(why, ERR_INVALID, "oslo.message: must be a string of JSON");
	return json_decode_object(json_string_value(text), json_string_length(text), max,
	                          message, why);
}

/* Both are owned. Without an envelope `outer` is NULL. */
struct layers {
	json_t *outer, *message;
};

static enum err envelope_unwrap_layers(const uint8_t *body, size_t len, size_t max,
                                       struct layers *layers, struct why *why)
{
	json_t *outer, *message, *version, *text;
	enum err err = json_decode_object((const char *)body, len, max, &outer, why);

	if (err)
		return err;
	version = json_object_get(outer, "oslo.version");
	text = json_object_get(outer, "oslo.message");
	if (!version || !text) {
		*layers = (struct layers){ NULL, outer };
		return OK;
	}
	err = envelope_inner_decode(version, text, max, &message, why);
	if (err)
		json_decref(outer);
	else
		*layers = (struct layers){ outer, message };
	return err;
}

/* A value that is too long or not a text becomes "": a malformed signature. */
static void envelope_proof_decode(struct envelope_proof *proof)
{
	const json_t *signature = json_object_get(proof->outer, SIGNATURE_KEY);
	const json_t *text = json_object_get(proof->outer, "oslo.message");

	if (!signature)
		return;
	proof->signature = json_is_string(signature) &&
	                   json_string_length(signature) < SIGNATURE_SIZE
	                       ? json_string_value(signature) : "";
	proof->text = json_string_value(text);
	proof->text_len = json_string_length(text);
}

static enum err envelope_unwrap(const uint8_t *body, size_t len, size_t max,
                                json_t **message, struct envelope_proof *proof,
                                struct why *why)
{
	struct layers layers;
	enum err err = envelope_unwrap_layers(body, len, max, &layers, why);

	if (err)
		return err;
	*message = layers.message;
	proof->outer = layers.outer;
	envelope_proof_decode(proof);
	return OK;
}

void envelope_forget_proof(struct envelope_proof *proof)
{
	json_decref(proof->outer);
	*proof = (struct envelope_proof){ 0 };
}

static json_t *request_collect_context(json_t *message)
{
	const size_t prefix = strlen(CONTEXT_PREFIX);
	json_t *context = json_object();
	const char *key;
	json_t *value;

	json_object_foreach(message, key, value)
		if (strncmp(key, CONTEXT_PREFIX, prefix) == 0)
			json_object_set(context, key + prefix, value);
	return context;
}

/* A number of at least 2 asks for heartbeats. Other values are ignored. */
static int request_heartbeat_decode(const json_t *message)
{
	double seconds = json_number_value(json_object_get(message, "_timeout"));

	if (!(seconds >= 2))
		return 0;
	return seconds > HEARTBEAT_MAX_S ? HEARTBEAT_MAX_S : (int)seconds;
}

/* If it is absent or null, the arguments are {}. */
static enum err request_args_decode(json_t *message, json_t **args, struct why *why)
{
	json_t *given = json_object_get(message, "args");

	if (!given || json_is_null(given)) {
		json_object_set_new(message, "args", json_object());
		given = json_object_get(message, "args");
	}
	if (!json_is_object(given))
		return fail(why, ERR_INVALID, "args: must be an object");
	*args = given;
	return OK;
}

/* A message without both keys is a cast. */
static enum err request_caller_decode(struct envelope_request *request, struct why *why)
{
	char quoted[65];

	if (!request->msg_id || !request->reply_queue) {
		request->msg_id = request->reply_queue = NULL;
		return OK;
	}
	if (reply_queue_valid(request->reply_queue))
		return OK;
	return fail(why, ERR_INVALID,
	            "_reply_q: must be reply_ and 32 hexadecimal digits, or "
	            "reply_HOST:PROCESS:NUMBER, not '%s'",
	            err_quote(request->reply_queue, quoted, sizeof quoted));
}

static enum err request_fill(struct envelope_request *request, struct why *why)
{
	static const struct field fields[] = {
		{ "method",     JSON_REQUIRED, REQUEST(method) },
		{ "version",    0,             REQUEST(version) },
		{ "namespace",  0,             REQUEST(namespace) },
		{ "_unique_id", 0,             REQUEST(unique_id) },
		{ "_msg_id",    0,             REQUEST(msg_id) },
		{ "_reply_q",   0,             REQUEST(reply_queue) },
		{ 0 }
	};
	char quoted[65];
	enum err err = envelope_texts_decode(request->message, fields, request, why);

	if (err)
		return err;
	if (request->unique_id && !id_valid(request->unique_id))
		return fail(why, ERR_INVALID,
		            "_unique_id: must be 32 hexadecimal digits in lower case, or "
		            "a UUID with hyphens, not '%s'",
		            err_quote(request->unique_id, quoted, sizeof quoted));
	err = request_caller_decode(request, why);
	if (err)
		return err;
	request->heartbeat_s = request_heartbeat_decode(request->message);
	return request_args_decode(request->message, &request->args, why);
}

enum err envelope_request_decode(const uint8_t *body, size_t len, size_t max,
                                 struct envelope_request *request, struct why *why)
{
	struct envelope_request decoded = { 0 };
	enum err err = envelope_unwrap(body, len, max, &decoded.message, &decoded.proof,
	                               why);

	if (err)
		return err;
	err = request_fill(&decoded, why);
	if (err) {
		envelope_request_clear(&decoded);
		return err;
	}
	decoded.context = request_collect_context(decoded.message);
	*request = decoded;
	return OK;
}

void envelope_request_clear(struct envelope_request *request)
{
	envelope_forget_proof(&request->proof);
	json_decref(request->context);
	json_decref(request->message);
	*request = (struct envelope_request){ 0 };
}

static bool reply_is_failure(const json_t *failure)
{
	if (json_is_string(failure))
		return json_string_length(failure) > 0;
	return failure && !json_is_null(failure);
}

/* A text of the failure, or a default if the peer sent another type. */
static const char *reply_failure_text(const json_t *failure, const char *key,
                                      const char *otherwise)
{
	const char *text = json_string_value(json_object_get(failure, key));

	return text ? text : otherwise;
}

static enum err reply_failure_parse(const json_t *text, json_t **failure)
{
	size_t len = json_string_length(text);
	struct why ignored;

	return json_decode_object(json_string_value(text), len, len, failure, &ignored);
}

/* `failure` is JSON in a string. Any other value also is a failure. */
static void reply_failure_decode(json_t *failure, struct envelope_reply *reply)
{
	const char *text = json_string_value(failure);

	if (!text)
		reply->failure = json_incref(failure);
	else if (reply_failure_parse(failure, &reply->failure))
		reply->failure = json_object();
	reply->failure_class = reply_failure_text(reply->failure, "class", "Exception");
	reply->failure_module = reply_failure_text(reply->failure, "module", "");
	reply->failure_message = reply_failure_text(reply->failure, "message",
	                                            text ? text : "");
}

enum err envelope_reply_decode(const uint8_t *body, size_t len, size_t max,
                               struct envelope_reply *reply, struct why *why)
{
	static const struct field fields[] = {
		{ "_msg_id", JSON_REQUIRED, REPLY(msg_id) },
		{ 0 }
	};
	struct envelope_reply decoded = { 0 };
	enum err err = envelope_unwrap(body, len, max, &decoded.message, &decoded.proof,
	                               why);

	if (err)
		return err;
	err = envelope_texts_decode(decoded.message, fields, &decoded, why);
	if (err) {
		envelope_reply_clear(&decoded);
		return err;
	}
	decoded.ending = json_is_true(json_object_get(decoded.message, "ending"));
	decoded.result = json_object_get(decoded.message, "result");
	if (reply_is_failure(json_object_get(decoded.message, "failure")))
		reply_failure_decode(json_object_get(decoded.message, "failure"),
		                     &decoded);
	*reply = decoded;
	return OK;
}

void envelope_reply_clear(struct envelope_reply *reply)
{
	envelope_forget_proof(&reply->proof);
	json_decref(reply->failure);
	json_decref(reply->message);
	*reply = (struct envelope_reply){ 0 };
}

enum err envelope_notification_decode(const uint8_t *body, size_t len, size_t max,
                                      struct envelope_notification *notification,
                                      struct why *why)
{
	static const struct field fields[] = {
		{ "event_type",   JSON_REQUIRED, NOTIFICATION(event_type) },
		{ "publisher_id", 0,             NOTIFICATION(publisher_id) },
		{ "priority",     0,             NOTIFICATION(priority) },
		{ "message_id",   0,             NOTIFICATION(message_id) },
		{ 0 }
	};
	struct envelope_notification decoded = { 0 };
	struct envelope_proof unused = { 0 };
	enum err err = envelope_unwrap(body, len, max, &decoded.message, &unused, why);

	if (err)
		return err;
	envelope_forget_proof(&unused);
	err = envelope_texts_decode(decoded.message, fields, &decoded, why);
	if (err) {
		envelope_notification_clear(&decoded);
		return err;
	}
	decoded.payload = json_object_get(decoded.message, "payload");
	*notification = decoded;
	return OK;
}

void envelope_notification_clear(struct envelope_notification *notification)
{
	json_decref(notification->message);
	*notification = (struct envelope_notification){ 0 };
}

/* ---- encoding ---- */

/* The text may end within a character, or quote a peer's bytes. */
static json_t *envelope_text_json(const char *text)
{
	json_t *words = json_string(text);
	char *ascii;

	if (words)
		return words;
	ascii = xstrdup(text);
	for (char *p = ascii; *p; p++)
		if (*p & 0x80)
			*p = '?';
	words = json_string(ascii);
	free(ascii);
	return words;
}

static json_t *envelope_text_or_null(const char *text)
{
	return text ? envelope_text_json(text) : json_null();
}

static int envelope_append_plain(const char *text, size_t len, void *body)
{
	buf_append(body, text, len);
	return 0;
}

/* JSON within a JSON string. The dump has no control bytes, so two escapes are enough. */
static int envelope_append_quoted(const char *text, size_t len, void *body)
{
	size_t start = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] == '"' || text[i] == '\\') {
			buf_append(body, text + start, i - start);
			buf_u8(body, '\\');
			start = i;
		}
	buf_append(body, text + start, len - start);
	return 0;
}

static void envelope_wrap_begin(struct buf *body)
{
	buf_text(body, "{\"oslo.version\": \"" ENVELOPE_VERSION "\", ");
	buf_text(body, "\"oslo.message\": \"");
}

/* Takes over the message. */
static void envelope_wrap_unsigned(json_t *message, struct buf *body)
{
	envelope_wrap_begin(body);
	bug_if(json_dump_callback(message, envelope_append_quoted, body, DUMP_FLAGS));
	buf_text(body, "\"}");
	json_decref(message);
}

/* Takes over the message. A signature has no character that JSON would escape. */
static void envelope_wrap_signed(json_t *message, const struct envelope_signer *signer,
                                 struct buf *body)
{
	char signature[SIGNATURE_SIZE];
	struct buf text = { 0 };

	bug_if(json_dump_callback(message, envelope_append_plain, &text, DUMP_FLAGS));
	json_decref(message);
	signature_make(signer->key, &(struct signed_text){ signer->topic, text.data,
	                                                   text.len },
	               signer->unix_ms, signature);
	envelope_wrap_begin(body);
	envelope_append_quoted((const char *)text.data, text.len, body);
	buf_printf(body, "\", \"" SIGNATURE_KEY "\": \"%s\"}", signature);
	buf_clear(&text);
}

/* Takes over the message. SIGNER is NULL if the message is not signed. */
static void envelope_wrap(json_t *message, const struct envelope_signer *signer,
                          struct buf *body)
{
	if (signer)
		envelope_wrap_signed(message, signer, body);
	else
		envelope_wrap_unsigned(message, body);
}

/* The message shares the value with its owner; only the count of references changes. */
static void envelope_set_shared(json_t *message, const char *key, const json_t *value)
{
	json_object_set(message, key, (json_t *)value);
}

static void envelope_set_unique_id(json_t *message, const char *unique_id)
{
	char made[ID_LEN + 1];

	if (!unique_id)
		id_random(made);
	json_object_set_new(message, "_unique_id",
	                    envelope_text_json(unique_id ? unique_id : made));
}

static void envelope_set_context(json_t *message, const json_t *context)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)context, key, value) {
		char *name = xprintf(CONTEXT_PREFIX "%s", key);

		json_object_set(message, name, value);
		free(name);
	}
}

void envelope_request_encode(const struct envelope_call *call, struct buf *body)
{
	json_t *message = json_object();

	bug_if(!json_is_object(call->args));
	json_object_set_new(message, "method", envelope_text_json(call->method));
	envelope_set_shared(message, "args", call->args);
	if (call->version)
		json_object_set_new(message, "version",
		                    envelope_text_json(call->version));
	if (call->msg_id) {
		json_object_set_new(message, "_msg_id", envelope_text_json(call->msg_id));
		json_object_set_new(message, "_reply_q",
		                    envelope_text_json(call->reply_queue));
		json_object_set_new(message, "_timeout", json_null());
	}
	envelope_set_unique_id(message, call->unique_id);
	envelope_set_context(message, call->context);
	envelope_wrap(message, call->signer, body);
}

/*
 * Takes over RESULT and FAILURE. All five keys are always there, because Python requires
 * them.
 */
static void reply_encode(const char *msg_id, json_t *result, json_t *failure, bool ending,
                         const struct envelope_signer *signer, struct buf *body)
{
	json_t *message = json_object();

	json_object_set_new(message, "result", result);
	json_object_set_new(message, "failure", failure);
	json_object_set_new(message, "ending", json_boolean(ending));
	json_object_set_new(message, "_msg_id", envelope_text_json(msg_id));
	envelope_set_unique_id(message, NULL);
	envelope_wrap(message, signer, body);
}

void envelope_result_encode(const char *msg_id, const json_t *result,
                            const struct envelope_signer *signer, struct buf *body)
{
	json_t *shared = result ? json_incref((json_t *)result) : json_null();

	reply_encode(msg_id, shared, json_null(), true, signer, body);
}

/* `args` are the arguments with which Python makes the exception: klass(message). */
void envelope_failure_encode(const char *msg_id, enum err err, const char *message,
                             const struct envelope_signer *signer, struct buf *body)
{
	json_t *failure = json_pack("{s:s, s:s, s:o, s:[], s:[o], s:{}}",
	                            "class", err_class(err), "module", err_module(err),
	                            "message", envelope_text_json(message), "tb",
	                            "args", envelope_text_json(message), "kwargs");
	char *text;

	bug_if(!failure);
	text = json_dumps(failure, DUMP_FLAGS);
	json_decref(failure);
	reply_encode(msg_id, json_null(), envelope_text_json(text), true, signer, body);
	free(text);
}

void envelope_heartbeat_encode(const char *msg_id, struct buf *body)
{
	reply_encode(msg_id, json_null(), json_null(), false, NULL, body);
}

/* A UUID of version 4 with dashes; other ids have none (oslo_wire T17). */
static json_t *envelope_message_id(void)
{
	char id[ID_LEN + 1];

	id_random(id);
	id[12] = '4';
	id[16] = "89ab"[id[16] % 4];
	return json_sprintf("%.8s-%.4s-%.4s-%.4s-%.12s", id, id + 8, id + 12, id + 16,
	                    id + 20);
}

/* UTC, with a space and no zone. */
static json_t *envelope_timestamp(void)
{
	char text[sizeof "2026-11-21 09:23:08"];
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
	return json_sprintf("%s.%06ld", text, now.tv_nsec / 1000);
}

void envelope_notification_encode(const char *event_type, const char *publisher_id,
                                  const json_t *payload, struct buf *body)
{
	json_t *message = json_object();

	json_object_set_new(message, "message_id", envelope_message_id());
	json_object_set_new(message, "publisher_id", envelope_text_or_null(publisher_id));
	json_object_set_new(message, "event_type", envelope_text_json(event_type));
	json_object_set_new(message, "priority", json_string("INFO"));
	envelope_set_shared(message, "payload", payload);
	json_object_set_new(message, "timestamp", envelope_timestamp());
	envelope_set_unique_id(message, NULL);
	envelope_wrap(message, NULL, body);
}
