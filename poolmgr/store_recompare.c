#include "store_recompare.h"

#include "base/log.h"
#include "store_repair.h"
#include "store_rows.h"

#define CASE "s.differs_since IS NOT NULL, EXISTS (SELECT 1 FROM repair_log r " \
             "WHERE r.object_uuid = s.domain_id AND r.server_id = s.server_id " \
             "AND r.kind IN ('CONTENT', 'MISSING') AND r.outcome = 'DONE' " \
             "AND r.done_at >= s.differs_since) " \
             "FROM pool_manager_status s FORCE INDEX (status_of) " \
             "WHERE s.action = 'UPDATE' AND "

#define PARKED "(SELECT p.detail FROM repairs p WHERE p.object_uuid = s.domain_id " \
               "AND p.server_id = s.server_id AND p.kind = 'CONTENT' " \
               "AND p.state = 'PARKED')"

static void store_read_case(struct tx_rows *rows, struct content_case *of)
{
	of->differs = row_int(rows) != 0;
	of->was_transferred = row_int(rows) != 0;
}

bool store_recompare_case(struct tx *tx, const char *domain_id, const char *server_id,
                          struct content_case *of)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT " CASE "s.domain_id = ? AND s.server_id = ? "
	    "AND s.status = 'SUCCESS' FOR UPDATE",
	    TX_BIND(tx_text(domain_id), tx_text(server_id))))
		return false;
	store_read_case(&rows, of);
	tx_select_end(&rows);
	return true;
}

void store_recompare_cases(struct tx *tx, struct arena *arena,
                           struct recompare_result *results, size_t count)
{
	struct row_key *keys = arena_alloc(arena, count * sizeof(*keys));
	struct tx_rows rows;

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct row_key){ results[i].domain_id, results[i].server_id };
	store_select_rows(tx, arena, &rows,
	    NO_WAIT(tx, "SELECT s.domain_id, s.server_id, COALESCE(" PARKED ", ''), "
	                CASE "("),
	    ") ORDER BY s.domain_id, s.server_id FOR UPDATE", keys, count);
	while (tx_next(&rows)) {
		const char *domain_id = row_text(&rows), *server_id = row_text(&rows);
		const char *parked = row_text(&rows);
		struct content_case of = { .differs = false };

		store_read_case(&rows, &of);
		for (size_t i = 0; i < count; i++) {
			if (!row_key_is(&keys[i], domain_id, server_id))
				continue;
			of.compared = results[i].of.compared;
			of.is_settled = store_is_settled(parked,
			                                 results[i].detail);
			results[i].of = of;
			results[i].exists = true;
		}
	}
}

static size_t store_results_of(const struct recompare_result *results, size_t count,
                               enum content content, struct row_key *keys)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (results[i].exists && results[i].content == content)
			keys[n++] = (struct row_key){ results[i].domain_id,
			                              results[i].server_id };
	return n;
}

static size_t store_equal_results(const struct recompare_result *results, size_t count,
                                  struct row_key *keys)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (results[i].exists && results[i].of.compared == COMPARED_EQUAL)
			keys[n++] = (struct row_key){ results[i].domain_id,
			                              results[i].server_id };
	return n;
}

/* A repair that runs has a CONFIRMED row, and ends it. */
static void store_end_drifts(struct tx *tx, struct arena *arena, const char *state,
                             const struct row_key *keys, size_t count)
{
	store_exec_repairs(tx, arena, NO_WAIT(tx, "DELETE FROM repairs "
	                   "WHERE kind = 'CONTENT' AND state = ? AND ("),
	                   TX_BIND(tx_text(state)), keys, count);
}

