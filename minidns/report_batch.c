#include "report_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"

enum { LINGER_MS = 10 };

/* What one pool's managers are to hear. */
struct parcel {
	struct parcel *next;
	char *pool;
	json_t *reports;
};

struct reporter {
	struct loop *loop;
	struct rpc_client *rpc;
	bool (*more_to_come)(const void *self);
	const void *self;
	struct loop_timer *timer;
	bool looking;			/* look() is due at the end of the turn */
	struct parcel *parcels;
};

static void send_parcels(void *self);

struct reporter *reporter_new(struct loop *loop, struct rpc_client *rpc,
                              bool (*more_to_come)(const void *self), const void *self)
{
	struct reporter *reporter = xcalloc(1, sizeof(*reporter));

	reporter->loop = loop;
	reporter->rpc = rpc;
	reporter->more_to_come = more_to_come;
	reporter->self = self;
	reporter->timer = loop_timer_new(loop, send_parcels, reporter);
	return reporter;
}

static void parcel_free(struct parcel *parcel)
{
	json_decref(parcel->reports);
	free(parcel->pool);
	free(parcel);
}

void reporter_free(struct reporter **reporter)
{
	struct reporter *old = *reporter;

	*reporter = NULL;
	if (!old)
		return;
	for (struct parcel *parcel = old->parcels, *next; parcel; parcel = next) {
		next = parcel->next;
		parcel_free(parcel);
	}
	loop_later_cancel(old->loop, old);
	loop_timer_free(&old->timer);
	free(old);
}

bool reporter_idle(const struct reporter *reporter)
{
	return !reporter->parcels;
}

/* ---- out ---- */

static void send_parcel(struct reporter *reporter, const struct parcel *parcel)
{
	char topic[300], request_id[ID_LEN + 1];
	struct rpc_target target = { .topic = topic };
	json_t *args = json_pack("{s:O}", "reports", parcel->reports), *context;
	struct why why;

	id_random(request_id);
	context = context_encode(request_id, true);
	snprintf(topic, sizeof(topic), "pool_manager.%s", parcel->pool);
	if (rpc_cast(reporter->rpc, &target, "update_statuses", args, context, &why))
		log_warn("reports not sent: req=%s pool=%s count=%zu why=\"%s\"",
		         request_id, parcel->pool, json_array_size(parcel->reports),
		         why.text);
	json_decref(context);
	json_decref(args);
}

static void send_parcels(void *self)
{
	struct reporter *reporter = self;
	struct parcel *parcel;

	loop_timer_cancel(reporter->timer);
	while ((parcel = reporter->parcels)) {
		reporter->parcels = parcel->next;
		send_parcel(reporter, parcel);
		parcel_free(parcel);
	}
}

/* ---- in ---- */

static void look(void *self)
{
	struct reporter *reporter = self;

	reporter->looking = false;
	if (!reporter->more_to_come(reporter->self))
		send_parcels(reporter);
	else if (reporter->parcels && !loop_timer_armed(reporter->timer))
		loop_timer_set(reporter->timer, LINGER_MS);
}

static struct parcel *parcel_for(struct reporter *reporter, const char *pool)
{
	struct parcel *parcel = reporter->parcels;

	while (parcel && strcmp(parcel->pool, pool))
		parcel = parcel->next;
	if (parcel)
		return parcel;
	parcel = xcalloc(1, sizeof(*parcel));
	parcel->pool = xstrdup(pool);
	parcel->reports = json_array();
	parcel->next = reporter->parcels;
	reporter->parcels = parcel;
	return parcel;
}

static void log_report(const struct server_report *report)
{
	if (report->differs)
		log_warn("server differs: domain=%s server=%s serial=%u why=\"%s\"",
		         report->domain.name, report->name_server, report->serial,
		         report->reason);
	else if (report->report == REPORT_SUCCESS)
		log_debug("server reached: domain=%s server=%s serial=%u",
		          report->domain.name, report->name_server, report->serial);
	else
		log_info("server reported: domain=%s server=%s wanted=%u status=%s "
		         "why=\"%s\"",
		         report->domain.name, report->name_server,
		         report->domain.state.serial, report_name(report->report),
		         report->reason);
}

void reporter_add(struct reporter *reporter, const struct server_report *report)
{
	struct parcel *parcel = parcel_for(reporter, report->domain.pool);

	log_report(report);
	json_array_append_new(parcel->reports, server_report_encode(report));
	if (json_array_size(parcel->reports) == LIST_MAX)
		send_parcels(reporter);
	if (!reporter->looking)
		loop_later(reporter->loop, look, reporter);
	reporter->looking = true;
}
