/*
 * consensus -- the serial that enough servers of a pool serve (seed 000, poolmgr's
 * update_status; DESIGN 5 and 9). Pure, in integers.
 *
 * Of n servers and a threshold of t percent, `ok` servers suffice if their share, rounded
 * to a whole percent, is t or more. So 2 of 3 are 67 %. 100 % means all servers. `bad`
 * servers are too many if the others do not suffice. RFC 1982 compares each serial with
 * the serial of the domain. A server counts for serial s if it serves s or a newer one. A
 * serial newer than the domain's does not count: zonefleet did not issue it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum observed { OBSERVED_NOTHING, OBSERVED_SUCCESS, OBSERVED_ERROR, OBSERVED_NO_DOMAIN };

/* The row of one server. */
struct observation {
	enum observed status;
	bool has_serial;
	uint32_t serial;		/* the last one that the server served */
	bool has_failed;
	uint32_t failed_serial;		/* ERROR, NO_DOMAIN: not reached */
};

struct consensus {
	bool reached;			/* enough servers serve `serial` or newer */
	uint32_t serial;		/* the newest such; the domain's at most */
	bool failed;			/* too many servers failed at failed_serial */
	/* the newest such; newer than `serial` if both are given */
	uint32_t failed_serial;
};

bool consensus_enough(int threshold_percent, size_t ok, size_t n);
bool consensus_too_many(int threshold_percent, size_t bad, size_t n);

/* The consensus on a domain with the serial WANTED. n may be 0: neither is set. */
struct consensus consensus_of(const struct observation *servers, size_t n,
                              int threshold_percent, uint32_t wanted);

/* The server serves other content than ours: it counts as failed at WANTED. */
void consensus_discount(struct observation *server, uint32_t wanted);

/* For CREATE and DELETE: did enough servers succeed, did too many fail? */
struct quorum {
	bool reached, failed;
};
struct quorum consensus_quorum(size_t ok, size_t bad, size_t n, int threshold_percent);
