/*
 * health -- whether the servers answer (core/health.h), as this process finds out and as
 * all pool managers share it. A job on the lane writes the findings. Findings that arrive
 * while a job runs wait for the next job, which writes them together. retry.c reads the
 * rows each second (retry.h).
 */
#pragma once

#include "poolmgr.h"
#include "servers.h"

struct health_writer;

struct health_writer *health_writer_new(struct poolmgr *poolmgr);
void health_writer_free(struct health_writer **health_writer);

/* On the loop. REASON: what is wrong, in words. */
void health_answered(struct health_writer *health_writer, struct server *server,
                     enum channel channel);
void health_failed(struct health_writer *health_writer, struct server *server,
                   enum channel channel, const char *reason);
/* On the loop: the row of SERVER, as it was read. */
void health_seen(struct server *server, const struct health health[CHANNELS]);
