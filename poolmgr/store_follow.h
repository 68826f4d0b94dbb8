/*
 * store_follow -- the SQL statements of follow_up.h. The statements read the state of a
 * domain on a server that answers but does not serve the serial of the database. The
 * statements also write the log of actions (repair_log, kind SERIAL).
 */
#pragma once

#include "core/follow.h"
#include "model/domain.h"
#include "runtime/tx.h"

/*
 * Fills in DOMAIN, with strings in the arena. Also fills in OF, except `serves_it`,
 * `serves`, `takes_orders` and `was_sent`. False: no such domain, or no UPDATE row of the
 * domain on the server.
 */
bool store_follow_case(struct tx *tx, struct arena *arena, const char *domain_id,
                       const char *server_id, struct domain_ref *domain,
                       struct follow_case *of);

struct followed {
	const struct domain_ref *domain;
	const char *server_id, *worker;
	enum follow action;
	const char *outcome;		/* DONE, FAILED or PARKED */
	uint32_t serves;
	const char *detail;
	uint64_t fence;
};
void store_followed(struct tx *tx, const struct followed *followed);
