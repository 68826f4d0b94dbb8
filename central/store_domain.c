#include "store.h"

#include <string.h>

#include "base/log.h"
#include "consistency/store_version.h"
#include "model/rr.h"
#include "store_query.h"

const char *const store_domain_sort_keys[] = { "name", "created_at", "updated_at",
                                               "serial", NULL };

/*
 * In the order of domain_read_zone(). The name of the pool is a sub-select: a join would
 * also lock the row of the pool.
 */
#define ZONE_COLUMNS \
	"d.id, d.name, d.tenant, d.pool_id, " \
	"(SELECT p.name FROM pools p WHERE p.id = d.pool_id), " \
	"d.serial, d.task, d.status, d.reason, d.description, d.mname, d.rname, " \
	"d.soa_ttl, d.refresh, d.retry, d.expire, d.minimum, d.ttl, " \
	"d.recordset_count, d.record_count, d.attributes, " \
	TX_RFC3339("d.created_at") ", " \
	TX_RFC3339("d.updated_at") ", " \
	"d.kind = 'CATALOG', d.catalog_id <> '', " VERSION_OF("d.id")

#define OWN_LIMIT(resource) \
	"(SELECT q.hard_limit FROM quotas q" \
	"  WHERE q.tenant = d.tenant AND q.resource = '" resource "')"

/* More columns for a change, in the order of domain_read_zone_to_change(). */
#define CHANGE_COLUMNS \
	", EXISTS (SELECT 1 FROM domains c WHERE c.ancestry > d.ancestry" \
	"          AND c.ancestry < CONCAT(d.ancestry, 0xff) AND c.live = 1), " \
	OWN_LIMIT("domain_recordsets") ", " \
	OWN_LIMIT("domain_records") ", " \
	OWN_LIMIT("recordset_records")

#define VISIBLE " AND d.live = 1 AND (d.tenant = ? OR ?)"

static const char *domain_read_name(struct tx_rows *rows, const char *column,
                                    struct name *name)
{
	const char *text = row_text(rows);

	if (!text || name_parse(text, "name", name, rows->tx->why)) {
		store_fail_value(rows, column, text, "a domain name");
		return ".";
	}
	return text;
}

static void domain_read_soa(struct tx_rows *rows, struct zone *zone)
{
	zone->is.primary = domain_read_name(rows, "domains.mname", &zone->mname);
	zone->is.email = domain_read_name(rows, "domains.rname", &zone->rname);
	zone->soa_ttl = row_u32(rows);
	zone->is.refresh = row_u32(rows);
	zone->is.retry = row_u32(rows);
	zone->is.expire = row_u32(rows);
	zone->is.minimum = row_u32(rows);
}

static void domain_read_zone(struct tx_rows *rows, struct zone *zone)
{
	*zone = (struct zone){ .apex.len = 1, .mname.len = 1, .rname.len = 1 };
	store_read_id(rows, "domains.id", zone->is.id);
	zone->is.name = domain_read_name(rows, "domains.name", &zone->apex);
	zone->is.tenant = row_text(rows);
	store_read_id(rows, "domains.pool_id", zone->is.pool_id);
	zone->pool = row_text(rows);
	store_read_state(rows, "domains", &zone->is.state);
	zone->reason = row_text(rows);
	zone->is.description = row_text(rows);
	domain_read_soa(rows, zone);
	zone->is.ttl = row_u32(rows);
	zone->recordsets = row_u32(rows);
	zone->records = row_u32(rows);
	zone->attributes = store_read_attributes(rows, "domains.attributes");
	zone->created_at = row_text(rows);
	zone->updated_at = row_text(rows);
	zone->is.is_catalog = row_int(rows) != 0;
	zone->is_listed = row_int(rows) != 0;
	zone->is.version = (uint64_t)row_int(rows);
}

static int64_t domain_read_limit(struct tx_rows *rows, int64_t otherwise)
{
	if (!row_is_null(rows))
		return row_int(rows);
	row_int(rows);
	return otherwise;
}

static void domain_read_zone_to_change(struct tx_rows *rows, struct zone *zone)
{
	domain_read_zone(rows, zone);
	zone->has_children = row_int(rows) != 0;
	zone->quota_recordsets = domain_read_limit(rows, QUOTA_DEFAULT);
	zone->quota_domain_records = domain_read_limit(rows, QUOTA_DEFAULT);
	zone->quota_records = domain_read_limit(rows, QUOTA_DEFAULT);
}

