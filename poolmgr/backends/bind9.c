/*
 * bind9 -- BIND 9, controlled by rndc. addzone, modzone and delzone keep the zone over
 * restarts (named.conf: allow-new-zones yes). The zone is a secondary of all masters.
 *
 * rndc cannot list zones; the statistics channel can, if there is one. Our zones have a
 * file whose name is the id of the domain.
 *
 * named (9.18) remembers for ten minutes the primaries to which it could not connect, by
 * the address and port of both ends. It skips them even after NOTIFY and retransfer. It
 * also starts no transfer while another one of the zone hangs. So renew() deletes the
 * zone, which ends the transfer. It adds the zone again with its file and another source
 * port; from this port named tries the skipped primaries.
 */
#include <stdio.h>
#include <string.h>

#include "backends/bind9_primaries.h"
#include "backends/bind9_stats.h"
#include "backends/command.h"
#include "backends/drivers.h"
#include "backends/http.h"
#include "backends/reply.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/id.h"

enum { SOURCE_PORT_MIN = 20000, SOURCE_PORTS = 10000 };

struct bind9 {
	struct server_settings server;
	char *rndc, *rndc_host, *rndc_key_file, *view, *stats_url;
	int rndc_port;
	int64_t answer_max;
	bool clean;
	/* of the operation; 0: each command has its own deadline */
	int64_t deadline_ms;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct bind9),
	{ "rndc", OPTION_TEXT, offsetof(struct bind9, rndc), "rndc", 1, 255,
	  "path of the rndc program" },
	{ "rndc_host", OPTION_TEXT, offsetof(struct bind9, rndc_host), NULL, 1, 255,
	  "address of named's control channel; default: the value of host" },
	{ "rndc_port", OPTION_INT, offsetof(struct bind9, rndc_port), "953", 1, 65535,
	  "port of named's control channel" },
	{ "rndc_key_file", OPTION_TEXT, offsetof(struct bind9, rndc_key_file),
	  "/etc/bind/rndc.key", 1, 255,
	  "file with the key of named's control channel",
	  .file = OPTION_FILE },
	{ "view", OPTION_TEXT, offsetof(struct bind9, view), NULL, 1, 64,
	  "name of named's view that contains the zones" },
	{ "clean_zonefile", OPTION_BOOL, offsetof(struct bind9, clean), "true", 0, 0,
	  "delete the files of a zone together with the zone" },
	{ "stats_url", OPTION_TEXT, offsetof(struct bind9, stats_url), "", 0, 255,
	  "URL of named's statistics channel, for example \"http://192.0.2.1:8053\". "
	  "\"\": the pool manager does not look for orphan zones on this server" },
	{ "answer_max", OPTION_BYTES, offsetof(struct bind9, answer_max), "64M",
	  64 * 1024, 1LL << 30,
	  "largest answer that the pool manager accepts from the statistics channel. The "
	  "answer contains about 250 bytes per zone" },
	{ 0 }
};

static enum err bind9_check(const void *settings, struct why *why)
{
	const struct bind9 *bind = settings;

	return *bind->stats_url ? http_check(bind->stats_url, "stats_url", why) : OK;
}

/* named parses the name in quotes: a quote, a backslash or a newline could end them. */
static enum err bind9_check_name(const char *name, struct why *why)
{
	if (strpbrk(name, "\\\"\n"))
		return fail(why, ERR_INVALID, "rndc cannot send the zone name %s to "
		            "BIND: the name must not contain a quote, a backslash or a "
		            "line break",
		            name);
	return OK;
}

static const char *bind9_output(const struct command *command)
{
	return command->output[0] ? command->output : "rndc gave no reason";
}

/* OK: named accepted or refused it. An error of rndc itself says nothing about a zone. */
static enum err bind9_run(const struct bind9 *bind, const char *const *argv,
                          int timeout_ms, struct command *command, struct why *why)
{
	enum err err = command_run(argv, timeout_ms, command, why);

	if (err || command->status == 0)
		return err;
	err = reply_rndc_error(command->output);
	return err == ERR_REMOTE ? OK : fail(why, err, "rndc failed for %s: %.400s",
	                                     bind->server.id, bind9_output(command));
}

