#include "backends/powerdns_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "model/json.h"

#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

enum { WORDS_MAX = 4096, SHOWN = 300 };

/* The key is the value of a header, so it must not end the line. */
enum err powerdns_api_check_key(const char *key, const char *field, struct why *why)
{
	for (const char *at = key; *at; at++)
		if (*at <= ' ' || *at > '~')
			return fail(why, ERR_INVALID, "%s: must be printable ASCII "
			            "without blanks", field);
	return OK;
}

enum err powerdns_api_check_word(const char *word, const char *field, struct why *why)
{
	if (word[strspn(word, ALNUM "._-")])
		return fail(why, ERR_INVALID,
		            "%s: may contain only letters, digits, '.', '_' and '-', not "
		            "'%s'",
		            field,
		            word);
	return OK;
}

void powerdns_api_open(struct powerdns_api *api, const struct powerdns_api_terms *terms,
                       struct why *why)
{
	struct buf header = { 0 };

	buf_printf(&header, "X-API-Key: %s", terms->key);
	const struct http_terms http = {
		.server = terms->server,
		.url = terms->url,
		.key_header = buf_string(&header),
		.ca_file = terms->ca_file,
		.timeout_ms = terms->timeout_ms,
		.answer_max = terms->answer_max,
	};
	*api = (struct powerdns_api){ .terms = *terms, .why = why };
	http_open(&api->http, &http);
	buf_clear(&header);
}

void powerdns_api_close(struct powerdns_api *api)
{
	http_close(&api->http);
}

enum err powerdns_api_ask(struct powerdns_api *api, const char *method, const char *path,
                          const json_t *body)
{
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	struct buf whole = { 0 };

	bug_if(body && !text);
	buf_printf(&whole, "/api/v1/servers/%s%s", api->terms.server_id, path);
	enum err err = http_ask(&api->http, method, buf_string(&whole), text, api->why);
	buf_clear(&whole);
	free(text);
	return err;
}

/*
 * Letters, digits, "." and "-" are unchanged; all other characters, and a single ".", are
 * written in hexadecimal.
 */
static void powerdns_api_put_id(struct buf *to, const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || strcmp(name, ".") == 0) {
		buf_text(to, "=2E");
		return;
	}
	for (const char *at = name; *at; at++)
		if (strchr(ALNUM ".-", *at))
			buf_u8(to, (uint8_t)*at);
		else
			buf_printf(to, "=%02X", (unsigned char)*at);
	if (name[len - 1] != '.')
		buf_text(to, ".");
}

json_t *powerdns_api_id(const char *name)
{
	struct buf id = { 0 };

	powerdns_api_put_id(&id, name);
	json_t *json = json_string(buf_string(&id));
	buf_clear(&id);
	return json;
}

enum err powerdns_api_ask_zone(struct powerdns_api *api, const char *method,
                               const char *zone, const char *tail, const json_t *body)
{
	struct buf path = { 0 };

	buf_text(&path, "/zones/");
	powerdns_api_put_id(&path, zone);
	buf_text(&path, tail);
	enum err err = powerdns_api_ask(api, method, buf_string(&path), body);
	buf_clear(&path);
	return err;
}

static const struct refusal {
	int status;
	enum err err;
	const char *words;		/* NULL: the server's text */
} refusals[] = {
	{ 400, ERR_INVALID,     NULL },
	{ 401, ERR_DENIED,      "the server does not accept api_key" },
	{ 403, ERR_DENIED,      "the server does not accept api_key" },
	{ 404, ERR_NOT_FOUND,   "no such path: set api=yes on the server, or correct "
	                        "url" },
	{ 409, ERR_CONFLICT,    NULL },
	{ 413, ERR_TOO_LARGE,   NULL },
	{ 422, ERR_INVALID,     NULL },
	{ 502, ERR_UNREACHABLE, NULL },
	{ 503, ERR_UNREACHABLE, NULL },
	{ 504, ERR_TIMEOUT,     NULL },
	{ 0,   ERR_REMOTE,      NULL },
};

/* The reason in the answer. If the server repeats our key, its answer is not quoted. */
static const char *powerdns_api_error_text(struct powerdns_api *api, char shown[SHOWN])
{
	const struct buf *answer = &api->http.answer;
	const char *words = "the server gives no reason";
	json_t *json = NULL;
	struct why ignored;

	if (!json_decode_object(buf_string(answer), answer->len, WORDS_MAX, &json,
	                        &ignored))
		json_get_text(json, "error", 0, WORDS_MAX, &words, &ignored);
	if (strstr(words, api->terms.key))
		words = "the answer is not shown, because it contains api_key";
	err_quote(words, shown, SHOWN);
	json_decref(json);
	return shown;
}

enum err powerdns_api_refused(struct powerdns_api *api, const char *what)
{
	const struct refusal *refusal = refusals;
	char shown[SHOWN];

	while (refusal->status && refusal->status != api->http.status)
		refusal++;
	return fail(api->why, refusal->err, "cannot %s: HTTP status %d: %s", what,
	            api->http.status, refusal->words ? refusal->words
	                           : powerdns_api_error_text(api, shown));
}

enum err powerdns_api_settled(struct powerdns_api *api, enum err err, const char *what)
{
	if (err)
		return err;
	if (api->http.status >= 200 && api->http.status <= 299)
		return OK;
	return powerdns_api_refused(api, what);
}

enum err powerdns_api_garbled(struct powerdns_api *api)
{
	return fail(api->why, ERR_REMOTE, "the API of %s sent an invalid answer: %s",
	            api->terms.server, api->why->text);
}

enum err powerdns_api_ask_rows(struct powerdns_api *api, const char *path,
                               const char *what, json_row_fn *row, void *self)
{
	enum err err = powerdns_api_settled(api, powerdns_api_ask(api, "GET", path, NULL),
	                                    what);

	if (err)
		return err;
	err = json_rows_each(json_rows_span(&api->http.answer), row, self, api->why);
	return err ? powerdns_api_garbled(api) : OK;
}

struct search {
	const char *id;
	bool found;
};

static enum err powerdns_api_search_row(void *self, const json_t *row, struct why *why)
{
	struct search *search = self;
	const char *id = NULL;
	enum err err = json_get_text(row, "id", JSON_REQUIRED, WORDS_MAX, &id, why);

	if (!err && strcasecmp(id, search->id) == 0)
		search->found = true;
	return err;
}

/* The list has no secrets of the keys, unlike the answer about one key. */
enum err powerdns_api_need_key(struct powerdns_api *api, const char *key)
{
	struct buf id = { 0 };

	powerdns_api_put_id(&id, key);
	struct search search = { buf_string(&id), false };
	enum err err = powerdns_api_ask_rows(api, "/tsigkeys", "list the TSIG keys",
	                                     powerdns_api_search_row, &search);
	buf_clear(&id);
	if (err || search.found)
		return err;
	return fail(api->why, ERR_CONFLICT, "the server has no TSIG key %s: import the "
	            "key on the server (pdnsutil import-tsig-key)", key);
}
