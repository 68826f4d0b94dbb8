#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "core/status.h"
#include "model/rr.h"
#include "store_query.h"

const char *const store_recordset_sort_keys[] = { "name", "created_at", "updated_at",
                                                  NULL };
const char *const store_record_sort_keys[] = { "id", "updated_at", NULL };

/* In the order of record_read(). */
#define RECORD_COLUMNS \
	"r.id, r.data, r.rdata, r.managed_by, r.serial_number, r.task, r.status"
/* In the order of recordset_read_row(). */
#define RECORDSET_COLUMNS \
	"s.id, s.domain_id, s.name, s.type, s.ttl, s.description, " \
	"IF(s.tenant = '', d.tenant, s.tenant), " \
	"CAST(UNIX_TIMESTAMP(s.created_at) * 1000 AS SIGNED), " \
	"CAST(UNIX_TIMESTAMP(s.updated_at) * 1000 AS SIGNED)"
/*
 * Not EXISTS, because MariaDB may execute it as a scan of all records, even for a small
 * page.
 */
#define HAS_RECORD(condition) \
	"(SELECT 1 FROM records e WHERE e.recordset_id = s.id " \
	"AND " condition " LIMIT 1) = 1"
#define HAS_RECORDS HAS_RECORD("e.status <> 'DELETED'")

static void record_read(struct tx_rows *rows, struct record *record)
{
	size_t len;

	*record = (struct record){ 0 };
	store_read_id(rows, "records.id", record->id);
	record->data = row_text(rows);
	record->rdata = row_bytes(rows, &len);
	record->rdata_len = (uint16_t)len;
	record->managed_by = row_text(rows);
	if (!record->data || !record->rdata)
		tx_fail(rows->tx, ERR_INTERNAL, "row %s of the table 'records': the "
		        "column 'data' or 'rdata' is NULL: correct this row in the "
		        "database", record->id);
	else if (len > UINT16_MAX)
		tx_fail(rows->tx, ERR_INTERNAL, "row %s of the table 'records': the "
		        "column 'rdata' must have at most %d octets, not %zu: correct "
		        "this row in the database", record->id, UINT16_MAX, len);
	store_read_state(rows, "records", &record->state);
}

static bool recordset_read_ttl(struct tx_rows *rows, uint32_t *ttl)
{
	bool given = !row_is_null(rows);

	*ttl = row_u32(rows);
	return given;
}

/* ---- reads and writes of a change ---- */

/* Reads the columns of the set, which come before those of the record. */
static struct rrset *rrset_read(struct tx_rows *rows, struct rrsets *sets)
{
	const char *id = row_text(rows), *owner = row_text(rows);
	uint16_t type = (uint16_t)row_int(rows);
	struct name name;
	struct rrset *set;

	if (!owner || name_parse(owner, "name", &name, rows->tx->why)) {
		store_fail_value(rows, "recordsets.name", owner, "a domain name");
		return NULL;
	}
	set = rrsets_get(sets, &name, owner, type);
	set->stored_ttl.given = recordset_read_ttl(rows, &set->stored_ttl.value);
	set->stored_description = row_text(rows);
	set->stored_tenant = row_text(rows);
	set->stored = true;
	if (!id || !id_parse(id, set->id))
		store_fail_value(rows, "recordsets.id", id,
		                 "an id of 32 hexadecimal digits");
	return set;
}

static void rrset_push_record(struct rrset *set, struct record record,
                              struct arena *arena)
{
	/* grows at each power of two */
	if (!(set->was_count & (set->was_count - 1))) {
		size_t size = set->was_count ? set->was_count * 2 : 1;
		struct record *records = arena_alloc(arena, size * sizeof(*records));

		if (set->was_count)
			memcpy(records, set->was, set->was_count * sizeof(*records));
		set->was = records;
	}
	((struct record *)set->was)[set->was_count++] = record;
}

/* In the order of rrset_read_record(). */
#define MEMBERS \
	"s.id, s.name, s.type, s.ttl, s.description, s.tenant, " RECORD_COLUMNS \
	" FROM recordsets s LEFT JOIN records r ON r.recordset_id = s.id AND r.live = 1 "

