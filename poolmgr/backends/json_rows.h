/*
 * json_rows -- a large answer in JSON, read piece by piece: as one tree, a
 * list of 100 000 zones would take hundreds of MB. What stands between the
 * pieces is skipped, not understood; each piece is decoded by itself, with
 * the bounds of json.h.
 *
 * A span is a part of a text that has a NUL behind its end.
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

/* The value of KEY (without escapes) in an object. ERR_REMOTE: that is no object. */
enum err json_rows_member(struct json_span object, const char *key, bool *found,
                          struct json_span *value, struct why *why);

/* Called for each object of a list. ERR_REMOTE: it is no list of objects. */
typedef enum err json_row_fn(void *self, const json_t *row, struct why *why);
enum err json_rows_each(struct json_span list, json_row_fn *row, void *self,
                        struct why *why);
