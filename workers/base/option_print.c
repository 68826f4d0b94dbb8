/* option_print -- --help and --sample, from the same rows that read the file. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/option_type.h"

enum { WIDTH = 80, INDENT = 4, HELP_COLUMN = 28, NUMBER_DIGITS = 9 };

/*
 * Prints lines of at most WIDTH columns. The first line has another prefix than the
 * others.
 */
static void print_help_wrapped(const char *lead, const char *rest, const char *text)
{
	for (text += strspn(text, " "); *text; lead = rest) {
		size_t column = strlen(lead);

		fputs(lead, stdout);
		for (bool first = true; *text; first = false) {
			size_t len = strcspn(text, " ");

			if (!first && column + 1 + len > WIDTH)
				break;
			printf("%s%.*s", first ? "" : " ", (int)len, text);
			column += len + !first;
			text += len + strspn(text + len, " ");
		}
		putchar('\n');
	}
}

/* ---- help ---- */

/* Makes "an integer from 1 to 64, default 2, reloadable". */
static void print_description(const struct option *row, struct buf *out)
{
	option_describe(row, out);
	if (row->required)
		buf_text(out, ", required");
	else if (row->fallback)
		buf_printf(out, ", default %s", *row->fallback ? row->fallback : "empty");
	else
		buf_text(out, ", no default");
	if (row->reloadable)
		buf_text(out, ", reloadable");
}

static void print_help_rows(const struct option *rows)
{
	char lead[HELP_COLUMN + 1];

	snprintf(lead, sizeof lead, "%*s", HELP_COLUMN, "");
	for (const struct option *row = rows; row->key; row++) {
		struct buf first = { 0 }, words = { 0 };

		print_description(row, &words);
		buf_printf(&first, "%*s%-*s ", INDENT, "", HELP_COLUMN - INDENT - 1,
			   row->key);
		print_help_wrapped(buf_string(&first), lead, buf_string(&words));
		print_help_wrapped(lead, lead, row->help);
		buf_clear(&first);
		buf_clear(&words);
	}
}

void option_help(const struct option_schema *schema)
{
	printf("Settings of %s, by group of the settings file.\n"
	       "A running program applies changes to \"reloadable\" settings when it\n"
	       "receives SIGHUP. Write a time as a number of seconds, or with a unit:\n"
	       "\"200ms\", \"90s\", \"2m\", \"12h\" or \"7d\". Write a size as a "
	       "number\nof bytes, or with a unit: \"64K\", \"1M\" or \"2G\".\n",
	       schema->program);
	for (const struct option_section *s = schema->sections; s->group; s++) {
		if (s->is_of_others)
			continue;
		printf("\n%s: %s\n", s->group, s->help);
		print_help_rows(s->rows);
	}
	for (const struct option_list *l = option_lists(schema); l->group; l++) {
		printf("\n%s: %s\n", l->group, l->help);
		printf("    Settings of each element of `%s: ( { ... }, ... )`. "
		       "`default: { ... }`\n    sets values for all elements:\n",
		       option_elements(l));
		print_help_rows(l->rows);
	}
}

/* ---- sample ---- */

static void print_quoted(const char *text, size_t len, struct buf *out)
{
	buf_text(out, "\"");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			buf_text(out, "\\");
		buf_append(out, text + i, 1);
	}
	buf_text(out, "\"");
}

/* Makes a valid text for a row without an example. */
static void print_example_text(const struct option *row, struct buf *out)
{
	const char *text = row->type == OPTION_SECRET ? OPTION_PLACEHOLDER
	                                             : "example";
	struct buf padded = { 0 };

	buf_text(&padded, text);
	while (padded.len < (size_t)row->min)
		buf_text(&padded, "x");
	if (row->max && padded.len > (size_t)row->max)
		padded.len = row->max;
	print_quoted(buf_string(&padded), padded.len, out);
	buf_clear(&padded);
}

