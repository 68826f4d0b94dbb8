#include "store_share.h"

#include <string.h>

#include "consistency/store_version.h"
#include "store_query.h"

const char *const store_share_sort_keys[] = { "created_at", NULL };

#define SELECT_SHARE \
	"SELECT h.id, h.domain_id, d.name, d.tenant, h.target_tenant, h.name, " \
	TX_RFC3339("h.created_at") " FROM domain_shares h " \
	"JOIN domains d ON d.id = h.domain_id AND d.live = 1 WHERE "

static void share_read(struct tx_rows *rows, struct domain_share *share)
{
	store_read_id(rows, "domain_shares.id", share->id);
	store_read_id(rows, "domain_shares.domain_id", share->domain_id);
	share->domain = row_text(rows);
	share->tenant = row_text(rows);
	share->target_tenant = row_text(rows);
	share->name = row_text(rows);
	share->created_at = row_text(rows);
}

bool store_share_get(struct tx *tx, const char *id, const struct access *access,
                     struct arena *arena, struct domain_share *share)
{
	const struct tx_value tenant = tx_text(access->tenant);
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, SELECT_SHARE
	                   "h.id = ? AND (? OR d.tenant = ? OR h.target_tenant = ?)",
	                   TX_BIND(tx_text(id), tx_int(access->all), tenant, tenant)))
		return false;
	share_read(&rows, share);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_share_lock(struct tx *tx, const char *id, enum store_wait wait,
                      struct arena *arena, struct domain_share *share)
{
	const char *sql = STORE_WAITS(tx, wait,
		"SELECT h.id, h.domain_id, NULL, NULL, h.target_tenant, h.name, "
		TX_RFC3339("h.created_at") " FROM domain_shares h WHERE h.id = ? "
		"FOR UPDATE");
	struct tx_rows rows;
	bool found = tx_select_row(tx, arena, &rows, sql, TX_BIND(tx_text(id)));

	if (found) {
		share_read(&rows, share);
		tx_select_end(&rows);
	}
	store_check_wait(tx, wait, "the share");
	return found && !tx->err;
}

void store_share_find(struct tx *tx, const struct access *access,
                      const struct share_criterion *criterion,
                      const struct paging *paging, struct arena *arena,
                      struct tx_rows *rows)
{
	static const struct sort_column by_time = {
		"h.created_at", "h.id",
		"SELECT created_at, id FROM domain_shares WHERE id = ?",
	};
	struct query query;

	query_begin(&query, arena, SELECT_SHARE "1");
	if (!access->all) {
		query_bind(&query, " AND (d.tenant = ?", tx_text(access->tenant));
		query_bind(&query, " OR h.target_tenant = ?)", tx_text(access->tenant));
	}
	if (*criterion->domain_id)
		query_equals(&query, "h.domain_id", criterion->domain_id);
	query_equals(&query, "d.name", criterion->domain);
	query_equals(&query, "h.target_tenant", criterion->target_tenant);
	query_page(&query, tx, paging, &by_time);
	query_run(&query, tx, rows);
}

bool store_share_next(struct tx_rows *rows, struct domain_share *share)
{
	if (!tx_next(rows))
		return false;
	share_read(rows, share);
	return !rows->tx->err;
}

void store_share_insert(struct tx *tx, const struct domain_share *share,
                        enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO domain_shares (id, domain_id, target_tenant, name, "
	            "created_at) VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))"),
	        TX_BIND(tx_text(share->id), tx_text(share->domain_id),
	                tx_text(share->target_tenant), tx_text(share->name)));
	store_check_wait(tx, wait, "a share of the domain");
}

void store_share_delete(struct tx *tx, const char *id)
{
	tx_exec(tx, "DELETE FROM domain_shares WHERE id = ?", TX_BIND(tx_text(id)));
}

/* ---- rights ---- */

int64_t store_share_count(struct tx *tx, const char *domain_id, const char *tenant)
{
	return tx_select_number(tx, "SELECT COUNT(*) FROM domain_shares "
	                        "WHERE domain_id = ? AND target_tenant = ?",
	                        TX_BIND(tx_text(domain_id), tx_text(tenant)));
}

bool store_share_has(struct tx *tx, const char *tenant)
{
	return tx_select_number(tx, "SELECT COUNT(*) FROM (SELECT 1 FROM domain_shares "
	                        "WHERE target_tenant = ? LIMIT 1) one",
	                        TX_BIND(tx_text(tenant))) > 0;
}

bool store_share_domain(struct tx *tx, const struct domain_key *key, const char *tenant)
{
	const char *sql = *key->id
		? "SELECT COUNT(*) FROM domain_shares WHERE domain_id = (SELECT id FROM "
		  "domains WHERE id = ? AND live = 1) AND target_tenant = ?"
		: "SELECT COUNT(*) FROM domain_shares WHERE domain_id = (SELECT id FROM "
		  "domains WHERE name = ? AND live = 1) AND target_tenant = ?";

	return tx_select_number(tx, sql, TX_BIND(tx_text(*key->id ? key->id : key->name),
	                                         tx_text(tenant))) > 0;
}

