/*
 * store_recompare -- the SQL statements of recompare.h. The statements read and write the
 * list of the servers that serve different records under the serial of the database, and
 * the times when mini-DNS compares these servers again.
 */
#pragma once

#include "core/content.h"
#include "model/domain.h"
#include "runtime/tx.h"
#include "scope.h"

/*
 * Fills in OF, except `compared` and `is_settled`, and locks the row. Here,
 * `was_transferred` only means that the pool manager has ordered a transfer, or created
 * the zone again. False: the last poll did not find the serial of the domain.
 */
bool store_recompare_case(struct tx *tx, const char *domain_id, const char *server_id,
                          struct content_case *of);
/*
 * store_recompare_cases() is like store_recompare_case(), but for many rows. It also
 * fills in `is_settled` and `exists`. On the event loop, it does not wait for locked
 * rows. store_recompare_results() writes `content` to the rows. It also ends the drift of
 * a server that the pool manager trusts: a SEEN drift, and after COMPARED_EQUAL also a
 * PARKED drift.
 */
struct recompare_result {
	const char *domain_id, *server_id;
	/* text for the operator: how the records of the server differ */
	const char *detail;
	struct content_case of;
	bool exists;
	enum content content;
};
void store_recompare_cases(struct tx *tx, struct arena *arena,
                           struct recompare_result *results, size_t count);
void store_recompare_results(struct tx *tx, struct arena *arena,
                             const struct recompare_result *results, size_t count);

/*
 * Call it when the server has the same records as the database again. After the call,
 * the row of pool_manager_status shows no difference.
 */
void store_trust(struct tx *tx, const char *domain_id, const char *server_id);

/*
 * A comparison that is due. store_comparisons_due() also sets when the row is due again.
 */
struct comparison {
	struct comparison *next;
	struct domain_ref domain;
	const char *server_id;
	const char *row_id;
};
struct comparison *store_comparisons_due(struct tx *tx, struct arena *arena,
                                         const struct scope *scope, size_t limit);
/*
 * Call it when the pool manager has ordered a transfer, or created the zone again. If the
 * server differs, makes the next comparison due in CONTENT_FIRST_S seconds.
 */
void store_compare_soon(struct tx *tx, const char *domain_id, const char *server_id);
/*
 * Call it when an administrator requests a sync. Ends the pauses between tries
 * (core/follow.h), and makes comparisons of servers that differ due now.
 */
void store_end_pauses(struct tx *tx, const char *domain_id);
