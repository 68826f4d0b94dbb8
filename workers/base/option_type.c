#include "base/option_type.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"

/*
 * From small to large. The unit with an empty name has the factor for a number without a
 * unit.
 */
struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit duration_units[] = {
	{ "ms", 1 }, { "", 1000 }, { "s", 1000 }, { "m", 60 * 1000 },
	{ "h", 3600 * 1000 }, { "d", 86400 * 1000 }, { 0 }
};
static const struct unit seconds_units[] = {
	{ "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 },
	{ "w", 604800 }, { 0 }
};
static const struct unit bytes_units[] = {
	{ "", 1 }, { "K", INT64_C(1) << 10 }, { "M", INT64_C(1) << 20 },
	{ "G", INT64_C(1) << 30 }, { "T", INT64_C(1) << 40 }, { 0 }
};
static const struct unit no_units[] = { { "", 1 }, { 0 } };

static bool type_parse_int(const struct option *row, struct option_value *value,
			   void *field);
static bool type_parse_bytes(const struct option *row, struct option_value *value,
			     void *field);
static bool type_parse_bool(const struct option *row, struct option_value *value,
			    void *field);
static bool type_parse_text(const struct option *row, struct option_value *value,
			    void *field);
static bool type_parse_word(const struct option *row, struct option_value *value,
			    void *field);
static bool type_parse_texts(const struct option *row, struct option_value *value,
			     void *field);

/* The C type of each option type, as in option.h. */
enum {
	TEXT = sizeof(char *), INT = sizeof(int), SIZE = sizeof(int64_t),
	FLAG = sizeof(bool), TEXTS = sizeof(struct option_texts)
};

static const struct {
	const char *name;
	size_t size;
	bool (*parse)(const struct option *row, struct option_value *value, void *field);
	const struct unit *units;	/* NULL: not a number */
	int64_t min, max;		/* limits of the field */
} types[] = {
	[OPTION_TEXT] = { "a string", TEXT, type_parse_text, NULL, 0, INT64_MAX },
	[OPTION_WORD] = { "", INT, type_parse_word, NULL, 0, 0 },
	[OPTION_INT] = { "an integer", INT, type_parse_int, no_units, INT_MIN, INT_MAX },
	[OPTION_DURATION] = { "a time", INT, type_parse_int, duration_units, 0, INT_MAX },
	[OPTION_SECONDS] = { "a time", INT, type_parse_int, seconds_units, 0, INT_MAX },
	[OPTION_BYTES] = { "a size", SIZE, type_parse_bytes, bytes_units, 0, INT64_MAX },
	[OPTION_PERCENT] = { "a percentage", INT, type_parse_int, no_units, 0, 100 },
	[OPTION_BOOL] = { "true or false", FLAG, type_parse_bool, NULL, 0, 0 },
	[OPTION_TEXTS] = { "a list of strings", TEXTS, type_parse_texts, NULL, 0,
			   INT64_MAX },
	[OPTION_SECRET] = { "a secret or \"@FILE\"", TEXT, type_parse_text, NULL, 0,
			    INT64_MAX },
};

/*
 * The row's bounds within the bounds of the type. A maximum of 0 together with a minimum
 * means no maximum.
 */
static void type_bounds(const struct option *row, int64_t *min, int64_t *max)
{
	bool unbounded = row->min == 0 && row->max == 0;

	*min = types[row->type].min;
	*max = types[row->type].max;
	if (unbounded)
		return;
	if (row->min > *min)
		*min = row->min;
	if (row->max >= row->min && row->max < *max)
		*max = row->max;
}

static bool type_is_within(const struct option *row, int64_t number)
{
	int64_t min, max;

	type_bounds(row, &min, &max);
	return number >= min && number <= max;
}

/* Multiplies COUNT by the unit NAME. False: unknown unit, or an overflow. */
static bool type_scale(const struct unit *units, const char *name, int64_t count,
		       int64_t *number)
{
	for (; units->name; units++)
		if (strcmp(units->name, name) == 0)
			return !__builtin_mul_overflow(count, units->factor, number);
	return false;
}

/* Parses "12h": digits and one unit, without an overflow. */
static bool type_parse_scaled(const struct unit *units, const char *text, int64_t *number)
{
	long long count;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	count = strtoll(text, &end, 10);
	return errno == 0 && type_scale(units, end, count, number);
}

/* An INT must not have quotes. A time or size in quotes must have a unit. */
static bool type_parse_number(const struct option *row, struct option_value *value,
			      int64_t *number)
{
	const struct unit *units = types[row->type].units;

	if (value->kind == VALUE_NUMBER) {
		if (!type_scale(units, "", value->number, number))
			return false;
	} else if (value->kind != VALUE_TEXT || units == no_units ||
		   !type_parse_scaled(units, value->text, number)) {
		return false;
	}
	return type_is_within(row, *number);
}

static bool type_parse_int(const struct option *row, struct option_value *value,
			   void *field)
{
	int64_t number;

	if (!type_parse_number(row, value, &number))
		return false;
	*(int *)field = number;
	return true;
}

static bool type_parse_bytes(const struct option *row, struct option_value *value,
			     void *field)
{
	int64_t number;

	if (!type_parse_number(row, value, &number))
		return false;
	*(int64_t *)field = number;
	return true;
}

static bool type_parse_bool(const struct option *row, struct option_value *value,
			    void *field)
{
	(void)row;
	if (value->kind != VALUE_BOOL)
		return false;
	*(bool *)field = value->number;
	return true;
}

static bool type_parse_text(const struct option *row, struct option_value *value,
			    void *field)
{
	if (value->kind != VALUE_TEXT || !type_is_within(row, strlen(value->text)))
		return false;
	*(char **)field = row->type == OPTION_SECRET ? secret_strdup(value->text)
	                                             : xstrdup(value->text);
	return true;
}

static bool type_parse_word(const struct option *row, struct option_value *value,
			    void *field)
{
	for (int i = 0; value->kind == VALUE_TEXT && row->words[i]; i++)
		if (strcmp(row->words[i], value->text) == 0) {
			*(int *)field = i;
			return true;
		}
	return false;
}

static bool type_parse_texts(const struct option *row, struct option_value *value,
			     void *field)
{
	if (value->kind != VALUE_TEXTS)
		return false;
	for (size_t i = 0; i < value->texts.count; i++)
		if (!type_is_within(row, strlen(value->texts.item[i])))
			return false;
	*(struct option_texts *)field = value->texts;
	value->texts = (struct option_texts){ 0 };
	return true;
}

bool option_parse(const struct option *row, struct option_value *value, void *field)
{
	return types[row->type].parse(row, value, field);
}

/* Splits "127.0.0.1, ::1". */
static struct option_value type_split(const char *text)
{
	struct option_value value = { .kind = VALUE_TEXTS };

	for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
		size_t len = strcspn(text, ", ");

		option_texts_add(&value.texts, text, len);
		text += len;
	}
	return value;
}

