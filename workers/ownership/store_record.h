/*
 * store_record -- the rows of a zone as a registry saw it last, and of whose each set is
 * in its eyes (seed 001, "ConfigMap").
 */
#pragma once

#include "store.h"

struct record_row {
	struct name name;
	struct rrset rrset;
	const char *owner;		/* "": nobody's; ids, joined by commas */
	const char *resource;		/* of ours, if it is known; else "" */
};

/* When the zone was read that the rows are of. */
struct reading {
	uint32_t serial;
	const char *at;			/* NULL: never yet */
};

bool store_reading(struct tx *tx, struct arena *arena, const char *id,
                   struct reading *reading);
void store_reading_put(struct tx *tx, const char *id, uint32_t serial);

/* False: that is enough. */
typedef bool store_record_fn(void *self, const struct record_row *row);

/* All of them, or COUNT at most from behind NAME (NULL: the first) and TYPE on. */
void store_records(struct tx *tx, struct arena *arena, const char *id,
                   store_record_fn *each, void *self);
void store_records_page(struct tx *tx, struct arena *arena, const char *id,
                        const struct name *name, uint16_t type, size_t count,
                        store_record_fn *each, void *self);
void store_records_put(struct tx *tx, const char *id, const struct record_row *rows,
                       size_t count);
void store_record_delete(struct tx *tx, const char *id, const struct name *name,
                         uint16_t type);
