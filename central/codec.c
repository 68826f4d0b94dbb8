#include "codec.h"

#include <string.h>

#include "model/json.h"
#include "model/presentation.h"
#include "store.h"

enum err codec_within(const char *field, enum err err, struct why *why)
{
	return err ? fail(why, err, "%s.%s", field, why->text) : OK;
}

const char *codec_name_text(const struct name *name, struct arena *arena)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	return arena_strdup(arena, text);
}

enum err codec_owner(const json_t *json, const char *key, int flags, struct arena *arena,
                     struct name *name, const char **canonical, struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(json, key, flags, NAME_MAX_TEXT, &text, why);

	if (!err && text)
		err = name_parse_owner(text, key, name, why);
	if (!err && text)
		*canonical = codec_name_text(name, arena);
	return err;
}

enum err codec_id_or_name(const json_t *json, const char *key, struct arena *arena,
                          char id[ID_LEN + 1], const char **canonical, struct why *why)
{
	const char *text;
	struct name name;
	enum err err = json_get_text(json, key, JSON_REQUIRED, NAME_MAX_TEXT, &text, why);

	*id = '\0';
	*canonical = NULL;
	if (err || id_parse(text, id))
		return err;
	err = name_parse(text, key, &name, why);
	if (err)
		return fail(why, ERR_INVALID,
		            "%s: must be an id, or a name with a final dot, not '%s'",
		            key, err_quote(text, (char[81]){ 0 }, 81));
	*canonical = codec_name_text(&name, arena);
	return OK;
}

/* Refuses a host that is among the COUNT hosts before it. */
static enum err codec_host_is_new(const char *const *hosts, size_t count,
                                  const char *host, const char *field, struct why *why)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(hosts[i], host))
			return fail(why, ERR_INVALID, "%s: the list already contains the "
			            "host '%.255s': give each host only once", field,
			            host);
	return OK;
}

enum err codec_hosts(const json_t *json, const char *key, struct arena *arena,
                     const char ***hosts, size_t *count, struct why *why)
{
	const json_t *array = NULL;
	enum err err = json_get_array(json, key, 0, POOL_NS_MAX, &array, why);
	struct name name;

	*count = json_array_size(array);
	*hosts = arena_alloc(arena, (*count + 1) * sizeof(**hosts));
	for (size_t i = 0; !err && i < *count; i++) {
		const char *text = json_string_value(json_array_get(array, i));
		const char *field = arena_printf(arena, "%s[%zu]", key, i);

		if (!text)
			return fail(why, ERR_INVALID, "%s: must be a string that "
			            "contains a host name", field);
		err = name_parse_owner(text, field, &name, why);
		if (err)
			return err;
		(*hosts)[i] = codec_name_text(&name, arena);
		err = codec_host_is_new(*hosts, i, (*hosts)[i], field, why);
	}
	return err;
}

enum err codec_type(const json_t *json, uint16_t *type, struct why *why)
{
	const char *text;
	enum err err = json_get_text(json, "type", JSON_REQUIRED, WORD_MAX, &text, why);

	return err ? err : rrtype_parse(text, "type", type, why);
}
