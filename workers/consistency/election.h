/*
 * election -- decides which processes of a service are alive, which process is the
 * master, and which share of the work each process has (requirements: seed 004). This
 * module does no I/O. All times are in milliseconds by the clock of the database.
 *
 * Each process inserts its row in the table worker_nodes and writes its own heartbeat.
 * The master writes the role, the status, the share and the generation of each process.
 * When the set of processes changes, the master writes a higher generation to every row.
 * A process has no share if its row and the row of the master have different generations.
 * The order in which the processes have arrived decides which share each process gets.
 * For example, A, B and C have the shares 0, 1 and 2. When D arrives, D gets the share 3.
 * When B dies, A gets 0, C gets 1 and D gets 2.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMBER_NAME = 128 };

struct member {
	char plugin_name[MEMBER_NAME + 1];
	bool is_master;			/* the column `role` contains "master" */
	/* the column `status`; false: the process is down */
	bool active;
	int hash_factor;		/* number of the share, from 0; -1: no share */
	/* in the master's row: the number of shares. In the other rows: 0 */
	int total_number;
	int64_t plugin_time_ms;		/* time of the last heartbeat */
	uint64_t generation;
};

/*
 * True: there is no master, or the master has written no heartbeat in the last
 * TIMEOUT_MS. A heartbeat that is more than TIMEOUT_MS in the future does not count.
 */
bool election_is_vacant(const struct member *members, size_t count, int64_t now_ms,
                        int timeout_ms);
bool election_is_master(const struct member *members, size_t count, const char *me);
/*
 * Only the master ME calls this function. The function finds the dead processes. In
 * MEMBERS, the function sets the master, `active`, the shares, the number of shares and
 * the generation. The function also changes the order of MEMBERS. True: at least one row
 * has changed.
 */
bool election_assign(struct member *members, size_t count, const char *me,
                     int64_t now_ms, int timeout_ms);

/*
 * A share of the work. The work has `total` equal shares, and this share has the number
 * `factor`, from 0.
 */
struct share {
	/* if `total` is 0, the process has no share, so it does no work */
	uint32_t factor, total;
	uint64_t generation;
};

/* Returns the share of the process ME according to MEMBERS. */
struct share election_share(const struct member *members, size_t count, const char *me);
uint32_t share_hash(const char *object_uuid);
/*
 * True: the object belongs to the share, because the CRC-32 of the object's id modulo
 * `total` is `factor` (seed 004).
 */
bool share_has(const struct share *share, const char *object_uuid);
