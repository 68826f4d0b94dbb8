#include "record_diff.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/map.h"

enum { KEY_MAX = 1100 };		/* four texts of a row's columns, and a number */

static size_t key_of(const char *port_id, const char *name, uint16_t type,
                     const char *data, const char *zone, char key[KEY_MAX])
{
	int len = snprintf(key, KEY_MAX, "%s %s %d %s %s", port_id, name, type, data, zone);

	bug_if(len < 0 || len >= KEY_MAX);
	return (size_t)len;
}

void change_begin(struct change *change, struct arena *arena)
{
	*change = (struct change){ .arena = arena, .was = map_new(random_u32()),
	                           .seen = map_new(random_u32()) };
}

void change_end(struct change *change)
{
	map_free(&change->was);
	map_free(&change->seen);
}

static void *grown(struct arena *arena, const void *items, size_t count, size_t *size,
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

void change_was(void *self, const struct record_row *row)
{
	struct change *change = self;
	struct former *former = arena_alloc(change->arena, sizeof(*former));
	char key[KEY_MAX];
	size_t len = key_of(row->port_id, row->name, row->type, row->data, row->zone,
	                    key);

	change->all_was = grown(change->arena, change->all_was, change->was_count,
	                        &change->was_size, sizeof(*change->all_was));
	former->row = *row;
	change->all_was[change->was_count++] = former;
	map_put(change->was, key, len, former);
}

static void push_zone(struct change *change, const struct record_row *row)
{
	const char *key = arena_printf(change->arena, "%s %s", row->zone,
	                               row->project_id);

	if (map_get(change->seen, key, strlen(key)))
		return;
	map_put(change->seen, key, strlen(key), change);
	change->zones = grown(change->arena, change->zones, change->zone_count,
	                      &change->zone_size, sizeof(*change->zones));
	change->zones[change->zone_count++] = (struct zone_key){
		.zone = row->zone, .project_id = row->project_id,
		.made_for = row->made_for };
}

static void push_row(struct change *change, const struct record_row *row, int state)
{
	change->rows = grown(change->arena, change->rows, change->count, &change->size,
	                     sizeof(*change->rows));
	change->rows[change->count] = *row;
	change->rows[change->count++].state = state;
	push_zone(change, row);
}

/* What was refused is tried again whenever the port changes. */
static bool is_on_its_way(const struct record_row *row)
{
	return row->state == RECORD_ADD || row->state == RECORD_HAVE;
}

void change_want(struct change *change, const struct port_row *port,
                 const char *project_id, const struct port_record *records, size_t count)
{
	const char *const projects[] = {
		[ZONE_OF_NETWORK] = project_id, [ZONE_OF_PORT] = port->project_id,
		[ZONE_OF_NOBODY] = "",
	};

	for (size_t i = 0; i < count; i++) {
		const struct port_record *record = &records[i];
		struct record_row row = {
			.port_id = port->id, .zone = record->zone, .name = record->name,
			.type = record->type, .data = record->data,
			.project_id = projects[record->of],
			.made_for = record->of == ZONE_OF_NOBODY ? port->project_id : NULL,
		};
		char key[KEY_MAX];
		size_t len = key_of(port->id, row.name, row.type, row.data, row.zone, key);
		struct former *former = map_get(change->was, key, len);

		if (former)
			former->is_wanted = true;
		if (!former || !is_on_its_way(&former->row))
			push_row(change, &row, RECORD_ADD);
	}
}

void change_write(struct change *change, struct tx *tx)
{
	for (size_t i = 0; i < change->was_count; i++) {
		const struct former *former = change->all_was[i];

		if (!former->is_wanted && former->row.state != RECORD_DROP)
			push_row(change, &former->row, RECORD_DROP);
	}
	store_zones_look(tx, change->zones, change->zone_count);
	store_records_put(tx, change->rows, change->count);
	store_zones_changed(tx, change->zones, change->zone_count);
}
