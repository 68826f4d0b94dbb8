/*
 * store_recompare_result -- the statements behind content: which servers serve other records than
 * ours under a serial of ours, and when they are to be compared again.
 */
#pragma once

#include "core/content.h"
#include "model/domain.h"
#include "runtime/tx.h"
#include "scope.h"

/* Fills OF but compared; the row is locked until the end. False: there is no such row. */
bool store_recompare_case(struct tx *tx, const char *domain_id, const char *server_id,
                          struct content_case *of);
void store_recompare_result(struct tx *tx, const char *domain_id, const char *server_id,
                            enum content content);

/* What is to be compared, in the arena; each is due again after its pause. */
struct comparison {
	struct comparison *next;
	struct domain_ref domain;
	const char *server_id;
	const char *row_id;
};
struct comparison *store_comparisons_due(struct tx *tx, struct arena *arena,
                                         const struct scope *scope, size_t limit);
/* The server was made to transfer: it is compared soon. */
void store_compare_soon(struct tx *tx, const char *domain_id, const char *server_id);
/* An administrator asks: earlier tries cause no more pauses, and doubts are due now. */
void store_end_pauses(struct tx *tx, const char *domain_id);
