/*
 * server_check -- asks each name server at each server_check_interval whether it still
 * answers. Without it, a pool manager sees that a server is dead only after the tries of
 * a change, or in the next full scan.
 *
 * The master of the pool chooses one ACTIVE domain, another one in each check. It orders
 * a poll of this domain at each server, with one try. The reports change the health of
 * the servers (health.h). A server that already fails gets the probes of retry.h instead.
 */
#pragma once

struct poolmgr;
struct server_check;

struct server_check *server_check_new(struct poolmgr *poolmgr);
void server_check_free(struct server_check **check);
void server_check_fire(struct server_check *check);	/* by a timer */
