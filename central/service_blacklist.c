#include "service.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/regex.h"
#include "codec.h"
#include "codec_domain.h"
#include "model/domain.h"
#include "model/json.h"
#include "result_page.h"
#include "store_blacklist.h"

#define NAME_HELP \
	"a name, which must not be a wildcard. Only administrators can create a domain " \
	"with this name or below this name"
#define PATTERN_HELP \
	"a regular expression of PCRE2, in ASCII. Only administrators can create a " \
	"domain whose name contains a match. central searches the name in lower case, " \
	"with its final dot. An example of a pattern is `^ns[0-9]*\\.`. central " \
	"ignores upper and lower case in the pattern. central refuses back-references, " \
	"recursion, conditions and verbs"
#define DESCRIPTION_HELP "any text. zonefleet does not use this text"

const struct json_field service_blacklist_fields[] = {
	{ "name", "name", NAME_HELP, "required if `pattern` is absent" },
	{ "pattern", "string", PATTERN_HELP, "required if `name` is absent",
	  REGEX_MAX },
	{ "description", "string", DESCRIPTION_HELP, "empty", DESCRIPTION_MAX },
	{ 0 }
};

const struct json_field service_blacklist_change_fields[] = {
	{ "name", "name", NAME_HELP ". The name replaces the pattern of the entry",
	  "unchanged" },
	{ "pattern", "string", PATTERN_HELP ". The pattern replaces the name of the "
	  "entry", "unchanged", REGEX_MAX },
	{ "description", "string", DESCRIPTION_HELP, "unchanged", DESCRIPTION_MAX },
	{ 0 }
};

/* ---- decode, encode ---- */

/* An entry must be able to match the name of a domain. */
static enum err blacklist_check_name(const char *text, const struct name *name,
                                     struct why *why)
{
	if (name->wire[0] == 1 && name->wire[1] == '*')
		return fail(why, ERR_INVALID,
		            "name: must not be a wildcard: write %.200s, which also "
		            "covers all names below it",
		            name->wire[2] ? text + 2 : ".");
	return domain_check_name(name, "name", why);
}

static enum err blacklist_get_name(const json_t *json, struct arena *arena,
                                   struct blacklist *entry, struct why *why)
{
	const char *text = NULL;
	struct name name;
	enum err err = codec_owner(json, "name", 0, arena, &name, &text, why);

	if (!err && text)
		err = blacklist_check_name(text, &name, why);
	if (!err && text) {
		entry->name = text;
		entry->pattern = NULL;
	}
	return err;
}

static enum err blacklist_get_pattern(const json_t *json, struct blacklist *entry,
                                      struct why *why)
{
	const char *text = NULL;
	enum err err = json_get_text(json, "pattern", 0, REGEX_MAX, &text, why);

	if (!err && text)
		err = regex_check(text, "pattern", why);
	if (!err && text) {
		entry->pattern = text;
		entry->name = NULL;
	}
	return err;
}

/* A field that is absent stays unchanged. */
static enum err blacklist_get_fields(const json_t *json, struct arena *arena,
                                     struct blacklist *entry, struct why *why)
{
	enum err err;

	if (!json_is_absent(json, "name") && !json_is_absent(json, "pattern"))
		return fail(why, ERR_INVALID, "pattern: an entry must have a name or a "
		            "pattern, not both");
	err = blacklist_get_name(json, arena, entry, why);
	if (!err)
		err = blacklist_get_pattern(json, entry, why);
	if (!err)
		err = json_get_text(json, "description", 0, DESCRIPTION_MAX,
		                    &entry->description, why);
	return err;
}

static enum err blacklist_decode(struct request *req, struct blacklist *entry)
{
	struct why *why = &req->why;
	const json_t *json;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "blacklist", &json);
	if (!err)
		err = json_only_fields(json, service_blacklist_fields, "blacklist", why);
	if (err)
		return err;
	err = blacklist_get_fields(json, req->arena, entry, why);
	if (!err && !entry->name && !entry->pattern)
		return fail(why, ERR_INVALID, "blacklist: must have a name or a pattern");
	return codec_within("blacklist", err, why);
}

