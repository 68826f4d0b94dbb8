#include "service.h"

#include <inttypes.h>
#include <string.h>

#include "base/id.h"
#include "codec.h"
#include "codec_domain.h"
#include "codec_find.h"
#include "edit.h"
#include "model/identity.h"
#include "model/presentation.h"
#include "result_page.h"
#include "store_share.h"

/*
 * A share gives a tenant the right to create record sets in a domain of another tenant
 * (core/share.h). The tenant of the domain makes shares. It and the target tenant can
 * delete a share. Record sets of other tenants exist only at names that a share with
 * their tenant covers. So a share cannot end before its record sets are deleted, or
 * belong to the tenant of the domain.
 */

enum {
	NAMED_MAX = 3,			/* record sets in a reason */
	SETS_MAX = 5000,		/* record sets that a call deletes */
	PAGES_MAX = 40,			/* of SHARE_SETS record sets each, in one call */
};

const struct json_field service_share_fields[] = {
	{ "domain", "id or name", "the domain" },
	{ "target_tenant", "string", "the tenant that may create record sets",
	  .max = TENANT_MAX },
	{ "name", "name", "the share covers this name and all names below",
	  "the name of the domain" },
	{ 0 }
};

const struct json_field service_share_find_fields[] = {
	{ "domain", "id or name", "the domain", "all domains" },
	{ "target_tenant", "string", "the tenant that may create record sets",
	  "all tenants", TENANT_MAX },
	{ 0 }
};

static json_t *share_encode(const struct domain_share *share)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
		"id", share->id, "domain", share->domain, "domain_id", share->domain_id,
		"tenant", share->tenant, "target_tenant", share->target_tenant,
		"name", share->name, "created_at", share->created_at);
}

static enum err share_not_found(struct tx *tx, const char *id)
{
	return tx_fail(tx, ERR_NOT_FOUND, "there is no share %s", id);
}

/* ---- create ---- */

struct share_spec {
	struct domain_key domain;
	const char *target_tenant;
	struct name name;
	const char *owner;		/* text of NAME; NULL: the name of the domain */
};

static enum err share_get_spec(const json_t *json, struct arena *arena,
                               struct share_spec *spec, struct why *why)
{
	enum err err = codec_domain_key(json, arena, &spec->domain, why);

	if (!err)
		err = json_get_text(json, "target_tenant", JSON_REQUIRED, TENANT_MAX,
		                    &spec->target_tenant, why);
	if (!err)
		err = identity_check(spec->target_tenant, "target_tenant", why);
	if (!err && !json_is_absent(json, "name"))
		err = codec_owner(json, "name", 0, arena, &spec->name, &spec->owner,
		                  why);
	return err;
}

static enum err share_check(struct write *write, const struct share_spec *spec)
{
	const struct zone *zone = &write->zone;
	struct why *why = &write->req->why;

	if (!strcmp(spec->target_tenant, zone->is.tenant))
		return fail(why, ERR_CONFLICT, "share.target_tenant: the domain %.200s "
		            "belongs to the tenant '%.100s'", zone->is.name,
		            spec->target_tenant);
	if (spec->owner && !name_equal(&spec->name, &zone->apex) &&
	    !name_is_below(&spec->name, &zone->apex))
		return fail(why, ERR_INVALID, "share.name: must be %.200s or a name "
		            "below it, not %.200s", zone->is.name, spec->owner);
	if (store_share_count(write->tx, zone->is.id, spec->target_tenant) >= SHARES_MAX)
		return fail(why, ERR_QUOTA, "the domain %.200s already has %d shares "
		            "with the tenant '%.100s'", zone->is.name, SHARES_MAX,
		            spec->target_tenant);
	return write->tx->err;
}

static enum err share_answer(struct write *write, const char *id)
{
	struct domain_share share;

	if (store_share_get(write->tx, id, &write->access, write->arena, &share))
		write->req->result = share_encode(&share);
	rpc_changed(write->req, "share", id);
	return write->tx->err;
}

