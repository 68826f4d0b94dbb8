#include "service.h"

#include <string.h>

#include "advise.h"
#include "codec_domain.h"
#include "codec_find.h"
#include "codec_recordset.h"
#include "edit.h"
#include "model/json.h"
#include "model/presentation.h"
#include "result_page.h"
#include "store_share.h"

/* Decodes the key and locks the domain. */
static enum err recordset_lock_domain(struct write *write)
{
	struct domain_key key;
	enum err err = codec_domain_key(write->req->args, write->arena, &key,
	                                &write->req->why);

	return err ? err : edit_lock_shared(write, &key);
}

/* ---- apply_changes ---- */

enum err service_decode_changes(struct write *write)
{
	struct request *req = write->req;
	struct edit *edit = arena_alloc(write->arena, sizeof(*edit));
	const json_t *array, *soa = NULL;
	enum err err = json_get_array(req->args, "changes", JSON_REQUIRED, CHANGES_MAX,
	                              &array, &req->why);

	*edit = (struct edit){ 0 };
	write->edit = edit;
	if (!err)
		err = codec_changes(array, req->arena, &edit->changes, &edit->count,
		                    &req->why);
	if (!err)
		err = json_get_object(req->args, "soa", 0, &soa, &req->why);
	if (!err && soa)
		err = codec_domain_soa(soa, req->arena, &edit->soa, &req->why);
	edit->has_serial = json_is_integer(json_object_get(req->args, "serial"));
	if (!err)
		err = json_get_u32(req->args, "serial", 0, UINT32_MAX, &edit->serial,
		                   &req->why);
	return err;
}

static json_t *edit_outcome_encode(const struct zone *zone,
                                   const struct edit_outcome *outcome)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b}",
		"id", zone->is.id, "serial", (json_int_t)zone->is.state.serial,
		"version", (json_int_t)zone->is.version,
		"added", (json_int_t)outcome->added,
		"updated", (json_int_t)outcome->updated,
		"deleted", (json_int_t)outcome->deleted,
		"unchanged", (json_int_t)outcome->unchanged,
		"changed", outcome->changed);
}

/* The SOA record belongs to the tenant of the domain. */
static enum err edit_check_soa_right(struct write *write)
{
	const json_t *args = write->req->args;
	const char *field = !json_is_absent(args, "soa") ? "soa" :
	                    !json_is_absent(args, "serial") ? "serial" : NULL;

	if (!write->share || !field)
		return OK;
	return fail(&write->req->why, ERR_DENIED, "%s: only the tenant of the domain "
	            "%.200s may change its SOA record", field, write->zone.is.name);
}

enum err service_apply_changes(struct write *write)
{
	struct edit_outcome outcome;
	bool may_replace = true;
	enum err err = recordset_lock_domain(write);

	if (!err)
		err = edit_check_soa_right(write);
	if (!err)
		err = json_get_bool(write->req->args, "replace", 0, &may_replace,
		                    &write->req->why);
	write->keeps_unmanaged = !may_replace;
	if (!err)
		err = edit_apply(write, write->edit, &outcome);
	if (err)
		return err;
	write->req->result = edit_outcome_encode(&write->zone, &outcome);
	json_object_set_new(write->req->result, "warnings",
	                    advise_changes(write, write->edit->changes,
	                                   write->edit->count, &outcome));
	return write->tx->err;
}

/* ---- one set ---- */

/* Reads the set of the change as it is now. */
static enum err recordset_read(struct write *write, const struct change *change,
                               struct rrset **set)
{
	struct rrsets sets;

	rrsets_init(&sets, write->arena);
	store_recordset_read(write->tx, write->zone.is.id, &change->owner, 1, &sets);
	*set = rrsets_get(&sets, &change->name, change->owner, change->type);
	return write->tx->err;
}

/* Applies one change and answers with the new set. */
static enum err recordset_apply(struct write *write, struct change *change)
{
	struct edit edit = { .changes = change, .count = 1 };
	struct edit_outcome outcome;
	struct recordset recordset;
	struct rrset *set;
	enum err err = edit_apply(write, &edit, &outcome);

	if (err)
		return err;
	store_buffer_flush(write->buffer, write->tx);
	err = recordset_read(write, change, &set);
	if (err)
		return err;
	if (store_recordset_get(write->tx, write->zone.is.id, set->id, write->arena,
	                        &recordset))
		write->req->result = codec_recordset_encode(&recordset);
	return write->tx->err;
}

enum err service_create_recordset(struct write *write)
{
	struct request *req = write->req;
	struct change change;
	struct rrset *set;
	const json_t *json;
	char type[16];
	enum err err = service_object(req, "recordset", &json);

	if (!err)
		err = codec_recordset(json, write->arena, &change, &req->why);
	if (!err)
		err = recordset_lock_domain(write);
	if (!err)
		err = recordset_read(write, &change, &set);
	if (err)
		return err;
	rrtype_format(change.type, type);
	if (set->was_count)
		return tx_fail(write->tx, ERR_EXISTS,
		               "recordset.name: %s records already exist at %.200s: use "
		               "update_recordset", type, change.owner);
	return recordset_apply(write, &change);
}

/* A caller with a share sees only the record sets of its tenant. */
static bool recordset_is_visible(const struct share_rights *share,
                                 const struct recordset *set)
{
	return !share || !strcmp(set->tenant, share->tenant);
}