static json_t *blacklist_encode(const struct blacklist *entry)
{
	return json_pack("{s:s, s:s?, s:s?, s:s, s:s, s:s}", "id", entry->id,
	                 "name", entry->name, "pattern", entry->pattern,
	                 "description", entry->description,
	                 "created_at", entry->created_at,
	                 "updated_at", entry->updated_at);
}

static const char *blacklist_text(const struct blacklist *entry)
{
	return entry->name ? entry->name : entry->pattern;
}

/* ---- create, update, delete ---- */

/* FIELD: the new pattern. */
static enum err blacklist_check_quota(struct write *write, const char *field)
{
	if (store_blacklist_count_patterns(write->tx, write_wait(write)) <
	    BLACKLIST_PATTERNS_MAX)
		return write->tx->err;
	return tx_fail(write->tx, ERR_QUOTA, "%s: the blacklist already has %d patterns, "
	               "and cannot have more: delete a pattern first", field,
	               BLACKLIST_PATTERNS_MAX);
}

static enum err blacklist_fail_exists(struct write *write, const struct blacklist *entry)
{
	return fail(&write->req->why, ERR_EXISTS, "%.255s is already on the blacklist",
	            blacklist_text(entry));
}

/* Reads the row back, because the database has set its times. */
static enum err blacklist_answer(struct write *write, const char *id)
{
	struct blacklist entry;

	if (store_blacklist_get(write->tx, id, write->arena, &entry))
		write->req->result = blacklist_encode(&entry);
	return write->tx->err;
}

enum err service_create_blacklist(struct write *write)
{
	struct blacklist entry = { .description = "" };
	enum err err = blacklist_decode(write->req, &entry);

	if (!err && entry.pattern)
		err = blacklist_check_quota(write, "blacklist.pattern");
	if (err)
		return err;
	id_new(entry.id);
	store_blacklist_insert(write->tx, &entry, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return blacklist_fail_exists(write, &entry);
	rpc_changed(write->req, "blacklist", blacklist_text(&entry));
	return blacklist_answer(write, entry.id);
}

static enum err blacklist_not_found(struct tx *tx, const char *id)
{
	return tx_fail(tx, ERR_NOT_FOUND, "the blacklist has no entry with the id %s",
	               id);
}

static enum err blacklist_lock(struct write *write, struct blacklist *entry)
{
	char id[ID_LEN + 1];
	enum err err = service_id(write->req, "blacklist", id);

	if (err || store_blacklist_lock(write->tx, id, write_wait(write), write->arena,
	                                entry))
		return err;
	return blacklist_not_found(write->tx, id);
}

static enum err blacklist_decode_values(struct request *req, const json_t **values)
{
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "values", values);
	return err ? err : json_only_fields(*values, service_blacklist_change_fields,
	                                    "values", &req->why);
}

enum err service_update_blacklist(struct write *write)
{
	struct request *req = write->req;
	struct blacklist entry;
	const json_t *values;
	bool had_pattern;
	enum err err = blacklist_decode_values(req, &values);

	if (!err)
		err = blacklist_lock(write, &entry);
	if (err)
		return err;
	had_pattern = entry.pattern != NULL;
	err = codec_within("values", blacklist_get_fields(values, write->arena, &entry,
	                                                  &req->why), &req->why);
	if (!err && entry.pattern && !had_pattern)
		err = blacklist_check_quota(write, "values.pattern");
	if (err)
		return err;
	store_blacklist_update(write->tx, &entry, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return blacklist_fail_exists(write, &entry);
	rpc_changed(req, "blacklist", blacklist_text(&entry));
	return blacklist_answer(write, entry.id);
}

enum err service_delete_blacklist(struct write *write)
{
	char id[ID_LEN + 1];
	enum err err = access_require_admin(write->req);

