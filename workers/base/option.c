#include "base/option.h"

#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/option_file.h"
#include "base/option_group.h"
#include "base/option_scan.h"
#include "base/option_type.h"

enum { FILE_MAX_BYTES = 1024 * 1024 };

struct reading {
	const struct option_schema *schema;
	const char *path;
	bool exposed;		/* other users can read the file */
	struct why *why;
};

/* ---- errors: "FILE:LINE: group.key: ..." ---- */

static void option_setting_name(const config_setting_t *setting, struct buf *out)
{
	const config_setting_t *parent = config_setting_parent(setting);

	if (!parent)
		return;
	option_setting_name(parent, out);
	if (config_setting_name(setting))
		buf_printf(out, "%s%s", out->len ? "." : "",
			   config_setting_name(setting));
	else
		buf_printf(out, "[%d]", config_setting_index(setting));
}

static enum err option_fail_at(const struct reading *reading,
			       const config_setting_t *setting, const char *words)
{
	struct buf name = { 0 };
	enum err err;

	option_setting_name(setting, &name);
	err = fail(reading->why, ERR_INVALID, "%s:%u: %s: %s", reading->path,
		   (unsigned)config_setting_source_line(setting), buf_string(&name),
		   words);
	buf_clear(&name);
	return err;
}

static enum err option_fail_unknown(const struct reading *reading,
				    const config_setting_t *setting,
				    const struct suggest *suggest)
{
	char words[64 + SUGGEST_TEXT], meant[SUGGEST_TEXT];

	snprintf(words, sizeof words, "is not a known setting%s",
		 suggest_text(suggest, ": see --help", meant));
	return option_fail_at(reading, setting, words);
}

/* Makes "must be an integer from 1 to 64, not "x"", without the value of a secret. */
static enum err option_refuse(const struct reading *reading,
			      const config_setting_t *setting, const struct option *row,
			      const struct option_value *value)
{
	struct buf words = { 0 };
	enum err err;

	buf_text(&words, "must be ");
	option_describe(row, &words);
	if (row->type != OPTION_SECRET) {
		buf_text(&words, ", not ");
		option_value_name(value, &words);
	}
	err = option_fail_at(reading, setting, buf_string(&words));
	buf_clear(&words);
	return err;
}

/* ---- values ---- */

static struct option_value option_other_type(const char *name)
{
	return (struct option_value){ .kind = VALUE_OTHER, .text = name };
}

static struct option_value option_texts_of(const config_setting_t *setting)
{
	struct option_value value = { .kind = VALUE_TEXTS };

	for (int i = 0; i < config_setting_length(setting); i++) {
		const char *text = config_setting_get_string_elem(setting, i);

		if (!text) {
			option_texts_clear(&value.texts);
			return option_other_type("a list with a value that is not a "
			                         "string");
		}
		option_texts_add(&value.texts, text, strlen(text));
	}
	return value;
}

static struct option_value option_value_of(const config_setting_t *setting)
{
	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		return (struct option_value){ .kind = VALUE_NUMBER,
			.number = config_setting_get_int64(setting) };
	case CONFIG_TYPE_BOOL:
		return (struct option_value){ .kind = VALUE_BOOL,
			.number = config_setting_get_bool(setting) };
	case CONFIG_TYPE_STRING:
		return (struct option_value){ .kind = VALUE_TEXT,
			.text = config_setting_get_string(setting) };
	case CONFIG_TYPE_ARRAY:
	case CONFIG_TYPE_LIST:
		return option_texts_of(setting);
	case CONFIG_TYPE_GROUP:
		return option_other_type("a group");
	default:
		return option_other_type("a fraction");
	}
}

/* A secret in the file is as safe as the file itself. "@path" names another file. */
static enum err option_resolve_secret(const struct reading *reading,
				      const config_setting_t *setting,
				      struct option_value *value, struct buf *secret)
{
	if (value->kind == VALUE_TEXT && value->text[0] == '@') {
		struct why why;
		enum err err = option_file_secret(value->text + 1, secret, &why);

		value->text = buf_string(secret);
		return err ? option_fail_at(reading, setting, why.text) : OK;
	}
	if (reading->exposed)
		return fail(reading->why, ERR_INVALID,
			    "%s:%u: contains a secret, but other users can read the "
			    "file: use 'chmod 640 %s'",
			    reading->path, (unsigned)config_setting_source_line(setting),
			    reading->path);
	return OK;
}