bool store_domain_get(struct tx *tx, const struct domain_key *key,
                      const struct access *access, struct arena *arena, struct zone *zone)
{
	const char *sql = *key->id
		? "SELECT " ZONE_COLUMNS " FROM domains d WHERE d.id = ?" VISIBLE
		: "SELECT " ZONE_COLUMNS " FROM domains d WHERE d.name = ?" VISIBLE;
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql,
	                   TX_BIND(tx_text(*key->id ? key->id : key->name),
	                           tx_text(access->tenant), tx_int(access->all))))
		return false;
	domain_read_zone(&rows, zone);
	tx_select_end(&rows);
	return !tx->err;
}

#define TO_CHANGE "SELECT " ZONE_COLUMNS CHANGE_COLUMNS " FROM domains d WHERE "

static bool domain_lock(struct tx *tx, const char *sql, const struct domain_key *key,
                        const struct access *access, struct arena *arena,
                        struct zone *zone)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql,
	                   TX_BIND(tx_text(*key->id ? key->id : key->name),
	                           tx_text(access->tenant), tx_int(access->all))))
		return false;
	domain_read_zone_to_change(&rows, zone);
	tx_select_end(&rows);
	return !tx->err;
}

#define IS_CHANGED "another transaction is changing the domain %.200s: try again later"

/* ERR_LOCKED if the domain exists, because then SKIP LOCKED has skipped it. */
static void domain_check_skipped(struct tx *tx, const struct domain_key *key,
                                 const struct access *access, struct arena *arena)
{
	struct zone zone;

	if (store_domain_get(tx, key, access, arena, &zone))
		tx_fail(tx, ERR_LOCKED, IS_CHANGED, zone.is.name);
}

/* Waits for calls with a few changes, but not for an import. */
static bool domain_lock_in_a_moment(struct tx *tx, const struct domain_key *key,
                                    const struct access *access, struct arena *arena,
                                    struct zone *zone)
{
	bool locked = domain_lock(tx,
		*key->id ? TX_SHORT_LIMIT TO_CHANGE "d.id = ?" VISIBLE " FOR UPDATE"
		         : TX_SHORT_LIMIT TO_CHANGE "d.name = ?" VISIBLE " FOR UPDATE",
		key, access, arena, zone);

	if (tx->err == ERR_BUSY)
		tx->err = fail(tx->why, ERR_LOCKED, IS_CHANGED,
		               *key->id ? key->id : key->name);
	return locked;
}

bool store_domain_lock(struct tx *tx, const struct domain_key *key,
                       const struct access *access, bool may_wait, struct arena *arena,
                       struct zone *zone)
{
	bool locked;

	if (may_wait && tx_has_short_limit(tx))
		return domain_lock_in_a_moment(tx, key, access, arena, zone);
	locked = domain_lock(tx,
		*key->id ? TO_CHANGE "d.id = ?" VISIBLE " FOR UPDATE SKIP LOCKED"
		         : TO_CHANGE "d.name = ?" VISIBLE " FOR UPDATE SKIP LOCKED",
		key, access, arena, zone);
	if (!locked && !tx->err)
		domain_check_skipped(tx, key, access, arena);
	return locked;
}

bool store_domain_lock_wait(struct tx *tx, const struct domain_key *key,
                            const struct access *access, struct arena *arena,
                            struct zone *zone)
{
	return domain_lock(tx,
		*key->id ? TO_CHANGE "d.id = ?" VISIBLE " FOR UPDATE"
		         : TO_CHANGE "d.name = ?" VISIBLE " FOR UPDATE",
		key, access, arena, zone);
}

/* The text of a key, if the key is of this kind: an id (BY_ID) or a name. */
static const char *domain_key_text(const struct domain_key *key, bool by_id)
{
	if (by_id != (*key->id != '\0'))
		return NULL;
	return by_id ? key->id : key->name;
}

/*
 * Selects HEAD keys TAIL, for the ids or the names among KEYS. False: there are no such
 * keys.
 */
