/*
 * wait -- waits until the name servers serve a change. The client asks central for the
 * state of the domain, with growing pauses. On a terminal, the client shows the serial
 * and the state of each name server in one line.
 *
 * The pool manager retries a domain with the status ERROR, and the first retries often
 * succeed. So an ERROR does not end a wait before its time limit. A wait without a time
 * limit (watch) fails if the domain has had the status ERROR for 30 s. An ERROR never
 * ends `watch --until active` before its time limit.
 */
#pragma once

#include "cli.h"
#include "model/state.h"

/* The condition that ends a wait for a domain that stays in ERROR. */
enum wait_patience {
	PATIENCE_LIMIT,			/* only the time limit of the wait */
	PATIENCE_30_S,			/* 30 s in ERROR, or the time limit of the wait */
};

/* The state of a domain for which the client waits. */
struct goal {
	/* name or id of the domain; the string must outlive the goal */
	const char *domain;
	uint32_t serial;
	bool is_deletion;
	/*
	 * true: wait for any serial or for a deletion, and ignore `serial` and
	 * `is_deletion`
	 */
	bool is_any;
	bool is_until_active;	/* with is_any: a deletion is a failure of the command */
	enum wait_patience patience;
	/* time of the first check that found the current ERROR; 0: no ERROR */
	int64_t error_since_ms;
};

enum wait_outcome { WAIT_OPEN, WAIT_ACTIVE, WAIT_ERROR, WAIT_DELETED };

/* The current state of the domain, from the answer of central. */
struct domain_view {
	enum task task;
	enum status status;
	uint32_t serial;
	/* all servers serve the goal's serial or a newer serial */
	bool is_everywhere;
};
/*
 * True: a poll has found SERIAL or a newer serial on all servers of the domain. A server
 * on which the zone is still being created has no serial. DOMAIN: the domain in the
 * answer of get_status.
 */
bool wait_is_everywhere(const json_t *domain, uint32_t serial);
enum wait_outcome wait_decide(const struct goal *goal, const struct domain_view *view);
/* True: the command fails if the domain is deleted. */
bool wait_must_exist(const struct goal *goal);
/*
 * If OUTCOME is WAIT_ERROR, but does not end the wait yet, returns WAIT_OPEN. Otherwise
 * returns OUTCOME. NOW_MS is a monotonic time.
 */
enum wait_outcome wait_allow_retries(struct goal *goal, enum wait_outcome outcome,
                                     int64_t now_ms);

/*
 * Checks the domain once. If goal->serial is 0, sets goal->serial to the current serial
 * of the domain. If the domain is in ERROR, writes the domain and the reason to
 * IN_ERROR. Otherwise empties IN_ERROR. Fails with ERR_NOT_FOUND if the domain does not
 * exist.
 */
enum err wait_poll(struct cli *cli, struct goal *goal, enum wait_outcome *outcome,
                   struct buf *in_error);
/*
 * Appends the reasons of the servers that have not succeeded, each reason once: "bind,
 * nsd: REASON; knot: REASON". DOMAIN: the domain in the answer of get_status.
 */
void wait_explain_servers(const json_t *domain, struct buf *words);
/*
 * Removes the warnings from an answer and prints these warnings. main.c adds the
 * warnings to the document for --json, together with the warnings of the client.
 */
void wait_take_warnings(struct cli *cli, json_t *result);
/*
 * Ends a command that changes a domain: prints LINE, unless --json or --quiet is given,
 * and sets the document for --json to RESULT, the answer. Takes over RESULT. If --wait
 * is given, waits for GOAL, and adds "task", "status", "seconds" and a missing "serial"
 * to RESULT.
 */
enum err wait_finish(struct cli *cli, json_t *result, const struct goal *goal,
                     const char *line);
