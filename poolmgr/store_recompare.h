/*
 * store_recompare -- the SQL statements of recompare.h. The statements read which
 * servers serve different records under the serial of the database, and when mini-DNS
 * compares these servers again.
 */
#pragma once

#include "core/content.h"
#include "model/domain.h"
#include "runtime/tx.h"
#include "scope.h"

/*
 * Fills in OF, except `compared` and `is_settled`, and locks the row. Here,
 * `was_transferred` only means that the pool manager has ordered a transfer. False: no
 * such row.
 */
bool store_recompare_case(struct tx *tx, const char *domain_id, const char *server_id,
                          struct content_case *of);
/* Like store_recompare_case(), but for many servers. Does not wait for locked rows. */
struct recompare_result {
	const char *domain_id, *server_id;
	const char *detail;		/* how the server differs */
	struct content_case of;
	bool exists;
	enum content content;
};
void store_recompare_cases(struct tx *tx, struct arena *arena,
                           struct recompare_result *results, size_t count);
void store_recompare_results(struct tx *tx, struct arena *arena,
                             const struct recompare_result *results, size_t count);

/* Call it if the difference is settled. Writes that the server no longer differs. */
void store_trust(struct tx *tx, const char *domain_id, const char *server_id);

/* A comparison that is due. It becomes due again after its pause. */
struct comparison {
	struct comparison *next;
	struct domain_ref domain;
	const char *server_id;
	const char *row_id;
};
struct comparison *store_comparisons_due(struct tx *tx, struct arena *arena,
                                         const struct scope *scope, size_t limit);
/*
 * Call it when the pool manager has ordered a transfer. The next comparison is due soon.
 */
void store_compare_soon(struct tx *tx, const char *domain_id, const char *server_id);
/*
 * Call it when an administrator requests a sync. Ends the pauses of earlier tries, and
 * makes comparisons due now.
 */
void store_end_pauses(struct tx *tx, const char *domain_id);
