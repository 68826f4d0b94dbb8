/*
 * storage -- reads and writes the ownership marks in one of three places ("Types of
 * storage" in the requirements, seed 001).
 *
 * txt     in TXT records of the zone. One update contains the records and their marks
 * table   in rows of the database. The round writes the rows before it sends updates.
 *         The rows take effect when a reading has shown the records
 * memory  in this process, for tests (InMemoryStorage). The marks are lost when the
 *         process ends
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct owned_row;
struct round;
struct tx;

struct storage {
	const char *name;
	bool is_in_zone;
	bool has_rows;			/* the database has rows of owned sets */
	/*
	 * Records() of seed 001: adds the claims of this storage to the view. The round
	 * calls this function before view_settle().
	 */
	void (*records)(struct round *round, struct tx *tx);
	/*
	 * Assign() of seed 001: stores that the provider has applied ROWS. If has_rows
	 * is false, TX is NULL.
	 */
	void (*assign)(struct round *round, struct tx *tx, const struct owned_row *rows,
	               size_t count);
};

extern const struct storage storage_txt, storage_table, storage_memory;
