/*
 * health -- records whether the servers answer (core/health.h). All pool managers share
 * the state in pool_servers. A job on the lane writes the observations of this process.
 * Observations that come while a job runs wait for the next job. retry.c reads the rows
 * each second.
 */
#pragma once

#include "poolmgr.h"
#include "servers.h"

struct health_writer;

struct health_writer *health_writer_new(struct poolmgr *poolmgr);
void health_writer_free(struct health_writer **writer);

/* Call these on the loop. REASON: a text for the row. */
void health_answered(struct health_writer *writer, struct server *server,
                     enum channel channel);
void health_failed(struct health_writer *writer, struct server *server,
                   enum channel channel, const char *reason);
/* On the loop: sets the health of SERVER to the values in its row. */
void health_seen(struct server *server, const struct health health[CHANNELS]);
