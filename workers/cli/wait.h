/*
 * wait -- waits until a change is on the name servers. It polls central with growing
 * pauses. On a terminal a line shows the serial and the state of each server.
 *
 * A domain in ERROR often recovers by the first retries of the pool manager. So a wait
 * fails only after the domain has been in ERROR for 15 s, or when the time limit ends.
 */
#pragma once

#include "cli.h"
#include "model/state.h"

/* The state to wait for. */
struct goal {
	const char *domain;	/* a name or an id, which must outlive the goal */
	uint32_t serial;
	bool is_deletion;
	/* the first poll of those that saw ERROR; 0: the domain is not in ERROR */
	int64_t error_since_ms;
};

enum wait_outcome { WAIT_OPEN, WAIT_ACTIVE, WAIT_ERROR, WAIT_DELETED };

/* The present state of the domain, from the answer of central. */
struct domain_view {
	enum task task;
	enum status status;
	uint32_t serial;
	bool is_everywhere;	/* all servers have the goal's serial or newer */
};
enum wait_outcome wait_decide(const struct goal *goal, const struct domain_view *view);

/*
 * Polls the domain once. If the goal's serial is 0, it gets the present serial of the
 * domain. Fails as --wait does: if the domain stays in ERROR, or with ERR_NOT_FOUND.
 */
enum err wait_poll(struct cli *cli, struct goal *goal, enum wait_outcome *outcome);
/*
 * Ends a command that changes a domain: RESULT (taken over) is the answer, and LINE the
 * text to print. --wait waits for GOAL and adds "status" and "seconds" to RESULT.
 */
enum err wait_finish(struct cli *cli, json_t *result, const struct goal *goal,
                     const char *line);
