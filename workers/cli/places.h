/*
 * places -- remembers the file and the line of each record that the client sends, in the
 * order of the records. Central names a record by its part and its index in the part:
 * "part 2, records[17].name: ...". The client shows "FILE:LINE: name: ..." instead. A
 * place needs 8 bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct place {
	uint32_t line, file;
};

struct places {
	char **files;
	struct place *records;
	size_t *ends;		/* of each part: the number of records up to its end */
	size_t file_count, record_count, record_size, part_count;
};

void places_add(struct places *places, const char *file, int line);
/* Ends a part: it contains the records since the end of the previous part. */
void places_end_part(struct places *places);
/*
 * Replaces "part N, records[N]" at the start of the reason by FILE:LINE, if PLACES
 * contains the record.
 */
void places_show(const struct places *places, struct why *why);
void places_clear(struct places *places);
