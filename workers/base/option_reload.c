#include "base/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/option_type.h"

/* All values are read into a shadow; the reloadable ones are taken from it. */
struct shadow {
	struct option_schema schema;
	struct option_section *sections;
	struct option_list *lists;
	struct shadow_list {
		void *elements;
		size_t count;
	} *memory;
};

static size_t reload_rows_size(const struct option *rows)
{
	size_t size = 1;

	for (const struct option *row = rows; row->key; row++)
		if (row->offset + option_size(row->type) > size)
			size = row->offset + option_size(row->type);
	return size;
}

static void reload_shadow_init(struct shadow *shadow, const struct option_schema *schema)
{
	size_t sections = 0, lists = 0;

	while (schema->sections[sections].group)
		sections++;
	while (option_lists(schema)[lists].group)
		lists++;
	shadow->sections =
		xmemdup(schema->sections, (sections + 1) * sizeof *shadow->sections);
	shadow->lists =
		xmemdup(option_lists(schema), (lists + 1) * sizeof *shadow->lists);
	shadow->memory = xcalloc(lists + 1, sizeof *shadow->memory);
	for (struct option_section *s = shadow->sections; s->group; s++)
		s->into = xcalloc(1, reload_rows_size(s->rows));
	for (size_t i = 0; i < lists; i++) {
		shadow->lists[i].into = &shadow->memory[i].elements;
		shadow->lists[i].count = &shadow->memory[i].count;
	}
	shadow->schema = (struct option_schema){ schema->program, shadow->sections,
						 shadow->lists };
}

static void reload_shadow_clear(struct shadow *shadow)
{
	option_clear(&shadow->schema);
	for (struct option_section *s = shadow->sections; s->group; s++)
		free(s->into);
	free(shadow->sections);
	free(shadow->lists);
	free(shadow->memory);
}

static void reload_swap_field(enum option_type type, void *a, void *b)
{
	char old[sizeof(struct option_texts)];
	size_t size = option_size(type);

	memcpy(old, a, size);
	memcpy(a, b, size);
	memcpy(b, old, size);
}

static void reload_take_rows(const struct option *rows, void *base, void *fresh)
{
	for (const struct option *row = rows; row->key; row++)
		if (row->reloadable)
			reload_swap_field(row->type, option_field(base, row),
					  option_field(fresh, row));
}

/* Warns about changed rows that need a restart. Returns their number. */
static int reload_warn_rows(const char *group, const struct option *rows, void *base,
			    void *fresh)
{
	int count = 0;

	for (const struct option *row = rows; row->key; row++) {
		if (row->reloadable ||
		    option_field_equal(row->type, option_field(base, row),
				       option_field(fresh, row)))
			continue;
		log_warn("setting not applied: key=%s.%s reason=\"a change of this "
		         "setting needs a restart\"", group,
			 row->key);
		count++;
	}
	return count;
}

/*
 * Takes values by index. If elements were added, removed or moved, the whole list is
 * unchanged.
 */
static void reload_take_list(const struct option_list *list,
			     const struct option_list *fresh)
{
	char *old = *list->into, *new = *fresh->into;
	int kept = 0;

	if (*list->count != *fresh->count) {
		log_warn("setting not applied: key=%s.%s reason=\"a change of this "
		         "setting needs a restart\"",
			 list->group, option_elements(list));
		return;
	}
	for (size_t i = 0; i < *list->count; i++)
		kept += reload_warn_rows(list->group, list->rows,
					 old + i * list->element_size,
					 new + i * list->element_size);
	for (size_t i = 0; i < *list->count && !kept; i++)
		reload_take_rows(list->rows, old + i * list->element_size,
				 new + i * list->element_size);
}

enum err option_reload(const struct option_schema *schema, const char *path,
		       struct why *why)
{
	struct shadow shadow;
	enum err err;

	reload_shadow_init(&shadow, schema);
	err = option_load(&shadow.schema, path, why);
	for (size_t i = 0; schema->sections[i].group && !err; i++) {
		const struct option_section *s = &schema->sections[i];

		reload_warn_rows(s->group, s->rows, s->into, shadow.sections[i].into);
		reload_take_rows(s->rows, s->into, shadow.sections[i].into);
	}
	for (size_t i = 0; option_lists(schema)[i].group && !err; i++)
		reload_take_list(&option_lists(schema)[i], &shadow.lists[i]);
	reload_shadow_clear(&shadow);
	return err;
}
