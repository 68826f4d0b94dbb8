#include "service.h"

#include <stdint.h>
#include <string.h>

#include "base/id.h"
#include "codec.h"
#include "codec_find.h"
#include "core/suffix.h"
#include "model/json.h"
#include "result_page.h"
#include "store_tld.h"

enum { TLD_LIST_MAX = 1000 };	/* entries in one call of apply_tlds */

#define DESCRIPTION \
	{ "description", "string", "any text. zonefleet does not use this text"

const struct json_field service_tld_fields[] = {
	{ "name", "string", "the suffix, for example `co.uk.`, `*.ck.` (each name "
	  "directly below `ck.`) or `!www.ck.` (an exception from `*.ck.`), as in the "
	  "Public Suffix List. The final dot may be missing", .max = SUFFIX_TEXT_MAX },
	DESCRIPTION, "empty", DESCRIPTION_MAX },
	{ 0 }
};

const struct json_field service_tld_change_fields[] = {
	DESCRIPTION, "unchanged", DESCRIPTION_MAX },
	{ 0 }
};

/* ---- decode, encode ---- */

static enum err tld_decode(struct request *req, struct tld *tld)
{
	struct why *why = &req->why;
	const json_t *json;
	const char *name;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "tld", &json);
	if (!err)
		err = json_only_fields(json, service_tld_fields, "tld", why);
	if (err)
		return err;
	err = json_get_text(json, "name", JSON_REQUIRED, SUFFIX_TEXT_MAX, &name, why);
	if (!err)
		err = suffix_parse(name, "name", req->arena, &tld->name, why);
	if (!err)
		err = json_get_text(json, "description", 0, DESCRIPTION_MAX,
		                    &tld->description, why);
	return codec_within("tld", err, why);
}

/* The id or the name of an entry. */
static enum err tld_decode_key(struct request *req, struct tld_key *key)
{
	const char *text;
	enum err err = access_require_admin(req);

	*key = (struct tld_key){ .name = NULL };
	if (!err)
		err = json_get_text(req->args, "tld", JSON_REQUIRED, SUFFIX_TEXT_MAX,
		                    &text, &req->why);
	if (err || id_parse(text, key->id))
		return err;
	return suffix_parse(text, "tld", req->arena, &key->name, &req->why);
}

static json_t *tld_encode(const struct tld *tld)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", tld->id, "name", tld->name,
	                 "description", tld->description, "created_at", tld->created_at,
	                 "updated_at", tld->updated_at);
}

static enum err tld_not_found(struct tx *tx, const struct tld_key *key)
{
	return tx_fail(tx, ERR_NOT_FOUND, "the list of permitted suffixes has no entry "
	               "'%.255s'", *key->id ? key->id : key->name);
}

/* ---- create, update, delete ---- */

/* Reads the row back, because the database has set its times. */
static enum err tld_answer(struct write *write, const char *id)
{
	struct tld_key key = { .name = NULL };
	struct tld tld;

	memcpy(key.id, id, sizeof key.id);
	if (store_tld_get(write->tx, &key, write->arena, &tld))
		write->req->result = tld_encode(&tld);
	return write->tx->err;
}

enum err service_create_tld(struct write *write)
{
	struct tld tld = { .description = "" };
	enum err err = tld_decode(write->req, &tld);

	if (err)
		return err;
	id_new(tld.id);
	store_tld_insert(write->tx, &tld, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&write->req->why, ERR_EXISTS,
		            "the suffix %.255s is already permitted", tld.name);
	rpc_changed(write->req, "tld", tld.name);
	return tld_answer(write, tld.id);
}

static enum err tld_lock(struct write *write, struct tld *tld)
{
	struct tld_key key;
	enum err err = tld_decode_key(write->req, &key);

	if (err || store_tld_lock(write->tx, &key, write_wait(write), write->arena, tld))
		return err;
	return tld_not_found(write->tx, &key);
}

static enum err tld_get_values(struct request *req, struct tld *tld)
{
	const json_t *values;
	enum err err = service_object(req, "values", &values);

	if (!err)
		err = json_only_fields(values, service_tld_change_fields, "values",
		                       &req->why);
	if (err)
		return err;
	err = json_get_text(values, "description", 0, DESCRIPTION_MAX, &tld->description,
	                    &req->why);
	return codec_within("values", err, &req->why);
}

enum err service_update_tld(struct write *write)
{
	struct tld tld;
	enum err err = tld_lock(write, &tld);

	if (!err)
		err = tld_get_values(write->req, &tld);
	if (err)
		return err;
	store_tld_set_description(write->tx, &tld);
	rpc_changed(write->req, "tld", tld.name);
	return tld_answer(write, tld.id);
}

enum err service_delete_tld(struct write *write)
{
	struct tld tld;
	enum err err = tld_lock(write, &tld);

	if (err)
		return err;
	store_tld_delete(write->tx, tld.id);
	rpc_changed(write->req, "tld", tld.name);
	return write->tx->err;
}

/* ---- several entries ---- */

