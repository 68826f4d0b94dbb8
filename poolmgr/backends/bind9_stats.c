#include "backends/bind9_stats.h"

#include <stdio.h>
#include <string.h>

#include "backends/http.h"
#include "backends/json_rows.h"
#include "model/json.h"
#include "model/name.h"

enum { WORD_MAX = 64 };

static enum err bind9_stats_add_name(struct listing *listing, const char *undotted,
                                     struct why *why)
{
	char text[NAME_MAX_TEXT + 2];
	struct name name;

	snprintf(text, sizeof(text), "%s%s", undotted, strcmp(undotted, ".") ? "." : "");
	enum err err = name_parse(text, "name", &name, why);
	if (err)
		return err;
	name_format(&name, text);
	listing_add(listing, text);
	return OK;
}

static bool bind9_stats_is_secondary(const char *type, const char *class)
{
	return !strcmp(class, "IN") && (!strcmp(type, "secondary") ||
	                                !strcmp(type, "slave"));
}

static enum err bind9_stats_add_row(void *self, const json_t *row, struct why *why)
{
	const char *name = NULL, *class = NULL, *type = NULL;
	enum err err = json_get_text(row, "name", JSON_REQUIRED, NAME_MAX_TEXT, &name,
	                             why);

	if (!err)
		err = json_get_text(row, "class", JSON_REQUIRED, WORD_MAX, &class, why);
	if (!err)
		err = json_get_text(row, "type", JSON_REQUIRED, WORD_MAX, &type, why);
	if (err || !bind9_stats_is_secondary(type, class))
		return err;
	return bind9_stats_add_name(self, name, why);
}

static enum err bind9_stats_need_member(struct json_span *in, const char *key,
                                        struct why *why)
{
	bool found;
	enum err err = json_rows_member(*in, key, &found, in, why);

	if (!err && !found)
		err = fail(why, ERR_REMOTE, "the answer does not contain \"%s\"", key);
	return err;
}

/* A view without zones may have no list. */
static enum err bind9_stats_read_zones(const struct bind9_stats *stats,
                                       struct json_span text, struct listing *listing,
                                       struct why *why)
{
	const char *view = stats->view ? stats->view : "_default";
	bool found = false;
	enum err err = bind9_stats_need_member(&text, "views", why);

	if (!err)
		err = bind9_stats_need_member(&text, view, why);
	if (!err)
		err = json_rows_member(text, "zones", &found, &text, why);
	if (!err && found)
		err = json_rows_each(text, bind9_stats_add_row, listing, why);
	return err;
}

static enum err bind9_stats_ask(const struct bind9_stats *stats, struct http *http,
                                struct why *why)
{
	enum err err = http_ask(http, "GET", "/json/v1/zones", NULL, why);

	if (err || http->status == 200)
		return err;
	return fail(why, ERR_REMOTE, "the statistics channel of %s (%s) answers with "
	            "HTTP status %d%s",
	            stats->server, stats->url, http->status, http->status != 404 ? "" :
	            ": check stats_url, and that this BIND supports JSON");
}

enum err bind9_stats_secondaries(const struct bind9_stats *stats,
                                 struct listing *listing, struct why *why)
{
	const struct http_terms terms = {
		.server = stats->server,
		.url = stats->url,
		.timeout_ms = stats->timeout_ms,
		.answer_max = stats->answer_max,
	};
	struct http http;
	struct why wrong;

	http_open(&http, &terms);
	enum err err = bind9_stats_ask(stats, &http, why);
	if (!err && bind9_stats_read_zones(stats, json_rows_span(&http.answer), listing,
	                                   &wrong))
		err = fail(why, ERR_REMOTE, "the statistics channel of %s (%s) sent an "
		           "invalid answer: %.300s", stats->server, stats->url,
		           wrong.text);
	http_close(&http);
	return err;
}
