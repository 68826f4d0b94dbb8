/*
 * nsd -- NSD 4, through its control channel (nsd_channel.h). The pattern has masters and
 * notify rules.
 */
#include <string.h>

#include "backends/drivers.h"
#include "backends/nsd_channel.h"
#include "backends/reply.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/pause.h"

enum {
	TRANSFER_WAIT_MS = 2000,	/* for a transfer, before a deletion */
	TRANSFER_LOOK_MS = 20,
};

struct nsd {
	struct server_settings server;
	char *control, *pattern;
	char *server_cert, *control_key, *control_cert;
	bool slash_names;
};

static bool nsd_uses_tls(const void *settings)
{
	return !nsd_channel_is_socket(((const struct nsd *)settings)->control);
}

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct nsd),
	{ "control", OPTION_TEXT, offsetof(struct nsd, control), "/run/nsd/nsd.ctl",
	  1, 107,
	  "address of NSD's control channel (control-interface): the path of a socket, "
	  "or address:port with TLS" },
	{ "pattern", OPTION_TEXT, offsetof(struct nsd, pattern), "zonefleet", 1, 64,
	  "name of the NSD pattern for the zones. The pattern sets `request-xfr` and "
	  "`allow-notify` for these zones" },
	{ "server_cert", OPTION_TEXT, offsetof(struct nsd, server_cert),
	  "/etc/nsd/nsd_server.pem", 1, 255,
	  "file with the certificate that NSD must present (PEM)",
	  .file = OPTION_FILE, .is_used = nsd_uses_tls },
	{ "control_key", OPTION_TEXT, offsetof(struct nsd, control_key),
	  "/etc/nsd/nsd_control.key", 1, 255,
	  "file with the private key of the pool manager (PEM)",
	  .file = OPTION_FILE, .is_used = nsd_uses_tls },
	{ "control_cert", OPTION_TEXT, offsetof(struct nsd, control_cert),
	  "/etc/nsd/nsd_control.pem", 1, 255,
	  "file with the certificate of the pool manager (PEM)",
	  .file = OPTION_FILE, .is_used = nsd_uses_tls },
	{ "slash_names", OPTION_BOOL, offsetof(struct nsd, slash_names), "false", 0, 0,
	  "also create zones with \"/\" in their names (RFC 2317). Set slash_names to "
	  "true only if the NSD pattern has no `zonefile` option. With a `zonefile` "
	  "option, NSD makes a file path from the zone name" },
	{ 0 }
};

static enum err nsd_check(const void *settings, struct why *why)
{
	const struct nsd *nsd = settings;
	struct endpoint endpoint;

	if (nsd_channel_is_socket(nsd->control))
		return OK;
	return endpoint_parse(nsd->control, 8952, "control", &endpoint, why);
}

static enum err nsd_ask_until(const struct nsd *nsd, int64_t deadline_ms,
                              const char *command, struct buf *answer, struct why *why)
{
	const struct nsd_channel_terms terms = {
		.server = nsd->server.id,
		.control = nsd->control,
		.server_cert = nsd->server_cert,
		.control_key = nsd->control_key,
		.control_cert = nsd->control_cert,
		.timeout_ms = nsd->server.timeout_ms,
	};

	return nsd_channel_ask(&terms, deadline_ms, command, answer, why);
}

static enum err nsd_ask(const struct nsd *nsd, const char *command, struct buf *answer,
                        struct why *why)
{
	return nsd_ask_until(nsd, clock_ms() + nsd->server.timeout_ms, command, answer,
	                     why);
}

/* The command is one line with words between blanks: the name may contain neither. */
static enum err nsd_check_name(const char *name, struct why *why)
{
	if (strpbrk(name, " \t\r\n\\\""))
		return fail(why, ERR_INVALID, "the pool manager cannot send the zone "
		            "name %s to NSD: the name must not contain a blank, a quote, "
		            "a backslash or a line break",
		            name);
	return OK;
}

/*
 * If the pattern has a zonefile with %s, NSD puts the name unchanged into the path of the
 * file. The control channel does not show the pattern.
 */
static bool nsd_is_path(const char *name)
{
	return strchr(name, '/') || strstr(name, "..") || name[0] == '-';
}

/* NSD closes the connection without an answer if it dies. */
static enum err nsd_refused(const char *command, struct buf *answer, struct why *why)
{
	return fail(why, answer->len ? ERR_REMOTE : ERR_UNREACHABLE, "%s: %.300s",
	            command, answer->len ? buf_string(answer) : "NSD sent no answer");
}

/* Runs VERB ZONE [REST]. GOAL: the reply that also counts as success. */
static enum err nsd_run_until(const struct nsd *nsd, int64_t deadline_ms,
                              const char *verb, const char *zone, const char *rest,
                              enum reply goal, struct why *why)
{
	struct buf command = { 0 }, answer = { 0 };
	enum err err = nsd_check_name(zone, why);

