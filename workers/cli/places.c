#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { RECORDS_FIRST = 1024, FILE_SHOWN = 250 };

/* Few files: the last one is nearly always the right one. */
static uint32_t places_file(struct places *places, const char *file)
{
	for (size_t i = places->file_count; i > 0; i--)
		if (!strcmp(places->files[i - 1], file))
			return (uint32_t)(i - 1);
	places->files = xrealloc(places->files,
	                         (places->file_count + 1) * sizeof(*places->files));
	places->files[places->file_count] = xstrdup(file);
	return (uint32_t)places->file_count++;
}

void places_add(struct places *places, const char *file, int line)
{
	if (places->record_count == places->record_size) {
		places->record_size =
			places->record_size ? 2 * places->record_size : RECORDS_FIRST;
		places->records = xrealloc(places->records, places->record_size *
		                           sizeof(*places->records));
	}
	places->records[places->record_count++] = (struct place){
		.line = (uint32_t)line, .file = places_file(places, file),
	};
}

void places_end_part(struct places *places)
{
	places->ends = xrealloc(places->ends,
	                        (places->part_count + 1) * sizeof(*places->ends));
	places->ends[places->part_count++] = places->record_count;
}

static const struct place *places_find(const struct places *places, size_t part,
                                       size_t index)
{
	size_t start;

	if (part >= places->part_count)
		return NULL;
	start = part ? places->ends[part - 1] : 0;
	return index < places->ends[part] - start ? &places->records[start + index]
	                                          : NULL;
}

void places_show(const struct places *places, struct why *why)
{
	struct why before = *why;
	const struct place *place;
	unsigned part, index;
	const char *rest;
	int len = 0;

	sscanf(before.text, "part %9u, records[%9u]%n", &part, &index, &len);
	place = len ? places_find(places, part, index) : NULL;
	if (!place)
		return;
	rest = before.text + len;
	snprintf(why->text, sizeof(why->text), "%.*s:%u%s%s", FILE_SHOWN,
	         places->files[place->file], place->line, *rest == '.' ? ": " : "",
	         *rest == '.' ? rest + 1 : rest);
}

void places_clear(struct places *places)
{
	for (size_t i = 0; i < places->file_count; i++)
		free(places->files[i]);
	free(places->files);
	free(places->records);
	free(places->ends);
	*places = (struct places){ 0 };
}
