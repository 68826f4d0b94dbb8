/*
 * powerdns -- PowerDNS, through its HTTP API. A zone is a secondary of all masters. The
 * account of a zone marks it as ours; the driver does not change other zones.
 *
 * If a request names an unknown TSIG key, PowerDNS refuses it but keeps the new zone. So
 * the driver looks for the key first.
 *
 * If IXFR is on, PowerDNS transfers only changes, and nothing if the serial is equal. So
 * the driver turns IXFR off until the whole zone was transferred, which last_check shows.
 * If that takes too long, IXFR stays off until the pool manager checks the settings of
 * the zone again. Until then, each transfer has the whole zone.
 */
#include <string.h>

#include "backends/drivers.h"
#include "backends/listing.h"
#include "backends/powerdns_api.h"
#include "backends/powerdns_zone.h"
#include "backends/reply.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/pause.h"
#include "model/json.h"
#include "model/name.h"

enum { ACCOUNT_MAX = 4096, ACCOUNT_SHOWN = 64, LOOK_AGAIN_MS = 20 };

struct powerdns {
	struct server_settings server;
	char *url, *api_key, *ca_file, *server_id, *account;
	int64_t answer_max;
	bool ixfr;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct powerdns),
	{ "url", OPTION_TEXT, offsetof(struct powerdns, url), "http://127.0.0.1:8081",
	  1, 255,
	  "URL of the web server of PowerDNS, or of a TLS proxy in front of this web "
	  "server" },
	{ "api_key", OPTION_SECRET, offsetof(struct powerdns, api_key), NULL, 1, 255,
	  "API key of the server. A program with this key can create and delete all "
	  "zones on the server", .required = true },
	{ "ca_file", OPTION_TEXT, offsetof(struct powerdns, ca_file), NULL, 1, 255,
	  "file with the CA certificates for https (PEM); default: the CA certificates "
	  "of the system",
	  .file = OPTION_FILE },
	{ "server_id", OPTION_TEXT, offsetof(struct powerdns, server_id), "localhost",
	  1, 64,
	  "id of the server in the paths of the PowerDNS API" },
	{ "account", OPTION_TEXT, offsetof(struct powerdns, account), "zonefleet", 1, 40,
	  "value of the field account of PowerDNS in each zone that the pool manager "
	  "creates. The pool manager changes only zones with this value" },
	{ "ixfr", OPTION_BOOL, offsetof(struct powerdns, ixfr), "true", 0, 0,
	  "make the server request only the changes of a zone (IXFR). false: the "
	  "server requests whole zones (AXFR)" },
	{ "answer_max", OPTION_BYTES, offsetof(struct powerdns, answer_max), "64M",
	  64 * 1024, 1LL << 30,
	  "largest answer that the pool manager accepts from the server. The list of "
	  "zones contains about 400 bytes per zone" },
	{ 0 }
};

static enum err powerdns_check(const void *settings, struct why *why)
{
	const struct powerdns *powerdns = settings;
	enum err err = http_check(powerdns->url, "url", why);

	if (!err)
		err = powerdns_api_check_key(powerdns->api_key, "api_key", why);
	if (!err)
		err = powerdns_api_check_word(powerdns->server_id, "server_id", why);
	if (!err)
		err = powerdns_api_check_word(powerdns->account, "account", why);
	return err;
}

static void powerdns_open(struct powerdns_api *api, const struct powerdns *powerdns,
                          struct why *why)
{
	const struct powerdns_api_terms terms = {
		.server = powerdns->server.id,
		.url = powerdns->url,
		.key = powerdns->api_key,
		.ca_file = powerdns->ca_file,
		.server_id = powerdns->server_id,
		.timeout_ms = powerdns->server.timeout_ms,
		.answer_max = (size_t)powerdns->answer_max,
	};

	powerdns_api_open(api, &terms, why);
}

