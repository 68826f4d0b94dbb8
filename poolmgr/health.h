/*
 * health -- what this process finds out of its servers, and what all of them know: whether a
 * server answers (core/health.h). What is found out is written on the lane, what came
 * meanwhile together; each second the rows are read (retry.h).
 */
#pragma once

#include "poolmgr.h"
#include "servers.h"

struct healths;

struct healths *healths_new(struct poolmgr *poolmgr);
void healths_free(struct healths **healths);

/* On the loop. REASON: what is wrong, in words. */
void health_answered(struct healths *healths, struct server *server, enum channel channel);
void health_failed(struct healths *healths, struct server *server, enum channel channel,
                   const char *reason);
/* On the loop: the row of SERVER, as it was read. */
void health_seen(struct server *server, const struct health health[CHANNELS]);