/* An invalid fallback is a bug. */
struct option_value option_fallback(const struct option *row)
{
	struct option_value value = { .kind = VALUE_TEXT, .text = row->fallback };
	char *end;

	if (row->type == OPTION_TEXTS)
		return type_split(row->fallback);
	if (row->type == OPTION_BOOL) {
		value.kind = VALUE_BOOL;
		value.number = strcmp(row->fallback, "true") == 0;
		bug_if(!value.number && strcmp(row->fallback, "false") != 0);
	}
	if (types[row->type].units == no_units) {
		value.kind = VALUE_NUMBER;
		value.number = strtoll(row->fallback, &end, 10);
		bug_if(end == row->fallback || *end);
	}
	return value;
}

void option_texts_add(struct option_texts *texts, const char *text, size_t len)
{
	size_t count = texts->count++;

	texts->item = xrealloc(texts->item, texts->count * sizeof *texts->item);
	texts->item[count] = xprintf("%.*s", (int)len, text);
}

void option_texts_clear(struct option_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->item[i]);
	free(texts->item);
	*texts = (struct option_texts){ 0 };
}

static bool option_texts_equal(const struct option_texts *a, const struct option_texts *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->item[i], b->item[i]) != 0)
			return false;
	return true;
}

/* Writes a number in the largest unit without a remainder: 86400 is "1d", 0 is "0". */
static void type_number_name(const struct unit *units, int64_t number, struct buf *out)
{
	const struct unit *best = NULL;

	for (; units && units->name; units++)
		if (number ? number % units->factor == 0 : !*units->name)
			best = units;
	if (best)
		buf_printf(out, "%lld%s", (long long)(number / best->factor), best->name);
	else
		buf_printf(out, "%lld", (long long)number);
}

void option_describe(const struct option *row, struct buf *out)
{
	const struct unit *units = types[row->type].units;
	int64_t min, max, low = types[row->type].min, high = types[row->type].max;

	buf_text(out, types[row->type].name);
	for (size_t i = 0; row->words && row->words[i]; i++)
		buf_printf(out, "%s%s", i ? " | " : "", row->words[i]);
	type_bounds(row, &min, &max);
	if (low == high || (min == low && max == high && row->type != OPTION_PERCENT))
		return;
	buf_text(out, units ? " " : " of ");
	if (max == high && row->type != OPTION_PERCENT) {
		buf_text(out, units ? "of at least " : "at least ");
		type_number_name(units, min, out);
	} else {
		buf_text(out, units ? "from " : "");
		type_number_name(units, min, out);
		buf_text(out, " to ");
		type_number_name(units, max, out);
	}
	buf_text(out, units ? "" : " bytes");
}

void option_value_name(const struct option_value *value, struct buf *out)
{
	switch (value->kind) {
	case VALUE_NUMBER:
		buf_printf(out, "%lld", (long long)value->number);
		break;
	case VALUE_BOOL:
		buf_text(out, value->number ? "true" : "false");
		break;
	case VALUE_TEXT:
		buf_printf(out, "\"%.60s\"", value->text);
		break;
	case VALUE_TEXTS:
		for (size_t i = 0; i < value->texts.count; i++)
			buf_printf(out, "%s\"%.60s\"", i ? ", " : "",
				   value->texts.item[i]);
		break;
	case VALUE_OTHER:
		buf_text(out, value->text);
		break;
	}
}

size_t option_size(enum option_type type)
{
	return types[type].size;
}

void *option_field(void *base, const struct option *row)
{
	return (char *)base + row->offset;
}

static bool type_text_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

void option_field_clear(enum option_type type, void *field)
{
	if (type == OPTION_TEXTS)
		option_texts_clear(field);
	if (types[type].parse != type_parse_text)
		return;
	if (type == OPTION_SECRET)
		secret_free(*(char **)field);
	else
		free(*(char **)field);
	*(char **)field = NULL;
}

bool option_field_equal(enum option_type type, const void *a, const void *b)
{
	if (type == OPTION_TEXTS)
		return option_texts_equal(a, b);
	if (types[type].parse == type_parse_text)
		return type_text_equal(*(char *const *)a, *(char *const *)b);
	return memcmp(a, b, types[type].size) == 0;
}

const struct option_list *option_lists(const struct option_schema *schema)
{
	static const struct option_list none[1];

	return schema->lists ? schema->lists : none;
}

const char *option_elements(const struct option_list *list)
{
	return list->elements ? list->elements : "servers";
}
