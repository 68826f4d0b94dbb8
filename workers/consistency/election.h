/*
 * roster -- who of a service is alive, who is its master, and which share of the work
 * each of them has (seed 004: the election, the hash factor). The rows are the seed's; a
 * member writes its own time, all the rest is the master's to write.
 *
 * The master is obeyed by generation: each roster that differs from the one before has a
 * higher number, in every row, and a member whose row has another one than the master's
 * does nothing. Shares go by the order in which members came: A, B, C have 0, 1, 2; D
 * comes and has 3; B dies, and A has 0, C 1, D 2.
 *
 * Pure. All times are the database's, in milliseconds: clocks of members do not matter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROSTER_NAME = 128 };

struct member {
	char plugin_name[ROSTER_NAME + 1];
	bool is_master;			/* role */
	bool active;			/* status; else down */
	int hash_factor;		/* -1: none yet */
	int total_number;		/* in the master's row; else 0 */
	int64_t plugin_time_ms;		/* when it was last heard of */
	uint64_t generation;
};

/* Nobody is master, or he was not heard of for longer than TIMEOUT_MS. */
bool roster_is_vacant(const struct member *members, size_t count, int64_t now_ms,
                      int timeout_ms);
bool roster_is_master(const struct member *members, size_t count, const char *me);
/*
 * What the rows are to be now that ME is the master: who is down, the shares, their
 * number and the generation. True if they differ from what they were.
 */
bool roster_arrange(struct member *members, size_t count, const char *me,
                    int64_t now_ms, int timeout_ms);

/* A share of what is to be done: of `total` equal ones that of number `factor`. */
struct share {
	uint32_t factor, total;		/* total 0: none, do nothing */
	uint64_t generation;
};

/* What ME has by these rows. */
struct share roster_share(const struct member *members, size_t count, const char *me);
uint32_t share_hash(const char *object_uuid);
/* Is the object of that id among it? By the CRC-32 of the id (seed: hash mod total). */
bool share_has(const struct share *share, const char *object_uuid);
