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
	/* list of the escaped warnings; NULL: no warning so far */
	json_t *warnings;
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
 * Ends the warnings of a run. If there are warnings, sets `warnings` of DOCUMENT. If
 * there are more than WARNINGS_MAX warnings, also prints the number of the warnings that
 * were not printed, and sets `more_warnings` to this number. DOCUMENT may be NULL.
 */
void output_end_warnings(struct output *out, json_t *document);
/*
 * True: the program that reads standard output, for example head, has ended. In this
 * case, the client need not print more.
 */
bool output_is_unwanted(void);

enum { TABLE_COLUMNS_MAX = 16 };

struct column {
	const char *title;	/* title of the column; NULL ends the columns */
	/* COLUMN_STATUS: a text such as "ERROR" gets a color */
	enum { COLUMN_LEFT, COLUMN_RIGHT, COLUMN_STATUS } kind;
};

/*
 * The caller adds the cells one by one, row by row. table_flush() prints the rows that
 * the table has so far. After the first table_flush(), later calls print no header, and
 * no column becomes narrower.
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
/*
 * Like table_text(), but the cell gets no color, even in a column of the kind
 * COLUMN_STATUS.
 */
void table_plain(struct table *table, const char *text);
void table_number(struct table *table, int64_t number);
/*
 * VALUE: a text, a number, a boolean value, a list of texts or an object of texts. Writes
 * "a, b" for a list, "a=1, b=2" for an object, and "-" for an empty list or object, or
 * for null.
 */
void table_value(struct table *table, const json_t *value);
void table_printf(struct table *table, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void table_flush(struct table *table, FILE *to);
/* Frees the table, and the rows that table_flush() has not printed. */
void table_clear(struct table *table);

/* A row with a title and a value: "serial    17". A status has a color. */
struct field {
	/* key of the value in the JSON object; NULL ends the rows */
	const char *key;
	const char *title;
};
/*
 * Prints a row for each field that OBJECT contains and that is not empty. A value is a
 * string, an integer, a boolean or a list of strings.
 */
void output_fields(const struct output *out, const json_t *object,
                   const struct field *fields);
