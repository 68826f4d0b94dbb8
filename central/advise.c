#include "advise.h"

#include "core/advice.h"
#include "core/rrsets.h"
#include "store.h"

static json_t *advice_encode(const struct advice *advice)
{
	json_t *list = json_array();

	for (size_t i = 0; i < advice->count; i++)
		json_array_append_new(list, json_string(advice->texts[i]));
	if (advice->further)
		json_array_append_new(list, json_sprintf("there are %zu more warnings "
		                                         "of this kind",
		                                         advice->further));
	return list;
}

static json_t *advise_sets(struct write *write, const struct rrsets *sets)
{
	const char *names[ADVICE_NAMES_MAX];
	size_t count = advice_names(&write->zone, sets, write->arena, names);
	struct rrsets known;
	struct advice advice;

	if (!count)
		return json_array();
	rrsets_init(&known, write->arena);
	store_buffer_flush(write->buffer, write->tx);
	store_recordset_read(write->tx, write->zone.is.id, names, count, &known);
	advice_make(&write->zone, sets, &known, write->arena, &advice);
	return advice_encode(&advice);
}

json_t *advise_changes(struct write *write, const struct change *changes, size_t count)
{
	struct rrsets sets;

	rrsets_init(&sets, write->arena);
	advice_read_changes(&sets, changes, count);
	return advise_sets(write, &sets);
}

json_t *advise_names(struct write *write, const char *const *owners, size_t count)
{
	struct rrsets sets;

	rrsets_init(&sets, write->arena);
	store_buffer_flush(write->buffer, write->tx);
	store_recordset_read(write->tx, write->zone.is.id, owners, count, &sets);
	return advise_sets(write, &sets);
}
