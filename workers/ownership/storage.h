/*
 * storage -- where the ownership marks are (seed 001, "Types of storage").
 *
 * txt     in TXT records of the zone; an update has both the records and their marks
 * table   in our rows. The round writes them before it sends the updates. They count when
 * a
 *         reading has shown their records
 * memory  in this process, for tests; lost when it ends (InMemoryStorage)
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
	/* Records(): adds claims to the view before view_settle(). */
	void (*records)(struct round *round, struct tx *tx);
	/* Assign(): the provider has applied ROWS. TX is NULL without has_rows. */
	void (*assign)(struct round *round, struct tx *tx, const struct owned_row *rows,
	               size_t count);
};

extern const struct storage storage_txt, storage_table, storage_memory;
