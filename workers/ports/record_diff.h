/*
 * record_diff -- compares the current records of ports with the desired records, and
 * writes the rows that differ. record_diff does not write unchanged rows, so the cost
 * depends on the size of the change.
 */
#pragma once

#include "store.h"

struct map;

struct old_record {
	struct record_row row;
	bool is_wanted;
};

struct record_diff {
	struct arena *arena;
	/* hash table of struct old_record. Key: the port, the record and the zone */
	struct map *old_by_key;
	struct old_record **old;
	size_t old_count, old_size;
	struct record_row *rows;	/* rows that record_diff_write() writes */
	size_t count, size;
	struct map *zones_seen;
	struct zone_key *zones;		/* domains of `rows` */
	size_t zone_count, zone_size;
};

void record_diff_init(struct record_diff *diff, struct arena *arena);
/*
 * A callback of store_records(): adds an old record. Add all old records before the
 * desired records.
 */
void record_diff_add_old(void *diff, const struct record_row *row);
/*
 * Adds RECORDS as desired records of PORT. The network of PORT belongs to the tenant
 * PROJECT_ID.
 */
void record_diff_add_wanted(struct record_diff *diff, const struct port_row *port,
                            const char *project_id, const struct port_record *records,
                            size_t count);
/*
 * Writes the rows that differ. An old record that is no longer desired gets the state
 * RECORD_DROP. Makes the domains of the written rows due.
 */
void record_diff_write(struct record_diff *diff, struct tx *tx);
void record_diff_clear(struct record_diff *diff);
