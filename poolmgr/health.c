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

/* What was observed on one channel of a server. */
struct finding {
	struct evidence evidence;
	char reason[REASON_SIZE];
};

/* The observations, and the change of the row. */
struct health_update {
	struct finding finding;
	struct health health;
	struct health_move move;	/* is_news: the row has changed */
};

struct health_writer {
	struct poolmgr *poolmgr;
	bool is_running;
	struct finding (*found)[CHANNELS];	/* for each server: to be written next */
	struct health_update (*updates)[CHANNELS];	/* in the job on the lane */
	enum err err;
	struct why why;
};

struct health_writer *health_writer_new(struct poolmgr *poolmgr)
{
	struct health_writer *writer = xcalloc(1, sizeof(*writer));
	size_t count = poolmgr->servers->count;

	writer->poolmgr = poolmgr;
	writer->found = xcalloc(count, sizeof(*writer->found));
	writer->updates = xcalloc(count, sizeof(*writer->updates));
	return writer;
}

void health_writer_free(struct health_writer **writer)
{
	if (!*writer)
		return;
	free((*writer)->found);
	free((*writer)->updates);
	free(*writer);
	*writer = NULL;
}

static bool finding_is_set(const struct finding *finding)
{
	return finding->evidence.has_answered || finding->evidence.failures;
}

/* ---- on the lane ---- */

static enum err health_writer_write_one(struct health_writer *writer,
                                        const char *server_id, enum channel channel,
                                        struct health_update *update)
{
	const char *pool = writer->poolmgr->config.pool_name;
	const struct finding *finding = &update->finding;
	struct tx tx = tx_autocommit(writer->poolmgr->lane_db, &writer->why);
	struct health health[CHANNELS];

	if (store_health(&tx, pool, server_id, health)) {
		update->health = health[channel];
		update->move = health_decide(&update->health, &finding->evidence,
		                             random_u32());
		if (update->move.is_news)
			update->move.is_news = store_health_move(
			    &tx, pool, server_id, channel, &update->health,
			    &update->move, finding->reason);
	}
	return tx_commit(&tx);
}

/* Observations that cannot be written are lost; the next failure brings them again. */
static void health_writer_write(void *self)
{
	struct health_writer *writer = self;
	const struct servers *servers = writer->poolmgr->servers;

	writer->err = OK;
	for (size_t i = 0; i < servers->count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++) {
			struct health_update *update =
				&writer->updates[i][channel];

			if (finding_is_set(&update->finding) && !writer->err)
				writer->err = health_writer_write_one(
				    writer, servers->item[i].settings->id, channel,
				    update);
		}
}

/* ---- on the loop ---- */

static void health_writer_submit(struct health_writer *writer);

static void health_writer_release(struct health_writer *writer,
                                  const struct server *server, enum channel channel)
{
	log_info(channel == CHANNEL_DNS ? "server answers again: server=%s"
	                                : "control channel answers again: server=%s",
	         server->settings->id);
	if (channel == CHANNEL_CONTROL)
		release_server(writer->poolmgr, server->settings->id, true);
	release_server(writer->poolmgr, server->settings->id, false);
}

static void health_writer_apply(struct health_writer *writer, struct server *server,
                                enum channel channel, const struct health_update *update)
{
	const struct health_move *move = &update->move;

	if (!move->is_news)
		return;
	server_set_health(server, channel,
	                  &(struct health){ move->failures, !move->next_ms });
	if (move->opens)
		log_warn(channel == CHANNEL_DNS
		             ? "server does not answer: server=%s channel=dns "
		               "reason=\"%s\""
		             : "control channel does not answer: server=%s "
		               "channel=control reason=\"%s\"",
		         server->settings->id, update->finding.reason);
	if (move->closes)
		health_writer_release(writer, server, channel);
}

static void health_writer_written(void *self)
{
	struct health_writer *writer = self;
	struct servers *servers = writer->poolmgr->servers;

	writer->is_running = false;
	if (!poolmgr_ran(writer->poolmgr))
		return;
	/* the database code logs an unreachable database */
	if (writer->err && writer->err != ERR_UNREACHABLE &&
	    writer->err != ERR_RACE)
		log_warn("health of the servers not written: err=%s reason=\"%s\"",
		         err_name(writer->err), writer->why.text);
	for (size_t i = 0; i < servers->count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++)
			health_writer_apply(writer, &servers->item[i], channel,
			                    &writer->updates[i][channel]);
	health_writer_submit(writer);
}

static void health_writer_submit(struct health_writer *writer)
{
	size_t count = writer->poolmgr->servers->count;
	bool any = false;

	if (writer->is_running)
		return;
	for (size_t i = 0; i < count; i++)
		for (enum channel channel = 0; channel < CHANNELS; channel++) {
			struct finding *finding = &writer->found[i][channel];

			any |= finding_is_set(finding);
			writer->updates[i][channel] =
			    (struct health_update){ .finding = *finding };
			*finding = (struct finding){ .reason = "" };
		}
	if (any)
		writer->is_running = poolmgr_submit(writer->poolmgr, health_writer_write,
		                                    health_writer_written, writer);
}

static struct finding *health_writer_finding(struct health_writer *writer,
                                             const struct server *server,
                                             enum channel channel)
{
	const struct server *first = writer->poolmgr->servers->item;

	return &writer->found[server - first][channel];
}

/* True: there are failures that are not written yet. */
static bool health_writer_has_failures(struct health_writer *writer,
                                       const struct server *server, enum channel channel)
{
	size_t at = (size_t)(server - writer->poolmgr->servers->item);

	return writer->found[at][channel].evidence.failures ||
	       (writer->is_running &&
	        writer->updates[at][channel].finding.evidence.failures);
}

void health_answered(struct health_writer *writer, struct server *server,
                     enum channel channel)
{
	struct finding *finding = health_writer_finding(writer, server, channel);

	if (!server->health[channel].failures &&
	    !health_writer_has_failures(writer, server, channel))
		return;
	*finding = (struct finding){ .evidence = { .has_answered = true } };
	health_writer_submit(writer);
}

void health_failed(struct health_writer *writer, struct server *server,
                   enum channel channel, const char *reason)
{
	struct finding *finding = health_writer_finding(writer, server, channel);

	if (server_fails(server, channel) && !server->health[channel].is_due)
		return;
	finding->evidence.failures++;
	snprintf(finding->reason, sizeof(finding->reason), "%s", reason);
	health_writer_submit(writer);
}

void health_seen(struct server *server, const struct health health[CHANNELS])
{
	for (enum channel channel = 0; channel < CHANNELS; channel++)
		server_set_health(server, channel, &health[channel]);
}
