/*
 * health -- writes to the database whether the servers answer (core/health.h). All pool
 * managers share the state in pool_servers. A job on the pool manager's lane writes the
 * observations of this process. If the process makes an observation while a job is
 * running, the next job writes the observation. Every second, retry.c reads the health of
 * all servers from their rows.
 */
#pragma once

#include "poolmgr.h"
#include "servers.h"

struct health_writer;

struct health_writer *health_writer_new(struct poolmgr *poolmgr);
void health_writer_free(struct health_writer **writer);

/*
 * Call these functions on the event loop when a server has answered, or has not answered.
 * REASON: the text for the row of the server.
 */
void health_answered(struct health_writer *writer, struct server *server,
                     enum channel channel);
void health_failed(struct health_writer *writer, struct server *server,
                   enum channel channel, const char *reason);
/*
 * Sets the health of SERVER to HEALTH, the values in the row of SERVER. Call it on the
 * event loop.
 */
void health_seen(struct server *server, const struct health health[CHANNELS]);
