#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "runtime/envelope.h"

enum { MAX = 64 * 1024 };

#define REPLY_QUEUE "reply_00112233445566778899aabbccddeeff"
#define WRAPPED(inner) "{\"oslo.version\": \"2.0\", \"oslo.message\": \"" inner "\"}"
#define UNIQUE "623305899b274d7893e4a9b09cb3b677"
#define SIGNED(signature) \
	"{\"oslo.version\": \"2.0\", \"oslo.message\": \"{\\\"method\\\":\\\"f\\\"}\", " \
	"\"zonefleet.signature\": " signature "}"
#define TEXT_53 "01234567890123456789012345678901234567890123456789abc"
#define TEXT_159 TEXT_53 TEXT_53 TEXT_53

static enum err decode(const char *body, struct envelope_request *request,
                       struct why *why)
{
	return envelope_request_decode((const uint8_t *)body, strlen(body), MAX, request,
	                               why);
}

static void assert_text(const char *got, const char *want)
{
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got, want);
}

static void assert_json(const json_t *got, const char *want)
{
	json_t *wanted = json_loads(want, JSON_DECODE_ANY, NULL);

	assert_non_null(wanted);
	assert_true(json_equal(got, wanted));
	json_decref(wanted);
}

/* Captured from oslo.messaging 14.0.3. */
static const char captured_call[] = WRAPPED(
	"{\\\"method\\\": \\\"echo\\\", \\\"args\\\": {\\\"value\\\": {\\\"ttl\\\": 300, "
	"\\\"f\\\": 1.5, \\\"u\\\": \\\"h\\\\u00e9 \\\\u4e16 \\\\ud83d\\\\ude00\\\"}}, "
	"\\\"_msg_id\\\": \\\"9b404acf961c46a096c02557a0c6adb0\\\", "
	"\\\"_reply_q\\\": \\\"reply_7d589b6b567f42da9a2aaaf2a8340863\\\", "
	"\\\"_timeout\\\": null, "
	"\\\"_unique_id\\\": \\\"bad0f1472e194c41955f5495d0b5464b\\\", "
	"\\\"_context_request_id\\\": \\\"req-1\\\", "
	"\\\"_context_roles\\\": [\\\"admin\\\"], "
	"\\\"_context_is_admin\\\": true}");

static void test_captured_call(void **state)
{
	struct envelope_request request;
	struct why why;

	(void)state;
	assert_int_equal(decode(captured_call, &request, &why), OK);
	assert_string_equal(request.method, "echo");
	assert_string_equal(request.msg_id, "9b404acf961c46a096c02557a0c6adb0");
	assert_string_equal(request.reply_queue,
	                    "reply_7d589b6b567f42da9a2aaaf2a8340863");
	assert_string_equal(request.unique_id, "bad0f1472e194c41955f5495d0b5464b");
	assert_null(request.version);
	assert_null(request.namespace);
	assert_int_equal(request.heartbeat_s, 0);
	assert_json(request.args, "{\"value\": {\"ttl\": 300, \"f\": 1.5, "
	                          "\"u\": \"h\\u00e9 \\u4e16 \\ud83d\\ude00\"}}");
	assert_json(request.context,
	            "{\"request_id\": \"req-1\", \"roles\": [\"admin\"], "
	            "\"is_admin\": true}");
	envelope_request_clear(&request);
}

#define QUEUE "reply_7d589b6b567f42da9a2aaaf2a8340863"
#define CALL(queue) "{\"method\":\"f\",\"_msg_id\":\"m\",\"_reply_q\":\"" queue "\"}"