static bool domain_select_keys(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                               const char *head, const char *tail, bool by_id,
                               const struct domain_key *keys, size_t count)
{
	struct tx_value values[TX_LIST_MAX + 1];
	const char *texts[TX_LIST_MAX], *sql;
	size_t places, n = 0;

	for (size_t i = 0; i < count; i++)
		if (domain_key_text(&keys[i], by_id))
			texts[n++] = domain_key_text(&keys[i], by_id);
	if (!n)
		return false;
	sql = tx_list(arena, head, tail, n, &places);
	tx_list_fill(values, texts, n, places);
	values[places].type = TX_END;
	tx_select(tx, arena, rows, sql, values);
	return true;
}

static void domain_try_lock(struct tx *tx, struct arena *arena, bool by_id,
                            const struct domain_key *keys, size_t count, bool *locked)
{
	const char *head = by_id
		? "SELECT id FROM domains FORCE INDEX (PRIMARY) WHERE live = 1 "
		  "AND id IN ("
		: "SELECT name FROM domains FORCE INDEX (domain_name) WHERE live = 1 "
		  "AND name IN (";
	struct tx_rows rows;

	if (!domain_select_keys(tx, arena, &rows, head,
	                        ") ORDER BY id FOR UPDATE SKIP LOCKED",
	                        by_id, keys, count))
		return;
	while (tx_next(&rows)) {
		const char *text = row_text(&rows);

		for (size_t i = 0; i < count; i++)
			if (domain_key_text(&keys[i], by_id) &&
			    !strcmp(text, domain_key_text(&keys[i], by_id)))
				locked[i] = true;
	}
}

void store_domain_try_lock(struct tx *tx, struct arena *arena,
                           const struct domain_key *keys, size_t count, bool *locked)
{
	domain_try_lock(tx, arena, true, keys, count, locked);
	domain_try_lock(tx, arena, false, keys, count, locked);
}

/* HEAD: the statement up to its list of keys. READ reads its columns. */
static void domain_read_keys(struct tx *tx, struct arena *arena, const char *head,
                             bool by_id,
                             void (*read)(struct tx_rows *rows, struct zone *zone),
                             const struct domain_key *keys, size_t count,
                             const struct zone **zones)
{
	struct tx_rows rows;

	if (!domain_select_keys(tx, arena, &rows, head, ")", by_id, keys, count))
		return;
	while (tx_next(&rows)) {
		struct zone *zone = arena_alloc(arena, sizeof(*zone));

		read(&rows, zone);
		for (size_t i = 0; i < count; i++)
			if (domain_key_text(&keys[i], by_id) &&
			    !strcmp(by_id ? zone->is.id : zone->is.name,
			            domain_key_text(&keys[i], by_id)))
				zones[i] = zone;
	}
}

#define BY_ID " FROM domains d WHERE d.live = 1 AND d.id IN ("
#define BY_NAME " FROM domains d WHERE d.live = 1 AND d.name IN ("

void store_domain_get_several(struct tx *tx, struct arena *arena,
                              const struct domain_key *keys, size_t count,
                              const struct zone **zones)
{
	domain_read_keys(tx, arena, "SELECT " ZONE_COLUMNS BY_ID, true, domain_read_zone,
	                 keys, count, zones);
	domain_read_keys(tx, arena, "SELECT " ZONE_COLUMNS BY_NAME, false,
	                 domain_read_zone, keys, count, zones);
}

bool store_domain_is_visible(const struct access *access, const struct zone *zone)
{
	return access_has(access, zone->is.tenant);
}

void store_domain_read_locked(struct tx *tx, struct arena *arena,
                              const struct domain_key *keys, size_t count,
                              const struct zone **zones)
{
	domain_read_keys(tx, arena, "SELECT " ZONE_COLUMNS CHANGE_COLUMNS BY_ID, true,
	                 domain_read_zone_to_change, keys, count, zones);
	domain_read_keys(tx, arena, "SELECT " ZONE_COLUMNS CHANGE_COLUMNS BY_NAME, false,
	                 domain_read_zone_to_change, keys, count, zones);
}

#define MARKED(column) "SELECT CAST(" column " AS CHAR), id FROM domains WHERE id = ?"