enum err service_create_share(struct write *write)
{
	struct share_spec spec = { .owner = NULL };
	struct request *req = write->req;
	struct domain_share share = { 0 };
	const json_t *json;
	enum err err = service_object(req, "share", &json);

	if (!err)
		err = json_only_fields(json, service_share_fields, "share", &req->why);
	if (!err)
		err = codec_within("share", share_get_spec(json, write->arena, &spec,
		                                           &req->why), &req->why);
	if (!err)
		err = edit_lock(write, &spec.domain);
	if (!err)
		err = share_check(write, &spec);
	if (err)
		return err;
	id_new(share.id);
	memcpy(share.domain_id, write->zone.is.id, sizeof share.domain_id);
	share.target_tenant = spec.target_tenant;
	share.name = spec.owner ? spec.owner : write->zone.is.name;
	store_share_insert(write->tx, &share, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&req->why, ERR_EXISTS, "the domain %.200s already has a "
		            "share with the tenant '%.100s' at %.200s",
		            write->zone.is.name,
		            share.target_tenant, share.name);
	store_share_touch(write->tx, &write->zone);
	return share_answer(write, share.id);
}

/* ---- delete ---- */

enum leftover { LEFTOVER_REFUSE, LEFTOVER_DELETE, LEFTOVER_KEEP };

static enum err share_decode_leftover(struct request *req, enum leftover *leftover)
{
	const char *word = "refuse";
	enum err err = json_get_text(req->args, "recordsets", 0, WORD_MAX, &word,
	                             &req->why);

	*leftover = LEFTOVER_REFUSE;
	if (err || !strcmp(word, "refuse"))
		return err;
	*leftover = !strcmp(word, "delete") ? LEFTOVER_DELETE : LEFTOVER_KEEP;
	if (*leftover == LEFTOVER_DELETE || !strcmp(word, "keep"))
		return OK;
	return fail(&req->why, ERR_INVALID, "recordsets: must be refuse, delete or keep, "
	            "not '%s'", err_quote(word, (char[33]){ 0 }, 33));
}

/*
 * Locks the share and then the domain. A transfer locks the domain first: if this causes
 * a deadlock, central runs the call again.
 */
static enum err share_lock(struct write *write, struct domain_share *share)
{
	static const struct access everyone = { .tenant = "", .all = true };
	const struct access *access = &write->access;
	struct domain_key key = { .name = NULL };
	char id[ID_LEN + 1];
	enum err err = service_id(write->req, "share", id);

	if (err)
		return err;
	if (!store_share_lock(write->tx, id, write_wait(write), write->arena, share))
		return share_not_found(write->tx, id);
	if (!strcmp(share->target_tenant, access->tenant))
		access = &everyone;
	memcpy(key.id, share->domain_id, sizeof key.id);
	store_buffer_flush(write->buffer, write->tx);
	if (!store_domain_lock(write->tx, &key, access, write->req->may_wait,
	                       write->arena, &write->zone))
		return share_not_found(write->tx, id);
	return edit_check_open(write);
}

/* The record sets that a deletion leaves without a share. */
struct uncovered {
	struct recordset *sets;		/* the first SETS_MAX record sets */
	size_t count;			/* number of all; can be greater */
};

static bool share_is_uncovered(const struct share_rights *rights,
                               const struct recordset *set, struct tx *tx)
{
	struct name name;

	if (!name_parse(set->name, "name", &name, tx->why))
		return !share_covers(rights, &name);
	tx_fail(tx, ERR_INTERNAL, "recordsets.name: '%.200s' is no domain name: correct "
	        "this row in the database", set->name);
	return false;
}

/* Returns the number of uncovered record sets among the COUNT record sets. */
static size_t share_keep_uncovered(const struct share_rights *rights,
                                   struct recordset *sets, size_t count, struct tx *tx)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (share_is_uncovered(rights, &sets[i], tx))
			sets[kept++] = sets[i];
	return kept;
}