/* Makes the smallest allowed value. The bound of a duration is in milliseconds. */
static void print_example_number(const struct option *row, struct buf *out)
{
	if (row->type == OPTION_DURATION)
		buf_printf(out, "\"%lldms\"", (long long)row->min);
	else
		buf_printf(out, "%lld%s", (long long)row->min,
			   row->min > INT32_MAX ? "L" : "");
}

static void print_example(const struct option *row, struct buf *out)
{
	switch (row->type) {
	case OPTION_BOOL:
		buf_text(out, "false");
		break;
	case OPTION_TEXTS:
		buf_text(out, "[ ");
		print_example_text(row, out);
		buf_text(out, " ]");
		break;
	case OPTION_TEXT:
	case OPTION_SECRET:
		print_example_text(row, out);
		break;
	case OPTION_WORD:
		print_quoted(row->words[0], strlen(row->words[0]), out);
		break;
	case OPTION_INT:
	case OPTION_PERCENT:
	case OPTION_SECONDS:
	case OPTION_BYTES:
	case OPTION_DURATION:
		print_example_number(row, out);
		break;
	}
}

static void print_texts(const struct option_texts *texts, struct buf *out)
{
	buf_text(out, "[ ");
	for (size_t i = 0; i < texts->count; i++) {
		buf_text(out, i ? ", " : "");
		print_quoted(texts->item[i], strlen(texts->item[i]), out);
	}
	buf_text(out, texts->count ? " ]" : "]");
}

/*
 * True: no quotes are needed. A number of up to nine digits fits into libconfig's
 * integers.
 */
static bool print_is_bare(const struct option *row)
{
	size_t digits = strspn(row->fallback, "0123456789");

	if (row->type == OPTION_INT || row->type == OPTION_PERCENT ||
	    row->type == OPTION_BOOL)
		return true;
	return (row->type == OPTION_SECONDS || row->type == OPTION_BYTES ||
		row->type == OPTION_DURATION) &&
	       row->fallback[digits] == 0 && digits <= NUMBER_DIGITS;
}

/* Writes the value for the file: the fallback, or a valid example. */
static void print_value(const struct option *row, struct buf *out)
{
	struct option_value value;

	if (!row->fallback) {
		print_example(row, out);
	} else if (print_is_bare(row)) {
		buf_text(out, row->fallback);
	} else if (row->type == OPTION_TEXTS) {
		value = option_fallback(row);
		print_texts(&value.texts, out);
		option_texts_clear(&value.texts);
	} else {
		print_quoted(row->fallback, strlen(row->fallback), out);
	}
}

static void print_sample_row(const struct option *row, const char *lead, bool active)
{
	struct buf words = { 0 }, comment = { 0 };

	buf_printf(&comment, "%s# ", lead);
	buf_text(&words, row->help);
	buf_text(&words, " (");
	print_description(row, &words);
	buf_text(&words, ")");
	print_help_wrapped(buf_string(&comment), buf_string(&comment),
			   buf_string(&words));
	buf_reset(&words);
	print_value(row, &words);
	printf("%s%s%s = %s;\n\n", lead, active ? "" : "# ", row->key,
	       buf_string(&words));
	buf_clear(&words);
	buf_clear(&comment);
}

static void print_indent(int depth, char lead[OPTION_GROUP_MAX])
{
	snprintf(lead, OPTION_GROUP_MAX, "%*s", depth * INDENT, "");
}

static void print_sample_comment(int depth, const char *text)
{
	struct buf lead = { 0 };

	buf_printf(&lead, "%*s# ", depth * INDENT, "");
	print_help_wrapped(buf_string(&lead), buf_string(&lead), text);
	buf_clear(&lead);
}

/*
 * Servers are printed as comments, so that a program does not connect to one by mistake.
 */