static enum err bind9_rndc(const struct bind9 *bind, const char *verb, const char *zone,
                           const char *clause, struct command *command, struct why *why)
{
	char port[8], name[1024];
	const char *argv[16] = {
		bind->rndc, "-k", bind->rndc_key_file, "-p", port,
		"-s", bind->rndc_host ? bind->rndc_host : bind->server.host, verb,
	};
	size_t n = 8;

	snprintf(port, sizeof(port), "%d", bind->rndc_port);
	snprintf(name, sizeof(name), "\"%s\"", zone);
	if (strcmp(verb, "delzone") == 0 && bind->clean)
		argv[n++] = "-clean";
	argv[n++] = name;
	if (bind->view) {
		argv[n++] = "IN";
		argv[n++] = bind->view;
	}
	argv[n++] = clause;
	int64_t left_ms = bind->deadline_ms ? bind->deadline_ms - clock_ms()
	                                    : bind->server.timeout_ms;

	if (left_ms <= 0)
		return fail(why, ERR_TIMEOUT, "the time limit ended before the pool "
		            "manager could run rndc %s on %s", verb, bind->server.id);
	return bind9_run(bind, argv, (int)left_ms, command, why);
}

/* All commands of an operation share its time limit. */
static struct bind9 bind9_begin(const void *settings)
{
	struct bind9 bind = *(const struct bind9 *)settings;

	bind.deadline_ms = clock_ms() + bind.server.timeout_ms;
	return bind;
}

static enum err bind9_refused(const struct bind9 *bind, const char *verb,
                              const struct command *command, struct why *why)
{
	return fail(why, ERR_REMOTE, "rndc %s on %s: %.400s", verb, bind->server.id,
	            bind9_output(command));
}

/* Writes " 192.0.2.53 port 53 key \"pool.example.\";" for each master. */
static void bind9_primaries(const struct bind9 *bind,
                            const struct driver_context *context, struct buf *text)
{
	for (size_t i = 0; i < context->master_count; i++) {
		buf_printf(text, " %s port %u", context->masters[i].host,
		           context->masters[i].port);
		if (bind->server.tsig_key)
			buf_printf(text, " key \"%s\"", bind->server.tsig_key);
		buf_text(text, ";");
	}
}

static void bind9_clause(const struct bind9 *bind, const struct driver_context *context,
                         const struct domain_ref *domain, const char *source,
                         struct buf *clause)
{
	buf_printf(clause,
	           "{ type secondary; file \"%s.db\"; masterfile-format raw; primaries {",
	           domain->id);
	bind9_primaries(bind, context, clause);
	buf_printf(clause, " };%s };", source);
}

/*
 * Deletes the zone. Its file stays, and BIND serves its records until the transfer. Half
 * of the time is kept for bind9_put_back().
 */
static enum err bind9_take_out(const struct bind9 *bind, const char *zone,
                               struct why *why)
{
	struct bind9 keeping = *bind;
	struct command command;

	keeping.clean = false;
	keeping.deadline_ms -= bind->server.timeout_ms / 2;
	enum err err = bind9_rndc(&keeping, "sync", zone, NULL, &command, why);
	if (!err)
		err = bind9_rndc(&keeping, "delzone", zone, NULL, &command, why);
	if (err || command.status == 0 ||
	    reply_of("bind9", "delzone", 0, command.output) == REPLY_ABSENT)
		return err;
	return bind9_refused(bind, "delzone", &command, why);
}

static bool bind9_is_secondary(const char *shown)
{
	return strstr(shown, " type secondary;") || strstr(shown, " type slave;");
}

/* IS_THERE: the zone exists already, and keeps its settings. */
static enum err bind9_add(const struct bind9 *bind, const char *zone, const char *clause,
                          bool *is_there, struct why *why)
{
	struct command command;
	enum err err = bind9_rndc(bind, "addzone", zone, clause, &command, why);

	*is_there = false;
	if (err || command.status == 0)
		return err;
	*is_there = reply_of("bind9", "addzone", 0, command.output) == REPLY_PRESENT;
	return *is_there ? OK : bind9_refused(bind, "addzone", &command, why);
}

/*
 * Gives the existing zone other settings. SHOWN: the output of showzone. Whatever modzone
 * says, named does not change the type of a zone before the zone is deleted.
 */
static enum err bind9_modify(const struct bind9 *bind, const char *zone,
                             const char *clause, const char *shown, struct why *why)
{
	bool is_secondary = bind9_is_secondary(shown);
	const char *verb = is_secondary ? "modzone" : "addzone";
	struct command command;
	enum err err = is_secondary ? OK : bind9_take_out(bind, zone, why);

	if (!err)
		err = bind9_rndc(bind, verb, zone, clause, &command, why);
	if (!err && command.status)
		err = bind9_refused(bind, verb, &command, why);
	return err;
}

