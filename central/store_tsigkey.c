#include "store.h"

#include "store_query.h"

const char *const store_tsigkey_sort_keys[] = { "name", NULL };

#define COLUMNS(domain) \
	"t.id, t.name, t.algorithm, t.domain_id, " domain ", " \
	TX_RFC3339("t.created_at") ", " \
	TX_RFC3339("t.updated_at")
#define FROM_BOTH " FROM tsigkeys t LEFT JOIN domains d ON d.id = t.domain_id "

#define SELECT_WHOLE "SELECT " COLUMNS("d.name") ", t.secret" FROM_BOTH
/* Leaves out the name of the domain, because a join would also lock its row. */
#define SELECT_OWN "SELECT " COLUMNS("NULL") ", t.secret FROM tsigkeys t "

static void tsigkey_read(struct tx_rows *rows, struct tsigkey *key)
{
	*key = (struct tsigkey){ 0 };
	store_read_id(rows, "tsigkeys.id", key->id);
	key->name = row_text(rows);
	key->algorithm = row_text(rows);
	key->domain_id = row_text(rows);
	key->domain = row_text(rows);
	key->created_at = row_text(rows);
	key->updated_at = row_text(rows);
}

static bool tsigkey_select(struct tx *tx, const char *sql, const char *by,
                           struct arena *arena, struct tsigkey *key)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql, TX_BIND(tx_text(by))))
		return false;
	tsigkey_read(&rows, key);
	key->secret = row_text(&rows);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_tsigkey_get(struct tx *tx, const struct tsigkey_key *by, struct arena *arena,
                       struct tsigkey *key)
{
	if (*by->id)
		return tsigkey_select(tx, SELECT_WHOLE "WHERE t.id = ?", by->id, arena,
		                      key);
	return tsigkey_select(tx, SELECT_WHOLE "WHERE t.name = ?", by->name, arena, key);
}

bool store_tsigkey_lock(struct tx *tx, const struct tsigkey_key *by,
                        enum store_wait wait, struct arena *arena, struct tsigkey *key)
{
	const char *sql = *by->id
		? STORE_WAITS(tx, wait, SELECT_OWN "WHERE t.id = ? FOR UPDATE")
		: STORE_WAITS(tx, wait, SELECT_OWN "WHERE t.name = ? FOR UPDATE");
	bool found = tsigkey_select(tx, sql, *by->id ? by->id : by->name, arena, key);

	store_check_wait(tx, wait, "the TSIG key");
	return found;
}

void store_tsigkey_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                        struct tx_rows *rows)
{
	static const struct sort_column by_name = {
		"t.name", "t.id", "SELECT name, id FROM tsigkeys WHERE id = ?",
	};
	struct query query;

	query_begin(&query, arena, "SELECT " COLUMNS("d.name") FROM_BOTH "WHERE 1");
	query_page(&query, tx, paging, &by_name);
	query_run(&query, tx, rows);
}

bool store_tsigkey_next(struct tx_rows *rows, struct tsigkey *key)
{
	if (!tx_next(rows))
		return false;
	tsigkey_read(rows, key);
	return !rows->tx->err;
}

void store_tsigkey_insert(struct tx *tx, const struct tsigkey *key, enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO tsigkeys (id, name, algorithm, secret, domain_id, "
	            "created_at, updated_at) "
	            "VALUES (?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))"),
	        TX_BIND(tx_text(key->id), tx_text(key->name), tx_text(key->algorithm),
	                tx_text(key->secret), tx_text(key->domain_id)));
	store_check_wait(tx, wait, "the TSIG key or its domain");
}

void store_tsigkey_update(struct tx *tx, const struct tsigkey *key)
{
	tx_exec(tx, "UPDATE tsigkeys SET algorithm = ?, secret = ?, "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(key->algorithm), tx_text(key->secret),
	                tx_text(key->id)));
}

void store_tsigkey_delete(struct tx *tx, const char *id)
{
	tx_exec(tx, "DELETE FROM tsigkeys WHERE id = ?", TX_BIND(tx_text(id)));
}

void store_tsigkey_delete_of_domain(struct tx *tx, const char *domain_id,
                                    enum store_wait wait)
{
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "DELETE FROM tsigkeys WHERE domain_id = ? AND NOT EXISTS "
	            "(SELECT 1 FROM pool_servers p WHERE TRIM(TRAILING '.' FROM "
	            "LOWER(p.tsig_key)) = TRIM(TRAILING '.' FROM tsigkeys.name))"),
	        TX_BIND(tx_text(domain_id)));
	store_check_wait(tx, wait, "a TSIG key of the domain");
}

/* The settings may have the name in capitals, or without the final dot. */
bool store_tsigkey_user(struct tx *tx, const char *name, struct arena *arena,
                        const char **pool, const char **server)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	                   "SELECT pool_name, id FROM pool_servers WHERE "
	                   "CONCAT(TRIM(TRAILING '.' FROM LOWER(tsig_key)), '.') = ? "
	                   "ORDER BY pool_name, id LIMIT 1", TX_BIND(tx_text(name))))
		return false;
	*pool = row_text(&rows);
	*server = row_text(&rows);
	tx_select_end(&rows);
	return !tx->err;
}
