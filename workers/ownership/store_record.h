/*
 * store_record -- stores the record sets that the last reading of a zone found, and
 * their owners according to the registry ("ConfigMap" in the requirements, seed 001).
 */
#pragma once

#include "store.h"

struct record_row {
	struct name name;
	struct rrset rrset;
	/* ids of the owners, separated by commas; "": no owner */
	const char *owner;
	/* resource in the ownership mark of this registry; "": unknown */
	const char *resource;
};

/* The reading of the zone that wrote the rows. */
struct reading {
	uint32_t serial;
	const char *at;			/* time of the reading; NULL: no reading yet */
};

bool store_reading(struct tx *tx, struct arena *arena, const char *id,
                   struct reading *reading);
void store_reading_put(struct tx *tx, const char *id, uint32_t serial);

/* This callback gets one row. It returns false to end the reading of rows. */
typedef bool store_record_fn(void *self, const struct record_row *row);

/*
 * store_records() reads all rows. store_records_page() reads at most COUNT rows after
 * NAME and TYPE. If NAME is NULL, store_records_page() begins with the first row.
 */
void store_records(struct tx *tx, struct arena *arena, const char *id,
                   store_record_fn *each, void *self);
void store_records_page(struct tx *tx, struct arena *arena, const char *id,
                        const struct name *name, uint16_t type, size_t count,
                        store_record_fn *each, void *self);
void store_records_put(struct tx *tx, const char *id, const struct record_row *rows,
                       size_t count);
void store_record_delete(struct tx *tx, const char *id, const struct name *name,
                         uint16_t type);
