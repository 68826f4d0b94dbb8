/*
 * Knot DNS, through its control socket: a zone is an entry of the
 * configuration database with a template that names masters and ACL.
 *
 * A configuration transaction belongs to the whole server: another that is
 * open makes us wait, and one left open by a process that died is aborted
 * when it outlasted our patience.
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
	  "control socket of knotd" },
	{ "template", OPTION_TEXT, offsetof(struct knot, template), "zonefleet", 1, 64,
	  "template of the zones, which sets their master, acl and storage" },
	{ 0 }
};

/* One conversation: a connection, and the words of the server's last refusal. */
struct talk {
	knot_ctl_t *ctl;
	const struct knot *knot;
	int64_t deadline_ms;
	char refusal[256];
	struct why *why;
};

static enum err lost(struct talk *talk, int code)
{
	return fail(talk->why, code == KNOT_ETIMEOUT ? ERR_TIMEOUT : ERR_UNREACHABLE,
	            "control socket of %s (%s): %s", talk->knot->server.id,
	            talk->knot->socket, knot_strerror(code));
}

/* The server's last refusal of COMMAND, as the table has it. */
static enum reply meaning_of(const struct talk *talk, const char *command)
{
	return reply_of("knot", command, 0, talk->refusal);
}

static enum err refused(struct talk *talk, const char *command)
{
	return fail(talk->why, ERR_REMOTE, "%s: %s: %s", talk->knot->server.id, command,
	            talk->refusal);
}

/* Called for each row of an answer. */
typedef void row_fn(void *self, const char *const *fields);

static enum err receive(struct talk *talk, row_fn *row, void *self)
{
	knot_ctl_type_t type;
	knot_ctl_data_t data;

	for (;;) {
		memset(data, 0, sizeof(data));
		int code = knot_ctl_receive(talk->ctl, &type, &data);
		if (code != KNOT_EOK)
			return lost(talk, code);
		if (type == KNOT_CTL_TYPE_BLOCK || type == KNOT_CTL_TYPE_END)
			return OK;
		if (data[KNOT_CTL_IDX_ERROR])
			snprintf(talk->refusal, sizeof(talk->refusal), "%s",
			         data[KNOT_CTL_IDX_ERROR]);
		else if (row)
			row(self, data);
	}
}

/* Send a command and read its answer; a refusal is left in talk->refusal ("": none). */
static enum err ask(struct talk *talk, knot_ctl_data_t *data, row_fn *row, void *self)
{
	int64_t left = talk->deadline_ms - clock_ms();

	talk->refusal[0] = '\0';
	if (left <= 0)
		return lost(talk, KNOT_ETIMEOUT);
	knot_ctl_set_timeout(talk->ctl, (int)left);
	int code = knot_ctl_send(talk->ctl, KNOT_CTL_TYPE_DATA, data);
	if (code == KNOT_EOK)
		code = knot_ctl_send(talk->ctl, KNOT_CTL_TYPE_BLOCK, NULL);
	if (code != KNOT_EOK)
		return lost(talk, code);
	return receive(talk, row, self);
}

static enum err ask_plain(struct talk *talk, const char *command)
{
	knot_ctl_data_t data = { [KNOT_CTL_IDX_CMD] = command };

	return ask(talk, &data, NULL, NULL);
}

/* conf-set, conf-unset or conf-read of zone[NAME], or of an item of it. */
static enum err ask_zone(struct talk *talk, const char *command, const char *name,
                         const char *item, const char *value)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = command,
		[KNOT_CTL_IDX_SECTION] = "zone",
		[KNOT_CTL_IDX_ID] = name,
		[KNOT_CTL_IDX_ITEM] = item,
		[KNOT_CTL_IDX_DATA] = value,
	};

	return ask(talk, &data, NULL, NULL);
}