/* Locks the domain and reads the set of the argument. */
static enum err recordset_find(struct write *write, struct recordset *set)
{
	char id[ID_LEN + 1];
	enum err err = service_id(write->req, "recordset", id);

	if (!err)
		err = recordset_lock_domain(write);
	if (err)
		return err;
	if (!store_recordset_get(write->tx, write->zone.is.id, id, write->arena, set) ||
	    !recordset_is_visible(write->share, set))
		return tx_fail(write->tx, ERR_NOT_FOUND,
		               "there is no record set %s in '%.200s'", id,
		               write->zone.is.name);
	return OK;
}

enum err service_update_recordset(struct write *write)
{
	struct request *req = write->req;
	struct recordset now;
	struct change change;
	const json_t *json;
	enum err err = service_object(req, "values", &json);

	if (!err)
		err = recordset_find(write, &now);
	if (!err)
		err = codec_recordset_values(json, &now, write->arena, &change,
		                             &req->why);
	return err ? err : recordset_apply(write, &change);
}

enum err service_delete_recordset(struct write *write)
{
	struct recordset now;
	struct change change;
	enum err err = recordset_find(write, &now);

	if (err)
		return err;
	change = (struct change){ .op = CHANGE_DELETE, .type = now.type,
	                          .owner = now.name, .field = "recordset" };
	err = name_parse(now.name, "recordset", &change.name, &write->req->why);
	return err ? err : recordset_apply(write, &change);
}

/* ---- reads ---- */

enum err service_get_recordset(void *self, struct request *req)
{
	struct central *central = self;
	const struct share_rights *share;
	struct recordset set;
	struct zone zone;
	char id[ID_LEN + 1];
	enum err err = service_id(req, "recordset", id);

	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (!service_domain_get_shared(req, &tx, &zone, &share)) {
		if (store_recordset_get(&tx, zone.is.id, id, req->arena, &set) &&
		    recordset_is_visible(share, &set))
			req->result = codec_recordset_encode(&set);
		else
			tx_fail(&tx, ERR_NOT_FOUND,
			        "there is no record set %s in '%.200s'", id,
			        zone.is.name);
	}
	return tx_commit(&tx);
}

/* The arguments of both finds. */
struct search {
	struct access access;
	struct record_criterion criterion;
	struct paging paging;
};

static enum err search_decode(struct request *req, const char *const *sort_keys,
                              struct search *search)
{
	enum err err = access_of_many(req, &search->access);

	if (!err)
		err = codec_find_records(req->args, req->arena, &search->criterion,
		                         &req->why);
	if (!err)
		err = codec_find_paging(req->args, sort_keys, &search->paging, &req->why);
	return err;
}

/*
 * Limits the search to the domain of the argument. Without this argument, also searches
 * the record sets that the tenant has created by shares.
 */
static void search_narrow(struct request *req, struct tx *tx, struct search *search)
{
	const struct share_rights *share;
	struct zone zone;

	if (!json_object_get(req->args, "domain")) {
		search->criterion.with_shared =
			!search->access.all && store_share_has(tx, search->access.tenant);
		return;
	}
	if (service_domain_get_shared(req, tx, &zone, &share))
		return;
	memcpy(search->criterion.domain_id, zone.is.id, sizeof zone.is.id);
	/* the caller may see the domain, and by a share only its own record sets */
	search->access.all = true;
	search->criterion.tenant = share ? share->tenant : NULL;
}

static struct result_page search_collect_sets(struct tx *tx, const struct search *search,
                                              struct arena *arena)
{
	struct recordset *sets = arena_alloc(arena, search->paging.limit * sizeof(*sets));
	struct tx_rows rows;
	struct result_page page;
	size_t count = 0;

	store_recordset_find(tx, &search->access, &search->criterion, &search->paging,
	                     arena, &rows);
	while (count < search->paging.limit && store_recordset_next(&rows, &sets[count]))
		count++;
	tx_select_end(&rows);
	store_recordset_members(tx, sets, count, arena);
	result_page_init(&page, search->paging.limit);
	for (size_t i = 0; i < count; i++)
		if (!result_page_add(&page, codec_recordset_encode(&sets[i]), sets[i].id))
			break;
	return page;
}

enum err service_find_recordsets(void *self, struct request *req)
{
	struct central *central = self;
	struct search search;
	struct result_page page;
	enum err err = search_decode(req, store_recordset_sort_keys, &search);

	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	search_narrow(req, &tx, &search);
	page = search_collect_sets(&tx, &search, req->arena);
	req->result = result_page_encode(&page, "recordsets");
	return tx_commit(&tx);
}

enum err service_find_records(void *self, struct request *req)
{
	struct central *central = self;
	struct found_record found;
	struct search search;
	struct result_page page;
	enum err err = search_decode(req, store_record_sort_keys, &search);

	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	struct tx_rows rows;

	search_narrow(req, &tx, &search);
	result_page_init(&page, search.paging.limit);
	store_record_find(&tx, &search.access, &search.criterion, &search.paging,
	                  req->arena, &rows);
	while (store_record_next(&rows, &found))
		if (!result_page_add(&page, codec_record_encode(&found), found.record.id))
			break;
	tx_select_end(&rows);
	req->result = result_page_encode(&page, "records");
	return tx_commit(&tx);
}