void store_recompare_results(struct tx *tx, struct arena *arena,
                             const struct recompare_result *results, size_t count)
{
	struct row_key *keys = arena_alloc(arena, count * sizeof(*keys));
	size_t n = store_results_of(results, count, CONTENT_DIFFERS, keys);

	store_exec_rows(tx, arena,
	    "UPDATE pool_manager_status s FORCE INDEX (status_of) SET "
	    "s.differs_since = COALESCE(s.differs_since, NOW(3)), "
	    "s.compare_at = COALESCE(s.compare_at, NOW(3) + INTERVAL ? SECOND) "
	    "WHERE s.action = 'UPDATE' AND (", TX_BIND(tx_int(CONTENT_FIRST_S)), keys, n);
	n = store_results_of(results, count, CONTENT_TRUSTED, keys);
	store_exec_rows(tx, arena,
	    "UPDATE pool_manager_status s FORCE INDEX (status_of) "
	    "SET s.differs_since = NULL, s.compare_at = NULL, s.comparisons = 0 "
	    "WHERE s.action = 'UPDATE' AND s.differs_since IS NOT NULL AND (", TX_NONE,
	    keys, n);
	store_end_drifts(tx, arena, "SEEN", keys, n);
	n = store_equal_results(results, count, keys);
	store_end_drifts(tx, arena, "PARKED", keys, n);
}

void store_trust(struct tx *tx, const char *domain_id, const char *server_id)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET differs_since = NULL, compare_at = NULL, "
	    "comparisons = 0 WHERE domain_id = ? AND server_id = ? AND action = 'UPDATE'",
	    TX_BIND(tx_text(domain_id), tx_text(server_id)));
}

static void store_postpone_comparison(struct tx *tx, const struct comparison *comparison)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET compare_at = NOW(3) + INTERVAL "
	    "LEAST(? * POW(2, LEAST(comparisons, 20)), ?) SECOND, "
	    "comparisons = comparisons + 1 WHERE id = ?",
	    TX_BIND(tx_int(CONTENT_FIRST_S), tx_int(CONTENT_MAX_S),
	            tx_text(comparison->row_id)));
}

struct comparison *store_comparisons_due(struct tx *tx, struct arena *arena,
                                         const struct scope *scope, size_t limit)
{
	struct comparison *first = NULL, **last = &first;
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	    "SELECT STRAIGHT_JOIN " DOMAIN_COLUMNS ", s.server_id, s.id "
	    "FROM pool_manager_status s JOIN domains d ON d.id = s.domain_id "
	    "JOIN pools p ON p.id = d.pool_id WHERE s.compare_at <= NOW(3) "
	    "AND " IS_MINE " AND d.live = 1 AND d.task <> 'DELETE' "
	    "ORDER BY s.compare_at LIMIT ?",
	    TX_BIND(SCOPE(scope), tx_int((int64_t)limit)));
	while (tx_next(&rows)) {
		struct comparison *comparison = arena_alloc(arena, sizeof(*comparison));

		store_read_domain(&rows, scope->pool, &comparison->domain);
		comparison->server_id = row_text(&rows);
		comparison->row_id = row_text(&rows);
		comparison->next = NULL;
		*last = comparison;
		last = &comparison->next;
	}
	for (const struct comparison *comparison = first; comparison; comparison =
	     comparison->next)
		store_postpone_comparison(tx, comparison);
	return first;
}

void store_compare_soon(struct tx *tx, const char *domain_id, const char *server_id)
{
	tx_exec(tx,
	    "UPDATE pool_manager_status SET compare_at = NOW(3) + INTERVAL ? SECOND, "
	    "comparisons = 0 WHERE domain_id = ? AND server_id = ? AND action = 'UPDATE' "
	    "AND differs_since IS NOT NULL",
	    TX_BIND(tx_int(CONTENT_FIRST_S), tx_text(domain_id), tx_text(server_id)));
}

void store_end_pauses(struct tx *tx, const char *domain_id)
{
	tx_exec(tx, NO_WAIT(tx,
	    "UPDATE pool_manager_status SET asked_at = NOW(3), comparisons = 0, "
	    "compare_at = IF(differs_since IS NULL, NULL, NOW(3)) "
	    "WHERE domain_id = ? AND action = 'UPDATE'"),
	    TX_BIND(tx_text(domain_id)));
}
