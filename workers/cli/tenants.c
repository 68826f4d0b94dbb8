#include "tenants.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "model/identity.h"
#include "output.h"

/*
 * Maps a folded text to [{"tenant", "problem"?, "rows"}], the tenants with this folded
 * text.
 */
struct tenants {
	json_t *by_fold;
};

struct tenants *tenants_new(void)
{
	struct tenants *tenants = xcalloc(1, sizeof(*tenants));

	tenants->by_fold = json_object();
	return tenants;
}

void tenants_free(struct tenants **tenants)
{
	if (!*tenants)
		return;
	json_decref((*tenants)->by_fold);
	free(*tenants);
	*tenants = NULL;
}

/* ---- texts ---- */

/* Makes valid UTF-8 from any octets. */
static char *tenant_escaped(const char *text)
{
	struct buf buf = { 0 };
	char *escaped;

	output_escape(text, &buf);
	escaped = xstrdup(buf_string(&buf));
	buf_clear(&buf);
	return escaped;
}

static bool tenant_is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

/*
 * Removes blanks and control characters at the ends, and converts letters to lower case.
 */
static char *tenant_folded(const char *text)
{
	size_t len = strlen(text);
	char *trimmed, *folded;

	while (len && tenant_is_blank(text[len - 1]))
		len--;
	while (len && tenant_is_blank(*text)) {
		text++;
		len--;
	}
	trimmed = xprintf("%.*s", (int)len, text);
	for (char *c = trimmed; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	folded = tenant_escaped(trimmed);
	free(trimmed);
	return folded;
}

/* ---- collecting ---- */

static json_t *tenant_find(json_t *alike, const char *escaped)
{
	for (size_t i = 0; i < json_array_size(alike); i++) {
		json_t *entry = json_array_get(alike, i);
		const char *text = json_string_value(json_object_get(entry, "tenant"));

		if (!strcmp(text, escaped))
			return entry;
	}
	return NULL;
}

static json_t *tenant_new(json_t *alike, const char *tenant, const char *escaped)
{
	json_t *entry = json_pack("{s:s, s:{}}", "tenant", escaped, "rows");
	struct why why;

	if (identity_check(tenant, "tenant", &why))
		json_object_set_new(entry, "problem", json_string(why.text));
	json_array_append_new(alike, entry);
	return entry;
}

void tenants_add(void *self, const char *table, const char *tenant, int64_t rows)
{
	struct tenants *tenants = self;
	char *escaped = tenant_escaped(tenant), *folded = tenant_folded(tenant);
	json_t *alike = json_object_get(tenants->by_fold, folded), *entry;

	if (!alike) {
		alike = json_array();
		json_object_set_new(tenants->by_fold, folded, alike);
	}
	entry = tenant_find(alike, escaped);
	if (!entry)
		entry = tenant_new(alike, tenant, escaped);
	json_object_set_new(json_object_get(entry, "rows"), table, json_integer(rows));
	free(escaped);
	free(folded);
}

/* ---- report ---- */

static void tenants_take(json_t *list, const json_t *alike)
{
	size_t count = json_array_size(alike);

	for (size_t i = 0; i < count; i++) {
		json_t *entry = json_copy(json_array_get(alike, i)), *like = json_array();

		for (size_t j = 0; j < count; j++)
			if (j != i)
				json_array_append(like, json_object_get(
					json_array_get(alike, j), "tenant"));
		json_object_set_new(entry, "like", like);
		if (count > 1 || json_object_get(entry, "problem"))
			json_array_append(list, entry);
		json_decref(entry);
	}
}

json_t *tenants_in_doubt(const struct tenants *tenants)
{
	json_t *list = json_array(), *alike;
	const char *folded;

	json_object_foreach(tenants->by_fold, folded, alike)
		tenants_take(list, alike);
	return list;
}
