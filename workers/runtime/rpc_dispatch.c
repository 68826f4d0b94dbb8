#include "runtime/rpc.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "model/identity.h"
#include "runtime/envelope.h"

#define VERSION_DEFAULT "1.0"	/* of a peer without a version */
#define ANY_KEYWORDS "*"

/* ---- the context ---- */

/* The request's id for the log, or UNIQUE_ID if it is missing or too long. */
static const char *context_request_id(const json_t *context, const char *unique_id)
{
	const json_t *value = json_object_get(context, "request_id");
	size_t len = json_string_length(value);

	return len > 0 && len <= IDENTITY_MAX ? json_string_value(value) : unique_id;
}

/* Reads the identity under KEY. If it is absent, null or "", *into is unchanged. */
static enum err context_identity(const json_t *context, const char *key,
                                 const char **into, struct why *why)
{
	const json_t *value = json_object_get(context, key);
	const char *text = json_string_value(value);
	char field[64];

	if (!value || json_is_null(value) || (text && !*text))
		return OK;
	snprintf(field, sizeof field, "the request's context: %s", key);
	if (!text)
		return fail(why, ERR_DENIED, "%s: must be a string", field);
	*into = text;
	return identity_check(text, field, why) ? ERR_DENIED : OK;
}

/* Both keys are checked; the first one counts. */
static enum err context_identities(const json_t *context, struct context *into,
                                   struct why *why)
{
	enum err err = context_identity(context, "tenant", &into->tenant, why);

	if (!err)
		err = context_identity(context, "project_id", &into->tenant, why);
	if (!err)
		err = context_identity(context, "user", &into->user, why);
	return err ? err : context_identity(context, "user_id", &into->user, why);
}

/* True: any value except false and null limits the caller. */
static bool context_limits(const json_t *context, const char *key)
{
	const json_t *value = json_object_get(context, key);

	return value && !json_is_null(value) && !json_is_false(value);
}

enum err context_decode(const json_t *context, const char *unique_id,
                        struct context *into, struct why *why)
{
	struct context got = {
		.request_id = context_request_id(context, unique_id),
		.tenant = "", .user = "", .all = context,
	};
	enum err err = context_identities(context, &got, why);

	if (err) {		/* no rights, but an id for the log */
		got.tenant = got.user = "";
	} else {
		got.is_admin = json_is_true(json_object_get(context, "is_admin"));
		got.all_tenants = json_is_true(json_object_get(context, "all_tenants"));
		got.own_tenant_only = context_limits(context, "own_tenant_only");
	}
	*into = got;
	return err;
}

json_t *context_encode(const char *request_id, bool is_admin)
{
	json_t *context = json_pack("{s:s, s:b}", "request_id", request_id,
	                            "is_admin", is_admin);

	bug_if(!context);
	return context;
}

/* ---- the checks, in the order and words of oslo.messaging ---- */

enum err rpc_check_version(const char *implemented, const char *method,
                           const char *namespace, const char *version, struct why *why)
{
	if (!version)
		version = VERSION_DEFAULT;
	if (!namespace && envelope_version_compatible(implemented, version))
		return OK;
	return fail(why, ERR_VERSION,
	            "Endpoint does not support RPC version %s. Attempted method: %s",
	            version, method);
}

static enum err dispatch_ping(void *self, struct request *req)
{
	(void)self;
	req->result = json_string("pong");
	return OK;
}

enum err rpc_find(const struct rpc_method *methods, const char *name,
                  const struct rpc_method **found, struct why *why)
{
	static const struct rpc_method builtin[] = {
		{ "oslo_rpc_server_ping", dispatch_ping, ANY_KEYWORDS },
		{ 0 }
	};
	const struct rpc_method *const tables[] = { methods, builtin };

	for (size_t i = 0; name[0] != '_' && i < sizeof tables / sizeof tables[0]; i++)
		for (const struct rpc_method *m = tables[i]; m->name; m++)
			if (strcmp(m->name, name) == 0) {
				*found = m;
				return OK;
			}
	return fail(why, ERR_METHOD, "Endpoint does not support RPC method %s", name);
}