static const struct sort_column sort_columns[] = {
	[DOMAIN_SORT_NAME]    = { "d.name",       "d.id", MARKED("name") },
	[DOMAIN_SORT_CREATED] = { "d.created_at", "d.id", MARKED("created_at") },
	[DOMAIN_SORT_UPDATED] = { "d.updated_at", "d.id", MARKED("updated_at") },
	[DOMAIN_SORT_SERIAL]  = { "d.serial",     "d.id", MARKED("serial") },
};

void store_domain_find(struct tx *tx, const struct access *access,
                       const struct domain_criterion *criterion,
                       const struct paging *paging,
                       struct arena *arena, struct tx_rows *rows)
{
	struct query query;

	query_begin(&query, arena, "SELECT " ZONE_COLUMNS " FROM domains d");
	if (criterion->with_shared) {
		query_bind(&query, " JOIN (SELECT id FROM domains WHERE tenant = ?",
		           tx_text(access->tenant));
		query_bind(&query, " UNION SELECT domain_id FROM domain_shares WHERE "
		           "target_tenant = ?) v ON v.id = d.id",
		           tx_text(access->tenant));
	}
	buf_text(&query.sql, " WHERE d.live = 1");
	if (!access->all && !criterion->with_shared)
		query_equals(&query, "d.tenant", access->tenant);
	query_equals(&query, "d.tenant", criterion->tenant);
	query_matches(&query, "d.name", &criterion->name);
	query_equals(&query, "d.status", criterion->status);
	query_equals(&query, "d.task", criterion->task);
	if (criterion->pool)
		query_bind(&query,
		           " AND d.pool_id = (SELECT p.id FROM pools p WHERE p.name = ?)",
		           tx_text(criterion->pool));
	query_page(&query, tx, paging, &sort_columns[paging->sort]);
	query_run(&query, tx, rows);
}

bool store_domain_next(struct tx_rows *rows, struct zone *zone)
{
	if (!tx_next(rows))
		return false;
	domain_read_zone(rows, zone);
	return !rows->tx->err;
}

/* It may wait for an uncommitted domain of the same name, or for the pool. */
void store_domain_insert(struct tx *tx, struct zone *zone, enum store_wait wait)
{
	const struct domain *is = &zone->is;
	uint8_t ancestry[NAME_MAX_WIRE];
	size_t ancestry_len = zone_ancestry(&zone->apex, ancestry);

	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO domains (id, name, ancestry, tenant, pool_id, serial, "
	            "task, status, description, attributes, mname, rname, soa_ttl, "
	            "refresh, retry, expire, minimum, ttl, kind, created_at, "
	            "updated_at, changed_at) VALUES "
	            "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
	            "UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))"),
	        TX_BIND(tx_text(is->id), tx_text(is->name),
	                tx_bytes(ancestry, ancestry_len),
	                tx_text(is->tenant), tx_text(is->pool_id),
	                tx_u32(is->state.serial),
	                tx_text(task_name(is->state.task)),
	                tx_text(status_name(is->state.status)),
	                tx_text(is->description), tx_text(zone->attributes),
	                tx_text(is->primary),
	                tx_text(is->email),
	                tx_u32(zone->soa_ttl), tx_u32(is->refresh), tx_u32(is->retry),
	                tx_u32(is->expire), tx_u32(is->minimum), tx_u32(is->ttl),
	                tx_text(is->is_catalog ? "CATALOG" : "PRIMARY")));
	store_check_wait(tx, wait, is->name);
	store_versions_begin(tx, "domain", &(const char *){ is->id }, 1);
	zone->is.version = 1;
}

void store_domain_set_counts(struct tx *tx, const struct zone *zone)
{
	tx_exec(tx, "UPDATE domains SET recordset_count = ?, record_count = ? WHERE id "
	            "= ?",
	        TX_BIND(tx_u32(zone->recordsets), tx_u32(zone->records),
	                tx_text(zone->is.id)));
}

void store_domain_set_description(struct tx *tx, struct zone *zone)
{
	const struct version version = { zone->is.id, zone->is.version++ };

	tx_exec(tx, "UPDATE domains SET description = ?, updated_at = UTC_TIMESTAMP(3) "
	            "WHERE id = ?",
	        TX_BIND(tx_text(zone->is.description), tx_text(zone->is.id)));
	store_versions_swap(tx, "domain", &version, 1);
}