static enum err tld_decode_list(struct request *req, const char *key,
                                const json_t *array, struct tld_list *list)
{
	const char **names = arena_alloc(req->arena,
	                                 (json_array_size(array) + 1) * sizeof(*names));
	enum err err = OK;

	*list = (struct tld_list){ names, json_array_size(array), req->arena };
	for (size_t i = 0; !err && i < list->count; i++) {
		const char *text = json_string_value(json_array_get(array, i));
		const char *field = arena_printf(req->arena, "%s[%zu]", key, i);

		if (!text || strlen(text) > SUFFIX_TEXT_MAX)
			return fail(&req->why, ERR_INVALID, "%s: must be a string of at "
			            "most %d octets", field, SUFFIX_TEXT_MAX);
		err = suffix_parse(text, field, req->arena, &names[i], &req->why);
	}
	return err;
}

static enum err tld_decode_lists(struct request *req, struct tld_list *add,
                                 struct tld_list *remove)
{
	const json_t *adds = NULL, *removes = NULL;
	size_t count;
	enum err err = access_require_admin(req);

	if (!err)
		err = json_get_array(req->args, "add", 0, SIZE_MAX, &adds, &req->why);
	if (!err)
		err = json_get_array(req->args, "remove", 0, SIZE_MAX, &removes,
		                     &req->why);
	if (err)
		return err;
	count = json_array_size(adds) + json_array_size(removes);
	if (count > TLD_LIST_MAX)
		return fail(&req->why, ERR_INVALID, "add, remove: must have at most %d "
		            "entries together, not %zu", TLD_LIST_MAX, count);
	err = tld_decode_list(req, "add", adds, add);
	return err ? err : tld_decode_list(req, "remove", removes, remove);
}

/* Writes a log line only if the call has changed the list. */
static void tld_note_counts(struct request *req, int64_t added, int64_t removed)
{
	struct changed *changed;

	if (!added && !removed)
		return;
	changed = rpc_changed(req, "tld", "list");
	changed->has_counts = true;
	changed->added = added;
	changed->deleted = removed;
}

enum err service_apply_tlds(struct write *write)
{
	struct request *req = write->req;
	enum store_wait wait = write_wait(write);
	struct tld_list add, remove;
	int64_t added, removed;
	enum err err = tld_decode_lists(req, &add, &remove);

	if (err)
		return err;
	removed = store_tld_remove(write->tx, &remove, wait);
	added = store_tld_add(write->tx, &add, wait);
	if (write->tx->err)
		return write->tx->err;
	tld_note_counts(req, added, removed);
	req->result = json_pack("{s:I, s:I}", "added", (json_int_t)added,
	                        "removed", (json_int_t)removed);
	return OK;
}

/* ---- get, find ---- */

enum err service_get_tld(void *self, struct request *req)
{
	struct central *central = self;
	struct tld_key key;
	struct tld tld;
	enum err err = tld_decode_key(req, &key);

	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_tld_get(&tx, &key, req->arena, &tld))
		req->result = tld_encode(&tld);
	else
		tld_not_found(&tx, &key);
	return tx_commit(&tx);
}

static json_t *tld_read_page(struct tx *tx, const struct pattern *name,
                             const struct paging *paging, struct arena *arena)
{
	struct result_page page;
	struct tx_rows rows;
	struct tld tld;

	result_page_init(&page, paging->limit);
	store_tld_find(tx, name, paging, arena, &rows);
	while (store_tld_next(&rows, &tld))
		if (!result_page_add(&page, tld_encode(&tld), tld.id))
			break;
	tx_select_end(&rows);
	return result_page_encode(&page, "tlds");
}

enum err service_find_tlds(void *self, struct request *req)
{
	struct central *central = self;
	struct pattern name;
	struct paging paging;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_find_tlds(req->args, req->arena, &name, &req->why);
	if (!err)
		err = codec_find_paging(req->args, store_tld_sort_keys, &paging,
		                        &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	req->result = tld_read_page(&tx, &name, &paging, req->arena);
	return tx_commit(&tx);
}

/* ---- the creation of a domain ---- */

static enum suffix_result tld_decide(struct write *write, const struct name *name)
{
	const char *keys[SUFFIX_KEYS_MAX], *found[SUFFIX_KEYS_MAX];
	struct tld_list list = { keys, suffix_keys(name, write->arena, keys),
	                         write->arena };
	bool is_empty;
	size_t count;

	if (!list.count)
		return SUFFIX_NO_ENTRY;
	count = store_tld_match(write->tx, &list, found, &is_empty);
	return is_empty ? SUFFIX_PERMITTED : suffix_decide(name, found, count);
}

enum err service_tld_check(struct write *write, const struct name *name, const char *text)
{
	if (write->req->context.is_admin)
		return OK;
	switch (tld_decide(write, name)) {
	case SUFFIX_NO_ENTRY:
		return tx_fail(write->tx, ERR_INVALID, "domain.name: '%.200s' is not "
		               "below a permitted suffix: an administrator adds suffixes "
		               "with 'zonefleet tld add'", text);
	case SUFFIX_ITSELF:
		return tx_fail(write->tx, ERR_INVALID, "domain.name: '%.200s' is itself "
		               "a permitted suffix: create a domain below it, or ask an "
		               "administrator to create this domain", text);
	default:
		return write->tx->err;
	}
}
