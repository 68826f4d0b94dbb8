/*
 * judge -- from the rows: has the pool done what a domain is owed, or failed at it? Then
 * central hears of it (core/verdict.h has the words, tell.h the way).
 */
#pragma once

#include "poolmgr.h"
#include "model/messages.h"

struct server;

/* What is to be judged, and the report that calls for it; NULL: all is told again. */
struct question {
	const char *domain_id;
	enum action action;
	const char *request_id;
	const struct server_report *report;
};
/* At most LIST_MAX questions; those about one domain and action have one answer. */
enum err judge_all(struct poolmgr *poolmgr, const struct question *questions,
                   size_t count, struct why *why);

/* The same in two halves: what the rows say, on any thread with a DB of its own; */
struct inquiry {
	const struct question *questions;
	size_t count;
	struct ruling {
		struct pool_report report;
		const struct question *first;	/* of those that ask for it */
	} *rulings;			/* room for COUNT; in the arena what they point to */
	size_t found;
	struct foreign {		/* who serves a serial that is none of ours */
		struct foreign *next;
		const struct server *server;
		const struct domain_ref *domain;
		uint32_t serial;
		const char *request_id;
	} *foreign;
};
enum err judge_read(const struct poolmgr *poolmgr, struct db *db, struct inquiry *inquiry,
                    struct arena *arena, struct why *why);
/* and on the loop what central is told of it, and what is followed up. */
void judge_tell(struct poolmgr *poolmgr, const struct inquiry *inquiry);