/* Bare messages: what is within an envelope obeys the same rules. */
static const struct {
	const char *body;
	enum err want;
	const char *method, *version, *namespace, *msg_id;
	int heartbeat_s;
} requests[] = {
	{ "{\"method\":\"f\"}", OK, "f" },
	{ "{\"method\":\"f\",\"args\":null}", OK, "f" },
	{ "{\"method\":\"f\",\"args\":{},\"bogus\":[1]}", OK, "f" },
	{ "{\"method\":\"f\",\"version\":\"1.1\",\"namespace\":\"n\"}", OK, "f",
	  "1.1", "n" },
	{ "{\"method\":\"f\",\"version\":null,\"namespace\":null}", OK, "f" },
	{ "{\"method\":\"f\",\"namespace\":\"\"}", OK, "f", NULL, "" },
	{ CALL(QUEUE), OK, "f", NULL, NULL, "m" },
	{ CALL("central"), ERR_INVALID },
	{ CALL("reply_1"), ERR_INVALID },
	{ CALL(""), ERR_INVALID },
	{ "{\"method\":\"f\",\"_msg_id\":\"m\"}", OK, "f" },
	{ "{\"method\":\"f\",\"_reply_q\":\"q\"}", OK, "f" },
	{ "{\"method\":\"f\",\"_unique_id\":\"" UNIQUE "\"}", OK, "f" },
	{ "{\"method\":\"f\",\"_unique_id\":\"c905bcf1-7430-4f4c-b08e-469ff9121125\"}",
	  OK, "f" },
	{ "{\"method\":\"f\",\"_timeout\":1}", OK, "f" },
	{ "{\"method\":\"f\",\"_timeout\":2}", OK, "f", .heartbeat_s = 2 },
	{ "{\"method\":\"f\",\"_timeout\":30.9}", OK, "f", .heartbeat_s = 30 },
	{ "{\"method\":\"f\",\"_timeout\":-5}", OK, "f" },
	{ "{\"method\":\"f\",\"_timeout\":1e300}", OK, "f", .heartbeat_s = 86400 },
	{ "{\"method\":\"f\",\"_timeout\":\"30\"}", OK, "f" },
	{ "{\"method\":\"f\",\"_timeout\":{}}", OK, "f" },
	{ "{\"oslo.version\":\"2.0\",\"method\":\"f\"}", OK, "f" },
	{ "{\"oslo.message\":\"{}\",\"method\":\"f\"}", OK, "f" },
	{ "{}", ERR_INVALID },
	{ "{\"method\":null}", ERR_INVALID },
	{ "{\"method\":5}", ERR_INVALID },
	{ "{\"method\":\"f\",\"args\":[]}", ERR_INVALID },
	{ "{\"method\":\"f\",\"args\":\"x\"}", ERR_INVALID },
	{ "{\"method\":\"f\",\"version\":1.0}", ERR_INVALID },
	{ "{\"method\":\"f\",\"namespace\":[]}", ERR_INVALID },
	{ "{\"method\":\"f\",\"_msg_id\":1}", ERR_INVALID },
	{ "{\"method\":\"f\",\"_reply_q\":{}}", ERR_INVALID },
	{ "{\"method\":\"f\",\"_unique_id\":true}", ERR_INVALID },
	{ "{\"method\":\"f\",\"_unique_id\":\"short\"}", ERR_INVALID },
	{ "{\"method\":\"f\",\"method\":\"g\"}", ERR_INVALID },
	{ "{\"method\":\"f\",\"args\":{\"x\":NaN}}", ERR_INVALID },
	{ "{\"method\":\"f\",\"args\":{\"x\":99999999999999999999}}", ERR_INVALID },
	{ "{\"method\":\"f\\u0000g\"}", ERR_INVALID },
	{ "{\"method\":\"\\ud800\"}", ERR_INVALID },
	{ "{\"method\":\"f\"", ERR_INVALID },
	{ "", ERR_INVALID },
	{ "[]", ERR_INVALID },
	{ "null", ERR_INVALID },
};

static void test_requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
		struct envelope_request request = { 0 };
		struct why why = { "" };
		enum err got = decode(requests[i].body, &request, &why);

		if (got != requests[i].want)
			print_message("%s: %s\n", requests[i].body, why.text);
		assert_int_equal(got, requests[i].want);
		assert_text(request.method, requests[i].method);
		assert_text(request.version, requests[i].version);
		assert_text(request.namespace, requests[i].namespace);
		assert_text(request.msg_id, requests[i].msg_id);
		assert_int_equal(!request.reply_queue, !requests[i].msg_id);
		assert_int_equal(request.heartbeat_s, requests[i].heartbeat_s);
		assert_int_equal(!json_is_object(request.args), got != OK);
		assert_int_equal(why.text[0] != 0, got != OK);
		envelope_request_clear(&request);
	}
}

#define VERSION(version) "{\"oslo.version\":" version \
	",\"oslo.message\":\"{\\\"method\\\":\\\"f\\\"}\"}"

