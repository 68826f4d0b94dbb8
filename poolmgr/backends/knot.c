/*
 * knot -- Knot DNS, through its control socket. A zone is an entry of the configuration
 * database with a template, which has masters and ACL.
 *
 * Only one configuration transaction can be open on a server. The driver waits for
 * another one to end. If a process died in its transaction, the driver aborts that
 * transaction after half of its time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libknot/control/control.h>
#include <libknot/errcode.h>
#include <libknot/error.h>

#include "backends/connect_error.h"
#include "backends/drivers.h"
#include "backends/listing.h"
#include "backends/reply.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "base/pause.h"

enum { BEGIN_AGAIN_MS = 20 };

struct knot {
	struct server_settings server;
	char *socket, *template;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct knot),
	{ "socket", OPTION_TEXT, offsetof(struct knot, socket), "/run/knot/knot.sock",
	  1, 107,
	  "path of the control socket of knotd" },
	{ "template", OPTION_TEXT, offsetof(struct knot, template), "zonefleet", 1, 64,
	  "name of the knotd template for the zones. The template sets `master`, `acl` "
	  "and `storage` for these zones" },
	{ 0 }
};

/* A connection, and the text of the server's last refusal. */
struct session {
	knot_ctl_t *ctl;
	const struct knot *knot;
	int64_t deadline_ms;
	char refusal[256];
	struct why *why;
};

static enum err session_failed(struct session *session, int code)
{
	return fail(session->why, code == KNOT_ETIMEOUT ? ERR_TIMEOUT : ERR_UNREACHABLE,
	            "control socket of %s (%s): %s", session->knot->server.id,
	            session->knot->socket, knot_strerror(code));
}

/* The meaning of the last refusal of COMMAND. */
static enum reply session_reply(const struct session *session, const char *command)
{
	return reply_of("knot", command, 0, session->refusal);
}

static enum err session_refused(struct session *session, const char *command)
{
	return fail(session->why, ERR_REMOTE, "Knot refuses %s: %s", command,
	            session->refusal);
}

/* Called for each row of an answer. */
typedef void row_fn(void *self, const char *const *fields);

static enum err session_receive(struct session *session, row_fn *row, void *self)
{
	knot_ctl_type_t type;
	knot_ctl_data_t data;

	for (;;) {
		memset(data, 0, sizeof(data));
		int code = knot_ctl_receive(session->ctl, &type, &data);
		if (code != KNOT_EOK)
			return session_failed(session, code);
		if (type == KNOT_CTL_TYPE_BLOCK || type == KNOT_CTL_TYPE_END)
			return OK;
		if (data[KNOT_CTL_IDX_ERROR])
			snprintf(session->refusal, sizeof(session->refusal), "%s",
			         data[KNOT_CTL_IDX_ERROR]);
		else if (row)
			row(self, data);
	}
}

/* Sends a command and reads the answer. session->refusal has a refusal, or "". */
static enum err session_ask(struct session *session, knot_ctl_data_t *data, row_fn *row,
                            void *self)
{
	int64_t left = session->deadline_ms - clock_ms();

	session->refusal[0] = '\0';
	if (left <= 0)
		return session_failed(session, KNOT_ETIMEOUT);
	knot_ctl_set_timeout(session->ctl, (int)left);
	int code = knot_ctl_send(session->ctl, KNOT_CTL_TYPE_DATA, data);
	if (code == KNOT_EOK)
		code = knot_ctl_send(session->ctl, KNOT_CTL_TYPE_BLOCK, NULL);
	if (code != KNOT_EOK)
		return session_failed(session, code);
	return session_receive(session, row, self);
}

static enum err session_ask_plain(struct session *session, const char *command)
{
	knot_ctl_data_t data = { [KNOT_CTL_IDX_CMD] = command };

	return session_ask(session, &data, NULL, NULL);
}

/* conf-set, conf-unset or conf-read of zone[NAME] or of one of its items. */
static enum err session_ask_zone(struct session *session, const char *command,
                                 const char *name, const char *item, const char *value)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = command,
		[KNOT_CTL_IDX_SECTION] = "zone",
		[KNOT_CTL_IDX_ID] = name,
		[KNOT_CTL_IDX_ITEM] = item,
		[KNOT_CTL_IDX_DATA] = value,
	};

	return session_ask(session, &data, NULL, NULL);
}

static enum err session_open(struct session *session, const struct knot *knot,
                             struct why *why)
{
	*session = (struct session){
		.ctl = knot_ctl_alloc(),
		.knot = knot,
		.deadline_ms = clock_ms() + knot->server.timeout_ms,
		.why = why,
	};
	bug_if(!session->ctl);
	knot_ctl_set_timeout(session->ctl, knot->server.timeout_ms);
	errno = 0;
	int code = knot_ctl_connect(session->ctl, knot->socket);
	if (code == KNOT_EOK)
		return OK;
	int error = errno;
	descriptors_lack("a control channel");
	enum err err = session_failed(session, code);
	knot_ctl_free(session->ctl);
	return connect_error(error) == ERR_BUSY ? ERR_BUSY : err;
}

