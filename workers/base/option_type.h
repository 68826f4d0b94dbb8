/*
 * option_type -- parses, describes, compares and frees the value of each type of option.
 * The value comes from the settings file or from the fallback in the row of the option.
 * The same rules apply to values from both sources.
 */
#pragma once

#include "base/buf.h"
#include "base/option.h"

/* maximum size of a group name such as "backends.bind9", with its NUL */
enum { OPTION_GROUP_MAX = 128 };

enum option_kind { VALUE_NUMBER, VALUE_BOOL, VALUE_TEXT, VALUE_TEXTS, VALUE_OTHER };

struct option_value {
	enum option_kind kind;
	int64_t number;			/* the value of VALUE_NUMBER and VALUE_BOOL */
	/*
	 * VALUE_TEXT: the string, borrowed. VALUE_OTHER: a description of the value, for
	 * example "a group"
	 */
	const char *text;
	/*
	 * the strings of VALUE_TEXTS; after success, option_parse() has moved the
	 * strings to the field
	 */
	struct option_texts texts;
};

/* Returns the fallback as a value. The row must have a fallback. */
struct option_value option_fallback(const struct option *row);
void option_texts_add(struct option_texts *texts, const char *text, size_t len);
void option_texts_clear(struct option_texts *texts);

/* Sets FIELD to VALUE. False: VALUE is not valid, and FIELD is unchanged. */
bool option_parse(const struct option *row, struct option_value *value, void *field);
/* Appends a description of the valid values, for example "an integer from 1 to 64". */
void option_describe(const struct option *row, struct buf *out);
void option_value_name(const struct option_value *value, struct buf *out);
size_t option_size(enum option_type type);
/*
 * Returns the address of the row's field in BASE, the struct of the section or list
 * element.
 */
void *option_field(void *base, const struct option *row);
void option_field_clear(enum option_type type, void *field);
bool option_field_equal(enum option_type type, const void *a, const void *b);
/*
 * Returns the lists of the schema. If the schema has no lists, returns an empty table,
 * never NULL.
 */
const struct option_list *option_lists(const struct option_schema *schema);
const char *option_elements(const struct option_list *list);