	if (err)
		return err;
	buf_printf(&command, "%s %s%s%s", verb, zone, rest ? " " : "", rest ? rest : "");
	err = nsd_ask_until(nsd, deadline_ms, buf_string(&command), &answer, why);
	if (!err && strncmp(buf_string(&answer), "ok", 2) != 0 &&
	    (goal == REPLY_REFUSED ||
	     reply_of("nsd", verb, 0, buf_string(&answer)) != goal))
		err = nsd_refused(buf_string(&command), &answer, why);
	buf_clear(&command);
	buf_clear(&answer);
	return err;
}

static enum err nsd_run(const struct nsd *nsd, const char *verb, const char *zone,
                        const char *rest, enum reply goal, struct why *why)
{
	return nsd_run_until(nsd, clock_ms() + nsd->server.timeout_ms, verb, zone, rest,
	                     goal, why);
}

static enum err nsd_has(const void *settings, const struct domain_ref *domain,
                        bool *there, struct why *why)
{
	struct buf command = { 0 }, answer = { 0 };
	enum err err = nsd_check_name(domain->name, why);

	if (err)
		return err;
	buf_printf(&command, "zonestatus %s", domain->name);
	err = nsd_ask(settings, buf_string(&command), &answer, why);
	*there = !err && strncmp(buf_string(&answer), "zone:", 5) == 0;
	if (!err && !*there &&
	    reply_of("nsd", "zonestatus", 0, buf_string(&answer)) != REPLY_ABSENT)
		err = nsd_refused(buf_string(&command), &answer, why);
	buf_clear(&command);
	buf_clear(&answer);
	return err;
}

/* OK also for a zone that NSD already has. */
static enum err nsd_check_path(const struct nsd *nsd, const struct domain_ref *domain,
                               struct why *why)
{
	bool there = false;

	if (nsd->slash_names || !nsd_is_path(domain->name))
		return OK;
	enum err err = nsd_has(nsd, domain, &there, why);
	if (err || there)
		return err;
	return fail(why, ERR_INVALID, "zone not created: NSD makes a file path from the "
	            "zone name '%.200s': if the pattern '%s' in nsd.conf has no "
	            "zonefile, set slash_names = true for the server in backends.nsd "
	            "(settings of the pool manager; deploy/name-servers.md, NSD 4.6)",
	            domain->name, nsd->pattern);
}

/* True: NSD says that it transfers the zone over TCP now. */
static bool nsd_is_transferring(const struct nsd *nsd, int64_t deadline_ms,
                                const char *zone)
{
	struct buf command = { 0 }, answer = { 0 };
	struct why why;

	buf_printf(&command, "zonestatus %s", zone);
	bool found = !nsd_ask_until(nsd, deadline_ms, buf_string(&command), &answer,
	                            &why) &&
	             strstr(buf_string(&answer), "transfer: \"TCP connected");
	buf_clear(&command);
	buf_clear(&answer);
	return found;
}

/*
 * NSD before 4.9 keeps the timer of a transfer when it deletes the zone meanwhile. Then
 * the process of the control channel crashes, and all of NSD ends. If the transfer
 * hangs, the wait ends and NSD deletes the zone nevertheless.
 */
static void nsd_await_transfer(const struct nsd *nsd, int64_t deadline_ms,
                               const char *zone)
{
	int64_t half_ms = nsd->server.timeout_ms / 2;
	int64_t until_ms =
	    clock_ms() + (half_ms < TRANSFER_WAIT_MS ? half_ms : TRANSFER_WAIT_MS);

	while (nsd_is_transferring(nsd, deadline_ms, zone) && clock_ms() < until_ms)
		pause_ms(TRANSFER_LOOK_MS);
}

static enum err nsd_delete(const void *settings, const struct driver_context *context,
                           const struct domain_ref *domain, struct why *why)
{
	const struct nsd *nsd = settings;
	int64_t deadline_ms = clock_ms() + nsd->server.timeout_ms;
	enum err err = nsd_check_name(domain->name, why);

	(void)context;
	if (err)
		return err;
	nsd_await_transfer(nsd, deadline_ms, domain->name);
	return nsd_run_until(nsd, deadline_ms, "delzone", domain->name, NULL,
	                     REPLY_ABSENT, why);
}

static enum err nsd_retransfer(const void *settings, const struct domain_ref *domain,
                               struct why *why)
{
	return nsd_run(settings, "force_transfer", domain->name, NULL, REPLY_REFUSED,
	               why);
}

static void nsd_zone_settings(const void *settings, const struct driver_context *context,
                              struct buf *text)
{
	const struct nsd *nsd = settings;

	(void)context;		/* the pattern has the masters */
	buf_text(text, nsd->pattern);
}