static void session_close(struct session *session)
{
	knot_ctl_send(session->ctl, KNOT_CTL_TYPE_END, NULL);
	knot_ctl_close(session->ctl);
	knot_ctl_free(session->ctl);
}

/* Waits for another transaction, and aborts it when half of the time is over. */
static enum err session_begin(struct session *session)
{
	int64_t patience_ms = session->deadline_ms - session->knot->server.timeout_ms / 2;

	for (;;) {
		enum err err = session_ask_plain(session, "conf-begin");

		if (err || !session->refusal[0])
			return err;
		if (session_reply(session, "conf-begin") != REPLY_BUSY)
			return session_refused(session, "conf-begin");
		if (clock_ms() > patience_ms) {
			log_warn("unfinished configuration transaction aborted: "
			         "server=%s",
			         session->knot->server.id);
			err = session_ask_plain(session, "conf-abort");
			if (err)
				return err;
			patience_ms = session->deadline_ms;
		}
		pause_ms(BEGIN_AGAIN_MS);
	}
}

static enum err session_commit(struct session *session, enum err err)
{
	if (err) {
		struct why first = *session->why;

		session_ask_plain(session, "conf-abort");
		*session->why = first;
		return err;
	}
	err = session_ask_plain(session, "conf-commit");
	if (!err && session->refusal[0])
		err = session_refused(session, "conf-commit");
	return err;
}

static void knot_on_sync(void *self, const char *const *fields)
{
	if (fields[KNOT_CTL_IDX_DATA] && !strcmp(fields[KNOT_CTL_IDX_DATA], "-1"))
		*(bool *)self = true;
}

/*
 * Knot writes "_" for "/" in the file name of a zone, so a/b.example and a_b.example
 * would have the same file. With zonefile-sync: -1 there are no files.
 */
static enum err knot_check_file(struct session *session, const char *name)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "conf-read",
		[KNOT_CTL_IDX_SECTION] = "template",
		[KNOT_CTL_IDX_ID] = session->knot->template,
		[KNOT_CTL_IDX_ITEM] = "zonefile-sync",
	};
	bool has_none = false;
	enum err err;

	if (!strchr(name, '/'))
		return OK;
	err = session_ask(session, &data, knot_on_sync, &has_none);
	if (err || has_none)
		return err;
	return fail(session->why, ERR_INVALID, "zone not created: Knot replaces \"/\" "
	            "with \"_\" in the file name of the zone '%.200s': set "
	            "zonefile-sync: -1 in the template '%s' of knot.conf", name,
	            session->knot->template);
}

static enum err knot_set_zone(struct session *session, const char *name)
{
	enum err err = session_ask_zone(session, "conf-set", name, NULL, NULL);

	if (err)
		return err;
	if (!session->refusal[0])
		err = knot_check_file(session, name);
	else if (session_reply(session, "conf-set zone") != REPLY_PRESENT)
		err = session_refused(session, "conf-set");
	if (err)
		return err;
	err = session_ask_zone(session, "conf-set", name, "template",
	                       session->knot->template);
	if (!err && session->refusal[0])
		err = session_refused(session, "conf-set of the template");
	return err;
}

static enum err knot_create(const void *settings, const struct driver_context *context,
                            const struct domain_ref *domain, struct why *why)
{
	struct session session;
	enum err err = session_open(&session, settings, why);

	(void)context;
	if (err)
		return err;
	err = session_begin(&session);
	if (!err)
		err = session_commit(&session, knot_set_zone(&session, domain->name));
	session_close(&session);
	return err;
}

static enum err knot_unset_zone(struct session *session, const char *name)
{
	enum err err = session_ask_zone(session, "conf-unset", name, NULL, NULL);

	if (!err && session->refusal[0] && session_reply(session,
	                                                 "conf-unset") != REPLY_ABSENT)
		err = session_refused(session, "conf-unset");
	return err;
}

/* Deletes the data of a zone that is no longer configured: journal, timers, zone file. */
static enum err knot_purge(struct session *session, const char *name)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "zone-purge",
		[KNOT_CTL_IDX_ZONE] = name,
		[KNOT_CTL_IDX_FLAGS] = "F",
		[KNOT_CTL_IDX_FILTER] = "o",
	};
	enum err err = session_ask(session, &data, NULL, NULL);

	if (!err && session->refusal[0])
		log_info("data of the deleted zone not purged: server=%s domain=%s "
		         "reason=\"%s\"",
		         session->knot->server.id, name, session->refusal);
	return err;
}