static enum err talk_open(struct talk *talk, const struct knot *knot, struct why *why)
{
	*talk = (struct talk){
		.ctl = knot_ctl_alloc(),
		.knot = knot,
		.deadline_ms = clock_ms() + knot->server.timeout_ms,
		.why = why,
	};
	bug_if(!talk->ctl);
	knot_ctl_set_timeout(talk->ctl, knot->server.timeout_ms);
	errno = 0;
	int code = knot_ctl_connect(talk->ctl, knot->socket);
	if (code == KNOT_EOK)
		return OK;
	int error = errno;
	descriptors_lack("a control channel");
	enum err err = lost(talk, code);
	knot_ctl_free(talk->ctl);
	return connect_error(error) == ERR_BUSY ? ERR_BUSY : err;
}

static void talk_close(struct talk *talk)
{
	knot_ctl_send(talk->ctl, KNOT_CTL_TYPE_END, NULL);
	knot_ctl_close(talk->ctl);
	knot_ctl_free(talk->ctl);
}

/* Wait for our turn; take it from one that died when half of our time is over. */
static enum err begin(struct talk *talk)
{
	int64_t patience_ms = talk->deadline_ms - talk->knot->server.timeout_ms / 2;

	for (;;) {
		enum err err = ask_plain(talk, "conf-begin");

		if (err || !talk->refusal[0])
			return err;
		if (meaning_of(talk, "conf-begin") != REPLY_BUSY)
			return refused(talk, "conf-begin");
		if (clock_ms() > patience_ms) {
			log_warn("stale configuration transaction aborted: server=%s",
			         talk->knot->server.id);
			err = ask_plain(talk, "conf-abort");
			if (err)
				return err;
			patience_ms = talk->deadline_ms;
		}
		pause_ms(BEGIN_AGAIN_MS);
	}
}

static enum err commit(struct talk *talk, enum err err)
{
	if (err) {
		struct why first = *talk->why;

		ask_plain(talk, "conf-abort");
		*talk->why = first;
		return err;
	}
	err = ask_plain(talk, "conf-commit");
	if (!err && talk->refusal[0])
		err = refused(talk, "conf-commit");
	return err;
}

static void take_sync(void *self, const char *const *fields)
{
	if (fields[KNOT_CTL_IDX_DATA] && !strcmp(fields[KNOT_CTL_IDX_DATA], "-1"))
		*(bool *)self = true;
}

/*
 * Knot writes "_" for "/" in the name of a zone's file, so that a/b.example and a_b.example
 * have one file. With zonefile-sync: -1 there are no files.
 */
static enum err check_file(struct talk *talk, const char *name)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "conf-read",
		[KNOT_CTL_IDX_SECTION] = "template",
		[KNOT_CTL_IDX_ID] = talk->knot->template,
		[KNOT_CTL_IDX_ITEM] = "zonefile-sync",
	};
	bool has_none = false;
	enum err err = strchr(name, '/') ? ask(talk, &data, take_sync, &has_none) : OK;

	if (err || has_none || !strchr(name, '/'))
		return err;
	return fail(talk->why, ERR_INVALID, "%s: not created: Knot makes a file of the name "
	            "%.200s with \"_\" for \"/\": set zonefile-sync: -1 in its template %s",
	            talk->knot->server.id, name, talk->knot->template);
}

static enum err set_zone(struct talk *talk, const char *name)
{
	enum err err = ask_zone(talk, "conf-set", name, NULL, NULL);

	if (err)
		return err;
	if (talk->refusal[0] && meaning_of(talk, "conf-set zone") != REPLY_PRESENT)
		return refused(talk, "conf-set");
	err = talk->refusal[0] ? OK : check_file(talk, name);	/* one that is there stays */
	if (err)
		return err;
	err = ask_zone(talk, "conf-set", name, "template", talk->knot->template);
	if (!err && talk->refusal[0])
		err = refused(talk, "conf-set of the template");
	return err;
}

static enum err create(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	struct talk talk;
	enum err err = talk_open(&talk, settings, why);

	(void)context;
	if (err)
		return err;
	err = begin(&talk);
	if (!err)
		err = commit(&talk, set_zone(&talk, domain->name));
	talk_close(&talk);
	return err;
}