/* A zone that exists gets the current settings. */
static enum err bind9_add_or_modify(const struct bind9 *bind, const char *zone,
                                    const char *clause, struct why *why)
{
	struct command command;
	bool is_there;
	enum err err = bind9_add(bind, zone, clause, &is_there, why);

	if (err || !is_there)
		return err;
	err = bind9_rndc(bind, "showzone", zone, NULL, &command, why);
	if (!err && command.status)
		err = bind9_refused(bind, "showzone", &command, why);
	return err ? err : bind9_modify(bind, zone, clause, command.output, why);
}

static enum err bind9_create(const void *settings, const struct driver_context *context,
                             const struct domain_ref *domain, struct why *why)
{
	const struct bind9 bind = bind9_begin(settings);
	struct buf clause = { 0 };
	enum err err = bind9_check_name(domain->name, why);

	if (err)
		return err;
	bind9_clause(&bind, context, domain, "", &clause);
	err = bind9_add_or_modify(&bind, domain->name, buf_string(&clause), why);
	buf_clear(&clause);
	return err;
}

static enum err bind9_delete(const void *settings, const struct driver_context *context,
                             const struct domain_ref *domain, struct why *why)
{
	const struct bind9 *bind = settings;
	struct command command;
	enum err err = bind9_check_name(domain->name, why);

	(void)context;
	if (!err)
		err = bind9_rndc(bind, "delzone", domain->name, NULL, &command, why);
	if (err || command.status == 0)
		return err;
	if (reply_of("bind9", "delzone", 0, command.output) == REPLY_ABSENT)
		return OK;
	return bind9_refused(bind, "delzone", &command, why);
}

static enum err bind9_retransfer(const void *settings, const struct domain_ref *domain,
                                 struct why *why)
{
	const struct bind9 *bind = settings;
	struct command command;
	enum err err = bind9_check_name(domain->name, why);

	if (!err)
		err = bind9_rndc(bind, "retransfer", domain->name, NULL, &command, why);
	if (err || command.status == 0)
		return err;
	return bind9_refused(bind, "retransfer", &command, why);
}

/* Uses another port each time, because named also remembers failures of the last port. */
static void bind9_second_source(char source[160])
{
	unsigned port = SOURCE_PORT_MIN + random_u32() % SOURCE_PORTS;

	snprintf(source, 160, " use-alt-transfer-source yes; alt-transfer-source * port "
	         "%u; alt-transfer-source-v6 * port %u;", port, port);
}

/*
 * Adds the zone with SOURCE. If named does not support such settings (9.20 or newer),
 * without it.
 */
static enum err bind9_put_back(const struct bind9 *bind,
                               const struct driver_context *context,
                               const struct domain_ref *domain, const char *source,
                               struct why *why)
{
	struct buf clause = { 0 };

	bind9_clause(bind, context, domain, source, &clause);
	enum err err = bind9_add_or_modify(bind, domain->name, buf_string(&clause), why);
	buf_clear(&clause);
	if (err == ERR_REMOTE && *source)
		return bind9_put_back(bind, context, domain, "", why);
	return err;
}

static enum err bind9_renew(const void *settings, const struct driver_context *context,
                            const struct domain_ref *domain, struct why *why)
{
	const struct bind9 bind = bind9_begin(settings);
	char source[160];
	enum err err = bind9_check_name(domain->name, why);

	bind9_second_source(source);
	if (!err)
		err = bind9_take_out(&bind, domain->name, why);
	if (!err)
		err = bind9_put_back(&bind, context, domain, source, why);
	return err ? err : bind9_retransfer(&bind, domain, why);
}

/* ---- settings of an existing zone ---- */

static void bind9_zone_settings(const void *settings,
                                const struct driver_context *context, struct buf *text)
{
	bind9_primaries(settings, context, text);
}

/* Only the primaries count: after renew() a zone also has a second source. */
static enum err bind9_compare(const struct bind9 *bind,
                              const struct driver_context *context, const char *shown,
                              bool *equal, struct why *why)
{
	struct buf wanted = { 0 };

	bind9_primaries(bind, context, &wanted);
	enum bind9_primaries found = bind9_primaries_compare(shown, buf_string(&wanted));
	buf_clear(&wanted);
	*equal = found == BIND9_PRIMARIES_SAME;
	if (found != BIND9_PRIMARIES_CUT)
		return OK;
	return fail(why, ERR_TOO_LARGE, "rndc showzone on %s: the output must have at "
	            "most %d octets, but has more", bind->server.id, COMMAND_OUTPUT);
}

