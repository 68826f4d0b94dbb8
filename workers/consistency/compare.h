/*
 * compare -- what a master store has beside what a slave store has, and what is done
 * about it (seed 004). Both go on changing while they are read, so what differs is
 * believed only when a second round finds it as the first one did; then whoever repairs
 * takes the object's lock, reads once more, and asks here a last time. An object that
 * was repaired too often within an hour is parked: something undoes the repairs.
 *
 * The memory of a round is what differed in it, never what was the same. What was not
 * seen again for MEMORY_ROUNDS rounds, as after a failed reading, is forgotten.
 *
 * Pure. Versions are only compared for being equal; 0 is a version as any other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Master only: create. Slave only: delete. Both, but not alike: update. */
enum difference { DIFF_NONE, DIFF_CREATE, DIFF_UPDATE, DIFF_DELETE, DIFF_COUNT };

/* What one reading found of an object. */
struct sight {
	bool failed;			/* one could not be read: it says nothing */
	bool in_master, in_slave;
	uint64_t master_version, slave_version;		/* of those that are there */
	bool content_differs;		/* though the versions are equal */
};

struct compare_terms {
	int repairs_an_hour;		/* more, and the object is parked */
};

struct compare;
struct compare *compare_new(uint32_t seed, const struct compare_terms *terms);
void compare_free(struct compare **compare);

/* A round begins: all objects come once in it, or not at all. */
void compare_begin(struct compare *compare);
void compare_end(struct compare *compare, int64_t now_ms);

enum compare_advice {
	COMPARE_NOTHING,		/* alike, unread, or not believed yet */
	COMPARE_REPAIR,			/* lock it, read it, and ask compare_confirm() */
	COMPARE_PARKED,			/* it is, since this hour's last repair */
};
enum compare_advice compare_saw(struct compare *compare, const void *id, size_t id_len,
                                const struct sight *sight, int64_t now_ms);

/*
 * Under the lock: what is to be done, DIFF_NONE for nothing. Whatever it is, the object
 * begins anew; a repair counts for an hour.
 */
enum difference compare_confirm(struct compare *compare, const void *id, size_t id_len,
                                const struct sight *sight, int64_t now_ms);

size_t compare_pending(const struct compare *compare);	/* that differed once */
size_t compare_parked(const struct compare *compare, int64_t now_ms);
