/*
 * rpc_redo -- requests that wait for their next run, while others go on:
 * they lost a race, or another holds the row that they want.
 *
 * Those about the same subject wait behind the first of them and come back
 * with it, in their order. How many wait for rows is limited, for each of them
 * is one message less that the broker hands out. Pure: no timer, no clock; a
 * request embeds a struct parked.
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
	int64_t locked_ms;		/* since when it found the row locked */
};

/*
 * How long a request that ended in ERR (of FATE_REDO) at NOW_MS, after a run of RUN_MS,
 * waits for its next run; -1: it has had its tries. RANDOM is any 32 bits.
 */
int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random);

/*
 * Subjects whose row was found locked lately, for longer than a moment: nobody waits in
 * the database for what is known to take long.
 */
struct held {
	struct {
		uint32_t hash;
		int64_t until_ms;	/* 0: it is not held */
	} slot[64];
};

void held_note(struct held *held, const char *subject, bool is_held, int64_t now_ms);
bool held_lately(const struct held *held, const char *subject, int64_t now_ms);

struct parked {
	struct parked *next;		/* a leader's, or of those behind the same one */
	struct parked *behind, **behind_end;
	const char *subject;		/* borrowed; NULL: none */
	int64_t due_ms;			/* a leader's */
	bool is_locked;
};

struct parking {
	struct parked *leaders;
	size_t count, locked;
	size_t locked_max;
};

/*
 * Would one more that waits for a row, since LOCKED_MS, be too many? A row that is in
 * great demand, and not held for long, has room for all.
 */
bool parking_is_full(const struct parking *parking, int64_t locked_ms, int64_t now_ms);
/* The one that those about SUBJECT wait behind; NULL: there is none. */
struct parked *parking_leader(const struct parking *parking, const char *subject);
/* Behind the leader of its subject, whose time counts; without one, it is one itself. */
void parking_add(struct parking *parking, struct parked *parked, int64_t due_ms);
/* A leader whose time has come, with those behind it, by their next; NULL: none. */
struct parked *parking_take_due(struct parking *parking, int64_t now_ms);
/* When that will be; -1: nothing waits. */
int64_t parking_due_ms(const struct parking *parking);