/* Reference 4.2: which envelopes Python takes. */
static const struct {
	const char *body;
	enum err want;
} envelopes[] = {
	{ WRAPPED("{\\\"method\\\":\\\"f\\\"}"), OK },
	{ VERSION("\"2.0\",\"x\":1"), OK },
	{ VERSION("\"2.1\""), ERR_INVALID },
	{ VERSION("\"3.0\""), ERR_INVALID },
	{ VERSION("\"1.0\""), ERR_INVALID },
	{ VERSION("\"2\""), ERR_INVALID },
	{ VERSION("2.0"), ERR_INVALID },
	{ VERSION("null"), ERR_INVALID },
	{ "{\"oslo.version\":\"2.0\",\"oslo.message\":{\"method\":\"f\"}}", ERR_INVALID },
	{ "{\"oslo.version\":\"2.0\",\"oslo.message\":null}", ERR_INVALID },
	{ WRAPPED(""), ERR_INVALID },
	{ WRAPPED("[]"), ERR_INVALID },
	{ WRAPPED("{\\\"method\\\":\\\"f\\\",\\\"method\\\":\\\"g\\\"}"), ERR_INVALID },
};

static void test_envelopes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof envelopes / sizeof envelopes[0]; i++) {
		struct envelope_request request = { 0 };
		struct why why;

		assert_int_equal(decode(envelopes[i].body, &request, &why),
		                 envelopes[i].want);
		envelope_request_clear(&request);
	}
}

static void test_bounds(void **state)
{
	struct envelope_request request;
	struct why why;
	char *deep = xmalloc(20001);

	(void)state;
	assert_int_equal(envelope_request_decode((const uint8_t *)captured_call,
	                                         strlen(captured_call), 100, &request,
	                                         &why),
	                 ERR_TOO_LARGE);
	memset(deep, '[', 10000);
	memset(deep + 10000, ']', 10000);
	deep[20000] = 0;
	assert_int_equal(decode(deep, &request, &why), ERR_INVALID);
	free(deep);
}

static const struct {
	const char *implemented, *requested;
	bool want;
} versions[] = {
	{ "1.0", "1.0",   true  },
	{ "1.5", "1.0",   true  },
	{ "1.5", "1.2",   true  },
	{ "1.5", "1.4.9", true  },
	{ "1.5", "1.5",   true  },
	{ "1.5", "1.5.0", true  },
	{ "1.5", "1.5.1", false },
	{ "1.5", "1.6",   false },
	{ "1.5", "2.0",   false },
	{ "1.5", "0.9",   false },
	{ "1.0", "1",     false },
	{ "1.0", "abc",   false },
	{ "1.0", "",      false },
	{ "1.0", "1.",    false },
	{ "1.0", ".0",    false },
	{ "1.0", "1.0.",  false },
	{ "1.0", "-1.0",  false },
	{ "1.0", "1.-1",  false },
	{ "1.0", " 1.0",  false },
	{ "1.0", "1.0.0.0", false },
	{ "1.0", "99999999999999999999.0", false },
};

static void test_versions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
		assert_int_equal(envelope_version_compatible(versions[i].implemented,
		                                             versions[i].requested),
		                 versions[i].want);
}

/* What we encode we decode to the same, byte for byte of every text. */
static void test_request_round_trip(void **state)
{
	json_t *args = json_pack("{s:s, s:f, s:n, s:I, s:[{s:b}]}", "text",
	                         "\"\\ \n\t\x01 h\xc3\xa9 \xf0\x9f\x98\x80",
	                         "real", 0.1, "null",
	                         "int", (json_int_t)INT64_MIN, "deep", "yes", 1);
	json_t *context =
		json_pack("{s:s, s:b}", "request_id", "req-\"1\"", "is_admin", 1);
	struct envelope_call call = {
		.method = "f", .args = args, .context = context, .version = "1.2",
		.unique_id = UNIQUE, .msg_id = "m", .reply_queue = QUEUE,
	};
	struct envelope_request request;
	struct buf body = { 0 };
	struct why why;

	(void)state;
	envelope_request_encode(&call, &body);
	assert_int_equal(decode(buf_string(&body), &request, &why), OK);
	assert_string_equal(request.method, "f");
	assert_string_equal(request.version, "1.2");
	assert_string_equal(request.unique_id, UNIQUE);
	assert_string_equal(request.msg_id, "m");
	assert_string_equal(request.reply_queue, QUEUE);
	assert_true(json_equal(request.args, args));
	assert_true(json_equal(request.context, context));
	assert_true(json_is_null(json_object_get(request.message, "_timeout")));
	envelope_request_clear(&request);
	buf_clear(&body);
	json_decref(context);
	json_decref(args);
}