/* Reads one record, or a set without records. */
static void rrset_read_record(struct tx_rows *rows, struct rrsets *sets)
{
	struct rrset *set = rrset_read(rows, sets);
	struct record record;

	if (!set || row_is_null(rows))
		return;
	record_read(rows, &record);
	rrset_push_record(set, record, sets->arena);
}

void store_recordset_read(struct tx *tx, const char *domain_id, const char *const *names,
                          size_t count, struct rrsets *sets)
{
	struct tx_value values[STORE_NAMES_MAX + 2] = { tx_text(domain_id) };
	struct tx_rows rows;
	size_t size;
	const char *sql = tx_list(sets->arena,
		"SELECT " MEMBERS "WHERE s.domain_id = ? AND s.name IN (", ")", count,
		&size);

	tx_list_fill(values + 1, names, count, size);
	values[1 + size].type = TX_END;
	tx_select(tx, sets->arena, &rows, sql, values);
	while (tx_next(&rows))
		rrset_read_record(&rows, sets);
}

/* The type 0: a set of any type. */
static const struct rrset *rrsets_find(const struct rrsets *sets, const char *owner,
                                       uint16_t type)
{
	for (size_t i = 0; i < sets->count; i++)
		if ((!type || sets->items[i]->type == type) &&
		    !strcmp(sets->items[i]->owner, owner))
			return sets->items[i];
	return NULL;
}

#define IS_SERVED HAS_RECORD("e.live = 1")

const char *store_recordset_dname(struct tx *tx, const char *domain_id,
                                  const char *const *names, size_t count,
                                  const struct rrsets *sets)
{
	struct tx_value values[STORE_NAMES_MAX + 2] = { tx_text(domain_id) };
	const char *found = NULL, *name;
	struct tx_rows rows;
	size_t size;
	const char *sql = tx_list(sets->arena,
		"SELECT s.name FROM recordsets s FORCE INDEX (recordset_name) WHERE "
		"s.domain_id = ? AND s.type = 39 AND " IS_SERVED " AND s.name IN (", ")",
		count, &size);

	tx_list_fill(values + 1, names, count, size);
	values[1 + size].type = TX_END;
	tx_select(tx, sets->arena, &rows, sql, values);
	while (tx_next(&rows)) {
		const struct rrset *set;

		name = row_text(&rows);
		set = name ? rrsets_find(sets, name, RR_DNAME) : NULL;
		if (name && (!set || set->wanted_count))
			found = name;
	}
	return found;
}

#define ENDING STORE_ENDING("s.name", "k.dots")

const char *store_recordset_below(struct tx *tx, const char *domain_id, uint32_t dots,
                                  const char *const *names, size_t count,
                                  const struct rrsets *sets)
{
	struct tx_value values[STORE_NAMES_MAX + 4] = { tx_u32(dots),
	                                                tx_text(domain_id) };
	const char *found = NULL, *below;
	struct tx_rows rows;
	size_t size;
	const char *sql = tx_list(sets->arena,
		"SELECT s.name FROM (SELECT ? AS dots) k STRAIGHT_JOIN recordsets s "
		"FORCE INDEX (recordset_name) WHERE s.domain_id = ? AND " ENDING " IN (",
		") AND " STORE_IS_BELOW("s.name", ENDING) " AND " IS_SERVED " LIMIT ?",
		count, &size);

	tx_list_fill(values + 2, names, count, size);
	/* of the sets in SETS, each may be one of the rows */
	values[2 + size] = tx_int((int64_t)sets->count + 1);
	values[3 + size].type = TX_END;
	tx_select(tx, sets->arena, &rows, sql, values);
	while (tx_next(&rows)) {
		below = row_text(&rows);
		if (below && !rrsets_find(sets, below, 0))
			found = below;
	}
	return found;
}

static struct rrsets *rrsets_of_domain(const struct sets_wanted *wanted, size_t count,
                                       const char *domain_id)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(wanted[i].domain_id, domain_id))
			return wanted[i].sets;
	return NULL;
}

