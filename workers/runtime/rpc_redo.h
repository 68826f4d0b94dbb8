/*
 * rpc_redo -- stores requests that wait for their next run while other requests run. Such
 * a request has lost a race, or another transaction has locked a row that the request
 * needs.
 *
 * Waiting requests about the same subject run one after the other. The first request to
 * wait gets a pause. When this pause ends, the first request runs, and then the other
 * requests run in the order in which they arrived. The queue limits the number of
 * requests that wait for locked rows, because each waiting request takes one place of the
 * broker's prefetch limit. This module has no timer and reads no clock. A request embeds
 * a struct redo_entry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The lost races and the waiting time of a request. Set the struct to zero before the
 * first run.
 */
struct redo {
	int races;
	int64_t race_until_ms;
	int64_t locked_ms;		/* time of the first run that found a lock */
};

/*
 * Returns the pause before the next run of a request; -1: the request does not run again.
 * The last run took RUN_MS and ended at NOW_MS with ERR, an error of RETRY_NOW. RANDOM is
 * a random number.
 */
int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random);

/*
 * Subjects whose row is locked, and the time since which each row is locked. The case of
 * a subject and a dot at its end have no effect.
 */
struct locked_subjects {
	struct {
		uint32_t hash;
		int64_t since_ms, until_ms;	/* until_ms 0: not locked */
		int64_t won_ms;			/* the last success */
	} slot[64];
};

/* Notes the result of a request. IS_LOCKED: the request found the row locked. */
void locked_subjects_note(struct locked_subjects *locked, const char *subject,
                          bool is_locked, int64_t now_ms);
/*
 * True: a request may wait for the row in the database. A recent request about the
 * subject has succeeded, so other processes probably lock the row only for a short time.
 */
bool locked_subjects_may_wait(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms);
/*
 * Returns the time since which the row of the subject is locked. 0: no recent request
 * found the row locked.
 */
int64_t locked_subjects_since(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms);

struct redo_entry {
	/* next first request of a subject, or next entry behind the same first request */
	struct redo_entry *next;
	struct redo_entry *behind, **behind_end;
	const char *subject;		/* borrowed; NULL: no subject */
	int64_t due_ms;			/* only for the first request of a subject */
	bool is_locked;
};

struct redo_queue {
	struct redo_entry *leaders;
	size_t count, locked;
	size_t locked_max;
};

/*
 * True: too many requests wait, so no other request may wait for a row that has been
 * locked since SINCE_MS (0: the row is not locked). Always false for a row that has been
 * locked only for a moment, for example by another call.
 */
bool redo_queue_is_full(const struct redo_queue *queue, int64_t since_ms, int64_t now_ms);
/* Returns the first waiting request of SUBJECT, or NULL. */
struct redo_entry *redo_queue_leader(const struct redo_queue *queue, const char *subject);
/*
 * Adds the entry behind the first request of its subject. The entry then runs after the
 * first request. If no request of the subject waits, the entry is the first request and
 * is due at DUE_MS.
 */
void redo_queue_add(struct redo_queue *queue, struct redo_entry *entry, int64_t due_ms);
/*
 * Takes a due first request and the entries behind it, linked by `next`. NULL: no request
 * is due.
 */
struct redo_entry *redo_queue_take_due(struct redo_queue *queue, int64_t now_ms);
/* Returns the time at which the next first request is due; -1: the queue is empty. */
int64_t redo_queue_due_ms(const struct redo_queue *queue);
