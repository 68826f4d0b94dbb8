/*
 * PowerDNS, through its HTTP API: a zone is a secondary of all masters. The
 * account of a zone says whose it is; one that is not ours is left alone.
 *
 * It keeps a new zone even if it refuses the rest of the request, for a TSIG
 * key that it does not know: so the key is looked for first.
 */
#include <string.h>

#include "backends/drivers.h"
#include "backends/powerdns_api.h"
#include "base/log.h"
#include "model/json.h"
#include "model/name.h"

enum { ACCOUNT_MAX = 4096, ACCOUNT_SHOWN = 64 };

struct powerdns {
	struct server_settings server;
	char *url, *api_key, *ca_file, *server_id, *account;
	int64_t answer_max;
	bool ixfr;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct powerdns),
	{ "url", OPTION_TEXT, offsetof(struct powerdns, url), "http://127.0.0.1:8081",
	  1, 255, "where its webserver, or a TLS proxy before that, listens" },
	{ "api_key", OPTION_SECRET, offsetof(struct powerdns, api_key), NULL, 1, 255,
	  "its api-key: may create and delete all of its zones", .required = true },
	{ "ca_file", OPTION_TEXT, offsetof(struct powerdns, ca_file), NULL, 1, 255,
	  "authorities (PEM) for https; default: the system's" },
	{ "server_id", OPTION_TEXT, offsetof(struct powerdns, server_id), "localhost",
	  1, 64, "its name in the paths of the API" },
	{ "account", OPTION_TEXT, offsetof(struct powerdns, account), "zonefleet", 1, 40,
	  "account of the zones that are ours; no other zone is touched" },
	{ "ixfr", OPTION_BOOL, offsetof(struct powerdns, ixfr), "true", 0, 0,
	  "it asks for changes, not for whole zones" },
	{ "answer_max", OPTION_BYTES, offsetof(struct powerdns, answer_max), "64M",
	  64 * 1024, 1LL << 30, "largest answer: its list has some 400 bytes a zone" },
	{ 0 }
};

static enum err check(const void *settings, struct why *why)
{
	const struct powerdns *powerdns = settings;
	enum err err = http_check(powerdns->url, "backends.powerdns.url", why);

	if (!err)
		err = api_check_key(powerdns->api_key, "backends.powerdns.api_key", why);
	if (!err)
		err = api_check_word(powerdns->server_id, "backends.powerdns.server_id",
		                     why);
	if (!err)
		err = api_check_word(powerdns->account, "backends.powerdns.account", why);
	return err;
}

static void start(struct api *api, const struct powerdns *powerdns, struct why *why)
{
	const struct api_terms terms = {
		.server = powerdns->server.id,
		.url = powerdns->url,
		.key = powerdns->api_key,
		.ca_file = powerdns->ca_file,
		.server_id = powerdns->server_id,
		.timeout_ms = powerdns->server.timeout_s * 1000,
		.answer_max = (size_t)powerdns->answer_max,
	};

	api_open(api, &terms, why);
}

/* Names in its answers are read when they are ours: others have forms of their own. */
static enum err read_name(const json_t *row, struct name *name, struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(row, "name", JSON_REQUIRED, NAME_MAX_TEXT, &text,
	                             why);

	return err ? err : name_parse(text, "name", name, why);
}

static enum err read_account(const json_t *row, const char **account, struct why *why)
{
	*account = "";
	return json_get_text(row, "account", 0, ACCOUNT_MAX, account, why);
}

static enum err check_name(const json_t *row, const char *wanted, struct why *why)
{
	struct name name, asked;
	enum err err = read_name(row, &name, why);

	if (!err)
		err = name_parse(wanted, "domain", &asked, why);
	if (!err && !name_equal(&name, &asked))
		err = fail(why, ERR_REMOTE, "it is of another zone");
	return err;
}

static enum err check_found(struct api *api, const struct powerdns *powerdns,
                            const char *wanted, const json_t *row)
{
	char quoted[ACCOUNT_SHOWN];
	const char *account;

	if (check_name(row, wanted, api->why) || read_account(row, &account, api->why))
		return api_garbled(api);
	if (strcmp(account, powerdns->account) == 0)
		return OK;
	return fail(api->why, ERR_CONFLICT, "%s has a zone %s that is not ours: its "
	            "account is \"%s\", not \"%s\"", powerdns->server.id, wanted,
	            err_quote(account, quoted, sizeof(quoted)), powerdns->account);
}

/* Not found is believed of a server that has an API. */
static enum err confirm_api(struct api *api)
{
	return api_settled(api, api_ask(api, "GET", "", NULL), "find the API");
}

/* ERR_CONFLICT: the zone is there, and is not ours. */
static enum err find_ours(struct api *api, const struct powerdns *powerdns,
                          const char *zone, bool *found)
{
	json_t *row;
	enum err err = api_ask_zone(api, "GET", zone, "?rrsets=false", NULL);

	if (err)
		return err;
	*found = api->http.status != 404;
	if (!*found)
		return confirm_api(api);
	if (api->http.status != 200)
		return api_refused(api, "find the zone");
	const struct buf *answer = &api->http.answer;
	if (json_decode_object(buf_string(answer), answer->len, answer->len, &row,
	                       api->why))
		return api_garbled(api);
	err = check_found(api, powerdns, zone, row);
	json_decref(row);
	return err;
}

static json_t *masters_of(const struct driver_context *context)
{
	json_t *masters = json_array();

	for (size_t i = 0; i < context->master_count; i++) {
		const struct endpoint *master = &context->masters[i];
		json_t *text = strchr(master->host, ':')
		    ? json_sprintf("[%s]:%d", master->host, master->port)
		    : json_sprintf("%s:%d", master->host, master->port);

		json_array_append_new(masters, text);
	}
	return masters;
}

