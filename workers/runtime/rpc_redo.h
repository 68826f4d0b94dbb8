/*
 * rpc_redo -- requests that wait for their next run while other requests run. They lost a
 * race, or another transaction holds the row that they want.
 *
 * Requests about one subject wait behind the first of them, the leader. They run again
 * with it, in their order. It limits the number of requests that wait for rows, because
 * each of them takes one place of the prefetch. Pure: no timer, no clock. A request
 * embeds a struct redo_entry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Why a request runs again, and since when. Zero it before the first run. */
struct redo {
	int races;
	int64_t race_until_ms;
	int64_t locked_ms;		/* when it first found the row locked */
};

/*
 * The pause of a request before its next run. Its last run took RUN_MS and ended at
 * NOW_MS with ERR, an error of RETRY_NOW. -1: no further run. RANDOM is any 32 bits.
 */
int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random);

/*
 * Subjects whose row is locked, and since when. A subject is the same in upper and lower
 * case, and with a dot at its end.
 */
struct locked_subjects {
	struct {
		uint32_t hash;
		int64_t since_ms, until_ms;	/* until_ms 0: not locked */
		int64_t won_ms;			/* the last success */
	} slot[64];
};

void locked_subjects_note(struct locked_subjects *locked, const char *subject,
                          bool is_locked, int64_t now_ms);
/*
 * True: a request may wait in the database, because calls about the subject succeed in
 * turns with other processes. A row that is locked for long had no success lately.
 */
bool locked_subjects_may_wait(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms);
/* 0: no request has found the row of the subject locked lately. */
int64_t locked_subjects_since(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms);

struct redo_entry {
	/* the next leader, or the next entry behind the same leader */
	struct redo_entry *next;
	struct redo_entry *behind, **behind_end;
	const char *subject;		/* borrowed; NULL: no subject */
	int64_t due_ms;			/* only of a leader */
	bool is_locked;
};

struct redo_queue {
	struct redo_entry *leaders;
	size_t count, locked;
	size_t locked_max;
};

/*
 * True: no further request may wait for a row that is locked since SINCE_MS (0: it is
 * not). For a row that is locked for a moment, as by another call, it is always false.
 */
bool redo_queue_is_full(const struct redo_queue *queue, int64_t since_ms, int64_t now_ms);
/* The leader of SUBJECT, or NULL. */
struct redo_entry *redo_queue_leader(const struct redo_queue *queue, const char *subject);
/*
 * Adds the entry behind the leader of its subject, whose time counts, or makes it a
 * leader.
 */
void redo_queue_add(struct redo_queue *queue, struct redo_entry *entry, int64_t due_ms);
/*
 * Takes a due leader and the entries behind it, linked by `next`. NULL: no leader is due.
 */
struct redo_entry *redo_queue_take_due(struct redo_queue *queue, int64_t now_ms);
/* When the next leader is due; -1: the queue is empty. */
int64_t redo_queue_due_ms(const struct redo_queue *queue);
