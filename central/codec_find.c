#include "codec_find.h"

#include <string.h>

#include "base/buf.h"
#include "codec.h"
#include "model/json.h"
#include "model/presentation.h"

#define NAME_PATTERN \
	{ "name", "string", "a name, or a pattern with up to 8 `*`. Each `*` matches " \
	  "any characters, for example `*shop*`. Write `\\*` for a star in a name. " \
	  "central converts the text to lower case. A text that ends neither in a dot " \
	  "nor in `*` gets a final dot", "any", NAME_MAX_TEXT }

const struct json_field codec_find_domain_fields[] = {
	NAME_PATTERN,
	{ "status", "string", "PENDING, ACTIVE or ERROR", "any" },
	{ "task", "string", "ADD, UPDATE, DELETE or NONE", "any" },
	{ "pool", "string", "the name of a pool", "any", POOL_NAME_MAX },
	{ "tenant", "string", "the tenant that owns the domain", "any", TENANT_MAX },
	{ 0 }
};

const struct json_field codec_find_record_fields[] = {
	NAME_PATTERN,
	{ "type", "string", "a record type", "any" },
	{ "status", "string", "PENDING, ACTIVE or ERROR", "any" },
	{ "data", "string", "the data of a record, exactly as in answers",
	  "any", RDATA_MAX_TEXT },
	{ 0 }
};

const struct json_field codec_find_tld_fields[] = {
	NAME_PATTERN,
	{ 0 }
};

/* Fails with "sort_key: must be name, created_at or updated_at, not 'size'". */
static enum err find_fail_sort_key(const char *const *keys, const char *key,
                                   struct why *why)
{
	struct buf list = { 0 };
	enum err err;

	for (size_t i = 0; keys[i]; i++)
		buf_printf(&list, "%s%s", !i ? "" : keys[i + 1] ? ", " : " or ", keys[i]);
	err = fail(why, ERR_INVALID, "sort_key: must be %s, not '%s'", buf_string(&list),
	           err_quote(key, (char[WORD_MAX + 1]){ 0 }, WORD_MAX + 1));
	buf_clear(&list);
	return err;
}

static enum err find_get_sort_key(const json_t *args, const char *const *keys,
                                  size_t *sort, struct why *why)
{
	const char *key = NULL;
	enum err err = json_get_text(args, "sort_key", 0, WORD_MAX, &key, why);

	*sort = 0;
	if (err || !key)
		return err;
	while (keys[*sort] && strcmp(keys[*sort], key))
		++*sort;
	return keys[*sort] ? OK : find_fail_sort_key(keys, key, why);
}

static enum err find_get_direction(const json_t *args, bool *descending, struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(args, "sort_dir", 0, WORD_MAX, &text, why);

	if (err || !text)
		return err;
	*descending = !strcmp(text, "desc");
	if (!*descending && strcmp(text, "asc"))
		return fail(why, ERR_INVALID, "sort_dir: must be asc or desc, not '%s'",
		            err_quote(text, (char[33]){ 0 }, 33));
	return OK;
}

enum err codec_find_paging(const json_t *args, const char *const *keys,
                           struct paging *paging, struct why *why)
{
	int64_t limit = FIND_LIMIT;
	enum err err;

	*paging = (struct paging){ 0 };
	err = json_get_id(args, "marker", 0, paging->marker, why);
	if (!err)
		err = json_get_int(args, "limit", 0, 1, FIND_LIMIT_MAX, &limit, why);
	if (!err)
		err = find_get_sort_key(args, keys, &paging->sort, why);
	if (!err)
		err = find_get_direction(args, &paging->descending, why);
	paging->limit = (uint32_t)limit;
	return err;
}

static enum err find_get_criterion(const json_t *args, const struct json_field *fields,
                                   const json_t **criterion, struct why *why)
{
	enum err err = json_get_object(args, "criterion", 0, criterion, why);

	return err || !*criterion ? err
	                          : json_only_fields(*criterion, fields, "criterion",
	                                             why);
}

enum err codec_find_no_criterion(const json_t *args, struct why *why)
{
	static const struct json_field none[] = { { 0 } };
	const json_t *json = NULL;

	return find_get_criterion(args, none, &json, why);
}

static enum err find_get_pattern(const json_t *json, struct arena *arena,
                                 struct pattern *pattern, struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "name", 0, NAME_MAX_TEXT, &text, why);

	*pattern = (struct pattern){ .text = NULL };
	return err || !text ? err : pattern_parse(text, "name", arena, pattern, why);
}

static enum err find_get_status(const json_t *json, const char **status, struct why *why)
{
	enum status parsed;
	enum err err = json_get_text(json, "status", 0, WORD_MAX, status, why);

	/* lists contain no deleted objects */
	if (!err && *status && (!status_parse(*status, &parsed) ||
	                        parsed == STATUS_DELETED))
		return fail(why, ERR_INVALID,
		            "status: must be PENDING, ACTIVE or ERROR, not '%s'",
		            err_quote(*status, (char[33]){ 0 }, 33));
	return err;
}

static enum err find_get_task(const json_t *json, const char **task, struct why *why)
{
	enum task unused;
	enum err err = json_get_text(json, "task", 0, WORD_MAX, task, why);

	if (!err && *task && !task_parse(*task, &unused))
		return fail(why, ERR_INVALID, "task: must be ADD, UPDATE, DELETE or "
		            "NONE, not '%s'", err_quote(*task, (char[33]){ 0 }, 33));
	return err;
}

enum err codec_find_domains(const json_t *args, struct arena *arena,
                            struct domain_criterion *criterion, struct why *why)
{
	const json_t *json = NULL;
	enum err err = find_get_criterion(args, codec_find_domain_fields, &json, why);

	*criterion = (struct domain_criterion){ 0 };
	if (err || !json)
		return err;
	err = find_get_pattern(json, arena, &criterion->name, why);
	if (!err)
		err = find_get_status(json, &criterion->status, why);
	if (!err)
		err = find_get_task(json, &criterion->task, why);
	if (!err)
		err = json_get_text(json, "pool", 0, POOL_NAME_MAX, &criterion->pool,
		                    why);
	if (!err)
		err = json_get_text(json, "tenant", 0, TENANT_MAX, &criterion->tenant,
		                    why);
	return codec_within("criterion", err, why);
}

enum err codec_find_records(const json_t *args, struct arena *arena,
                            struct record_criterion *criterion, struct why *why)
{
	const json_t *json = NULL;
	enum err err = find_get_criterion(args, codec_find_record_fields, &json, why);

	*criterion = (struct record_criterion){ 0 };
	if (err || !json)
		return err;
	err = find_get_pattern(json, arena, &criterion->name, why);
	if (!err && !json_is_absent(json, "type"))
		err = codec_type(json, &criterion->type, why);
	if (!err)
		err = find_get_status(json, &criterion->status, why);
	if (!err)
		err = json_get_text(json, "data", 0, RDATA_MAX_TEXT, &criterion->data,
		                    why);
	return codec_within("criterion", err, why);
}

enum err codec_find_tlds(const json_t *args, struct arena *arena, struct pattern *name,
                         struct why *why)
{
	const json_t *json = NULL;
	enum err err = find_get_criterion(args, codec_find_tld_fields, &json, why);

	*name = (struct pattern){ .text = NULL };
	if (err || !json)
		return err;
	return codec_within("criterion", find_get_pattern(json, arena, name, why), why);
}
