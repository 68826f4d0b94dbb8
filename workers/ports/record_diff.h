/*
 * record_diff -- from what a port's records are to what they should be: the rows that have to
 * be written for that, and the domains that they are in. A row that is as it should be
 * is not touched, so that what a change costs depends on what it changes.
 */
#pragma once

#include "store.h"

struct map;

struct former {
	struct record_row row;
	bool is_wanted;			/* still */
};

struct change {
	struct arena *arena;
	struct map *was;		/* struct former, by port and record */
	struct former **all_was;
	size_t was_count, was_size;
	struct record_row *rows;	/* that are to be written */
	size_t count, size;
	struct map *seen;		/* zones */
	struct zone_key *zones;
	size_t zone_count, zone_size;
};

void change_begin(struct change *change, struct arena *arena);
/* For store_records(): what is. All of it before change_want(). */
void change_was(void *change, const struct record_row *row);
/* PORT, of a network of PROJECT_ID, should have these. */
void change_want(struct change *change, const struct port_row *port,
                 const char *project_id, const struct port_record *records,
                 size_t count);
/* Whatever was and nobody wants goes; all of it is written, and its domains are due. */
void change_write(struct change *change, struct tx *tx);
void change_end(struct change *change);