void store_recordset_read_several(struct tx *tx, struct arena *arena,
                                  const struct sets_wanted *wanted, size_t count)
{
	struct tx_value values[2 * TX_LIST_MAX + 1];
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list_of(arena, "SELECT s.domain_id, " MEMBERS "WHERE ",
	                             "(s.domain_id = ? AND s.name = ?)", " OR ", "",
	                             count, &places);

	for (size_t i = 0; i < places; i++) {
		const struct sets_wanted *want = &wanted[i < count ? i : count - 1];

		values[2 * i] = tx_text(want->domain_id);
		values[2 * i + 1] = tx_text(want->name);
	}
	values[2 * places].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows)) {
		struct rrsets *sets = rrsets_of_domain(wanted, count, row_text(&rows));

		if (sets)
			rrset_read_record(&rows, sets);
	}
}

/* The task ADD is unchanged, as in status_changed(). */
int64_t store_record_touch_default(struct tx *tx, const char *domain_id, uint32_t serial)
{
	return tx_exec(tx, "UPDATE records r JOIN recordsets s ON s.id = r.recordset_id "
	               "SET r.task = IF(r.task = 'ADD', 'ADD', 'UPDATE'), r.status = "
	               "'PENDING', r.serial_number = ?, r.updated_at = UTC_TIMESTAMP(3) "
	               "WHERE s.domain_id = ? AND s.ttl IS NULL AND r.live = 1",
	               TX_BIND(tx_u32(serial), tx_text(domain_id)));
}

/* ---- reads for callers ---- */

static void recordset_read_row(struct tx_rows *rows, struct recordset *set)
{
	*set = (struct recordset){ 0 };
	store_read_id(rows, "recordsets.id", set->id);
	store_read_id(rows, "recordsets.domain_id", set->domain_id);
	set->name = row_text(rows);
	set->type = (uint16_t)row_int(rows);
	set->has_ttl = recordset_read_ttl(rows, &set->ttl);
	set->description = row_text(rows);
	set->tenant = row_text(rows);
	set->created_at = row_int(rows);
	set->updated_at = row_int(rows);
}

bool store_recordset_get(struct tx *tx, const char *domain_id, const char *id,
                         struct arena *arena, struct recordset *set)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   "SELECT " RECORDSET_COLUMNS " FROM recordsets s "
	                   "JOIN domains d ON d.id = s.domain_id WHERE s.id = ? "
	                   "AND s.domain_id = ? AND " HAS_RECORDS,
	                   TX_BIND(tx_text(id), tx_text(domain_id))))
		return false;
	recordset_read_row(&rows, set);
	tx_select_end(&rows);
	store_recordset_members(tx, set, 1, arena);
	return !tx->err;
}

#define MARKED_SET(column, tie) \
	"SELECT CAST(" column " AS CHAR), CAST(" tie " AS CHAR) FROM recordsets WHERE " \
	"id = ?"

/* Within a domain the order is name, then type: the order of an index. */
static const struct sort_column name_within_domain =
	{ "s.name", "s.type", MARKED_SET("name", "type") };

static const struct sort_column set_columns[] = {
	[RECORDSET_SORT_NAME]    = { "s.name",       "s.id", MARKED_SET("name", "id") },
	[RECORDSET_SORT_CREATED] = { "s.created_at", "s.id",
	                             MARKED_SET("created_at", "id") },
	[RECORDSET_SORT_UPDATED] = { "s.updated_at", "s.id",
	                             MARKED_SET("updated_at", "id") },
};

/* The ids of few domains: the condition with OR alone would read all domains. */
static void record_join_shared(struct query *query, const struct access *access)
{
	query_bind(query, " JOIN (SELECT id FROM domains WHERE tenant = ?",
	           tx_text(access->tenant));
	query_bind(query, " UNION SELECT domain_id FROM domain_shares WHERE "
	           "target_tenant = ?) v ON v.id = d.id", tx_text(access->tenant));
}

static void record_add_criterion(struct query *query, const struct access *access,
                                 const struct record_criterion *criterion)
{
	if (!access->all && !criterion->with_shared)
		query_equals(query, "d.tenant", access->tenant);
	if (criterion->with_shared) {
		query_bind(query, " AND (d.tenant = ?", tx_text(access->tenant));
		query_bind(query, " OR s.tenant = ?)", tx_text(access->tenant));
	}
	query_equals(query, "s.tenant", criterion->tenant);
	if (*criterion->domain_id)
		query_equals(query, "s.domain_id", criterion->domain_id);
	query_matches(query, "s.name", &criterion->name);
	if (criterion->type)
		query_bind(query, " AND s.type = ?", tx_int(criterion->type));
}

