/*
 * rpc_redo -- stores requests that wait for their next run while other requests run. A
 * request waits if it has lost a race, or if another transaction has locked a row that
 * the request needs.
 *
 * Waiting requests about the same subject run one after the other. The first waiting
 * request of a subject gets a pause. When this pause ends, the first request runs. After
 * it, the other requests of the subject run in the order in which they arrived. The
 * queue limits the number of requests that wait for locked rows, because each waiting
 * request takes one place of the broker's prefetch limit. This module has no timer and
 * reads no clock. A request embeds a struct redo_entry.
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
	/*
	 * end of the first run that found a locked row; 0: no run has found a locked row
	 */
	int64_t locked_ms;
};

/*
 * Returns the pause before the next run of a request. The last run took RUN_MS and ended
 * at NOW_MS with ERR (ERR_RACE or ERR_LOCKED). RANDOM is a random number. -1: a limit is
 * reached, so the request must not run again. There are four limits: 8 lost races; 2 s
 * since the first lost race; 4.5 s for the run that lost the first race; and 5 s since
 * the first run that found a locked row.
 */
int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random);

/*
 * Contains the subjects with locked rows. For each subject, SINCE_MS is the time at
 * which a request first found the row locked. Upper and lower case, and a dot at the end
 * of a subject, make no difference. If a slot is occupied, a new locked subject replaces
 * the subject in the slot.
 */
struct locked_subjects {
	struct {
		uint32_t hash;
		/* until_ms is 0 if the row is not locked */
		int64_t since_ms, until_ms;
		/* time of the last request that succeeded; 0: no request has succeeded */
		int64_t won_ms;
	} slot[64];
};

/*
 * Notes the result of a request about SUBJECT. IS_LOCKED: the request found the row
 * locked. Otherwise the request has succeeded.
 */
void locked_subjects_note(struct locked_subjects *locked, const char *subject,
                          bool is_locked, int64_t now_ms);
/*
 * True: a request about SUBJECT may wait for the row in the database. A request about the
 * subject has succeeded in the last second, and no later request found the row locked. So
 * other processes probably lock the row only for a short time.
 */
bool locked_subjects_may_wait(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms);
/*
 * Returns the time at which a request first found the row of SUBJECT locked. 0: the row
 * is not known to be locked, because the last request succeeded, or no request found the
 * row locked in the last 3 s.
 */
int64_t locked_subjects_since(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms);

struct redo_entry {
	/*
	 * for the first request of a subject: the first request of another subject. For
	 * a request behind a first request: the next request of the same subject
	 */
	struct redo_entry *next;
	struct redo_entry *behind, **behind_end;
	/* subject of the request; borrowed. NULL: no subject */
	const char *subject;
	/* only for the first request of a subject: time at which the request is due */
	int64_t due_ms;
	bool is_locked;
};

struct redo_queue {
	struct redo_entry *leaders;
	size_t count, locked;
	size_t locked_max;
};

/*
 * True: no further request may wait for a row that has been locked since SINCE_MS,
 * because queue->locked_max requests already wait for locked rows. The result is always
 * false if the row has been locked for less than 250 ms, or if SINCE_MS is 0 (the row is
 * not locked).
 */
bool redo_queue_is_full(const struct redo_queue *queue, int64_t since_ms, int64_t now_ms);
/* Returns the first waiting request of SUBJECT. NULL: no request of SUBJECT waits. */
struct redo_entry *redo_queue_leader(const struct redo_queue *queue, const char *subject);
/*
 * Adds ENTRY behind the first request of the subject of ENTRY. If no request of this
 * subject waits, ENTRY becomes the first request and is due at DUE_MS.
 */
void redo_queue_add(struct redo_queue *queue, struct redo_entry *entry, int64_t due_ms);
/*
 * Removes a first request that is due, and all requests behind this request, from the
 * queue. Returns these requests as a list that is linked by `next`. NULL: no request is
 * due.
 */
struct redo_entry *redo_queue_take_due(struct redo_queue *queue, int64_t now_ms);
/* Returns the time at which the next first request is due. -1: the queue is empty. */
int64_t redo_queue_due_ms(const struct redo_queue *queue);