static void print_sample_list(const struct option_list *list, int depth)
{
	char lead[OPTION_GROUP_MAX];
	struct buf value = { 0 };

	print_indent(depth, lead);
	printf("%sdefault: {\n", lead);
	print_indent(depth + 1, lead);
	for (const struct option *row = list->rows; row->key; row++)
		print_sample_row(row, lead, false);
	print_indent(depth, lead);
	printf("%s};\n%s%s: (\n%s    # {", lead, lead, option_elements(list), lead);
	for (const struct option *row = list->rows; row->key; row++) {
		if (!row->required)
			continue;
		buf_reset(&value);
		print_value(row, &value);
		printf(" %s = %s;", row->key, buf_string(&value));
	}
	printf(" }\n%s);\n", lead);
	buf_clear(&value);
}

/* The n-th group of the schema, sections first; NULL after the last. */
static const char *print_group_at(const struct option_schema *schema, size_t n)
{
	size_t sections = 0;

	while (schema->sections[sections].group)
		sections++;
	if (n < sections)
		return schema->sections[n].group;
	return option_lists(schema)[n - sections].group;
}

/*
 * Finds the group one level below PREFIX that contains GROUP. False: GROUP is not below
 * PREFIX.
 */
static bool print_step_below(const char *group, const char *prefix,
			     char path[OPTION_GROUP_MAX])
{
	size_t len = strlen(prefix);

	if (len) {
		if (strncmp(group, prefix, len) != 0 || group[len] != '.')
			return false;
		len++;
	}
	len += strcspn(group + len, ".");
	snprintf(path, OPTION_GROUP_MAX, "%.*s", (int)len, group);
	return true;
}

/*
 * True: PATH was already written for an earlier row. libconfig accepts each group only
 * once.
 */
static bool print_is_written(const struct option_schema *schema, size_t before,
			     const char *prefix, const char *path)
{
	char earlier[OPTION_GROUP_MAX];

	for (size_t i = 0; i < before; i++)
		if (print_step_below(print_group_at(schema, i), prefix, earlier) &&
		    strcmp(earlier, path) == 0)
			return true;
	return false;
}

static void print_sample_groups(const struct option_schema *schema, const char *prefix,
				int depth);

static bool print_is_shown_in(const struct option_section *section, const char *path)
{
	return strcmp(section->group, path) == 0 && !section->is_of_others;
}

static void print_sample_group(const struct option_schema *schema, const char *path,
			       int depth)
{
	const char *dot = strrchr(path, '.');
	char lead[OPTION_GROUP_MAX];

	print_indent(depth, lead);
	for (const struct option_section *s = schema->sections; s->group; s++)
		if (print_is_shown_in(s, path))
			print_sample_comment(depth, s->help);
	for (const struct option_list *l = option_lists(schema); l->group; l++)
		if (strcmp(l->group, path) == 0)
			print_sample_comment(depth, l->help);
	printf("%s%s: {\n", lead, dot ? dot + 1 : path);
	print_indent(depth + 1, lead);
	for (const struct option_section *s = schema->sections; s->group; s++)
		for (const struct option *row = s->rows;
		     print_is_shown_in(s, path) && row->key; row++)
			print_sample_row(row, lead, row->required);
	for (const struct option_list *l = option_lists(schema); l->group; l++)
		if (strcmp(l->group, path) == 0)
			print_sample_list(l, depth + 1);
	print_sample_groups(schema, path, depth + 1);
	print_indent(depth, lead);
	printf("%s};\n%s", lead, depth ? "" : "\n");
}

static void print_sample_groups(const struct option_schema *schema, const char *prefix,
				int depth)
{
	char path[OPTION_GROUP_MAX];
	const char *group;

	for (size_t i = 0; (group = print_group_at(schema, i)); i++)
		if (print_step_below(group, prefix, path) &&
		    !print_is_written(schema, i, prefix, path))
			print_sample_group(schema, path, depth);
}

void option_sample(const struct option_schema *schema)
{
	printf("# Settings of %s. A setting after # shows the default.\n"
	       "# If this file contains a secret, its mode must be 0600 or 0640. Or put\n"
	       "# the secret into a file with mode 0600, and write \"@FILE\" here.\n\n",
	       schema->program);
	print_sample_groups(schema, "", 0);
}