/* Reads the name of one of our zones. Other zones may have names in other forms. */
static enum err powerdns_read_name(const json_t *row, struct name *name, struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(row, "name", JSON_REQUIRED, NAME_MAX_TEXT, &text,
	                             why);

	return err ? err : name_parse(text, "name", name, why);
}

static enum err powerdns_read_account(const json_t *row, const char **account,
                                      struct why *why)
{
	*account = "";
	return json_get_text(row, "account", 0, ACCOUNT_MAX, account, why);
}

static enum err powerdns_check_name(const json_t *row, const char *wanted,
                                    struct why *why)
{
	struct name name, asked;
	enum err err = powerdns_read_name(row, &name, why);

	if (!err)
		err = name_parse(wanted, "domain", &asked, why);
	if (!err && !name_equal(&name, &asked))
		err = fail(why, ERR_REMOTE, "the answer does not describe the zone %s",
		           wanted);
	return err;
}

struct finding {
	bool there;
	/* last check of the masters, by the server's clock, in seconds */
	int64_t checked_at;
};

static enum err powerdns_check_found(struct powerdns_api *api,
                                     const struct powerdns *powerdns, const char *wanted,
                                     const json_t *row)
{
	char quoted[ACCOUNT_SHOWN];
	const char *account;

	if (powerdns_check_name(row, wanted, api->why) || powerdns_read_account(row,
	                                                                        &account,
	                                                                        api->why))
		return powerdns_api_garbled(api);
	if (strcmp(account, powerdns->account) == 0)
		return OK;
	return fail(api->why, ERR_CONFLICT, "the server has a zone %s of another "
	            "program: the account of the zone is '%s', not '%s'", wanted,
	            err_quote(account, quoted, sizeof(quoted)), powerdns->account);
}

/* The meaning of the last status. */
static enum reply powerdns_reply(const struct powerdns_api *api, const char *method)
{
	return reply_of("powerdns", method, api->http.status, "");
}

/* "Not found" counts only if the server has an API. */
static enum err powerdns_confirm_api(struct powerdns_api *api)
{
	return powerdns_api_settled(api, powerdns_api_ask(api, "GET", "", NULL),
	                            "find the API");
}

/* ERR_CONFLICT: the zone exists and is not ours. */
static enum err powerdns_find_ours(struct powerdns_api *api,
                                   const struct powerdns *powerdns, const char *zone,
                                   struct finding *found)
{
	json_t *row;
	enum err err = powerdns_api_ask_zone(api, "GET", zone, "?rrsets=false", NULL);

	*found = (struct finding){
		.there = !err && powerdns_reply(api, "GET") != REPLY_ABSENT,
	};
	if (err)
		return err;
	if (!found->there)
		return powerdns_confirm_api(api);
	if (api->http.status != 200)
		return powerdns_api_refused(api, "find the zone");
	const struct buf *answer = &api->http.answer;
	if (json_decode_object(buf_string(answer), answer->len, answer->len, &row,
	                       api->why))
		return powerdns_api_garbled(api);
	err = powerdns_check_found(api, powerdns, zone, row);
	if (!err && json_get_int(row, "last_check", 0, 0, INT64_MAX, &found->checked_at,
	                         api->why))
		err = powerdns_api_garbled(api);
	json_decref(row);
	return err;
}

static struct powerdns_zone powerdns_zone_of(const struct powerdns *powerdns,
                                             const struct driver_context *context,
                                             const struct domain_ref *domain)
{
	return (struct powerdns_zone){ domain->name, powerdns->account,
	                               powerdns->server.tsig_key, context };
}

/* Changes one of our zones (FOUND) to the current settings, or adds it. */
static enum err powerdns_add_or_modify(struct powerdns_api *api,
                                       const struct powerdns *powerdns, const char *zone,
                                       const json_t *json, struct finding *found)
{
	enum err err = powerdns_api_ask(api, "POST", "/zones", json);

	*found = (struct finding){ false };
	if (err || powerdns_reply(api, "POST") != REPLY_PRESENT)
		return powerdns_api_settled(api, err, "create the zone");
	err = powerdns_find_ours(api, powerdns, zone, found);
	if (err)
		return err;
	if (!found->there)
		return fail(api->why, ERR_REMOTE, "another program deleted the zone at "
		            "the same time");
	return powerdns_api_settled(api, powerdns_api_ask_zone(api, "PUT", zone, "",
	                                                       json), "change the zone");
}

