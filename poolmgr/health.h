/*
 * health -- records whether the servers answer (core/health.h). The state in
 * pool_servers is common to all pool managers. A job on the lane writes the findings of
 * this process. Findings that arrive while a job runs wait for the next job. retry.c
 * reads the rows each second.
 */
#pragma once

#include "poolmgr.h"
#include "servers.h"

struct health_writer;

struct health_writer *health_writer_new(struct poolmgr *poolmgr);
void health_writer_free(struct health_writer **writer);

/* On the loop. REASON: a text for the row. */
void health_answered(struct health_writer *writer, struct server *server,
                     enum channel channel);
void health_failed(struct health_writer *writer, struct server *server,
                   enum channel channel, const char *reason);
/* On the loop: takes over the row of SERVER as HEALTH. */
void health_seen(struct server *server, const struct health health[CHANNELS]);