/* No key is said, too: one of earlier settings goes. */
static json_t *zone_of(const struct powerdns *powerdns,
                       const struct driver_context *context, const char *zone)
{
	const char *key = powerdns->server.tsig_key;
	json_t *keys = json_array();

	if (key)
		json_array_append_new(keys, api_id(key));
	json_t *json = json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", zone,
	                         "kind", "Slave", "account", powerdns->account,
	                         "masters", masters_of(context),
	                         "slave_tsig_key_ids", keys);
	bug_if(!json);
	return json;
}

/* A zone that is there already takes the settings of today, if it is ours. */
static enum err add_or_modify(struct api *api, const struct powerdns *powerdns,
                              const char *zone, const json_t *json)
{
	bool found;
	enum err err = api_ask(api, "POST", "/zones", json);

	if (err || api->http.status != 409)
		return api_settled(api, err, "create the zone");
	err = find_ours(api, powerdns, zone, &found);
	if (err)
		return err;
	if (!found)
		return fail(api->why, ERR_REMOTE, "%s: the zone was there, and is gone",
		            powerdns->server.id);
	return api_settled(api, api_ask_zone(api, "PUT", zone, "", json),
	                   "change the zone");
}

/* What makes the zone better and may fail: the server would fetch it some time. */
static void improve(struct api *api, const char *zone, const char *tail,
                    const json_t *json)
{
	enum err err = api_settled(api, api_ask_zone(api, "PUT", zone, tail, json), tail);

	if (err)
		log_info("zone not as it could be: server=%s domain=%s why=\"%s\"",
		         api->terms.server, zone, api->why->text);
}

static void fetch(struct api *api, const struct powerdns *powerdns, const char *zone)
{
	json_t *ixfr = json_pack("{s:s, s:[s]}", "kind", "IXFR", "metadata",
	                         powerdns->ixfr ? "1" : "0");

	bug_if(!ixfr);
	improve(api, zone, "/metadata/IXFR", ixfr);
	improve(api, zone, "/axfr-retrieve", NULL);
	json_decref(ixfr);
}

static enum err create(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	const struct powerdns *powerdns = settings;
	json_t *json = zone_of(powerdns, context, domain->name);
	enum err err = OK;
	struct api api;

	start(&api, powerdns, why);
	if (powerdns->server.tsig_key)
		err = api_need_key(&api, powerdns->server.tsig_key);
	if (!err)
		err = add_or_modify(&api, powerdns, domain->name, json);
	if (!err)
		fetch(&api, powerdns, domain->name);
	api_close(&api);
	json_decref(json);
	return err;
}

static enum err retransfer(const void *settings, const struct domain_ref *domain,
                           struct why *why)
{
	struct api api;

	start(&api, settings, why);
	enum err err = api_settled(&api, api_ask_zone(&api, "PUT", domain->name,
	                                              "/axfr-retrieve", NULL),
	                           "fetch the zone");
	api_close(&api);
	return err;
}

static enum err delete_found(struct api *api, const char *zone)
{
	enum err err = api_ask_zone(api, "DELETE", zone, "", NULL);

	if (!err && api->http.status == 404)
		return OK;
	return api_settled(api, err, "delete the zone");
}

static enum err delete(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	bool found = false;
	struct api api;

	(void)context;
	start(&api, settings, why);
	enum err err = find_ours(&api, settings, domain->name, &found);
	if (!err && found)
		err = delete_found(&api, domain->name);
	api_close(&api);
	return err;
}

struct listing {
	const struct powerdns *powerdns;
	struct arena *arena;
	const char **names;
	size_t count, room;
};

static void add_name(struct listing *listing, const struct name *name)
{
	char text[NAME_MAX_TEXT + 1];

	if (listing->count == listing->room) {
		size_t room = listing->room ? 2 * listing->room : 64;
		const char **names = arena_alloc(listing->arena, room * sizeof(*names));

		if (listing->count)
			memcpy(names, listing->names, listing->count * sizeof(*names));
		listing->names = names;
		listing->room = room;
	}
	name_format(name, text);
	listing->names[listing->count++] = arena_strdup(listing->arena, text);
}

static enum err list_row(void *self, const json_t *row, struct why *why)
{
	struct listing *listing = self;
	const char *account;
	struct name name;
	enum err err = read_account(row, &account, why);

	if (err || strcmp(account, listing->powerdns->account) != 0)
		return err;
	err = read_name(row, &name, why);
	if (!err)
		add_name(listing, &name);
	return err;
}

/* Without a word on DNSSEC, which it would look up zone by zone. */
static enum err list(const void *settings, struct arena *arena, const char ***names,
                     size_t *count, struct why *why)
{
	struct listing listing = { .powerdns = settings, .arena = arena };
	struct api api;

	start(&api, settings, why);
	enum err err = api_ask_rows(&api, "/zones?dnssec=false", list_row, &listing);
	api_close(&api);
	if (err)
		return err;
	*names = listing.names;
	*count = listing.count;
	return OK;
}

const struct driver driver_powerdns = {
	.name = "powerdns",
	.help = "PowerDNS 4.2 or newer, through its HTTP API "
	        "(pdns.conf: api=yes, api-key, secondary=yes)",
	.options = options,
	.settings_size = sizeof(struct powerdns),
	.check = check,
	.create = create,
	.delete = delete,
	.retransfer = retransfer,
	.list = list,
};
