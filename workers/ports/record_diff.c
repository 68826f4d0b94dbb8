#include "record_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/map.h"

enum { KEY_MAX = 1100 };		/* four texts and a number */

static size_t diff_key(const struct record_row *row, char key[KEY_MAX])
{
	int len = snprintf(key, KEY_MAX, "%s %s %d %s %s", row->port_id, row->name,
	                   row->type, row->data, row->zone);

	bug_if(len < 0 || len >= KEY_MAX);
	return (size_t)len;
}

void record_diff_init(struct record_diff *diff, struct arena *arena)
{
	*diff = (struct record_diff){ .arena = arena, .old_by_key = map_new(random_u32()),
	                              .zones_seen = map_new(random_u32()) };
}

void record_diff_clear(struct record_diff *diff)
{
	map_free(&diff->old_by_key);
	map_free(&diff->zones_seen);
}

static void *diff_grow(struct arena *arena, const void *items, size_t count, size_t *size,
                       size_t each)
{
	void *larger;

	if (count < *size)
		return (void *)items;
	*size = 2 * *size + 16;
	larger = arena_alloc(arena, *size * each);
	if (count)
		memcpy(larger, items, count * each);
	return larger;
}

void record_diff_add_old(void *self, const struct record_row *row)
{
	struct record_diff *diff = self;
	struct old_record *old = arena_alloc(diff->arena, sizeof(*old));
	char key[KEY_MAX];
	size_t len = diff_key(row, key);

	diff->old = diff_grow(diff->arena, diff->old, diff->old_count,
	                      &diff->old_size, sizeof(*diff->old));
	old->row = *row;
	diff->old[diff->old_count++] = old;
	map_put(diff->old_by_key, key, len, old);
}

static void diff_add_zone(struct record_diff *diff, const struct record_row *row)
{
	const char *key = arena_printf(diff->arena, "%s %s", row->zone,
	                               row->project_id);

	if (map_get(diff->zones_seen, key, strlen(key)))
		return;
	map_put(diff->zones_seen, key, strlen(key), diff);
	diff->zones = diff_grow(diff->arena, diff->zones, diff->zone_count,
	                        &diff->zone_size, sizeof(*diff->zones));
	diff->zones[diff->zone_count++] = (struct zone_key){
		.zone = row->zone, .project_id = row->project_id,
		.made_for = row->made_for };
}

static void diff_add_row(struct record_diff *diff, const struct record_row *row,
                         int state)
{
	diff->rows = diff_grow(diff->arena, diff->rows, diff->count, &diff->size,
	                       sizeof(*diff->rows));
	diff->rows[diff->count] = *row;
	diff->rows[diff->count++].state = state;
	diff_add_zone(diff, row);
}

/* A refused record is sent again with each change of its port. */
static bool diff_is_current(const struct record_row *row)
{
	return row->state == RECORD_ADD || row->state == RECORD_HAVE;
}

void record_diff_add_wanted(struct record_diff *diff, const struct port_row *port,
                            const char *project_id, const struct port_record *records,
                            size_t count)
{
	const char *const projects[] = {
		[ZONE_OF_NETWORK] = project_id, [ZONE_OF_PORT] = port->project_id,
		[ZONE_REVERSE] = "",
	};

	for (size_t i = 0; i < count; i++) {
		const struct port_record *record = &records[i];
		struct record_row row = {
			.port_id = port->id, .zone = record->zone, .name = record->name,
			.type = record->type, .data = record->data,
			.project_id = projects[record->owner],
			.made_for = record->owner == ZONE_REVERSE ? port->project_id
			                                          : NULL,
		};
		char key[KEY_MAX];
		size_t len = diff_key(&row, key);
		struct old_record *old = map_get(diff->old_by_key, key, len);

		if (old)
			old->is_wanted = true;
		if (!old || !diff_is_current(&old->row))
			diff_add_row(diff, &row, RECORD_ADD);
	}
}

void record_diff_write(struct record_diff *diff, struct tx *tx)
{
	for (size_t i = 0; i < diff->old_count; i++) {
		const struct old_record *old = diff->old[i];

		if (!old->is_wanted && old->row.state != RECORD_DROP)
			diff_add_row(diff, &old->row, RECORD_DROP);
	}
	store_zones_find_claims(tx, diff->zones, diff->zone_count);
	store_records_put(tx, diff->rows, diff->count);
	store_zones_changed(tx, diff->zones, diff->zone_count);
}