void store_domain_set_attributes(struct tx *tx, const struct zone *zone)
{
	tx_exec(tx, "UPDATE domains SET attributes = ? WHERE id = ?",
	        TX_BIND(tx_text(zone->attributes), tx_text(zone->is.id)));
}

/*
 * Serials wrap, so the newest serial is that of the last deletion, not the greatest
 * number.
 */
bool store_domain_find_last(struct tx *tx, const char *name, struct arena *arena,
                            struct last_domain *last)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, "SELECT serial, tenant, is_going FROM ("
	                   "SELECT serial, tenant, task = 'DELETE' AS is_going, "
	                   "updated_at AS at, id FROM domains WHERE name = ? UNION ALL "
	                   "SELECT serial, '', 0, deleted_at, '' FROM last_serials "
	                   "WHERE name = ?) s ORDER BY at DESC, id DESC LIMIT 1",
	                   TX_BIND(tx_text(name), tx_text(name))))
		return false;
	last->serial = row_u32(&rows);
	last->tenant = row_text(&rows);
	last->is_going = row_int(&rows);
	tx_select_end(&rows);
	return true;
}

size_t store_ancestors(const struct name *name, bool with_itself, struct arena *arena,
                       const char **names)
{
	struct name at = *name;
	char text[NAME_MAX_TEXT + 1];
	size_t count = 0;

	while (with_itself || name_parent(&at, &at)) {
		with_itself = false;
		name_format(&at, text);
		names[count++] = arena_strdup(arena, text);
	}
	return count;
}

static bool domain_foreign_parent(struct tx *tx, const struct name *name,
                                  const char *tenant,
                                  struct arena *arena, const char **relative)
{
	const char *names[STORE_ANCESTORS_MAX];
	struct tx_value values[STORE_NAMES_MAX + 2] = { tx_text(tenant) };
	size_t size, count = store_ancestors(name, false, arena, names);
	const char *sql;

	if (!count)
		return false;
	sql = tx_list(arena,
	                      "SELECT name FROM domains WHERE tenant <> ? AND live = 1 "
	                      "AND name IN (", ") LIMIT 1", count, &size);
	tx_list_fill(values + 1, names, count, size);
	values[1 + size].type = TX_END;
	*relative = tx_select_text(tx, arena, sql, values);
	return *relative != NULL;
}

static bool domain_foreign_child(struct tx *tx, const struct name *name,
                                 const char *tenant,
                                 struct arena *arena, const char **relative)
{
	uint8_t ancestry[NAME_MAX_WIRE];
	size_t len = zone_ancestry(name, ancestry);

	*relative = tx_select_text(tx, arena,
		"SELECT name FROM domains WHERE ancestry > ? AND ancestry < CONCAT(?, "
		"0xff) AND live = 1 AND tenant <> ? LIMIT 1",
		TX_BIND(tx_bytes(ancestry, len), tx_bytes(ancestry, len),
		        tx_text(tenant)));
	return *relative != NULL;
}

bool store_domain_foreign_relative(struct tx *tx, const struct name *name,
                                   const char *tenant, struct arena *arena,
                                   const char **relative)
{
	return domain_foreign_parent(tx, name, tenant, arena, relative) ||
	       domain_foreign_child(tx, name, tenant, arena, relative);
}

/*
 * Counts live and DELETED domains. It reads only the index, not the rows, which changes
 * lock.
 */
#define COUNT_RELATIVES "SELECT COUNT(*) FROM domains FORCE INDEX (domain_ancestry) " \
	"WHERE (ancestry > ? AND ancestry < CONCAT(?, 0xff)) OR ancestry IN ("

/* The values of domain_ancestry for the names above NAME. Returns their number. */
static size_t domain_parent_values(const struct name *name, struct arena *arena,
                                   struct tx_value *values)
{
	struct name at = *name;
	size_t count = 0;

	while (name_parent(&at, &at)) {
		uint8_t *ancestry = arena_alloc(arena, NAME_MAX_WIRE);

		values[count++] = tx_bytes(ancestry, zone_ancestry(&at, ancestry));
	}
	return count;
}