static enum err knot_delete(const void *settings, const struct driver_context *context,
                            const struct domain_ref *domain, struct why *why)
{
	struct session session;
	enum err err = session_open(&session, settings, why);

	(void)context;
	if (err)
		return err;
	err = session_begin(&session);
	if (!err)
		err = session_commit(&session, knot_unset_zone(&session, domain->name));
	if (!err)
		err = knot_purge(&session, domain->name);
	session_close(&session);
	return err;
}

static enum err knot_retransfer(const void *settings, const struct domain_ref *domain,
                                struct why *why)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "zone-retransfer",
		[KNOT_CTL_IDX_ZONE] = domain->name,
	};
	struct session session;
	enum err err = session_open(&session, settings, why);

	if (err)
		return err;
	err = session_ask(&session, &data, NULL, NULL);
	if (!err && session.refusal[0])
		err = session_refused(&session, "zone-retransfer");
	session_close(&session);
	return err;
}

static enum err knot_has(const void *settings, const struct domain_ref *domain,
                         bool *there, struct why *why)
{
	struct session session;
	enum err err = session_open(&session, settings, why);

	if (err)
		return err;
	err = session_ask_zone(&session, "conf-read", domain->name, "template", NULL);
	*there = !session.refusal[0];
	if (!err && !*there && session_reply(&session, "conf-read") != REPLY_ABSENT)
		err = session_refused(&session, "conf-read");
	session_close(&session);
	return err;
}

static void knot_zone_settings(const void *settings,
                               const struct driver_context *context, struct buf *text)
{
	const struct knot *knot = settings;

	(void)context;		/* the template has the masters */
	buf_text(text, knot->template);
}

struct finding {
	const char *wanted;
	bool equal;
};

static void knot_compare_template(void *self, const char *const *fields)
{
	struct finding *finding = self;

	if (fields[KNOT_CTL_IDX_DATA])
		finding->equal = !strcmp(fields[KNOT_CTL_IDX_DATA], finding->wanted);
}

/* *equal: the zone has our template, or does not exist. */
static enum err knot_compare(struct session *session, const char *name, bool *equal)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "conf-read",
		[KNOT_CTL_IDX_SECTION] = "zone",
		[KNOT_CTL_IDX_ID] = name,
		[KNOT_CTL_IDX_ITEM] = "template",
	};
	struct finding finding = { session->knot->template, false };
	enum err err = session_ask(session, &data, knot_compare_template, &finding);

	*equal = finding.equal;
	if (err || !session->refusal[0])
		return err;
	*equal = session_reply(session, "conf-read") == REPLY_ABSENT;
	return *equal ? OK : session_refused(session, "conf-read");
}

static enum err knot_adjust(const void *settings, const struct driver_context *context,
                            const struct domain_ref *domain, bool *changed,
                            struct why *why)
{
	struct session session;
	bool equal = true;
	enum err err = session_open(&session, settings, why);

	(void)context;
	*changed = false;
	if (err)
		return err;
	err = knot_compare(&session, domain->name, &equal);
	if (!err && !equal)
		err = session_begin(&session);
	if (!err && !equal)
		err = session_commit(&session, knot_set_zone(&session, domain->name));
	*changed = !err && !equal;
	session_close(&session);
	return err;
}

struct reading {
	const struct knot *knot;
	struct listing listing;
};

static void knot_add_row(void *self, const char *const *fields)
{
	struct reading *reading = self;

	if (fields[KNOT_CTL_IDX_DATA] && fields[KNOT_CTL_IDX_ID] &&
	    !strcmp(fields[KNOT_CTL_IDX_DATA], reading->knot->template))
		listing_add(&reading->listing, fields[KNOT_CTL_IDX_ID]);
}

static enum err knot_list(const void *settings, struct arena *arena, const char ***names,
                          size_t *count, struct why *why)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "conf-read",
		[KNOT_CTL_IDX_SECTION] = "zone",
		[KNOT_CTL_IDX_ITEM] = "template",
	};
	struct reading reading = { settings, { .arena = arena } };
	struct session session;
	enum err err = session_open(&session, settings, why);

	if (err)
		return err;
	err = session_ask(&session, &data, knot_add_row, &reading);
	if (!err && session.refusal[0])
		err = session_refused(&session, "conf-read");
	session_close(&session);
	if (err)
		return err;
	*names = reading.listing.names;
	*count = reading.listing.count;
	return OK;
}

const struct driver driver_knot = {
	.name = "knot",
	.help = "Knot DNS 3, through its control socket. knotd must use a configuration "
	        "database (knotd -C)",
	.options = options,
	.settings_size = sizeof(struct knot),
	.create = knot_create,
	.delete = knot_delete,
	.retransfer = knot_retransfer,
	.adjust = knot_adjust,
	.zone_settings = knot_zone_settings,
	.list = knot_list,
	.has = knot_has,
};
