/*
 * places -- remembers the file and the line of each record that the client sends, in the
 * order of the records. The reasons of central contain the number of the part and the
 * index of the record in this part: "part 2, records[17].name: ...". The client shows
 * "FILE:LINE: name: ..." instead. A place has only 8 bytes, because an import can have
 * many records.
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
	/* for each part, the number of records in this part and all earlier parts */
	size_t *ends;
	size_t file_count, record_count, record_size, part_count;
};

void places_add(struct places *places, const char *file, int line);
/* Ends a part. The part contains the records since the end of the previous part. */
void places_end_part(struct places *places);
/*
 * If PLACES contains the record, replaces "part N, records[N]" at the start of the
 * reason by the file and line of the record: FILE:LINE.
 */
void places_show(const struct places *places, struct why *why);
void places_clear(struct places *places);