static enum err bind9_adjust(const void *settings, const struct driver_context *context,
                             const struct domain_ref *domain, bool *changed,
                             struct why *why)
{
	const struct bind9 bind = bind9_begin(settings);
	struct buf clause = { 0 };
	struct command command;
	bool equal = false;
	enum err err = bind9_check_name(domain->name, why);

	*changed = false;
	if (!err)
		err = bind9_rndc(&bind, "showzone", domain->name, NULL, &command, why);
	if (err)
		return err;
	if (command.status &&
	    reply_of("bind9", "showzone", 0, command.output) == REPLY_ABSENT)
		return OK;
	if (command.status)
		return bind9_refused(&bind, "showzone", &command, why);
	err = bind9_compare(&bind, context, command.output, &equal, why);
	if (err || equal)
		return err;
	bind9_clause(&bind, context, domain, "", &clause);
	err = bind9_modify(&bind, domain->name, buf_string(&clause), command.output, why);
	buf_clear(&clause);
	*changed = !err;
	return err;
}

static const char *bind9_list_lacks(const void *settings)
{
	const struct bind9 *bind = settings;

	return *bind->stats_url ? NULL
	                        : "set stats_url to the URL of named's statistics "
	                          "channel";
}

static enum err bind9_list(const void *settings, struct arena *arena, const char ***names,
                           size_t *count, struct why *why)
{
	const struct bind9 *bind = settings;
	const struct bind9_stats stats = {
		.server = bind->server.id,
		.url = bind->stats_url,
		.view = bind->view,
		.timeout_ms = bind->server.timeout_ms,
		.answer_max = (size_t)bind->answer_max,
	};
	struct listing listing = { .arena = arena };
	const char *lack = bind9_list_lacks(settings);
	enum err err = lack ? fail(why, ERR_INVALID, "%s", lack)
	                    : bind9_stats_secondaries(&stats, &listing, why);

	if (err)
		return err;
	*names = listing.names;
	*count = listing.count;
	return OK;
}

/* True: TEXT, after `file "`, begins with a file name of bind9_clause(). */
static bool bind9_is_id_file(const char *text)
{
	for (size_t i = 0; i < ID_LEN; i++)
		if (!strchr("0123456789abcdef", text[i]) || !text[i])
			return false;
	return strncmp(text + ID_LEN, ".db\"", 4) == 0;
}

static bool bind9_is_marked(const char *configuration)
{
	static const char file[] = " file \"";
	const char *at = strstr(configuration, file);

	return at && bind9_is_id_file(at + sizeof(file) - 1) &&
	       bind9_is_secondary(configuration);
}

static enum err bind9_is_ours(const void *settings, const struct domain_ref *domain,
                              bool *ours, struct why *why)
{
	const struct bind9 *bind = settings;
	struct command command;
	enum err err = bind9_check_name(domain->name, why);

	if (!err)
		err = bind9_rndc(bind, "showzone", domain->name, NULL, &command, why);
	if (!err && command.status)
		err = bind9_refused(bind, "showzone", &command, why);
	if (!err)
		*ours = bind9_is_marked(command.output);
	return err;
}

static enum err bind9_has(const void *settings, const struct domain_ref *domain,
                          bool *there, struct why *why)
{
	const struct bind9 *bind = settings;
	struct command command;
	enum err err = bind9_check_name(domain->name, why);

	if (!err)
		err = bind9_rndc(bind, "showzone", domain->name, NULL, &command, why);
	if (err)
		return err;
	*there = command.status == 0;
	if (!*there && reply_of("bind9", "showzone", 0, command.output) != REPLY_ABSENT)
		return bind9_refused(bind, "showzone", &command, why);
	return OK;
}

const struct driver driver_bind9 = {
	.name = "bind9",
	.help = "BIND 9.16 or newer, through rndc (named.conf: allow-new-zones yes)",
	.options = options,
	.settings_size = sizeof(struct bind9),
	.check = bind9_check,
	.create = bind9_create,
	.delete = bind9_delete,
	.retransfer = bind9_retransfer,
	.renew = bind9_renew,
	.adjust = bind9_adjust,
	.zone_settings = bind9_zone_settings,
	.list = bind9_list,
	.list_lacks = bind9_list_lacks,
	.is_ours = bind9_is_ours,
	.has = bind9_has,
};