static enum err option_read_setting(const struct reading *reading,
				    const config_setting_t *setting,
				    const struct option *row, void *field)
{
	struct option_value value = option_value_of(setting);
	struct buf secret = { 0 };
	enum err err = OK;

	if (row->type == OPTION_SECRET)
		err = option_resolve_secret(reading, setting, &value, &secret);
	if (!err && !option_parse(row, &value, field))
		err = option_refuse(reading, setting, row, &value);
	if (secret.data)
		explicit_bzero(secret.data, secret.size);
	buf_clear(&secret);
	option_texts_clear(&value.texts);
	return err;
}

static void option_read_fallback(const struct option *row, void *field)
{
	struct option_value value = option_fallback(row);

	bug_if(!option_parse(row, &value, field));
}

static void option_rows_clear(const struct option *rows, void *base)
{
	for (const struct option *row = rows; row->key; row++)
		option_field_clear(row->type, option_field(base, row));
}

static config_setting_t *option_member(const config_setting_t *group, const char *key)
{
	return group ? config_setting_get_member(group, key) : NULL;
}

/* Reads the group's value, or the value of the inherited group, or the fallback. */
static enum err option_read_row(const struct reading *reading,
				const config_setting_t *group,
				const config_setting_t *inherited,
				const struct option *row, void *base)
{
	const config_setting_t *setting = option_member(group, row->key);

	if (!setting)
		setting = option_member(inherited, row->key);
	if (setting)
		return option_read_setting(reading, setting, row,
					   option_field(base, row));
	if (row->fallback && !row->required)
		option_read_fallback(row, option_field(base, row));
	return OK;
}

/* ---- sections ---- */

static enum err option_require_rows(const struct reading *reading,
				    const struct option_section *section,
				    const config_setting_t *group)
{
	for (const struct option *row = section->rows; row->key; row++)
		if (row->required && !option_member(group, row->key))
			return fail(reading->why, ERR_INVALID,
				    "%s: %s.%s: must be set: %s", reading->path,
				    section->group, row->key, row->help);
	return OK;
}

static enum err option_read_section(const struct reading *reading, const config_t *config,
				    const struct option_section *section)
{
	const config_setting_t *group = config_lookup(config, section->group);
	enum err err = option_require_rows(reading, section, group);

	for (const struct option *row = section->rows; row->key && !err; row++)
		err = option_read_row(reading, group, NULL, row, section->into);
	return err;
}

/* ---- lists ---- */

/* GROUP is NULL, or a group that may only have keys of these rows. */
static enum err option_check_rows(const struct reading *reading,
				  const config_setting_t *group,
				  const struct option *rows)
{
	if (!group)
		return OK;
	if (!config_setting_is_group(group))
		return option_fail_at(reading, group, "must be a group: { ... }");
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *setting = config_setting_get_elem(group, i);
		struct suggest suggest = suggest_for(config_setting_name(setting));

		if (option_has_row(rows, suggest.word))
			continue;
		option_suggest_rows(rows, &suggest);
		return option_fail_unknown(reading, setting, &suggest);
	}
	return OK;
}

/* Checks the defaults, even if all elements override them. */
static enum err option_check_default(const struct reading *reading,
				     const config_setting_t *group,
				     const struct option_list *list)
{
	void *scratch = xcalloc(1, list->element_size);
	enum err err = option_check_rows(reading, group, list->rows);

	for (const struct option *row = list->rows; row->key && !err; row++)
		err = option_read_row(reading, group, NULL, row, scratch);
	option_rows_clear(list->rows, scratch);
	free(scratch);
	return err;
}

static enum err option_read_element(const struct reading *reading,
				    const config_setting_t *group,
				    const config_setting_t *inherited,
				    const struct option_list *list, void *element)
{
	enum err err = option_check_rows(reading, group, list->rows);

	for (const struct option *row = list->rows; row->key && !err; row++) {
		if (row->required && !option_member(group, row->key) &&
		    !option_member(inherited, row->key)) {
			char words[OPTION_GROUP_MAX];

			snprintf(words, sizeof words, "the setting %s must be set",
			         row->key);
			return option_fail_at(reading, group, words);
		}
		err = option_read_row(reading, group, inherited, row, element);
	}
	return err;
}

