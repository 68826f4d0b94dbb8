#include "health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "release.h"
#include "runtime/tx.h"
#include "store_health.h"

enum { REASON_SIZE = 256 };

/* Of a server, through one channel. */
struct finding {
	struct evidence evidence;
	char reason[REASON_SIZE];
};

/* What became of it. */
struct settling {
	struct finding finding;
	struct health health;
	struct health_move move;	/* is_news: it is written */
};

struct health_writer {
	struct poolmgr *poolmgr;
	bool is_running;
	struct finding (*found)[CHANNELS];	/* one a server: to be written next */
	struct settling (*settled)[CHANNELS];	/* of the job on the lane */
	enum err err;
	struct why why;
};

struct health_writer *health_writer_new(struct poolmgr *poolmgr)
{
	struct health_writer *health_writer = xcalloc(1, sizeof(*health_writer));
	size_t count = poolmgr->servers->count;

	health_writer->poolmgr = poolmgr;
	health_writer->found = xcalloc(count, sizeof(*health_writer->found));
	health_writer->settled = xcalloc(count, sizeof(*health_writer->settled));
	return health_writer;
}

void health_writer_free(struct health_writer **health_writer)
{
	if (!*health_writer)
		return;
	free((*health_writer)->found);
	free((*health_writer)->settled);
	free(*health_writer);
	*health_writer = NULL;
}

static bool is_found(const struct finding *finding)
{
	return finding->evidence.has_answered || finding->evidence.failures;
}

/* ---- on the lane ---- */

static enum err settle_one(struct health_writer *health_writer, const char *server_id,
                           enum channel channel, struct settling *settling)
{
	const char *pool = health_writer->poolmgr->config.pool_name;
	const struct finding *finding = &settling->finding;
	struct tx tx = tx_once(health_writer->poolmgr->lane_db, &health_writer->why);
	struct health health[CHANNELS];

	if (store_health(&tx, pool, server_id, health)) {
		settling->health = health[channel];
		settling->move = health_decide(channel, &settling->health,
		                               &finding->evidence, random_u32());
		if (settling->move.is_news)
			settling->move.is_news = store_health_move(
			    &tx, pool, server_id, channel, &settling->health,
			    &settling->move, finding->reason);
	}
	return tx_commit(&tx);
}

/* One that fails is found out again. */
static void settle(void *self)
{
	struct health_writer *health_writer = self;
	const struct servers *servers = health_writer->poolmgr->servers;

	health_writer->err = OK;
	for (size_t i = 0; i < servers->count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++) {
			struct settling *settling = &health_writer->settled[i][channel];

			if (is_found(&settling->finding) && !health_writer->err)
				health_writer->err = settle_one(
				    health_writer, servers->item[i].settings->id, channel,
				    settling);
		}
}

/* ---- on the loop ---- */

static void submit(struct health_writer *health_writer);

static void tell_closed(struct health_writer *health_writer, const struct server *server,
                        enum channel channel)
{
	log_info(channel == CHANNEL_DNS ? "server answers again: server=%s"
	                                : "server is back: server=%s",
	         server->settings->id);
	release_server(health_writer->poolmgr, server->settings->id,
	                  channel == CHANNEL_CONTROL);
}

static void take(struct health_writer *health_writer, struct server *server,
                 enum channel channel, const struct settling *settling)
{
	const struct health_move *move = &settling->move;

	if (!move->is_news)
		return;
	server_set_health(server, channel,
	                  &(struct health){ move->failures, !move->next_ms });
	if (move->opens)
		log_warn("server fails: server=%s channel=%s why=\"%s\"",
		         server->settings->id,
		         channel == CHANNEL_DNS ? "dns" : "control",
		         settling->finding.reason);
	if (move->closes)
		tell_closed(health_writer, server, channel);
}

static void settled(void *self)
{
	struct health_writer *health_writer = self;
	struct servers *servers = health_writer->poolmgr->servers;

	health_writer->is_running = false;
	if (!poolmgr_ran(health_writer->poolmgr))
		return;
	/* that the database is away is said where it is seen */
	if (health_writer->err && health_writer->err != ERR_UNREACHABLE &&
	    health_writer->err != ERR_RACE)
		log_warn("health not written: err=%s why=\"%s\"",
		         err_name(health_writer->err), health_writer->why.text);
	for (size_t i = 0; i < servers->count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++)
			take(health_writer, &servers->item[i], channel,
			     &health_writer->settled[i][channel]);
	submit(health_writer);
}

static void submit(struct health_writer *health_writer)
{
	size_t count = health_writer->poolmgr->servers->count;
	bool any = false;

	if (health_writer->is_running)
		return;
	for (size_t i = 0; i < count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++) {
			struct finding *finding = &health_writer->found[i][channel];

			any |= is_found(finding);
			health_writer->settled[i][channel] =
			    (struct settling){ .finding = *finding };
			*finding = (struct finding){ .reason = "" };
		}
	if (any)
		health_writer->is_running = poolmgr_submit(health_writer->poolmgr, settle,
		                                           settled, health_writer);
}

static struct finding *finding_of(struct health_writer *health_writer,
                                  const struct server *server, enum channel channel)
{
	const struct server *first = health_writer->poolmgr->servers->item;

	return &health_writer->found[server - first][channel];
}

/* Silence that is not written yet: found since, or in the hands of the lane. */
static bool is_piled(struct health_writer *health_writer, const struct server *server,
                     enum channel channel)
{
	size_t at = (size_t)(server - health_writer->poolmgr->servers->item);

	return health_writer->found[at][channel].evidence.failures ||
	       (health_writer->is_running &&
	        health_writer->settled[at][channel].finding.evidence.failures);
}

void health_answered(struct health_writer *health_writer, struct server *server,
                     enum channel channel)
{
	struct finding *finding = finding_of(health_writer, server, channel);

	if (!server->health[channel].failures && !is_piled(health_writer, server,
	                                                   channel))
		return;
	*finding = (struct finding){ .evidence = { .has_answered = true } };
	submit(health_writer);
}

void health_failed(struct health_writer *health_writer, struct server *server,
                   enum channel channel, const char *reason)
{
	struct finding *finding = finding_of(health_writer, server, channel);

	if (server_fails(server, channel) && !server->health[channel].is_due)
		return;
	finding->evidence.failures++;
	snprintf(finding->reason, sizeof(finding->reason), "%s", reason);
	submit(health_writer);
}

void health_seen(struct server *server, const struct health health[CHANNELS])
{
	for (enum channel channel = 0; channel < CHANNELS; channel++)
		server_set_health(server, channel, &health[channel]);
}