	if (!err)
		err = service_id(write->req, "blacklist", id);
	if (err)
		return err;
	if (!store_blacklist_delete(write->tx, id, write_wait(write)))
		return blacklist_not_found(write->tx, id);
	rpc_changed(write->req, "blacklist", id);
	return OK;
}

/* ---- get, find ---- */

enum err service_get_blacklist(void *self, struct request *req)
{
	struct central *central = self;
	struct blacklist entry;
	char id[ID_LEN + 1];
	enum err err = access_require_admin(req);

	if (!err)
		err = service_id(req, "blacklist", id);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_blacklist_get(&tx, id, req->arena, &entry))
		req->result = blacklist_encode(&entry);
	else
		blacklist_not_found(&tx, id);
	return tx_commit(&tx);
}

static void blacklist_read_page(struct tx *tx, const struct paging *paging,
                                struct arena *arena, struct result_page *page)
{
	struct blacklist entry;
	struct tx_rows rows;

	store_blacklist_find(tx, paging, arena, &rows);
	while (store_blacklist_next(&rows, &entry))
		if (!result_page_add(page, blacklist_encode(&entry), entry.id))
			break;
	tx_select_end(&rows);
}

enum err service_find_blacklists(void *self, struct request *req)
{
	return result_page_find(self, req,
	                        &(struct result_list){ "blacklists",
	                                              store_blacklist_sort_keys,
	                                               blacklist_read_page });
}

/* ---- the creation of a domain ---- */

/* A tenant can cause this line with each call. A lane also checks names of imports. */
static void blacklist_log_stopped(const char *pattern, const char *name,
                                  const struct why *why)
{
	static _Thread_local struct log_limit limit;

	if (log_is_due(&limit, LOG_STRANGER_MS))
		log_warn("blacklist pattern stopped: pattern=\"%s\" domain=%s "
		         "unlogged=%" PRIu64 " reason=\"%s\"", pattern, name,
		         limit.unlogged, why->text);
}

/*
 * If the search is not complete, the answer is true, because the pattern could match.
 * Each creation compiles the patterns, because other processes can change them: 100
 * patterns take 2 ms in all, with the searches in an ordinary name.
 */
static bool blacklist_pattern_matches(const char *pattern, const char *name,
                                      int64_t *left_us)
{
	enum regex_result result = REGEX_STOPPED;
	struct regex *regex = NULL;
	struct why why = { "the search takes too long" };

	if (!regex_new(pattern, "pattern", &regex, &why))
		result = regex_search(regex, name, left_us);
	regex_free(&regex);
	if (result == REGEX_STOPPED)
		blacklist_log_stopped(pattern, name, &why);
	return result != REGEX_ABSENT;
}

static bool blacklist_finds(struct write *write, const struct name *name,
                            const char *text, struct blacklist *found)
{
	int64_t left_us = REGEX_BUDGET_US;
	struct blacklist entry;
	struct tx_rows rows;
	bool has_found = false;

	store_blacklist_select(write->tx, name, write->arena, &rows);
	while (!has_found && store_blacklist_next_selected(&rows, &entry)) {
		has_found = entry.name ||
		            blacklist_pattern_matches(entry.pattern, text, &left_us);
		*found = entry;
	}
	tx_select_end(&rows);
	return has_found;
}

enum err service_blacklist_check(struct write *write, const struct name *name,
                                 const char *text)
{
	struct blacklist found;

	if (write->req->context.is_admin ||
	    !blacklist_finds(write, name, text, &found))
		return write->tx->err;
	if (found.name)
		return tx_fail(write->tx, ERR_DENIED, "domain.name: only an "
		               "administrator may create %.200s: %.200s is on the "
		               "blacklist", text, found.name);
	return tx_fail(write->tx, ERR_DENIED, "domain.name: only an administrator may "
	               "create %.200s: the name matches '%.200s' on the blacklist", text,
	               found.pattern);
}
