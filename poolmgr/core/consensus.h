/*
 * consensus -- computes the serial that enough servers of a pool serve (requirements:
 * seed 000, poolmgr's update_status). All calculations use integers.
 *
 * Of n servers, `ok` servers are enough if their percentage, rounded to a whole number,
 * is at least the threshold. For example, 2 of 3 servers are 67 %. A threshold of 100 %
 * means all servers. `bad` servers are too many if the other servers are not enough.
 * This module compares each serial with the serial of the domain by RFC 1982. A server
 * counts towards the consensus on serial s if it serves s or a newer serial. A server
 * whose serial is newer than the serial of the domain does not count towards a
 * consensus, because zonefleet did not issue this serial.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum observed { OBSERVED_NOTHING, OBSERVED_SUCCESS, OBSERVED_ERROR, OBSERVED_NO_DOMAIN };

/* The state of a domain on one server, from the row of the server. */
struct observation {
	enum observed status;
	bool has_serial;
	/* the last serial that a poll found on the server */
	uint32_t serial;
	bool has_failed;
	/* ERROR, NO_DOMAIN: the serial that the server did not reach */
	uint32_t failed_serial;
};

struct consensus {
	/* enough servers serve `serial` or a newer serial */
	bool reached;
	/*
	 * the newest serial that enough servers serve; at most the serial of the domain
	 */
	uint32_t serial;
	bool failed;			/* too many servers did not reach failed_serial */
	/*
	 * the newest serial that too many servers did not reach. If `reached` is also
	 * true, failed_serial is newer than `serial`
	 */
	uint32_t failed_serial;
};

bool consensus_enough(int threshold_percent, size_t ok, size_t n);
bool consensus_too_many(int threshold_percent, size_t bad, size_t n);

/*
 * Returns the consensus of N servers on a domain. WANTED: the serial of the domain. If N
 * is 0, `reached` and `failed` are false.
 */
struct consensus consensus_of(const struct observation *servers, size_t n,
                              int threshold_percent, uint32_t wanted);

/*
 * Call it for a server whose records differ from the database, or whose serial zonefleet
 * did not issue. After the call, the server counts as failed at the serial WANTED.
 */
void consensus_discount(struct observation *server, uint32_t wanted);

/*
 * The result of a CREATE or DELETE on all servers of a domain. reached: enough servers
 * succeeded. failed: too many servers failed.
 */
struct quorum {
	bool reached, failed;
};
struct quorum consensus_quorum(size_t ok, size_t bad, size_t n, int threshold_percent);
