/*
 * json_rows -- reads a large JSON answer piece by piece. If zonefleet decoded a list of
 * 100 000 zones as one tree, the tree would need hundreds of MB of memory. So json_rows
 * decodes each object of the list separately, within the limits of json.h.
 *
 * A span is a part of the text of an answer. The whole text ends with a NUL.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct json_span {
	const char *at, *end;
};

struct json_span json_rows_span(const struct buf *text);

/*
 * Finds the value of the member KEY in OBJECT. KEY must not need JSON escapes. FOUND
 * false: OBJECT has no such member. ERR_REMOTE: OBJECT is not a JSON object.
 */
enum err json_rows_member(struct json_span object, const char *key, bool *found,
                          struct json_span *value, struct why *why);

/*
 * Calls ROW for each object of LIST, until ROW returns an error. Returns this error.
 * ERR_REMOTE: LIST is not a JSON list.
 */
typedef enum err json_row_fn(void *self, const json_t *row, struct why *why);
enum err json_rows_each(struct json_span list, json_row_fn *row, void *self,
                        struct why *why);
