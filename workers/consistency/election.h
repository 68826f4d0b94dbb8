/*
 * election -- which processes of a service are alive, which one is the master, and which
 * share of the work each has (seed 004: the election, the hash factor). Pure. All times
 * are the database's, in milliseconds.
 *
 * Each member writes its own time; the master writes everything else. Each change of the
 * members gets a higher generation, which the master writes to every row. A member whose
 * row has another generation than the master's has no share. Shares follow the order of
 * arrival: A, B and C have 0, 1 and 2. D arrives and has 3. B dies; then A has 0, C has
 * 1 and D has 2.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMBER_NAME = 128 };

struct member {
	char plugin_name[MEMBER_NAME + 1];
	bool is_master;			/* the column role */
	bool active;			/* the column status; false: down */
	int hash_factor;		/* -1: not assigned yet */
	int total_number;		/* in the master's row; 0 in the other rows */
	int64_t plugin_time_ms;		/* its last heartbeat */
	uint64_t generation;
};

/* True: there is no master, or it has sent no heartbeat for TIMEOUT_MS. */
bool election_is_vacant(const struct member *members, size_t count, int64_t now_ms,
                        int timeout_ms);
bool election_is_master(const struct member *members, size_t count, const char *me);
/*
 * The master ME sets in the rows which members are dead, the shares, their number and
 * the generation. True: a row has changed.
 */
bool election_assign(struct member *members, size_t count, const char *me,
                     int64_t now_ms, int timeout_ms);

/* Share number `factor` of `total` equal shares of the work. */
struct share {
	uint32_t factor, total;		/* total 0: no share, do no work */
	uint64_t generation;
};

/* The share of ME according to these rows. */
struct share election_share(const struct member *members, size_t count, const char *me);
uint32_t share_hash(const char *object_uuid);
/* True: the share has the object, by the CRC-32 of its id (seed 004: hash mod total). */
bool share_has(const struct share *share, const char *object_uuid);
