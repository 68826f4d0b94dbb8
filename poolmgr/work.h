/*
 * work -- driver operations, each on its server's lane, and what follows
 * from how they end. The rows that say what is owed are written before
 * (work_owed) or were found due (the sync); an operation that is lost with
 * its process is found again by them.
 */
#pragma once

#include "poolmgr.h"
#include "tell.h"

/*
 * Write the debt of all servers and start on it, if the domain's row says that it is owed
 * still; the message may be acknowledged then. ACTION_CREATE or ACTION_DELETE.
 */
enum err work_owed(struct poolmgr *poolmgr, const char *domain_id, enum action action,
                   const struct cause *cause, struct why *why);
/* Start one operation whose row exists. ACTION_CREATE or ACTION_DELETE. */
void work_start(struct poolmgr *poolmgr, const struct domain_ref *domain,
                enum action action, struct server *server, const struct cause *cause);
/* What is to be judged, and the report that calls for it; NULL: all is told again. */
struct question {
	const char *domain_id;
	enum action action;
	const char *request_id;
	const struct server_report *report;
};
/*
 * From the rows: has the pool done it, or failed at it? Then central hears of it. At most
 * LIST_MAX questions; those about one domain and action have one answer.
 */
enum err work_judge(struct poolmgr *poolmgr, const struct question *questions,
                    size_t count, struct why *why);
/* A server is back: what failed on it is due now, through its control channel or not. */
void work_release(struct poolmgr *poolmgr, const char *server_id, bool control);
void work_metrics(void);	/* before the fork */