bool store_share_rights(struct tx *tx, const char *domain_id, const struct access *access,
                        struct arena *arena, struct share_rights *rights)
{
	struct name *names = arena_alloc(arena, SHARES_MAX * sizeof(*names));
	struct tx_rows rows;
	const char *name;

	*rights = (struct share_rights){ access->tenant, names, 0 };
	tx_select(tx, arena, &rows, "SELECT name FROM domain_shares "
	          "WHERE domain_id = ? AND target_tenant = ? LIMIT ?",
	          TX_BIND(tx_text(domain_id), tx_text(access->tenant),
	                  tx_int(SHARES_MAX)));
	while (tx_next(&rows)) {
		name = row_text(&rows);
		if (name_parse(name, "name", &names[rights->count], tx->why))
			store_fail_value(&rows, "domain_shares.name", name,
			                 "a domain name");
		else
			rights->count++;
	}
	return !tx->err && rights->count;
}

/* ---- record sets of tenants ---- */

/* Record sets of other tenants exist only in a domain with shares (service_share.c). */
#define SHARED_SETS \
	"(SELECT DISTINCT domain_id, target_tenant FROM domain_shares " \
	"WHERE domain_id = ?) h " \
	"STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_tenant) " \
	"ON s.tenant = h.target_tenant AND s.domain_id = h.domain_id "
#define HAS_RECORDS \
	"(SELECT 1 FROM records e WHERE e.recordset_id = s.id AND e.live = 1 LIMIT 1) = 1"

static void share_read_set(struct tx_rows *rows, struct recordset *set)
{
	*set = (struct recordset){ 0 };
	store_read_id(rows, "recordsets.id", set->id);
	set->name = row_text(rows);
	set->type = (uint16_t)row_int(rows);
	set->tenant = row_text(rows);
}

bool store_share_changed(struct tx *tx, const char *domain_id, uint32_t serial,
                         struct arena *arena, struct recordset *set)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   "SELECT s.id, s.name, s.type, s.tenant FROM " SHARED_SETS
	                   "STRAIGHT_JOIN records r ON r.recordset_id = s.id "
	                   "WHERE r.serial_number = ? LIMIT 1",
	                   TX_BIND(tx_text(domain_id), tx_u32(serial))))
		return false;
	share_read_set(&rows, set);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_share_any_set(struct tx *tx, const char *domain_id, struct arena *arena,
                         struct recordset *set)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   "SELECT s.id, s.name, s.type, s.tenant FROM " SHARED_SETS
	                   "WHERE " HAS_RECORDS " LIMIT 1",
	                   TX_BIND(tx_text(domain_id))))
		return false;
	share_read_set(&rows, set);
	tx_select_end(&rows);
	return !tx->err;
}

size_t store_share_sets(struct tx *tx, const struct set_owner *owner, const char *after,
                        struct arena *arena, struct recordset sets[SHARE_SETS])
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT s.id, s.name, s.type, s.tenant FROM recordsets s "
	          "FORCE INDEX (recordset_tenant) WHERE s.domain_id = ? AND s.tenant = ? "
	          "AND s.id > ? AND " HAS_RECORDS " ORDER BY s.id LIMIT ?",
	          TX_BIND(tx_text(owner->domain_id), tx_text(owner->tenant),
	                  tx_text(after), tx_int(SHARE_SETS)));
	while (count < SHARE_SETS && tx_next(&rows))
		share_read_set(&rows, &sets[count++]);
	tx_select_end(&rows);
	return count;
}

void store_share_take_sets(struct tx *tx, struct arena *arena,
                           const struct recordset *sets, size_t count)
{
	struct tx_value values[TX_LIST_MAX + 1];
	const char *ids[TX_LIST_MAX];

	for (size_t at = 0, n, places; at < count; at += n) {
		n = count - at < TX_LIST_MAX ? count - at : TX_LIST_MAX;
		for (size_t i = 0; i < n; i++)
			ids[i] = sets[at + i].id;
		const char *sql = tx_list(arena, "UPDATE recordsets SET tenant = '' "
		                          "WHERE id IN (", ")", n, &places);

		tx_list_fill(values, ids, n, places);
		values[places].type = TX_END;
		tx_exec(tx, sql, values);
	}
}

void store_share_delete_all(struct tx *tx, const char *domain_id, const char *tenant)
{
	tx_exec(tx, "DELETE FROM domain_shares WHERE domain_id = ? AND target_tenant = ?",
	        TX_BIND(tx_text(domain_id), tx_text(tenant)));
}

void store_share_touch(struct tx *tx, struct zone *zone)
{
	const struct version version = { zone->is.id, zone->is.version++ };

	tx_exec(tx, "UPDATE domains SET updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(zone->is.id)));
	store_versions_swap(tx, "domain", &version, 1);
}