static enum err powerdns_set_ixfr(struct powerdns_api *api, const char *zone, bool on)
{
	json_t *ixfr = json_pack("{s:s, s:[s]}", "kind", "IXFR", "metadata",
	                         on ? "1" : "0");

	bug_if(!ixfr);
	enum err err = powerdns_api_settled(api, powerdns_api_ask_zone(api, "PUT", zone,
	                                                               "/metadata/IXFR",
	                                                               ixfr), "set IXFR");
	json_decref(ixfr);
	return err;
}

static enum err powerdns_retrieve(struct powerdns_api *api, const char *zone)
{
	return powerdns_api_settled(api, powerdns_api_ask_zone(api, "PUT", zone,
	                                                       "/axfr-retrieve", NULL),
	                            "request a transfer of the zone");
}

/*
 * Logs a failure of a step that may fail: the server transfers the zone later in any
 * case.
 */
static void powerdns_log_failure(const struct powerdns_api *api, const char *zone,
                                 enum err err)
{
	if (err)
		log_info("IXFR not set or transfer not requested: server=%s domain=%s "
		         "reason=\"%s\"",
		         api->terms.server, zone, api->why->text);
}

static void powerdns_fetch(struct powerdns_api *api, const struct powerdns *powerdns,
                           const char *zone)
{
	powerdns_log_failure(api, zone, powerdns_set_ixfr(api, zone, powerdns->ixfr));
	powerdns_log_failure(api, zone, powerdns_retrieve(api, zone));
}

/* Waits for at most half of the time. False: no transfer was seen. */
static bool powerdns_was_fetched(struct powerdns_api *api,
                                 const struct powerdns *powerdns, const char *zone,
                                 const struct finding *before)
{
	int64_t until_ms = clock_ms() + powerdns->server.timeout_ms / 2;
	struct finding now;

	do {
		pause_ms(LOOK_AGAIN_MS);
		if (powerdns_find_ours(api, powerdns, zone, &now))
			return false;
	} while (now.checked_at == before->checked_at && clock_ms() < until_ms);
	return now.checked_at != before->checked_at;
}

/*
 * PowerDNS may have an older zone of that name with a serial ahead of ours. If it asks
 * mini-DNS for the changes since then, it takes the answer without changes for an
 * unfinished one, and waits.
 */
static void powerdns_fetch_whole(struct powerdns_api *api,
                                 const struct powerdns *powerdns, const char *zone,
                                 const struct finding *before)
{
	powerdns_log_failure(api, zone, powerdns_set_ixfr(api, zone, false));
	powerdns_log_failure(api, zone, powerdns_retrieve(api, zone));
	powerdns_was_fetched(api, powerdns, zone, before);
	powerdns_log_failure(api, zone, powerdns_set_ixfr(api, zone, powerdns->ixfr));
}

static enum err powerdns_create(const void *settings,
                                const struct driver_context *context,
                                const struct domain_ref *domain, struct why *why)
{
	const struct powerdns *powerdns = settings;
	const struct powerdns_zone zone = powerdns_zone_of(powerdns, context, domain);
	json_t *json = powerdns_zone_encode(&zone);
	struct finding found;
	enum err err = OK;
	struct powerdns_api api;

	powerdns_open(&api, powerdns, why);
	if (powerdns->server.tsig_key)
		err = powerdns_api_need_key(&api, powerdns->server.tsig_key);
	if (!err)
		err = powerdns_add_or_modify(&api, powerdns, domain->name, json, &found);
	if (!err && found.there)
		powerdns_fetch_whole(&api, powerdns, domain->name, &found);
	else if (!err)
		powerdns_fetch(&api, powerdns, domain->name);
	powerdns_api_close(&api);
	json_decref(json);
	return err;
}

