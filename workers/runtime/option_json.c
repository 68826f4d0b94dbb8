#include "runtime/option_json.h"

#include "base/option_type.h"

static json_t *option_json_row(const struct option *row)
{
	struct buf values = { 0 };
	json_t *json;

	option_describe(row, &values);
	json = json_pack("{s:s, s:s, s:s?, s:b, s:b, s:s}", "key", row->key, "values",
	                 buf_string(&values), "default", row->fallback, "required",
	                 row->required, "reloadable", row->reloadable, "help", row->help);
	buf_clear(&values);
	return json;
}

static json_t *option_json_group(const char *group, const char *elements,
                                 const char *help, const struct option *row)
{
	json_t *rows = json_array();

	for (; row->key; row++)
		json_array_append_new(rows, option_json_row(row));
	return json_pack("{s:s, s:s?, s:s, s:o}", "group", group, "elements", elements,
	                 "help", help, "rows", rows);
}

json_t *option_json(const struct option_schema *schema)
{
	json_t *groups = json_array();

	for (const struct option_section *s = schema->sections; s->group; s++)
		if (!s->is_of_others)
			json_array_append_new(
			    groups, option_json_group(s->group, NULL, s->help, s->rows));
	for (const struct option_list *l = option_lists(schema); l->group; l++)
		json_array_append_new(
		    groups,
		    option_json_group(l->group, option_elements(l), l->help, l->rows));
	return groups;
}