/* What is verified is the text that was signed, whatever its escapes in the envelope. */
static void test_signed_request(void **state)
{
	json_t *args = json_pack("{s:s}", "text",
	                         "\"\\ \n\x01 h\xc3\xa9 \xf0\x9f\x98\x80");
	struct envelope_signer signer = { .topic = "minidns", .unix_ms = 1000 };
	struct envelope_call call = { .method = "f", .args = args, .signer = &signer };
	struct signed_text what = { .topic = "minidns" };
	struct signature_time when = { 1000, 0 };
	struct envelope_request request;
	struct signature_keys keys;
	struct buf body = { 0 };
	struct why why;

	(void)state;
	assert_int_equal(signature_keys_parse("a:AAECAwQFBgcICQoLDA0ODw==", &keys, &why),
	                 OK);
	signer.key = &keys.key[0];
	envelope_request_encode(&call, &body);
	assert_int_equal(decode(buf_string(&body), &request, &why), OK);
	assert_true(json_equal(request.args, args));
	what.text = request.proof.text;
	what.len = request.proof.text_len;
	assert_int_equal(signature_verify(&keys, &what, request.proof.signature, &when),
	                 SIGNATURE_GOOD);
	envelope_forget_proof(&request.proof);
	assert_null(request.proof.signature);
	assert_true(json_equal(request.args, args));
	envelope_request_clear(&request);
	buf_clear(&body);
	json_decref(args);
}

/* What stands for a signature: NULL for none, "" for what cannot be one. */
static const struct {
	const char *body, *want;
} signatures[] = {
	{ WRAPPED("{\\\"method\\\":\\\"f\\\"}"), NULL },
	{ "{\"method\":\"f\",\"zonefleet.signature\":\"s\"}", NULL },
	{ SIGNED("\"s\""), "s" },
	{ SIGNED("\"\""), "" },
	{ SIGNED("null"), "" },
	{ SIGNED("5"), "" },
	{ SIGNED("[\"s\"]"), "" },
	{ SIGNED("\"" TEXT_159 "\""), TEXT_159 },
	{ SIGNED("\"" TEXT_159 "x\""), "" },
};

static void test_signatures(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
		struct envelope_request request;
		struct why why;

		assert_int_equal(decode(signatures[i].body, &request, &why), OK);
		assert_text(request.proof.signature, signatures[i].want);
		if (request.proof.signature)
			assert_string_equal(request.proof.text, "{\"method\":\"f\"}");
		envelope_request_clear(&request);
	}
}

static void test_cast_has_new_ids_and_no_reply(void **state)
{
	json_t *args = json_object();
	struct envelope_call call = { .method = "f", .args = args };
	struct envelope_request one, two;
	struct buf body = { 0 };
	struct why why;

	(void)state;
	envelope_request_encode(&call, &body);
	assert_int_equal(decode(buf_string(&body), &one, &why), OK);
	buf_reset(&body);
	envelope_request_encode(&call, &body);
	assert_int_equal(decode(buf_string(&body), &two, &why), OK);
	assert_string_not_equal(one.unique_id, two.unique_id);
	assert_null(one.msg_id);
	assert_null(json_object_get(one.message, "_timeout"));
	assert_null(json_object_get(one.message, "version"));
	envelope_request_clear(&one);
	envelope_request_clear(&two);
	buf_clear(&body);
	json_decref(args);
}

/* Reference 6 and 6.2: replies as peers send them. */
static const struct {
	const char *body;
	enum err want;
	bool ending;
	const char *class, *module, *message;
} replies[] = {
	{ "{\"_msg_id\":\"m\",\"result\":5,\"failure\":null,\"ending\":true}", OK, true },
	{ "{\"_msg_id\":\"m\",\"result\":null,\"failure\":\"\",\"ending\":true}",
	  OK, true },
	{ "{\"_msg_id\":\"m\",\"result\":5,\"failure\":null,\"ending\":false}",
	  OK, false },
	{ "{\"_msg_id\":\"m\",\"ending\":1}", OK, false },
	{ "{\"_msg_id\":\"m\"}", OK, false },
	{ "{\"_msg_id\":\"m\",\"ending\":true,\"failure\":\""
	  "{\\\"class\\\":\\\"ValueError\\\","
	  "\\\"module\\\":\\\"builtins\\\",\\\"message\\\":\\\"bad zone\\\","
	  "\\\"tb\\\":[\\\"x\\\"],"
	  "\\\"args\\\":[\\\"bad zone\\\"],\\\"kwargs\\\":{}}\"}",
	  OK, true, "ValueError", "builtins", "bad zone" },
	{ "{\"_msg_id\":\"m\",\"ending\":true,\"failure\":\"not json\"}",
	  OK, true, "Exception", "", "not json" },
	{ "{\"_msg_id\":\"m\",\"ending\":true,\"failure\":\"{}\"}",
	  OK, true, "Exception", "", "{}" },
	{ "{\"_msg_id\":\"m\",\"ending\":true,\"failure\":"
	  "{\"class\":\"A\",\"module\":7}}",
	  OK, true, "A", "", "" },
	{ "{\"_msg_id\":\"m\",\"ending\":true,\"failure\":[1]}",
	  OK, true, "Exception", "", "" },
	{ "{\"_msg_id\":\"m\",\"ending\":true,\"failure\":false}",
	  OK, true, "Exception", "", "" },
	{ "{\"result\":5,\"failure\":null,\"ending\":true}", ERR_INVALID },
	{ "{\"_msg_id\":5}", ERR_INVALID },
	{ "x", ERR_INVALID },
};

