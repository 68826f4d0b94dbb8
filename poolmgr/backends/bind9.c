/*
 * BIND 9, by rndc: addzone, modzone and delzone keep the zone over restarts
 * (it needs `allow-new-zones yes`). The zone is a secondary of all masters.
 */
#include <stdio.h>
#include <string.h>

#include "backends/command.h"
#include "backends/drivers.h"
#include "base/buf.h"

struct bind9 {
	struct server_settings server;
	char *rndc, *rndc_host, *rndc_key_file, *view;
	int rndc_port;
	bool clean;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct bind9),
	{ "rndc", OPTION_TEXT, offsetof(struct bind9, rndc), "rndc", 1, 255,
	  "the rndc program" },
	{ "rndc_host", OPTION_TEXT, offsetof(struct bind9, rndc_host), NULL, 1, 255,
	  "where named listens for rndc; default: host" },
	{ "rndc_port", OPTION_INT, offsetof(struct bind9, rndc_port), "953", 1, 65535,
	  "port of named's control channel" },
	{ "rndc_key_file", OPTION_TEXT, offsetof(struct bind9, rndc_key_file),
	  "/etc/bind/rndc.key", 1, 255, "file with the key of the control channel" },
	{ "view", OPTION_TEXT, offsetof(struct bind9, view), NULL, 1, 64,
	  "view that the zones belong to" },
	{ "clean_zonefile", OPTION_BOOL, offsetof(struct bind9, clean), "true", 0, 0,
	  "a deleted zone's files are deleted, too" },
	{ 0 }
};

/* rndc hands the name to named's parser: plain octets in quotes cannot leave them. */
static enum err check_name(const char *name, struct why *why)
{
	if (strpbrk(name, "\\\"\n"))
		return fail(why, ERR_INVALID, "rndc cannot name a zone such as %s", name);
	return OK;
}

static enum err rndc(const struct bind9 *bind, const char *verb, const char *zone,
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
	return command_run(argv, bind->server.timeout_s * 1000, command, why);
}

static enum err refused(const struct bind9 *bind, const char *verb,
                        const struct command *command, struct why *why)
{
	return fail(why, ERR_REMOTE, "rndc %s on %s: %.400s", verb, bind->server.id,
	            command->output[0] ? command->output : "failed without a word");
}

static void clause_of(const struct bind9 *bind, const struct driver_context *context,
                      const struct domain_ref *domain, struct buf *clause)
{
	buf_printf(clause,
	           "{ type secondary; file \"%s.db\"; masterfile-format raw; primaries {",
	           domain->id);
	for (size_t i = 0; i < context->master_count; i++) {
		buf_printf(clause, " %s port %u", context->masters[i].host,
		           context->masters[i].port);
		if (bind->server.tsig_key)
			buf_printf(clause, " key \"%s\"", bind->server.tsig_key);
		buf_text(clause, ";");
	}
	buf_text(clause, " }; };");
}

/* A zone that is there already takes the settings of today. */
static enum err add_or_modify(const struct bind9 *bind, const char *zone,
                              const char *clause, struct why *why)
{
	struct command command;
	enum err err = rndc(bind, "addzone", zone, clause, &command, why);

	if (err || command.status == 0)
		return err;
	if (!strstr(command.output, "already exists"))
		return refused(bind, "addzone", &command, why);
	err = rndc(bind, "modzone", zone, clause, &command, why);
	if (err || command.status == 0)
		return err;
	return refused(bind, "modzone", &command, why);
}

static enum err create(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	const struct bind9 *bind = settings;
	struct buf clause = { 0 };
	enum err err = check_name(domain->name, why);

	if (err)
		return err;
	clause_of(bind, context, domain, &clause);
	err = add_or_modify(bind, domain->name, buf_string(&clause), why);
	buf_clear(&clause);
	return err;
}

static enum err delete(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	const struct bind9 *bind = settings;
	struct command command;
	enum err err = check_name(domain->name, why);

	(void)context;
	if (!err)
		err = rndc(bind, "delzone", domain->name, NULL, &command, why);
	if (err || command.status == 0)
		return err;
	if (strstr(command.output, "not found"))
		return OK;
	return refused(bind, "delzone", &command, why);
}

static enum err retransfer(const void *settings, const struct domain_ref *domain,
                           struct why *why)
{
	const struct bind9 *bind = settings;
	struct command command;
	enum err err = check_name(domain->name, why);

	if (!err)
		err = rndc(bind, "retransfer", domain->name, NULL, &command, why);
	if (err || command.status == 0)
		return err;
	return refused(bind, "retransfer", &command, why);
}

const struct driver driver_bind9 = {
	.name = "bind9",
	.help = "BIND 9.16 or newer, through rndc (named.conf: allow-new-zones yes)",
	.options = options,
	.settings_size = sizeof(struct bind9),
	.create = create,
	.delete = delete,
	.retransfer = retransfer,
};