static enum err share_refuse(struct write *write, const struct domain_share *share,
                             const struct uncovered *uncovered)
{
	struct buf names = { 0 };
	enum err err;
	char type[16];

	for (size_t i = 0; i < uncovered->count && i < NAMED_MAX; i++) {
		rrtype_format(uncovered->sets[i].type, type);
		buf_printf(&names, "%s%.100s %s", i ? ", " : "", uncovered->sets[i].name,
		           type);
	}
	err = tx_fail(write->tx, ERR_CONFLICT, "the tenant '%.100s' has %zu record set%s "
	              "that no other share covers, such as %s: set recordsets to delete "
	              "or keep (client: --recordsets)", share->target_tenant,
	              uncovered->count, uncovered->count == 1 ? "" : "s",
	              buf_string(&names));
	buf_clear(&names);
	return err;
}

static enum err share_delete_sets(struct write *write, const struct recordset *sets,
                                  size_t count)
{
	struct change *changes = arena_alloc(write->arena, count * sizeof(*changes));
	struct edit edit = { .changes = changes, .count = count };
	struct edit_outcome outcome;
	enum err err = OK;

	for (size_t i = 0; i < count && !err; i++) {
		changes[i] = (struct change){ .op = CHANGE_DELETE, .type = sets[i].type,
		                              .owner = sets[i].name, .field = "share" };
		err = name_parse(sets[i].name, "share", &changes[i].name,
		                 &write->req->why);
	}
	write->is_forced = true;
	return err ? err : edit_apply(write, &edit, &outcome);
}

/* Adds the uncovered record sets of a page, or gives them to the tenant of the domain. */
static enum err share_end_page(struct write *write, enum leftover leftover,
                               const struct recordset *page, size_t count,
                               struct uncovered *uncovered)
{
	size_t kept = uncovered->count;

	uncovered->count += count;
	if (leftover == LEFTOVER_KEEP) {
		store_share_take_sets(write->tx, write->arena, page, count);
		return write->tx->err;
	}
	if (leftover == LEFTOVER_DELETE && uncovered->count > SETS_MAX)
		return tx_fail(write->tx, ERR_CONFLICT, "one call can delete at most %d "
		               "record sets: delete some of them first, or set "
		               "recordsets to keep (client: --recordsets)", SETS_MAX);
	for (size_t i = 0; i < count && kept < SETS_MAX; i++)
		uncovered->sets[kept++] = page[i];
	return OK;
}

static enum err share_end_sets(struct write *write, const struct domain_share *share,
                               enum leftover leftover, struct uncovered *uncovered)
{
	const struct set_owner owner = { share->domain_id, share->target_tenant };
	const struct access target = { .tenant = share->target_tenant };
	struct recordset *page = arena_alloc(write->arena, SHARE_SETS * sizeof(*page));
	char after[ID_LEN + 1] = "";
	struct share_rights rights;
	struct tx *tx = write->tx;
	size_t count = SHARE_SETS, pages = 0;
	enum err err = OK;

	store_share_rights(tx, share->domain_id, &target, write->arena, &rights);
	while (!err && !tx->err && count == SHARE_SETS) {
		if (pages++ == PAGES_MAX)
			return tx_fail(tx, ERR_CONFLICT, "the tenant '%.100s' has %d "
			               "or more record sets in the domain: delete some "
			               "of them first", share->target_tenant,
			               PAGES_MAX * SHARE_SETS);
		count = store_share_sets(tx, &owner, after, write->arena, page);
		if (count)
			memcpy(after, page[count - 1].id, sizeof after);
		err = share_end_page(write, leftover, page,
		                     share_keep_uncovered(&rights, page, count, tx),
		                     uncovered);
	}
	if (err || tx->err || !uncovered->count || leftover == LEFTOVER_KEEP)
		return err ? err : tx->err;
	return leftover == LEFTOVER_REFUSE
	           ? share_refuse(write, share, uncovered)
	           : share_delete_sets(write, uncovered->sets, uncovered->count);
}

