#include "base/option_group.h"

#include <string.h>

#include "base/option_type.h"

/* One file serves all programs: these groups may belong to another program. */
static const char *const option_known_groups[] = {
	"broker", "database", "log", "metrics", "worker",
	"central", "poolmgr", "minidns", "backends",
	"client", "fleet", "ports", "ports_agent", "routes", "routes_agent", "ownership",
	"registries",
	NULL
};

bool option_has_row(const struct option *rows, const char *key)
{
	for (const struct option *row = rows; row->key; row++)
		if (strcmp(row->key, key) == 0)
			return true;
	return false;
}

static bool option_is_below(const char *group, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(group, prefix, len) == 0 && (group[len] == 0 || group[len] == '.');
}

bool option_is_group_path(const struct option_schema *schema, const char *path)
{
	for (const struct option_section *s = schema->sections; s->group; s++)
		if (option_is_below(s->group, path))
			return true;
	for (const struct option_list *l = option_lists(schema); l->group; l++)
		if (option_is_below(l->group, path))
			return true;
	return false;
}

bool option_is_key_of(const struct option_schema *schema, const char *group,
		      const char *key)
{
	for (const struct option_section *s = schema->sections; s->group; s++)
		if (strcmp(s->group, group) == 0 && option_has_row(s->rows, key))
			return true;
	for (const struct option_list *l = option_lists(schema); l->group; l++)
		if (strcmp(l->group, group) == 0)
			return strcmp(key, "default") == 0 ||
			       strcmp(key, option_elements(l)) == 0;
	return false;
}

bool option_is_known_group(const char *name)
{
	for (const char *const *known = option_known_groups; *known; known++)
		if (strcmp(*known, name) == 0)
			return true;
	return false;
}

void option_suggest_rows(const struct option *rows, struct suggest *suggest)
{
	for (const struct option *row = rows; row->key; row++)
		suggest_offer(suggest, row->key, strlen(row->key));
}

/* Offers the next part of the name of GROUP, if GROUP is below PATH ("": all groups). */
static void option_suggest_group(const char *path, const char *group,
				 struct suggest *suggest)
{
	size_t len = strlen(path);

	if (len && (!option_is_below(group, path) || !group[len]))
		return;
	group += len ? len + 1 : 0;
	suggest_offer(suggest, group, strcspn(group, "."));
}

void option_suggest_members(const struct option_schema *schema, const char *path,
			    struct suggest *suggest)
{
	for (const struct option_section *s = schema->sections; s->group; s++) {
		option_suggest_group(path, s->group, suggest);
		if (strcmp(s->group, path) == 0)
			option_suggest_rows(s->rows, suggest);
	}
	for (const struct option_list *l = option_lists(schema); l->group; l++) {
		const char *elements = option_elements(l);

		option_suggest_group(path, l->group, suggest);
		if (strcmp(l->group, path) == 0) {
			suggest_offer(suggest, "default", strlen("default"));
			suggest_offer(suggest, elements, strlen(elements));
		}
	}
	for (const char *const *known = option_known_groups; *known && !*path; known++)
		suggest_offer(suggest, *known, strlen(*known));
}