struct keyword {
	const char *name;
	size_t len;
	bool optional;
};

/* Takes the next word of "domain changes serial?"; false at the end. */
static bool keyword_next(const char **words, struct keyword *keyword)
{
	const char *word = *words + strspn(*words, " ");
	size_t len = strcspn(word, " ");

	if (len == 0)
		return false;
	*words = word + len;
	keyword->name = word;
	keyword->optional = word[len - 1] == '?';
	keyword->len = len - keyword->optional;
	return true;
}

static bool keyword_is_known(const char *words, const char *name)
{
	struct keyword keyword;

	while (keyword_next(&words, &keyword))
		if (strlen(name) == keyword.len &&
		    memcmp(name, keyword.name, keyword.len) == 0)
			return true;
	return false;
}

static bool keyword_is_missing(const struct keyword *keyword, const json_t *args)
{
	return !keyword->optional && !json_object_getn(args, keyword->name, keyword->len);
}

static size_t keyword_count_missing(const char *words, const json_t *args)
{
	struct keyword keyword;
	size_t missing = 0;

	while (keyword_next(&words, &keyword))
		missing += keyword_is_missing(&keyword, args);
	return missing;
}

/* 'a'  -  'a' and 'b'  -  'a', 'b', and 'c' */
static const char *keyword_separator(size_t index, size_t count)
{
	if (index == 0)
		return "";
	if (count == 2)
		return " and ";
	return index == count - 1 ? ", and " : ", ";
}

static enum err keyword_fail_missing(const struct rpc_method *method, const json_t *args,
                                     size_t count, struct why *why)
{
	const char *words = method->args;
	struct keyword keyword;
	size_t index = 0;

	fail(why, ERR_ARGUMENTS, "%s() missing %zu required keyword argument%s: ",
	     method->name, count, count == 1 ? "" : "s");
	while (keyword_next(&words, &keyword))
		if (keyword_is_missing(&keyword, args)) {
			fail(why, ERR_ARGUMENTS, "%s%s'%.*s'", why->text,
			     keyword_separator(index, count), (int)keyword.len,
			     keyword.name);
			index++;
		}
	return ERR_ARGUMENTS;
}

/* So a handler that looks for an optional argument does not find null. */
static void keyword_drop_nulls(const char *words, json_t *args)
{
	struct keyword keyword;

	while (keyword_next(&words, &keyword))
		if (keyword.optional &&
		    json_is_null(json_object_getn(args, keyword.name, keyword.len)))
			json_object_deln(args, keyword.name, keyword.len);
}

enum err rpc_take_keywords(const struct rpc_method *method, json_t *args,
                           struct why *why)
{
	const char *words = method->args ? method->args : "";
	const char *name;
	json_t *value;
	size_t missing;

	if (strcmp(words, ANY_KEYWORDS) == 0)
		return OK;
	json_object_foreach(args, name, value)
		if (!keyword_is_known(words, name))
			return fail(why, ERR_ARGUMENTS,
			            "%s() got an unexpected keyword argument '%s'",
			            method->name, name);
	keyword_drop_nulls(words, args);
	missing = keyword_count_missing(words, args);
	return missing ? keyword_fail_missing(method, args, missing, why) : OK;
}

/* ---- the run ---- */

void rpc_run(const struct rpc_method *method, void *self, struct request *const *reqs,
             size_t count, enum err *errs)
{
	if (method->batch) {
		method->batch(self, reqs, count, errs);
		return;
	}
	for (size_t i = 0; i < count; i++)
		errs[i] = method->handler(self, reqs[i]);
}

enum err rpc_dispatch(const struct rpc_method *methods, void *self, struct request *req)
{
	const struct rpc_method *method;
	enum err err = rpc_find(methods, req->method, &method, &req->why);

	if (!err)
		err = rpc_take_keywords(method, (json_t *)req->args, &req->why);
	if (!err)
		rpc_run(method, self, &req, 1, &err);
	return err;
}

enum err rpc_deleted(const struct request *req, enum err err)
{
	return err == ERR_NOT_FOUND && req->is_again ? OK : err;
}
