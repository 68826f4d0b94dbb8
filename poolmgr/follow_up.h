/*
 * follow_up -- corrects a server that answers but does not serve the serial of the
 * database. core/follow.h decides when and how the pool manager acts. A job calls the
 * driver on the lane (thread) of the server, under the same lock as operations on the
 * domain. If the serial of the server is ahead and commands do not help, the job asks
 * central to raise the serial of the domain. The job reads the rows again before it acts.
 * For each action, the job adds a row to repair_log. The pauses between actions depend on
 * these rows.
 *
 * If a process crashes, its jobs are lost. The next report about the same server and
 * domain starts a new job.
 */
#pragma once

#include "peers.h"
#include "poolmgr.h"
#include "servers.h"

struct follow_up;

void follow_up_metrics(void);	/* call it before the fork */
struct follow_up *follow_up_new(struct poolmgr *poolmgr);
/* Call it after servers_stop(). */
void follow_up_free(struct follow_up **follow_up);
/*
 * The last report about a domain on a server. The row of this domain and server has the
 * status ERROR.
 */
struct follow_report {
	const struct server *server;
	const struct domain_ref *domain;
	/* serial of the server; NULL: the server answered without a serial */
	const uint32_t *serves;
	bool was_sent;			/* see struct follow_case */
};
/*
 * Starts a job for the server and domain of REPORT. Does nothing if the domain already
 * has a job on this server, if the control channel of the server fails, or if this
 * process already has 5000 jobs.
 */
void follow_up_observe(struct follow_up *follow_up, const struct follow_report *report,
                       const struct cause *cause);