/* True: the answer to zonestatus has the line "\tpattern: NAME". */
static bool nsd_has_pattern(const char *answer, const char *pattern)
{
	static const char head[] = "\n\tpattern: ";
	const char *at = strstr(answer, head);
	size_t len = strlen(pattern);

	return at && !strncmp(at + sizeof(head) - 1, pattern, len) &&
	       strchr("\n", at[sizeof(head) - 1 + len]);
}

/* *equal: the zone has our pattern, or does not exist: changezone would create it. */
static enum err nsd_compare(const struct nsd *nsd, const char *zone, bool *equal,
                            struct why *why)
{
	struct buf command = { 0 }, answer = { 0 };
	enum err err = nsd_check_name(zone, why);

	*equal = true;
	if (err)
		return err;
	buf_printf(&command, "zonestatus %s", zone);
	err = nsd_ask(nsd, buf_string(&command), &answer, why);
	if (!err && strncmp(buf_string(&answer), "zone:", 5) == 0)
		*equal = nsd_has_pattern(buf_string(&answer), nsd->pattern);
	else if (!err && reply_of("nsd", "zonestatus", 0,
	                          buf_string(&answer)) != REPLY_ABSENT)
		err = nsd_refused(buf_string(&command), &answer, why);
	buf_clear(&command);
	buf_clear(&answer);
	return err;
}

/*
 * NSD deletes the zone and adds it again, so a transfer must have ended. NSD serves the
 * records of the zone file until the next transfer. The pattern may name no file.
 */
static enum err nsd_adjust(const void *settings, const struct driver_context *context,
                           const struct domain_ref *domain, bool *changed,
                           struct why *why)
{
	const struct nsd *nsd = settings;
	int64_t deadline_ms = clock_ms() + nsd->server.timeout_ms;
	bool equal;
	enum err err = nsd_compare(nsd, domain->name, &equal, why);

	(void)context;
	*changed = false;
	if (err || equal)
		return err;
	nsd_await_transfer(nsd, deadline_ms, domain->name);
	err = nsd_run_until(nsd, deadline_ms, "write", domain->name, NULL, REPLY_REFUSED,
	                    why);
	if (err && err != ERR_REMOTE)
		return err;
	err = nsd_run_until(nsd, deadline_ms, "changezone", domain->name, nsd->pattern,
	                    REPLY_REFUSED, why);
	*changed = !err;
	return err;
}

/* A zone that NSD already has may have another pattern. */
static enum err nsd_create(const void *settings, const struct driver_context *context,
                           const struct domain_ref *domain, struct why *why)
{
	const struct nsd *nsd = settings;
	enum err err = nsd_check_path(nsd, domain, why);
	bool changed;

	if (!err)
		err = nsd_run(nsd, "addzone", domain->name, nsd->pattern, REPLY_PRESENT,
		              why);
	return err ? err : nsd_adjust(settings, context, domain, &changed, why);
}

static const char *nsd_with_final_dot(struct arena *arena, const char *name)
{
	size_t len = strlen(name);

	return arena_printf(arena, "%s%s", name,
	                    len > 0 && name[len - 1] == '.' ? "" : ".");
}

/* zonestatus prints "zone:\tNAME", then indented lines: "\tpattern: NAME". */
static size_t nsd_read_zones(const struct nsd *nsd, char *answer, struct arena *arena,
                             const char **all)
{
	const char *zone = NULL;
	size_t found = 0;

	for (char *line = strsep(&answer, "\n"); line; line = strsep(&answer, "\n")) {
		if (strncmp(line, "zone:\t", 6) == 0)
			zone = line + 6;
		if (zone && strncmp(line, "\tpattern: ", 10) == 0 &&
		    strcmp(line + 10, nsd->pattern) == 0)
			all[found++] = nsd_with_final_dot(arena, zone);
	}
	return found;
}

static enum err nsd_list(const void *settings, struct arena *arena, const char ***names,
                         size_t *count, struct why *why)
{
	struct buf answer = { 0 };
	enum err err = nsd_ask(settings, "zonestatus", &answer, why);
	size_t room = 1;

	if (err) {
		buf_clear(&answer);
		return err;
	}
	for (size_t i = 0; i < answer.len; i++)
		room += answer.data[i] == '\n';
	const char **all = arena_alloc(arena, room * sizeof(*all));
	*count = answer.len
	             ? nsd_read_zones(settings, (char *)answer.data, arena, all) : 0;
	*names = all;
	buf_clear(&answer);
	return OK;
}

const struct driver driver_nsd = {
	.name = "nsd",
	.help = "NSD 4, through its control channel "
	        "(remote-control: control-enable: yes)",
	.options = options,
	.settings_size = sizeof(struct nsd),
	.check = nsd_check,
	.create = nsd_create,
	.delete = nsd_delete,
	.retransfer = nsd_retransfer,
	.adjust = nsd_adjust,
	.zone_settings = nsd_zone_settings,
	.list = nsd_list,
	.has = nsd_has,
};