static enum err unset_zone(struct talk *talk, const char *name)
{
	enum err err = ask_zone(talk, "conf-unset", name, NULL, NULL);

	if (!err && talk->refusal[0] && meaning_of(talk, "conf-unset") != REPLY_ABSENT)
		err = refused(talk, "conf-unset");
	return err;
}

/* The data of a zone that is no longer configured: journal, timers, zone file. */
static enum err purge(struct talk *talk, const char *name)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "zone-purge",
		[KNOT_CTL_IDX_ZONE] = name,
		[KNOT_CTL_IDX_FLAGS] = "F",
		[KNOT_CTL_IDX_FILTER] = "o",
	};
	enum err err = ask(talk, &data, NULL, NULL);

	if (!err && talk->refusal[0])
		log_info("zone data not purged: server=%s domain=%s why=\"%s\"",
		         talk->knot->server.id, name, talk->refusal);
	return err;
}

static enum err delete(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	struct talk talk;
	enum err err = talk_open(&talk, settings, why);

	(void)context;
	if (err)
		return err;
	err = begin(&talk);
	if (!err)
		err = commit(&talk, unset_zone(&talk, domain->name));
	if (!err)
		err = purge(&talk, domain->name);
	talk_close(&talk);
	return err;
}

static enum err retransfer(const void *settings, const struct domain_ref *domain,
                           struct why *why)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "zone-retransfer",
		[KNOT_CTL_IDX_ZONE] = domain->name,
	};
	struct talk talk;
	enum err err = talk_open(&talk, settings, why);

	if (err)
		return err;
	err = ask(&talk, &data, NULL, NULL);
	if (!err && talk.refusal[0])
		err = refused(&talk, "zone-retransfer");
	talk_close(&talk);
	return err;
}

static enum err has(const void *settings, const struct domain_ref *domain, bool *there,
                    struct why *why)
{
	struct talk talk;
	enum err err = talk_open(&talk, settings, why);

	if (err)
		return err;
	err = ask_zone(&talk, "conf-read", domain->name, "template", NULL);
	*there = !talk.refusal[0];
	if (!err && !*there && meaning_of(&talk, "conf-read") != REPLY_ABSENT)
		err = refused(&talk, "conf-read");
	talk_close(&talk);
	return err;
}

struct reading {
	const struct knot *knot;
	struct listing listing;
};

static void list_row(void *self, const char *const *fields)
{
	struct reading *reading = self;

	if (fields[KNOT_CTL_IDX_DATA] && fields[KNOT_CTL_IDX_ID] &&
	    !strcmp(fields[KNOT_CTL_IDX_DATA], reading->knot->template))
		listing_add(&reading->listing, fields[KNOT_CTL_IDX_ID]);
}

static enum err list(const void *settings, struct arena *arena, const char ***names,
                     size_t *count, struct why *why)
{
	knot_ctl_data_t data = {
		[KNOT_CTL_IDX_CMD] = "conf-read",
		[KNOT_CTL_IDX_SECTION] = "zone",
		[KNOT_CTL_IDX_ITEM] = "template",
	};
	struct reading reading = { settings, { .arena = arena } };
	struct talk talk;
	enum err err = talk_open(&talk, settings, why);

	if (err)
		return err;
	err = ask(&talk, &data, list_row, &reading);
	if (!err && talk.refusal[0])
		err = refused(&talk, "conf-read");
	talk_close(&talk);
	if (err)
		return err;
	*names = reading.listing.names;
	*count = reading.listing.count;
	return OK;
}

const struct driver driver_knot = {
	.name = "knot",
	.help = "Knot DNS 3, through its control socket "
	        "(knotd -C: a configuration database)",
	.options = options,
	.settings_size = sizeof(struct knot),
	.create = create,
	.delete = delete,
	.retransfer = retransfer,
	.list = list,
	.has = has,
};
