/*
 * output -- prints aligned tables or one JSON document.
 *
 * The client escapes all text from the fleet with output_escape() before it prints the
 * text. output_escape() writes \xNN instead of control characters, invalid UTF-8 and
 * characters that change the writing direction. All widths are in columns of the
 * terminal.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"

enum { WARNINGS_MAX = 100 };

struct output {
	bool json, quiet, color;
	json_t *warnings;	/* escaped texts; NULL: no warning so far */
	size_t more_warnings;	/* number of warnings after the first WARNINGS_MAX */
};

/* Appends the escaped TEXT. Returns its width in columns. */
size_t output_escape(const char *text, struct buf *to);
/* Prints one document to standard output. Takes over JSON. */
void output_json(json_t *json);
void output_json_to(json_t *json, FILE *to);

/*
 * Prints "warning: TEXT" to standard error, unless --quiet is given, and keeps TEXT for
 * the document. After WARNINGS_MAX warnings, the function only counts further warnings.
 */
void output_warn(struct output *out, const char *text);
/*
 * Ends the warnings of a run. If there are warnings, sets `warnings` of DOCUMENT. If more
 * than WARNINGS_MAX, prints the number of further warnings and sets `more_warnings`.
 * DOCUMENT may be NULL.
 */
void output_end_warnings(struct output *out, json_t *document);
/*
 * True: the program that reads standard output, for example head, has ended. The client
 * then need not print more.
 */
bool output_is_unwanted(void);

enum { TABLE_COLUMNS_MAX = 16 };

struct column {
	const char *title;	/* NULL ends the columns */
	enum { COLUMN_LEFT, COLUMN_RIGHT, COLUMN_STATUS } kind;	/* a status has a color */
};

/*
 * The caller adds the cells one by one, row by row. table_flush() prints the rows that
 * the table has so far. A table of several pages has one header. Its column widths never
 * shrink from one page to the next.
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
/* The cell gets no color, even in a column of the kind COLUMN_STATUS. */
void table_plain(struct table *table, const char *text);
void table_number(struct table *table, int64_t number);
void table_printf(struct table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void table_flush(struct table *table, FILE *to);
/* Deletes the rows that are not printed yet. */
void table_clear(struct table *table);

/* A row with a title and a value: "serial    17". A status has a color. */
struct field {
	const char *key;	/* key of a JSON object; NULL ends the rows */
	const char *title;
};
/*
 * Prints the fields that OBJECT contains: strings, numbers, booleans and lists of
 * strings.
 */
void output_fields(const struct output *out, const json_t *object,
                   const struct field *fields);