void store_recordset_find(struct tx *tx, const struct access *access,
                          const struct record_criterion *criterion,
                          const struct paging *paging, struct arena *arena,
                          struct tx_rows *rows)
{
	bool by_index = paging->sort == RECORDSET_SORT_NAME && *criterion->domain_id;
	struct query query;

	query_begin(&query, arena, "SELECT " RECORDSET_COLUMNS " FROM recordsets s ");
	if (criterion->tenant && *criterion->domain_id)
		buf_text(&query.sql, "FORCE INDEX (recordset_tenant) ");
	buf_text(&query.sql, "JOIN domains d ON d.id = s.domain_id");
	if (criterion->with_shared)
		record_join_shared(&query, access);
	buf_text(&query.sql, " WHERE d.live = 1 AND " HAS_RECORDS);
	record_add_criterion(&query, access, criterion);
	if (criterion->status)
		query_bind(&query, " AND " HAS_RECORD("e.status = ?"),
		           tx_text(criterion->status));
	if (criterion->data)
		query_bind(&query, " AND " HAS_RECORD("e.live = 1 AND e.data = ?"),
		           tx_text(criterion->data));
	query_page(&query, tx, paging, by_index ? &name_within_domain
	                                        : &set_columns[paging->sort]);
	query_run(&query, tx, rows);
}

bool store_recordset_next(struct tx_rows *rows, struct recordset *set)
{
	if (!tx_next(rows))
		return false;
	recordset_read_row(rows, set);
	return !rows->tx->err;
}

static int recordset_compare_ids(const void *a, const void *b)
{
	return strcmp((*(struct recordset *const *)a)->id,
	              (*(struct recordset *const *)b)->id);
}

/* The set with the id in the row. SETS are sorted by id. */
static struct recordset *recordset_of_row(struct tx_rows *rows, struct recordset **sets,
                                          size_t count)
{
	struct recordset key = { 0 }, *wanted = &key, **found;

	store_read_id(rows, "records.recordset_id", key.id);
	found = bsearch(&wanted, sets, count, sizeof(*sets), recordset_compare_ids);
	return found ? *found : NULL;
}

static void recordset_push_record(struct recordset *set, const struct record *record,
                                  struct arena *arena)
{
	if (!(set->record_count & (set->record_count - 1))) {
		size_t size = set->record_count ? set->record_count * 2 : 1;
		struct record *records = arena_alloc(arena, size * sizeof(*records));

		if (set->record_count)
			memcpy(records, set->records,
			       set->record_count * sizeof(*records));
		set->records = records;
	}
	set->records[set->record_count++] = *record;
}

static void recordset_read_records(struct tx *tx, struct recordset **sets, size_t count,
                                   struct arena *arena)
{
	struct tx_value values[STORE_NAMES_MAX + 1];
	const char *ids[STORE_NAMES_MAX];
	struct tx_rows rows;
	size_t size;
	const char *sql = tx_list(arena,
		"SELECT r.recordset_id, "
		RECORD_COLUMNS " FROM records r WHERE r.status <> 'DELETED' "
		"AND r.recordset_id IN (",
		") ORDER BY r.recordset_id, r.rdata_hash, r.id", count, &size);

	for (size_t i = 0; i < count; i++)
		ids[i] = sets[i]->id;
	tx_list_fill(values, ids, count, size);
	values[size].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	while (tx_next(&rows)) {
		struct recordset *set = recordset_of_row(&rows, sets, count);
		struct record record;

		record_read(&rows, &record);
		if (set)
			recordset_push_record(set, &record, arena);
	}
}

/* The canonical order (RFC 4034 6.3), except that the case of names counts. */
static int record_compare(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	size_t len = x->rdata_len < y->rdata_len ? x->rdata_len : y->rdata_len;
	int order = len ? memcmp(x->rdata, y->rdata, len) : 0;

	if (!order)
		order = x->rdata_len - y->rdata_len;
	return order ? order : strcmp(x->id, y->id);
}

