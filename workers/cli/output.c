#include "output.h"

#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "base/log.h"
#include "base/mem.h"

enum { GAP = 2, CELLS_FIRST = 64 };

/* ---- escaping ---- */

/* Characters that change the writing direction, or that are invisible. */
static bool output_is_deceptive(wchar_t c)
{
	return c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
	       c == 0xfeff || (c >= 0xe0000 && c <= 0xe0fff);
}

static bool output_is_shown(wchar_t c)
{
	return iswprint(c) && !output_is_deceptive(c) && wcwidth(c) >= 0;
}

static size_t output_escape_bytes(const char *bytes, size_t len, struct buf *to)
{
	for (size_t i = 0; i < len; i++)
		buf_printf(to, "\\%03u", (unsigned char)bytes[i]);
	return 4 * len;
}

size_t output_escape(const char *text, struct buf *to)
{
	size_t columns = 0, left = strlen(text);
	mbstate_t state = { 0 };

	while (left) {
		wchar_t c;
		size_t len = mbrtowc(&c, text, left, &state);
		bool is_broken = len == 0 || len > left;

		if (is_broken) {
			len = 1;
			state = (mbstate_t){ 0 };
		}
		if (is_broken || !output_is_shown(c)) {
			columns += output_escape_bytes(text, len, to);
		} else {
			buf_append(to, text, len);
			columns += (size_t)wcwidth(c);
		}
		text += len;
		left -= len;
	}
	return columns;
}

/* ---- the reader ---- */

/* stdio does not keep the EPIPE of an earlier write. */
bool output_is_unwanted(void)
{
	struct pollfd reader = { .fd = STDOUT_FILENO };

	return poll(&reader, 1, 0) == 1 && reader.revents & (POLLERR | POLLHUP);
}

/* ---- JSON ---- */

void output_json_to(json_t *json, FILE *to)
{
	bug_if(!json);
	json_dumpf(json, to,
	           JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6));
	fputc('\n', to);
	json_decref(json);
}

void output_json(json_t *json)
{
	output_json_to(json, stdout);
}

/* ---- warnings ---- */

