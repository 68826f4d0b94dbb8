/*
 * rpc_redo -- requests that wait for their next run while others go on. They lost a race,
 * or another transaction holds the row that they want.
 *
 * Requests about one subject wait behind the first of them, the leader, and run again
 * with it in their order. The number of requests that wait for rows is limited, because
 * each of them takes one place of the prefetch. Pure: no timer, no clock. A request
 * embeds a struct redo_entry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Why and since when a request runs again. All zero before its first run. */
struct redo {
	int races;
	int64_t race_until_ms;
	int64_t locked_ms;		/* when it first found the row locked */
};

/*
 * How long a request waits for its next run. Its last run took RUN_MS and ended at NOW_MS
 * in ERR, an error of RETRY_NOW. -1: no further run. RANDOM is any 32 bits.
 */
int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random);

/*
 * Subjects whose row was locked lately. A request about one of them does not wait in the
 * database.
 */
struct locked_subjects {
	struct {
		uint32_t hash;
		int64_t until_ms;	/* 0: it is not held */
	} slot[64];
};

void locked_subjects_note(struct locked_subjects *locked, const char *subject,
                          bool is_locked, int64_t now_ms);
bool locked_subjects_has(const struct locked_subjects *locked, const char *subject,
                         int64_t now_ms);

struct redo_entry {
	struct redo_entry *next;	/* leader, or entry behind the same leader */
	struct redo_entry *behind, **behind_end;
	const char *subject;		/* borrowed; NULL: none */
	int64_t due_ms;			/* of a leader */
	bool is_locked;
};

struct redo_queue {
	struct redo_entry *leaders;
	size_t count, locked;
	size_t locked_max;
};

/*
 * May no further request wait for a row that is locked since LOCKED_MS? A row that is
 * locked for a short time has room for all.
 */
bool redo_queue_is_full(const struct redo_queue *queue, int64_t locked_ms,
                        int64_t now_ms);
/* The entry that others about SUBJECT wait behind, or NULL. */
struct redo_entry *redo_queue_leader(const struct redo_queue *queue, const char *subject);
/* Adds it behind the leader of its subject, whose time counts, or makes it a leader. */
void redo_queue_add(struct redo_queue *queue, struct redo_entry *entry, int64_t due_ms);
/* Takes a due leader and the entries behind it, linked by next. NULL: none is due. */
struct redo_entry *redo_queue_take_due(struct redo_queue *queue, int64_t now_ms);
/* When the next leader is due; -1: the queue is empty. */
int64_t redo_queue_due_ms(const struct redo_queue *queue);
