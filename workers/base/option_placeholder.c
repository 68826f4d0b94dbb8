#include "base/option.h"
#include "base/option_type.h"

#include <string.h>

/* True: a whole word of the text is the placeholder: a URL's password, a key's secret. */
static bool secret_has_placeholder(const char *text)
{
	size_t len = strlen(OPTION_PLACEHOLDER);

	for (const char *at = text; at && (at = strstr(at, OPTION_PLACEHOLDER));
	     at += len)
		if ((at == text || strchr(":, \n", at[-1])) &&
		    strchr("@,: \n", at[len]))
			return true;
	return false;
}

/* The row that still has the placeholder, or NULL. BASE is a struct with these rows. */
static const struct option *rows_find_placeholder(const struct option *rows, void *base)
{
	for (const struct option *row = rows; row->key; row++)
		if (row->type == OPTION_SECRET &&
		    secret_has_placeholder(*(char **)option_field(base, row)))
			return row;
	return NULL;
}

static enum err option_refuse_placeholder(const char *group, const struct option *row,
                                          struct why *why)
{
	return fail(why, ERR_INVALID, "%s.%s: still contains \"" OPTION_PLACEHOLDER "\" "
	            "from the sample: set a secret of your own", group, row->key);
}

enum err option_check_placeholders(const struct option_schema *schema, struct why *why)
{
	const struct option *row;

	for (const struct option_section *s = schema->sections; s->group; s++) {
		row = s->is_of_others ? NULL : rows_find_placeholder(s->rows, s->into);
		if (row)
			return option_refuse_placeholder(s->group, row, why);
	}
	for (const struct option_list *l = option_lists(schema); l->group; l++)
		for (size_t i = 0; i < *l->count; i++) {
			row = rows_find_placeholder(l->rows, (char *)*l->into +
			                                     i * l->element_size);
			if (row)
				return option_refuse_placeholder(l->group, row, why);
		}
	return OK;
}