/* Wipes the line of the progress on a terminal (progress.c). */
static void output_print_warning(const struct output *out, const char *text)
{
	if (!out->quiet)
		fprintf(stderr, "%swarning: %s\n",
		        isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

void output_warn(struct output *out, const char *text)
{
	struct buf escaped = { 0 };

	if (!out->warnings)
		out->warnings = json_array();
	if (json_array_size(out->warnings) == WARNINGS_MAX) {
		out->more_warnings++;
		return;
	}
	output_escape(text, &escaped);
	output_print_warning(out, buf_string(&escaped));
	json_array_append_new(out->warnings, json_string(buf_string(&escaped)));
	buf_clear(&escaped);
}

void output_end_warnings(struct output *out, json_t *document)
{
	char text[64];

	if (!out->warnings)
		return;
	if (document)
		json_object_set(document, "warnings", out->warnings);
	if (out->more_warnings) {
		snprintf(text, sizeof text, "there are %zu more warnings",
		         out->more_warnings);
		output_print_warning(out, text);
		json_object_set_new(document, "more_warnings",
		                    json_integer((json_int_t)out->more_warnings));
	}
	json_decref(out->warnings);
	out->warnings = NULL;
	out->more_warnings = 0;
}

/* ---- tables ---- */

struct cell {
	char *text;		/* escaped */
	size_t columns;
	bool is_plain;		/* has no color */
};

static const struct {
	const char *status, *color;
} colors[] = {
	{ "ACTIVE",     "\033[32m" },
	{ "SUCCESS",    "\033[32m" },
	{ "OK",         "\033[32m" },
	{ "PENDING",    "\033[33m" },
	{ "ERROR",      "\033[31m" },
	{ "NO_DOMAIN",  "\033[31m" },
	{ "NO_DNS",     "\033[31m" },
	{ "NO_CONTROL", "\033[31m" },
	{ "NO_ANSWER",  "\033[31m" },
	{ "NO_POOL_MANAGER", "\033[31m" },
	{ "NO_MINIDNS", "\033[31m" },
	{ "dead",       "\033[31m" },
	{ "DELETED",    "\033[2m" },
};

static const char *output_color(const char *status)
{
	for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++)
		if (!strcmp(colors[i].status, status))
			return colors[i].color;
	return NULL;
}

void table_begin(struct table *table, const struct output *out,
                 const struct column *columns)
{
	*table = (struct table){ .out = out, .columns = columns };
	while (columns[table->count].title)
		table->width[table->count] = strlen(columns[table->count].title),
		table->count++;
	bug_if(table->count > TABLE_COLUMNS_MAX);
}

void table_text(struct table *table, const char *text)
{
	struct buf escaped = { 0 };
	size_t columns = output_escape(text, &escaped);
	size_t *width = &table->width[table->cell_count % table->count];

	if (table->cell_count == table->cell_size) {
		table->cell_size = table->cell_size ? 2 * table->cell_size : CELLS_FIRST;
		table->cells =
			xrealloc(table->cells, table->cell_size * sizeof *table->cells);
	}
	table->cells[table->cell_count++] =
		(struct cell){ xstrdup(buf_string(&escaped)), columns, false };
	if (columns > *width)
		*width = columns;
	buf_clear(&escaped);
}

void table_plain(struct table *table, const char *text)
{
	table_text(table, text);
	table->cells[table->cell_count - 1].is_plain = true;
}

void table_number(struct table *table, int64_t number)
{
	table_printf(table, "%" PRId64, number);
}

void table_printf(struct table *table, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	table_text(table, text);
}

static void table_print_blanks(size_t count, FILE *to)
{
	fprintf(to, "%*s", (int)count, "");
}

/* The last column ends the line and gets no trailing blanks. */
static void cell_print(const struct table *table, size_t column, const struct cell *cell,
                       FILE *to)
{
	size_t blanks = table->width[column] - cell->columns;
	const struct column *kind = &table->columns[column];
	const char *color = NULL;

	if (kind->kind == COLUMN_STATUS && table->out->color && !cell->is_plain)
		color = output_color(cell->text);
	if (kind->kind == COLUMN_RIGHT)
		table_print_blanks(blanks, to);
	fprintf(to, "%s%s%s", color ? color : "", cell->text, color ? "\033[0m" : "");
	if (column + 1 == table->count) {
		fputc('\n', to);
		return;
	}
	table_print_blanks(GAP + (kind->kind == COLUMN_RIGHT ? 0 : blanks), to);
}

static void table_print_header(struct table *table, FILE *to)
{
	bool is_titled = *table->columns[0].title;

	if (table->is_headed || table->out->quiet || !is_titled)
		return;
	table->is_headed = true;
	for (size_t i = 0; i < table->count; i++) {
		const char *title = table->columns[i].title;

		cell_print(table, i, &(struct cell){ (char *)title, strlen(title), true },
		           to);
	}
}

void table_flush(struct table *table, FILE *to)
{
	bug_if(table->cell_count % table->count);
	table_print_header(table, to);
	for (size_t i = 0; i < table->cell_count; i++) {
		cell_print(table, i % table->count, &table->cells[i], to);
		free(table->cells[i].text);
	}
	table->cell_count = 0;
}

void table_clear(struct table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i].text);
	free(table->cells);
	table->cells = NULL;
}

/* ---- fields ---- */

static void output_join_texts(const json_t *array, struct buf *text)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)array, i, item)
		buf_printf(text, "%s%s", i ? ", " : "",
		           json_is_string(item) ? json_string_value(item) : "");
}

static void output_join_pairs(const json_t *object, struct buf *text)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
		buf_printf(text, "%s%s=%s", text->len ? ", " : "", key,
		           json_is_string(value) ? json_string_value(value) : "");
}

void table_value(struct table *table, const json_t *value)
{
	struct buf text = { 0 };

	if (json_is_integer(value))
		table_number(table, json_integer_value(value));
	else if (json_is_string(value))
		table_text(table, json_string_value(value));
	else if (json_is_boolean(value))
		table_text(table, json_is_true(value) ? "yes" : "no");
	else {
		if (json_is_object(value))
			output_join_pairs(value, &text);
		else
			output_join_texts(value, &text);
		table_text(table, text.len ? buf_string(&text) : "-");
	}
	buf_clear(&text);
}

static bool output_is_empty(const json_t *value)
{
	return !value || json_is_null(value) ||
	       (json_is_object(value) && !json_object_size(value)) ||
	       (json_is_string(value) && !*json_string_value(value));
}

void output_fields(const struct output *out, const json_t *object,
                   const struct field *fields)
{
	static const struct column columns[] = {
		{ "", COLUMN_LEFT }, { "", COLUMN_STATUS }, { 0 }
	};
	struct table table;

	table_begin(&table, out, columns);
	for (const struct field *field = fields; field->key; field++) {
		const json_t *value = json_object_get(object, field->key);

		if (output_is_empty(value))
			continue;
		table_text(&table, field->title);
		table_value(&table, value);
	}
	table_flush(&table, stdout);
	table_clear(&table);
}