static void test_replies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++) {
		struct envelope_reply reply = { 0 };
		struct why why;

		assert_int_equal(envelope_reply_decode((const uint8_t *)replies[i].body,
		                                       strlen(replies[i].body), MAX,
		                                       &reply, &why),
		                 replies[i].want);
		assert_int_equal(reply.ending, replies[i].ending);
		assert_text(reply.failure_class, replies[i].class);
		assert_text(reply.failure_module, replies[i].module);
		assert_text(reply.failure_message, replies[i].message);
		envelope_reply_clear(&reply);
	}
}

static void reply_decode(const struct buf *body, struct envelope_reply *reply)
{
	struct why why;

	assert_int_equal(envelope_reply_decode(body->data, body->len, MAX, reply, &why),
	                 OK);
	assert_string_equal(reply->msg_id, "m");
}

static void test_result_round_trip(void **state)
{
	json_t *result = json_pack("[s, {s:i}]", "\"quoted\" \\ \xe4\xb8\x96", "a", 1);
	struct envelope_reply reply;
	struct buf body = { 0 };

	(void)state;
	envelope_result_encode("m", result, NULL, &body);
	reply_decode(&body, &reply);
	assert_true(reply.ending);
	assert_null(reply.failure_class);
	assert_true(json_equal(reply.result, result));
	assert_true(json_is_null(json_object_get(reply.message, "failure")));
	envelope_reply_clear(&reply);
	buf_reset(&body);

	envelope_result_encode("m", NULL, NULL, &body);
	reply_decode(&body, &reply);
	assert_true(json_is_null(reply.result));
	envelope_reply_clear(&reply);
	buf_reset(&body);

	envelope_heartbeat_encode("m", &body);
	reply_decode(&body, &reply);
	assert_false(reply.ending);
	assert_true(json_is_null(reply.result));
	assert_null(reply.failure_class);
	envelope_reply_clear(&reply);
	buf_clear(&body);
	json_decref(result);
}

/* Each code crosses the wire as a class that Python can build from one argument. */
static void test_failures(void **state)
{
	(void)state;
	for (enum err err = OK + 1; err < ERR_COUNT; err++) {
		struct envelope_reply reply;
		struct buf body = { 0 };

		envelope_failure_encode("m", err, "no \"zone\" \\ h\xc3\xa9", NULL,
		                        &body);
		reply_decode(&body, &reply);
		assert_true(reply.ending);
		assert_true(json_is_null(reply.result));
		assert_true(json_is_string(json_object_get(reply.message, "failure")));
		assert_string_equal(reply.failure_class, err_class(err));
		assert_string_equal(reply.failure_module, err_module(err));
		assert_string_equal(reply.failure_message, "no \"zone\" \\ h\xc3\xa9");
		assert_json(json_object_get(reply.failure, "args"),
		            "[\"no \\\"zone\\\" \\\\ h\xc3\xa9\"]");
		assert_json(json_object_get(reply.failure, "kwargs"), "{}");
		assert_json(json_object_get(reply.failure, "tb"), "[]");
		envelope_reply_clear(&reply);
		buf_clear(&body);
	}
}

static void assert_signed(const struct envelope_proof *proof,
                          const struct signature_keys *keys)
{
	const struct signed_text what = { REPLY_QUEUE, proof->text, proof->text_len };

	assert_int_equal(signature_verify(keys, &what, proof->signature, NULL),
	                 SIGNATURE_GOOD);
}

