/* round_state -- functions about the state of a round, for its other files. */
#include "round_private.h"

#include <string.h>

#include "consistency/membership.h"

struct set_key set_key_of(const struct name *name, uint16_t type)
{
	struct set_key key = { .len = name->len + 2u };

	memcpy(key.octets, name->wire, name->len);
	key.octets[name->len] = (uint8_t)(type >> 8);
	key.octets[name->len + 1] = (uint8_t)type;
	return key;
}

struct tx round_begin_tx(struct round *round, struct why *why)
{
	struct holder *holder =
	    membership_holder(round->ownership->runtime.membership);
	struct tx tx = tx_begin(round->ownership->runtime.db, why);

	holder_guard(holder, &tx, round->held);
	return tx_move(&tx);
}

struct owned_row round_row_of(const struct plan_item *item)
{
	struct owned_row row = { .rrset = item->set->rrset, .intended = item->becomes,
	                         .resource = item->desired->resource };

	node_name(item->node, &row.name);
	row.rrset.type = row.intended.type = item->type;
	return row;
}

enum answer round_answer(const struct round *round, size_t update)
{
	enum outcome outcome = batch_outcome(round->batch, update);

	if (outcome == OUTCOME_APPLIED)
		return ANSWER_TAKEN;
	if (outcome == OUTCOME_OPEN || outcome == OUTCOME_AGAIN ||
	    outcome == OUTCOME_UNABLE || round->updates[update].is_unconfirmed)
		return ANSWER_UNKNOWN;
	return ANSWER_REFUSED;
}
