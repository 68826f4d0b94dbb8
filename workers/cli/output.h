/*
 * output -- what the user reads: aligned tables, or one JSON document.
 *
 * Whatever came over the wire passes output_escape() on its way to a
 * terminal or a pipe: control characters, broken UTF-8 and characters that
 * turn the writing direction are shown as \xNN. Widths are in columns.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

struct output {
	bool json, quiet, color;
};

/* Append TEXT, made harmless. Returns the columns it takes. */
size_t output_escape(const char *text, struct buf *to);
/* One document on standard output; takes the JSON over. */
void output_json(json_t *json);
void output_json_to(json_t *json, FILE *to);

enum { TABLE_COLUMNS_MAX = 16 };

struct column {
	const char *title;	/* NULL ends the columns */
	enum { COLUMN_LEFT, COLUMN_RIGHT, COLUMN_STATUS } kind;	/* a status has a color */
};

/*
 * Cells are added one by one, row by row; table_flush() prints the rows there are, and a
 * table of many pages keeps the widths (which only grow) and the one header.
 */
struct table {
	const struct output *out;
	const struct column *columns;
	size_t count;
	size_t width[TABLE_COLUMNS_MAX];
	bool is_headed;
	struct cell *cells;
	size_t cell_count, cell_size;
};

void table_begin(struct table *table, const struct output *out,
                 const struct column *columns);
void table_text(struct table *table, const char *text);
void table_number(struct table *table, int64_t number);
void table_printf(struct table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void table_flush(struct table *table, FILE *to);
void table_clear(struct table *table);		/* what was not printed is dropped */

/* Rows of a title and a value: "serial    17". The kind colors the value. */
struct field {
	const char *key;	/* of a JSON object; NULL ends the rows */
	const char *title;
};
/* The fields of OBJECT that are there, texts, numbers and lists of texts. */
void output_fields(const struct output *out, const json_t *object,
                   const struct field *fields);