void store_recordset_members(struct tx *tx, struct recordset *sets, size_t count,
                             struct arena *arena)
{
	struct recordset **by_id = arena_alloc(arena, (count + 1) * sizeof(*by_id));

	for (size_t i = 0; i < count; i++)
		by_id[i] = &sets[i];
	qsort(by_id, count, sizeof(*by_id), recordset_compare_ids);
	for (size_t at = 0; at < count; at += STORE_NAMES_MAX)
		recordset_read_records(tx, by_id + at,
		                       count - at < STORE_NAMES_MAX ? count - at :
		                       STORE_NAMES_MAX, arena);
	for (size_t i = 0; i < count; i++)
		if (sets[i].record_count > 1)
			qsort(sets[i].records, sets[i].record_count,
			      sizeof(*sets[i].records), record_compare);
}

static const struct sort_column record_columns[] = {
	[RECORD_SORT_ID]      = { "r.id", "r.id",
	                          "SELECT id, id FROM records WHERE id = ?" },
	[RECORD_SORT_UPDATED] = { "r.updated_at", "r.id",
	                          "SELECT CAST(updated_at AS CHAR), id FROM records "
	                          "WHERE id = ?" },
};

void store_record_find(struct tx *tx, const struct access *access,
                       const struct record_criterion *criterion,
                       const struct paging *paging,
                       struct arena *arena, struct tx_rows *rows)
{
	struct query query;

	query_begin(&query, arena,
	            "SELECT r.recordset_id, s.domain_id, s.name, s.type, s.ttl, "
	            RECORD_COLUMNS " FROM records r JOIN recordsets s ON s.id = "
	            "r.recordset_id JOIN domains d ON d.id = r.domain_id");
	if (criterion->with_shared)
		record_join_shared(&query, access);
	buf_text(&query.sql, " WHERE d.live = 1 AND r.status <> 'DELETED'");
	record_add_criterion(&query, access, criterion);
	if (*criterion->domain_id)
		query_equals(&query, "r.domain_id", criterion->domain_id);
	query_equals(&query, "r.status", criterion->status);
	query_equals(&query, "r.data", criterion->data);
	query_page(&query, tx, paging, &record_columns[paging->sort]);
	query_run(&query, tx, rows);
}

bool store_record_next(struct tx_rows *rows, struct found_record *found)
{
	if (!tx_next(rows))
		return false;
	store_read_id(rows, "records.recordset_id", found->recordset_id);
	store_read_id(rows, "records.domain_id", found->domain_id);
	found->name = row_text(rows);
	found->type = (uint16_t)row_int(rows);
	found->has_ttl = recordset_read_ttl(rows, &found->ttl);
	record_read(rows, &found->record);
	return !rows->tx->err;
}

/* ---- records that producers manage ---- */

/* The index reads no other records of the domain. */
#define MANAGED \
	"SELECT r.managed_by, s.name, s.type, r.data FROM records r " \
	"FORCE INDEX (record_managed) STRAIGHT_JOIN recordsets s ON " \
	"s.id = r.recordset_id WHERE r.domain_id = ? AND r.managed_by > '' AND "

static void managed_read(struct tx_rows *rows, struct managed_record *record)
{
	record->managed_by = row_text(rows);
	record->name = row_text(rows);
	record->type = (uint16_t)row_int(rows);
	record->data = row_text(rows);
	tx_select_end(rows);
}

bool store_record_managed(struct tx *tx, const char *domain_id, struct arena *arena,
                          struct managed_record *record)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, MANAGED "r.live = 1 LIMIT 1",
	                   TX_BIND(tx_text(domain_id))))
		return false;
	managed_read(&rows, record);
	return !tx->err;
}

bool store_record_managed_deleted(struct tx *tx, const char *domain_id, uint32_t serial,
                                  struct arena *arena, struct managed_record *record)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   MANAGED "r.task = 'DELETE' AND r.serial_number = ? LIMIT 1",
	                   TX_BIND(tx_text(domain_id), tx_u32(serial))))
		return false;
	managed_read(&rows, record);
	return !tx->err;
}
