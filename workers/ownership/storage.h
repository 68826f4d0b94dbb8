/*
 * storage -- where it stands what is ours (seed 001, "Types of storage").
 *
 *	txt     in TXT records of the zone, which travel with the records they are for
 *	table   in rows of ours: written before the provider is asked, they count once the
 *	        zone was seen to have what they say
 *	memory  in this process, who knows nothing when it begins (InMemoryStorage)
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
	bool has_rows;			/* keeps what was made in the database */
	/* Records(): claims on what the zone has, before the view is settled. */
	void (*records)(struct round *round, struct tx *tx);
	/* Assign(): the provider took it. TX is NULL without rows. */
	void (*assign)(struct round *round, struct tx *tx, const struct owned_row *rows,
	               size_t count);
};

extern const struct storage storage_txt, storage_table, storage_memory;
