/*
 * judge -- from the rows: has the pool done what a domain is owed, or failed at it? Then
 * central hears of it (verdict.h has the words, tell.h the way).
 */
#pragma once

#include "poolmgr.h"
#include "model/messages.h"

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