/* After the whole transfer, later ones use IXFR again. */
static void powerdns_await_fetched(struct powerdns_api *api,
                                   const struct powerdns *powerdns, const char *zone,
                                   const struct finding *before)
{
	if (powerdns_was_fetched(api, powerdns, zone, before))
		powerdns_log_failure(api, zone, powerdns_set_ixfr(api, zone, true));
	else
		log_info("server no longer requests IXFR for the zone: server=%s "
		         "domain=%s reason=\"the pool manager saw no transfer of the "
		         "whole zone\"",
		         api->terms.server, zone);
}

static enum err powerdns_retransfer(const void *settings, const struct domain_ref *domain,
                                    struct why *why)
{
	const struct powerdns *powerdns = settings;
	struct finding found;
	struct powerdns_api api;

	powerdns_open(&api, powerdns, why);
	enum err err = powerdns_find_ours(&api, powerdns, domain->name, &found);
	if (!err && !found.there)
		err = fail(why, ERR_REMOTE, "the server has no zone %s", domain->name);
	if (!err)
		err = powerdns_set_ixfr(&api, domain->name, false);
	if (!err)
		err = powerdns_retrieve(&api, domain->name);
	if (!err && powerdns->ixfr)
		powerdns_await_fetched(&api, powerdns, domain->name, &found);
	powerdns_api_close(&api);
	return err;
}

static enum err powerdns_delete_found(struct powerdns_api *api, const char *zone)
{
	enum err err = powerdns_api_ask_zone(api, "DELETE", zone, "", NULL);

	if (!err && powerdns_reply(api, "DELETE") == REPLY_ABSENT)
		return OK;
	return powerdns_api_settled(api, err, "delete the zone");
}

static enum err powerdns_delete(const void *settings,
                                const struct driver_context *context,
                                const struct domain_ref *domain, struct why *why)
{
	struct finding found = { false };
	struct powerdns_api api;

	(void)context;
	powerdns_open(&api, settings, why);
	enum err err = powerdns_find_ours(&api, settings, domain->name, &found);
	if (!err && found.there)
		err = powerdns_delete_found(&api, domain->name);
	powerdns_api_close(&api);
	return err;
}

static enum err powerdns_has(const void *settings, const struct domain_ref *domain,
                             bool *there, struct why *why)
{
	struct finding found;
	struct powerdns_api api;

	powerdns_open(&api, settings, why);
	enum err err = powerdns_find_ours(&api, settings, domain->name, &found);
	*there = found.there;
	powerdns_api_close(&api);
	return err;
}

/* ---- settings of an existing zone ---- */

static void powerdns_zone_settings(const void *settings,
                                   const struct driver_context *context, struct buf *text)
{
	const struct powerdns *powerdns = settings;
	const char *key = powerdns->server.tsig_key;

	for (size_t i = 0; i < context->master_count; i++)
		buf_printf(text, "%s %u;", context->masters[i].host,
		           context->masters[i].port);
	buf_text(text, key ? key : "");
	buf_text(text, powerdns->ixfr ? "" : ";axfr");
}

/* Reads the last answer of powerdns_find_ours() again. */
static bool powerdns_has_settings(struct powerdns_api *api,
                                  const struct powerdns_zone *zone)
{
	const struct buf *answer = &api->http.answer;
	struct why ignored;
	json_t *row;

	if (json_decode_object(buf_string(answer), answer->len, answer->len, &row,
	                       &ignored))
		return false;
	bool has = powerdns_zone_is_shown(zone, row);
	json_decref(row);
	return has;
}

static enum err powerdns_modify(struct powerdns_api *api,
                                const struct powerdns_zone *zone)
{
	enum err err = zone->key ? powerdns_api_need_key(api, zone->key) : OK;

	if (err)
		return err;
	json_t *json = powerdns_zone_encode(zone);
	err = powerdns_api_ask_zone(api, "PUT", zone->name, "", json);
	json_decref(json);
	return powerdns_api_settled(api, err, "change the zone");
}