/* The signature covers the id of the call, and the reply queue. */
static void test_signed_answers(void **state)
{
	struct signature_keys keys;
	struct envelope_signer signer = { .topic = REPLY_QUEUE, .unix_ms = 1000 };
	json_t *result = json_string("\"quoted\" \\");
	struct envelope_reply reply;
	struct buf body = { 0 };
	struct why why;

	(void)state;
	assert_int_equal(signature_keys_parse("a:AAECAwQFBgcICQoLDA0ODw==", &keys, &why),
	                 OK);
	signer.key = &keys.key[0];
	envelope_result_encode("m", result, &signer, &body);
	reply_decode(&body, &reply);
	assert_true(json_equal(reply.result, result));
	assert_non_null(strstr(reply.proof.text, "\"_msg_id\":\"m\""));
	assert_signed(&reply.proof, &keys);
	envelope_forget_proof(&reply.proof);
	assert_null(reply.proof.signature);
	assert_true(json_equal(reply.result, result));
	envelope_reply_clear(&reply);
	buf_reset(&body);

	envelope_failure_encode("m", ERR_BUSY, "later", &signer, &body);
	reply_decode(&body, &reply);
	assert_string_equal(reply.failure_message, "later");
	assert_signed(&reply.proof, &keys);
	envelope_reply_clear(&reply);
	buf_clear(&body);
	json_decref(result);
}

/* A reason that was cut within a character still leaves. */
static void test_broken_words(void **state)
{
	struct envelope_reply reply;
	struct buf body = { 0 };

	(void)state;
	envelope_failure_encode("m", ERR_INVALID, "bad \xc3", NULL, &body);
	reply_decode(&body, &reply);
	assert_string_equal(reply.failure_message, "bad ?");
	envelope_reply_clear(&reply);
	buf_clear(&body);
}

static void test_notifications(void **state)
{
	static const char bare[] =
		"{\"message_id\": \"74985341-0000-4000-8000-000000000000\", "
		"\"publisher_id\": null, \"event_type\": \"port.create.end\", "
		"\"priority\": \"INFO\", "
		"\"payload\": {\"a\": 1}, \"timestamp\": \"2026-11-21 09:23:09\"}";
	static const char nameless[] = "{\"payload\": {}}";
	struct envelope_notification note;
	struct why why;

	(void)state;
	assert_int_equal(envelope_notification_decode((const uint8_t *)bare, strlen(bare),
	                                              MAX, &note, &why),
	                 OK);
	assert_string_equal(note.event_type, "port.create.end");
	assert_null(note.publisher_id);
	assert_string_equal(note.priority, "INFO");
	assert_json(note.payload, "{\"a\": 1}");
	envelope_notification_clear(&note);
	assert_int_equal(envelope_notification_decode((const uint8_t *)nameless,
	                                              strlen(nameless), MAX, &note, &why),
	                 ERR_INVALID);
}

static void test_notification_round_trip(void **state)
{
	json_t *payload = json_pack("{s:s}", "name", "example.org.");
	struct envelope_notification note;
	struct buf body = { 0 };
	struct why why;
	const char *timestamp;

	(void)state;
	envelope_notification_encode("dns.domain.create", "central.host1", payload,
	                             &body);
	assert_int_equal(envelope_notification_decode(body.data, body.len, MAX, &note,
	                                              &why),
	                 OK);
	assert_string_equal(note.event_type, "dns.domain.create");
	assert_string_equal(note.publisher_id, "central.host1");
	assert_true(id_valid(note.message_id));
	assert_int_equal(strlen(note.message_id), 36);
	assert_true(json_equal(note.payload, payload));
	timestamp = json_string_value(json_object_get(note.message, "timestamp"));
	assert_int_equal(strlen(timestamp), strlen("2026-11-21 09:23:08.983054"));
	assert_true(
		id_valid(json_string_value(json_object_get(note.message, "_unique_id"))));
	envelope_notification_clear(&note);
	buf_clear(&body);
	json_decref(payload);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_captured_call),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_envelopes),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_request_round_trip),
		cmocka_unit_test(test_signed_request),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_cast_has_new_ids_and_no_reply),
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_result_round_trip),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_signed_answers),
		cmocka_unit_test(test_broken_words),
		cmocka_unit_test(test_notifications),
		cmocka_unit_test(test_notification_round_trip),
	};

	return cmocka_run_group_tests_name("envelope", tests, NULL, NULL);
}