static enum err option_read_list(const struct reading *reading, const config_t *config,
				 const struct option_list *list)
{
	const config_setting_t *group = config_lookup(config, list->group);
	const config_setting_t *inherited = option_member(group, "default");
	const config_setting_t *servers = option_member(group, option_elements(list));
	enum err err = option_check_default(reading, inherited, list);
	int count = servers ? config_setting_length(servers) : 0;

	if (err)
		return err;
	if (servers && !config_setting_is_list(servers))
		return option_fail_at(reading, servers,
				      "must be a list of groups: ( { ... }, ... )");
	*list->into = xcalloc(count, list->element_size);
	*list->count = count;
	for (int i = 0; i < count && !err; i++)
		err = option_read_element(reading, config_setting_get_elem(servers, i),
					  inherited, list,
					  (char *)*list->into + i * list->element_size);
	return err;
}

/* ---- each group and key of the file must belong to a program ---- */

static enum err option_check_group(const struct reading *reading,
				   const config_setting_t *group, const char *path);

static enum err option_check_member(const struct reading *reading,
				    const config_setting_t *setting, const char *group)
{
	const char *name = config_setting_name(setting);
	char path[OPTION_GROUP_MAX];
	int len = snprintf(path, sizeof path, "%s%s%s", group, *group ? "." : "", name);

	if (option_is_key_of(reading->schema, group, name))
		return OK;
	if (len < OPTION_GROUP_MAX && option_is_group_path(reading->schema, path))
		return option_check_group(reading, setting, path);
	if (!*group && option_is_known_group(name))
		return config_setting_is_group(setting) ? OK
			: option_fail_at(reading, setting, "must be a group: { ... }");

	struct suggest suggest = suggest_for(name);

	option_suggest_members(reading->schema, group, &suggest);
	return option_fail_unknown(reading, setting, &suggest);
}

/* Recursion only follows groups of this program. */
static enum err option_check_group(const struct reading *reading,
				   const config_setting_t *group, const char *path)
{
	enum err err = OK;

	if (!config_setting_is_group(group))
		return option_fail_at(reading, group, "must be a group: { ... }");
	for (int i = 0; i < config_setting_length(group) && !err; i++)
		err =
		    option_check_member(reading, config_setting_get_elem(group, i), path);
	return err;
}

/* ---- the whole file ---- */

static enum err option_read_config(const struct reading *reading, const config_t *config)
{
	enum err err = option_check_group(reading, config_root_setting(config), "");

	for (const struct option_section *s = reading->schema->sections; s->group && !err;
	     s++)
		err = option_read_section(reading, config, s);
	for (const struct option_list *l = option_lists(reading->schema);
	     l->group && !err; l++)
		err = option_read_list(reading, config, l);
	if (err)
		option_clear(reading->schema);
	return err;
}

static enum err option_parse_file(const struct reading *reading, const char *text)
{
	config_t config;
	const char *reason;
	enum err err;
	int line;

	reason = option_scan(text, &line);
	if (reason)
		return fail(reading->why, ERR_INVALID, "%s:%d: %s", reading->path, line,
			    reason);
	config_init(&config);
	if (config_read_string(&config, text))
		err = option_read_config(reading, &config);
	else
		err = fail(reading->why, ERR_INVALID, "%s:%d: %s", reading->path,
			   config_error_line(&config), config_error_text(&config));
	config_destroy(&config);
	return err;
}

enum err option_load(const struct option_schema *schema, const char *path,
		     struct why *why)
{
	struct reading reading = { .schema = schema, .path = path, .why = why };
	struct buf text = { 0 };
	mode_t mode = 0;
	enum err err = option_file_read(path, FILE_MAX_BYTES, &text, &mode, why);

	if (err == ERR_NOT_FOUND)
		return fail(why, err,
			    "%s: does not exist: create the file with '%s --sample > %s'",
			    path, schema->program, path);
	reading.exposed = mode & 007;
	if (!err)
		err = option_parse_file(&reading, buf_string(&text));
	if (text.data)
		explicit_bzero(text.data, text.size);
	buf_clear(&text);
	return err;
}

void option_clear(const struct option_schema *schema)
{
	for (const struct option_section *s = schema->sections; s->group; s++)
		option_rows_clear(s->rows, s->into);
	for (const struct option_list *l = option_lists(schema); l->group; l++) {
		for (size_t i = 0; *l->into && i < *l->count; i++)
			option_rows_clear(l->rows,
					  (char *)*l->into + i * l->element_size);
		free(*l->into);
		*l->into = NULL;
		*l->count = 0;
	}
}
