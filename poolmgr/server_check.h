/*
 * server_check -- checks at the interval poolmgr.server_check_interval whether each
 * server answers mini-DNS. So the health of a server is also correct while no domain
 * changes. After a failure, the time between two checks of the server is at most 5 s.
 * For a check, a process calls the method check_servers of mini-DNS. mini-DNS sends one
 * query to each server in the call, and casts update_servers to any pool manager of the
 * pool. Each server is in the share of one process. This module does not check a server
 * without zones.
 */
#pragma once

#include "model/messages.h"
#include "poolmgr.h"

struct server_check;

struct server_check *server_check_new(struct poolmgr *poolmgr);
void server_check_free(struct server_check **check);
/* A timer calls it every second. */
void server_check_fire(struct server_check *check);

/*
 * Updates the health of the server in ANSWER, one element of update_servers. Ignores
 * servers that are not in the settings.
 */
void server_check_answered(struct poolmgr *poolmgr, const struct server_answer *answer);
