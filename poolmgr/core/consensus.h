/*
 * consensus -- what a pool's servers agree on (seed 000, poolmgr's
 * update_status; DESIGN 5 and 9). Pure, in integers.
 *
 * n servers, a threshold of t percent: `ok` of them suffice when their
 * share, rounded to a whole percent, is t or more: 2 of 3 are 67 %, as who
 * writes 67 means it; 100 % are all of them. `bad` are too many when the
 * others would not suffice. Serials are compared by RFC 1982 against the
 * domain's own: a server counts for serial s when what it serves covers s,
 * and is one of ours, which none newer than the domain's is.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum seen { SEEN_NOTHING, SEEN_SUCCESS, SEEN_ERROR, SEEN_NO_DOMAIN };

/* One server's row. */
struct sighting {
	enum seen status;
	bool has_serial;
	uint32_t serial;		/* last seen to be served */
	bool has_failed;
	uint32_t failed_serial;		/* ERROR, NO_DOMAIN: what it did not reach */
};

struct consensus {
	bool reached;			/* enough servers serve `serial` or newer */
	uint32_t serial;		/* the newest such; the domain's at most */
	bool failed;			/* too many cannot reach `failed_serial` */
	/* the newest such; newer than `serial` if both are given */
	uint32_t failed_serial;
};

bool consensus_enough(int threshold_percent, size_t ok, size_t n);
bool consensus_too_many(int threshold_percent, size_t bad, size_t n);

/* What the servers agree on for a domain with the serial WANTED. n may be 0: nothing. */
struct consensus consensus_of(const struct sighting *servers, size_t n,
                              int threshold_percent, uint32_t wanted);

/* For CREATE and DELETE: how many succeeded, how many failed. */
struct verdict {
	bool done, failed;
};
struct verdict consensus_verdict(size_t ok, size_t bad, size_t n, int threshold_percent);
