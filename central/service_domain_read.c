#include "service.h"

#include "codec_domain.h"
#include "codec_find.h"
#include "reasons.h"
#include "result_page.h"
#include "store_share.h"

static enum err domain_not_found(struct request *req, const struct domain_key *key)
{
	return fail(&req->why, ERR_NOT_FOUND, "there is no domain '%.200s'",
	            *key->id ? key->id : key->name);
}

/*
 * Reads the domains of KEYS, and sets their reasons. A missing domain is NULL. The reason
 * names the record that a server does not take only if no other calls wait.
 */
static void domain_read_some(struct tx *tx, struct arena *arena,
                             const struct domain_key *keys, size_t count,
                             struct zone **zones)
{
	const struct zone *found[TX_LIST_MAX] = { NULL };
	struct zone *present[TX_LIST_MAX];
	size_t n = 0;

	store_domain_get_several(tx, arena, keys, count, found);
	for (size_t i = 0; i < count; i++) {
		zones[i] = found[i] ? arena_dup(arena, found[i], sizeof(*found[i]))
		                    : NULL;
		if (found[i])
			present[n++] = zones[i];
	}
	if (tx->err)
		return;
	if (n == 1)
		reasons_explain(tx, arena, present[0]);
	else
		reasons_set(tx, arena, present, n);
}

static enum err domain_get_one(struct central *central, struct request *req)
{
	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	const struct share_rights *share;
	struct zone zone;

	if (!service_domain_get_shared(req, &tx, &zone, &share)) {
		reasons_explain(&tx, req->arena, &zone);
		req->result = codec_domain_encode(&zone, req->arena);
	}
	return tx_commit(&tx);
}

/*
 * Reads the domains of several calls; for a refused call it reads the domain "", which
 * does not exist. Returns an error of the statement, which is also in errs[].
 */
static enum err domain_get_some(struct central *central, struct request *const *reqs,
                                size_t count, enum err *errs)
{
	struct domain_key keys[TX_LIST_MAX];
	struct access access[TX_LIST_MAX];
	struct zone *zones[TX_LIST_MAX];
	size_t asked = 0;
	struct why why;

	for (size_t i = 0; i < count; i++) {
		keys[i] = (struct domain_key){ .name = "" };
		errs[i] = access_of(reqs[i], &access[i]);
		if (!errs[i])
			errs[i] = codec_domain_key(reqs[i]->args, reqs[i]->arena,
			                           &keys[i], &reqs[i]->why);
		asked += !errs[i];
	}
	if (!asked)
		return OK;

	struct tx tx = tx_autocommit(central->runtime->db, &why);

	domain_read_some(&tx, reqs[0]->arena, keys, count, zones);
	tx_commit(&tx);
	for (size_t i = 0; i < count; i++) {
		if (errs[i])
			continue;
		if (tx.err)
			errs[i] = fail(&reqs[i]->why, tx.err, "%s", why.text);
		else if (zones[i] && store_domain_is_visible(&access[i], zones[i]))
			reqs[i]->result = codec_domain_encode(zones[i], reqs[i]->arena);
		else if (zones[i])	/* a share may allow it */
			errs[i] = domain_get_one(central, reqs[i]);
		else
			errs[i] = domain_not_found(reqs[i], &keys[i]);
	}
	return tx.err;
}

void service_get_domains(void *self, struct request *const *reqs, size_t count,
                         enum err *errs)
{
	for (size_t at = 0, n; at < count; at += n) {
		n = count - at < TX_LIST_MAX ? count - at : TX_LIST_MAX;
		/* a broken row fails only its own call */
		if (domain_get_some(self, reqs + at, n, errs + at) == ERR_INTERNAL)
			for (size_t i = 0; i < n; i++)
				errs[at + i] = domain_get_one(self, reqs[at + i]);
	}
}

/* Reads all rows first, because the reasons need other statements. */
static void domain_read_page(struct tx *tx, struct tx_rows *rows, struct arena *arena,
                             struct result_page *page)
{
	struct zone **zones = arena_alloc(arena, page->limit * sizeof(*zones));
	struct zone zone;
	size_t count = 0;

	while (count < page->limit && store_domain_next(rows, &zone))
		zones[count++] = arena_dup(arena, &zone, sizeof(zone));
	tx_select_end(rows);
	if (!tx->err)
		reasons_set(tx, arena, zones, count);
	for (size_t i = 0; i < count; i++)
		if (!result_page_add(page, codec_domain_encode(zones[i], arena),
		                     zones[i]->is.id))
			break;
}

enum err service_find_domains(void *self, struct request *req)
{
	struct central *central = self;
	struct domain_criterion criterion;
	struct paging paging;
	struct access access;
	enum err err = access_of_many(req, &access);

	if (!err)
		err = codec_find_domains(req->args, req->arena, &criterion, &req->why);
	if (!err)
		err = codec_find_paging(req->args, store_domain_sort_keys, &paging,
		                        &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	struct tx_rows rows;
	struct result_page page;

	if (req->context.is_admin)
		service_check_pool(&tx, criterion.pool, req->arena);
	criterion.with_shared = !access.all && store_share_has(&tx, access.tenant);
	result_page_init(&page, paging.limit);
	store_domain_find(&tx, &access, &criterion, &paging, req->arena, &rows);
	domain_read_page(&tx, &rows, req->arena, &page);
	req->result = result_page_encode(&page, "domains");
	return tx_commit(&tx);
}