enum err service_delete_share(struct write *write)
{
	struct uncovered uncovered = { .count = 0 };
	struct domain_share share;
	enum leftover leftover;
	enum err err = share_decode_leftover(write->req, &leftover);

	if (!err)
		err = share_lock(write, &share);
	if (err)
		return err;
	uncovered.sets = arena_alloc(write->arena, SETS_MAX * sizeof(*uncovered.sets));
	store_share_delete(write->tx, share.id);
	err = share_end_sets(write, &share, leftover, &uncovered);
	if (err)
		return err;
	/* a deletion of records has written the domain, and has its log line */
	if (leftover != LEFTOVER_DELETE || !uncovered.count) {
		store_share_touch(write->tx, &write->zone);
		rpc_changed(write->req, "share", share.id);
	}
	write->req->result = json_pack("{s:I}", "recordsets",
	                               (json_int_t)uncovered.count);
	return write->tx->err;
}

void service_share_take(struct write *write, const char *domain_id, const char *tenant)
{
	const struct set_owner owner = { domain_id, tenant };
	struct recordset *page = arena_alloc(write->arena, SHARE_SETS * sizeof(*page));
	char after[ID_LEN + 1] = "";
	size_t count = SHARE_SETS;

	while (!write->tx->err && count == SHARE_SETS) {
		count = store_share_sets(write->tx, &owner, after, write->arena, page);
		if (!count)
			break;
		memcpy(after, page[count - 1].id, sizeof after);
		store_share_take_sets(write->tx, write->arena, page, count);
	}
	store_share_delete_all(write->tx, domain_id, tenant);
}

/* ---- get, find ---- */

enum err service_get_share(void *self, struct request *req)
{
	struct central *central = self;
	struct access access;
	struct domain_share share;
	char id[ID_LEN + 1];
	enum err err = access_of(req, &access);

	if (!err)
		err = service_id(req, "share", id);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_share_get(&tx, id, &access, req->arena, &share))
		req->result = share_encode(&share);
	else
		share_not_found(&tx, id);
	return tx_commit(&tx);
}

static enum err share_get_criterion(const json_t *json, struct arena *arena,
                                    struct share_criterion *criterion,
                                    struct why *why)
{
	struct domain_key domain = { .name = NULL };
	enum err err = json_only_fields(json, service_share_find_fields, "criterion",
	                                why);

	if (!err && !json_is_absent(json, "domain"))
		err = codec_domain_key(json, arena, &domain, why);
	memcpy(criterion->domain_id, domain.id, sizeof domain.id);
	criterion->domain = domain.name;
	return err ? err : json_get_text(json, "target_tenant", 0, TENANT_MAX,
	                                 &criterion->target_tenant, why);
}

enum err service_find_shares(void *self, struct request *req)
{
	struct share_criterion criterion = { 0 };
	struct central *central = self;
	const json_t *json = NULL;
	struct paging paging;
	struct access access;
	enum err err = access_of_many(req, &access);

	if (!err)
		err = codec_find_paging(req->args, store_share_sort_keys, &paging,
		                        &req->why);
	if (!err)
		err = json_get_object(req->args, "criterion", 0, &json, &req->why);
	if (!err && json)
		err = codec_within("criterion", share_get_criterion(json, req->arena,
		                                                    &criterion,
		                                                    &req->why),
		                   &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	struct result_page page;
	struct tx_rows rows;
	struct domain_share share;

	result_page_init(&page, paging.limit);
	store_share_find(&tx, &access, &criterion, &paging, req->arena, &rows);
	while (store_share_next(&rows, &share))
		if (!result_page_add(&page, share_encode(&share), share.id))
			break;
	tx_select_end(&rows);
	req->result = result_page_encode(&page, "shares");
	return tx_commit(&tx);
}
