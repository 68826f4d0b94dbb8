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

struct healths {
	struct poolmgr *poolmgr;
	bool is_running;
	struct finding (*found)[CHANNELS];	/* one a server: to be written next */
	struct settling (*settled)[CHANNELS];	/* of the job on the lane */
	enum err err;
	struct why why;
};

struct healths *healths_new(struct poolmgr *poolmgr)
{
	struct healths *healths = xcalloc(1, sizeof(*healths));
	size_t count = poolmgr->servers->count;

	healths->poolmgr = poolmgr;
	healths->found = xcalloc(count, sizeof(*healths->found));
	healths->settled = xcalloc(count, sizeof(*healths->settled));
	return healths;
}

void healths_free(struct healths **healths)
{
	if (!*healths)
		return;
	free((*healths)->found);
	free((*healths)->settled);
	free(*healths);
	*healths = NULL;
}

static bool is_found(const struct finding *finding)
{
	return finding->evidence.has_answered || finding->evidence.failures;
}

/* ---- on the lane ---- */

static enum err settle_one(struct healths *healths, const char *server_id,
                           enum channel channel, struct settling *settling)
{
	const char *pool = healths->poolmgr->config.pool_name;
	const struct finding *finding = &settling->finding;
	struct tx tx = tx_autocommit(healths->poolmgr->lane_db, &healths->why);
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
	struct healths *healths = self;
	const struct servers *servers = healths->poolmgr->servers;

	healths->err = OK;
	for (size_t i = 0; i < servers->count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++) {
			struct settling *settling = &healths->settled[i][channel];

			if (is_found(&settling->finding) && !healths->err)
				healths->err = settle_one(
				    healths, servers->item[i].settings->id, channel,
				    settling);
		}
}

/* ---- on the loop ---- */

static void submit(struct healths *healths);

static void tell_closed(struct healths *healths, const struct server *server,
                        enum channel channel)
{
	log_info(channel == CHANNEL_DNS ? "server answers again: server=%s"
	                                : "server is back: server=%s",
	         server->settings->id);
	release_server(healths->poolmgr, server->settings->id,
	                  channel == CHANNEL_CONTROL);
}

static void take(struct healths *healths, struct server *server, enum channel channel,
                 const struct settling *settling)
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
		tell_closed(healths, server, channel);
}

static void settled(void *self)
{
	struct healths *healths = self;
	struct servers *servers = healths->poolmgr->servers;

	healths->is_running = false;
	if (!poolmgr_ran(healths->poolmgr))
		return;
	/* that the database is away is said where it is seen */
	if (healths->err && healths->err != ERR_UNREACHABLE && healths->err != ERR_RACE)
		log_warn("health not written: err=%s why=\"%s\"", err_name(healths->err),
		         healths->why.text);
	for (size_t i = 0; i < servers->count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++)
			take(healths, &servers->item[i], channel,
			     &healths->settled[i][channel]);
	submit(healths);
}

static void submit(struct healths *healths)
{
	size_t count = healths->poolmgr->servers->count;
	bool any = false;

	if (healths->is_running)
		return;
	for (size_t i = 0; i < count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++) {
			struct finding *finding = &healths->found[i][channel];

			any |= is_found(finding);
			healths->settled[i][channel] =
			    (struct settling){ .finding = *finding };
			*finding = (struct finding){ .reason = "" };
		}
	if (any)
		healths->is_running = poolmgr_submit(healths->poolmgr, settle, settled,
		                                     healths);
}

static struct finding *finding_of(struct healths *healths, const struct server *server,
                                  enum channel channel)
{
	return &healths->found[server - healths->poolmgr->servers->item][channel];
}

/* Silence that is not written yet: found since, or in the hands of the lane. */
static bool is_piled(struct healths *healths, const struct server *server,
                     enum channel channel)
{
	size_t at = (size_t)(server - healths->poolmgr->servers->item);

	return healths->found[at][channel].evidence.failures ||
	       (healths->is_running &&
	        healths->settled[at][channel].finding.evidence.failures);
}

void health_answered(struct healths *healths, struct server *server, enum channel channel)
{
	struct finding *finding = finding_of(healths, server, channel);

	if (!server->health[channel].failures && !is_piled(healths, server, channel))
		return;
	*finding = (struct finding){ .evidence = { .has_answered = true } };
	submit(healths);
}

void health_failed(struct healths *healths, struct server *server, enum channel channel,
                   const char *reason)
{
	struct finding *finding = finding_of(healths, server, channel);

	if (server_fails(server, channel) && !server->health[channel].is_due)
		return;
	finding->evidence.failures++;
	snprintf(finding->reason, sizeof(finding->reason), "%s", reason);
	submit(healths);
}

void health_seen(struct server *server, const struct health health[CHANNELS])
{
	for (enum channel channel = 0; channel < CHANNELS; channel++)
		server_set_health(server, channel, &health[channel]);
}