void store_domain_check_relatives(struct tx *tx, const struct zone *zone,
                                  enum store_wait wait, struct arena *arena)
{
	struct tx_value values[STORE_ANCESTORS_MAX + 3];
	uint8_t ancestry[NAME_MAX_WIRE];
	size_t len = zone_ancestry(&zone->apex, ancestry);
	size_t size, count = domain_parent_values(&zone->apex, arena, values + 2);
	const char *sql = tx_list(arena, COUNT_RELATIVES, ")", count, &size);
	int64_t seen, there;

	values[0] = values[1] = tx_bytes(ancestry, len);
	for (size_t i = count; i < size; i++)
		values[2 + i] = values[2 + count - 1];
	values[2 + size].type = TX_END;
	seen = tx_select_number(tx, sql, values);
	sql = arena_printf(arena, "%s%s LOCK IN SHARE MODE", STORE_WAITS(tx, wait, ""),
	                   sql);
	there = tx_select_number(tx, sql, values);
	store_check_wait(tx, wait, zone->is.name);
	if (!tx->err && seen != there)
		tx->err = fail(tx->why, ERR_RACE, "another transaction created a domain "
		               "above or below %.200s at the same time: try again later",
		               zone->is.name);
}

bool store_domain_child(struct tx *tx, const struct zone *zone, struct arena *arena,
                        const char **child)
{
	uint8_t ancestry[NAME_MAX_WIRE];
	size_t len = zone_ancestry(&zone->apex, ancestry);

	*child = tx_select_text(tx, arena,
		"SELECT name FROM domains WHERE ancestry > ? AND ancestry < CONCAT(?, "
		"0xff) AND live = 1 ORDER BY ancestry LIMIT 1",
		TX_BIND(tx_bytes(ancestry, len), tx_bytes(ancestry, len)));
	return *child != NULL;
}

size_t store_domain_children(struct tx *tx, const struct zone *zone, struct arena *arena,
                             struct child_domain *children, size_t max)
{
	uint8_t ancestry[NAME_MAX_WIRE];
	size_t len = zone_ancestry(&zone->apex, ancestry), count = 0;
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
		"SELECT name, name, tenant FROM domains WHERE ancestry > ? AND ancestry "
		"< CONCAT(?, 0xff) AND live = 1 AND kind = 'PRIMARY' "
		"AND task <> 'DELETE' ORDER BY ancestry LIMIT ?",
		TX_BIND(tx_bytes(ancestry, len), tx_bytes(ancestry, len),
		        tx_int((int64_t)max)));
	while (count < max && tx_next(&rows)) {
		domain_read_name(&rows, "domains.name", &children[count].name);
		children[count].text = row_text(&rows);
		children[count++].tenant = row_text(&rows);
	}
	tx_select_end(&rows);
	return count;
}

bool store_domain_parent(struct tx *tx, const struct zone *zone, struct arena *arena,
                         struct parent_domain *parent)
{
	const char *names[STORE_ANCESTORS_MAX];
	struct tx_value values[STORE_NAMES_MAX + 1];
	size_t size, count = store_ancestors(&zone->apex, false, arena, names);
	struct tx_rows rows;
	const char *sql;

	if (!count)
		return false;
	sql = tx_list(arena, "SELECT id, name, tenant FROM domains WHERE live = 1 AND "
	              "kind = 'PRIMARY' AND name IN (",
	              ") ORDER BY LENGTH(name) DESC LIMIT 1", count, &size);
	tx_list_fill(values, names, count, size);
	values[size].type = TX_END;
	if (!tx_select_row(tx, arena, &rows, sql, values))
		return false;
	parent->id = row_text(&rows);
	parent->name = row_text(&rows);
	parent->tenant = row_text(&rows);
	tx_select_end(&rows);
	return true;
}

size_t store_domain_existing(struct tx *tx, const char *const *names, size_t count,
                             struct arena *arena, struct name *found)
{
	struct tx_value values[STORE_NAMES_MAX + 1];
	struct tx_rows rows;
	size_t size, got = 0;
	const char *sql = tx_list(arena,
	                                  "SELECT DISTINCT name FROM domains WHERE "
	                                  "live = 1 AND name IN (", ")", count, &size);

	tx_list_fill(values, names, count, size);
	values[size].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows))
		domain_read_name(&rows, "domains.name", &found[got++]);
	return got;
}
