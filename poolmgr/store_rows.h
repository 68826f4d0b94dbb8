/*
 * store_rows -- code for all store files of the pool manager: the conversion of a row to
 * a domain, and conditions that several statements contain. Only poolmgr/store*.c may
 * include this header.
 */
#pragma once

#include "consistency/store_version.h"
#include "model/domain.h"
#include "runtime/tx.h"

/*
 * SQL conditions that compare serials (RFC 1982). COVERS: the serial a is equal to b, or
 * newer. NEWER: a is newer than b. a and b can be columns.
 */
#define COVERS(a, b) "((CAST(" a " AS SIGNED) - CAST(" b " AS SIGNED)) & 4294967295) " \
                     "BETWEEN 0 AND 2147483647"
#define NEWER(a, b)  "((CAST(" a " AS SIGNED) - CAST(" b " AS SIGNED)) & 4294967295) " \
                     "BETWEEN 1 AND 2147483647"

/*
 * SQL: the pause in seconds after a failed attempt. The pause is 5 s after the first
 * attempt. After each further attempt, the pause is twice as long, up to 10 minutes. A
 * random part of plus or minus 5 % changes each pause
 */
#define PAUSE "ROUND(LEAST(5 * POW(2, LEAST(GREATEST(attempts, 1) - 1, 10)), 600) * " \
              "(0.95 + RAND() / 10))"

/*
 * For the event loop: makes an SQL statement that does not wait for locked rows. MySQL
 * has no such UPDATE, so on MySQL the statement can wait for locked rows. After the
 * statement, store_check_locked() (store.h) distinguishes a locked row from a race.
 */
#define NO_WAIT(tx, sql) (tx_has_short_limit(tx) ? TX_NO_LOCK_WAIT sql : sql)

/*
 * SQL conditions on an UPDATE row. FAILS_OFTEN: at least three attempts have failed since
 * the last success. WAITS_LONG: in addition, the row is due in more than 15 s
 */
#define FAILS_OFTEN(row) row ".status = 'ERROR' AND " row ".attempts >= 3"
#define WAITS_LONG(row) FAILS_OFTEN(row) " AND " row ".next_attempt_at > " \
                        "NOW(3) + INTERVAL 15 SECOND"

/*
 * SQL condition on a domain d: server_is_for(). Bind by_catalog of the server to the
 * parameter "?"
 */
#define IS_FOR_IT "(d.kind = 'PRIMARY' OR ?)"
/*
 * SQL condition on a domain d and its pool p: d is in the scope. SCOPE() binds the
 * parameters "?"
 */
#define IS_MINE "p.name = ? AND CRC32(d.id) % ? = ?"
#define SCOPE(scope) tx_text((scope)->pool), tx_int((scope)->share.total), \
                     tx_int((scope)->share.factor)

/* SQL condition on a domain d: d is in the slice. SLICE() binds the parameters "?" */
#define IN_SLICE "d.id > ? AND d.id <= ?"
#define SLICE(slice) tx_text((slice)->after), tx_text((slice)->upto)

/*
 * Columns of a domain d, in the order of store_read_domain(). DOMAIN_BUT_VERSION
 * contains 0 instead of the version, because a read of the version needs another lookup.
 */
#define DOMAIN_BUT_VERSION "d.id, d.name, d.tenant, d.serial, d.task, d.status, " \
                           "d.kind = 'CATALOG', 0"
#define DOMAIN_COLUMNS "d.id, d.name, d.tenant, d.serial, d.task, d.status, " \
                       "d.kind = 'CATALOG', " VERSION_OF("d.id")
void store_read_domain(struct tx_rows *rows, const char *pool, struct domain_ref *domain);

/* Returns the number in the first row of a statement; 0 if there is no row. */
int64_t store_read_count(struct tx *tx, const char *sql, const struct tx_value *bind);
/*
 * Reads at most MAX ids from the first column into the arena. Returns the number of ids.
 */
size_t store_read_ids(struct tx *tx, struct arena *arena, const char *sql,
                      const struct tx_value *bind, const char **ids, size_t max);
/*
 * Runs the statement "HEAD ids TAIL" for at most TX_LIST_MAX ids. COUNT 0: does nothing.
 */
void store_exec_ids(struct tx *tx, struct arena *arena, const char *head,
                    const char *tail, const char *const *ids, size_t count);
/*
 * These functions run a statement on rows of pool_manager_status s, for 1 to TX_LIST_MAX
 * keys. The condition "(s.domain_id = ? AND s.server_id = ?) OR ..." follows HEAD. FIRST:
 * the values of HEAD, at most ROW_FIRST_MAX.
 */
enum { ROW_FIRST_MAX = 2 };
struct row_key {
	const char *domain_id, *server_id;
};
void store_select_rows(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                       const char *head, const char *tail, const struct row_key *keys,
                       size_t count);
void store_exec_rows(struct tx *tx, struct arena *arena, const char *head,
                     const struct tx_value *first, const struct row_key *keys,
                     size_t count);
/*
 * Like store_exec_rows(), but on rows of repairs, with the condition "(object_uuid = ?
 * AND server_id = ?) OR ...".
 */
void store_exec_repairs(struct tx *tx, struct arena *arena, const char *head,
                        const struct tx_value *first, const struct row_key *keys,
                        size_t count);
bool row_key_is(const struct row_key *key, const char *domain_id, const char *server_id);
/*
 * True: TEXT is in SORTED. SORTED is in the order of strcmp(). The database uses the same
 * order.
 */
bool store_is_among(const char *text, const char *const *sorted, size_t count);