/* True: the answer has the value that powerdns_set_ixfr(WANT) writes. */
static bool powerdns_shows_ixfr(const struct buf *answer, bool want)
{
	struct why ignored;
	const char *value;
	json_t *row;

	if (json_decode_object(buf_string(answer), answer->len, answer->len, &row,
	                       &ignored))
		return false;
	value = json_string_value(json_array_get(json_object_get(row, "metadata"), 0));
	bool shows = want == (value && !strcmp(value, "1"));
	json_decref(row);
	return shows;
}

/* IXFR is still off if the pool manager did not see the end of a whole transfer. */
static enum err powerdns_adjust_ixfr(struct powerdns_api *api, const char *zone,
                                     bool want, bool *changed)
{
	enum err err = powerdns_api_ask_zone(api, "GET", zone, "/metadata/IXFR", NULL);

	err = powerdns_api_settled(api, err, "read IXFR");
	if (err || powerdns_shows_ixfr(&api->http.answer, want))
		return err;
	err = powerdns_set_ixfr(api, zone, want);
	*changed |= !err;
	return err;
}

static enum err powerdns_adjust(const void *settings,
                                const struct driver_context *context,
                                const struct domain_ref *domain, bool *changed,
                                struct why *why)
{
	const struct powerdns *powerdns = settings;
	const struct powerdns_zone zone = powerdns_zone_of(powerdns, context, domain);
	struct finding found;
	struct powerdns_api api;

	*changed = false;
	powerdns_open(&api, powerdns, why);
	enum err err = powerdns_find_ours(&api, powerdns, domain->name, &found);
	if (!err && found.there && !powerdns_has_settings(&api, &zone)) {
		err = powerdns_modify(&api, &zone);
		*changed = !err;
	}
	if (!err && found.there)
		err = powerdns_adjust_ixfr(&api, domain->name, powerdns->ixfr, changed);
	powerdns_api_close(&api);
	return err;
}

struct reading {
	const struct powerdns *powerdns;
	struct listing listing;
};

static void powerdns_add_name(struct listing *listing, const struct name *name)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	listing_add(listing, text);
}

static enum err powerdns_add_row(void *self, const json_t *row, struct why *why)
{
	struct reading *reading = self;
	const char *account;
	struct name name;
	enum err err = powerdns_read_account(row, &account, why);

	if (err || strcmp(account, reading->powerdns->account) != 0)
		return err;
	err = powerdns_read_name(row, &name, why);
	if (!err)
		powerdns_add_name(&reading->listing, &name);
	return err;
}

/* With dnssec=false PowerDNS does not look up DNSSEC for each zone. */
static enum err powerdns_list(const void *settings, struct arena *arena,
                              const char ***names, size_t *count, struct why *why)
{
	struct reading reading = { settings, { .arena = arena } };
	struct powerdns_api api;

	powerdns_open(&api, settings, why);
	enum err err = powerdns_api_ask_rows(&api, "/zones?dnssec=false",
	                                     "list the zones", powerdns_add_row,
	                                     &reading);
	powerdns_api_close(&api);
	if (err)
		return err;
	*names = reading.listing.names;
	*count = reading.listing.count;
	return OK;
}

const struct driver driver_powerdns = {
	.name = "powerdns",
	.help = "PowerDNS 4.2 or newer, through its HTTP API "
	        "(pdns.conf: api=yes, api-key, secondary=yes)",
	.options = options,
	.settings_size = sizeof(struct powerdns),
	.check = powerdns_check,
	.create = powerdns_create,
	.delete = powerdns_delete,
	.retransfer = powerdns_retransfer,
	.adjust = powerdns_adjust,
	.zone_settings = powerdns_zone_settings,
	.list = powerdns_list,
	.has = powerdns_has,
};
