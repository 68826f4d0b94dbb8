/*
 * wait -- until a change is on the name servers. central is asked often at
 * first and less often later; on a terminal a line shows each server's serial
 * and state meanwhile.
 */
#pragma once

#include "cli.h"
#include "model/state.h"

/* What is waited for. */
struct goal {
	const char *domain;	/* as central takes it; an id survives the domain */
	uint32_t serial;
	bool is_deletion;
};

enum verdict { VERDICT_OPEN, VERDICT_ACTIVE, VERDICT_ERROR, VERDICT_DELETED };

/* How things stand, by what central tells of the domain. */
struct standing {
	enum task task;
	enum status status;
	uint32_t serial;
	bool is_everywhere;	/* every server has the goal's serial, or a newer one */
};
enum verdict wait_judge(const struct goal *goal, const struct standing *standing);

/*
 * One look at how far it is. A goal of serial 0 gets the one that the domain has by now.
 * Not OK: the domain is in ERROR, as --wait tells it; or ERR_NOT_FOUND.
 */
enum err wait_look(struct cli *cli, struct goal *goal, enum verdict *verdict);
/*
 * The end of every changing command: RESULT (taken over) is the answer, LINE tells of it.
 * With --wait the goal is waited for, and "status" and "seconds" are added to the result.
 */
enum err wait_finish(struct cli *cli, json_t *result, const struct goal *goal,
                     const char *line);
