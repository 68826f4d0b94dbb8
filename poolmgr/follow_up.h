/*
 * follow_up -- corrects a server that answers but does not serve the serial of the
 * database. core/follow.h decides when and how the pool manager acts. A job calls the
 * driver on the lane (thread) of the server, under the same lock as operations on the
 * domain. If the server accepts no commands, the job asks central for a newer serial.
 * The job reads the rows again before it acts. The job writes each action to a row of
 * repair_log. The pauses between actions depend on these rows.
 *
 * If a process crashes, its jobs are lost. The next report about the same server and
 * domain starts a new job.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"
#include "servers.h"

struct follow_up;

void follow_up_metrics(void);	/* before the fork */
struct follow_up *follow_up_new(struct poolmgr *poolmgr);
/* Call it after servers_stop(). */
void follow_up_free(struct follow_up **follow_up);
/* The last report about a domain on a server. Its row has the status ERROR. */
struct follow_report {
	const struct server *server;
	const struct domain_ref *domain;
	const uint32_t *serves;		/* NULL: the server answered without a serial */
	bool was_sent;			/* as in struct follow_case */
};
/* Starts a follow-up. */
void follow_up_observe(struct follow_up *follow_up, const struct follow_report *report,
                       const struct cause *cause);
