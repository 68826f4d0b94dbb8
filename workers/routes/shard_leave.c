#include "base/log.h"
#include "shard_private.h"

/*
 * A router goes: its delegation, what it has in its domain, and then the domain, if it was
 * made for it and has nothing of anybody else's.
 */

static enum err write_gone(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

	store_moves_drop_all(&tx, shard->name);
	store_router_delete(&tx, shard->name);
	return tx_commit(&tx);
}

static void hear_deleted(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err && answer->err != ERR_NOT_FOUND && answer->err != ERR_CONFLICT) {
		shard_give_up(shard, answer->why.text);
		return;
	}
	if (answer->err == ERR_CONFLICT)
		log_info("domain kept: router=%s domain=%s reason=\"%s\"", shard->name,
		         shard_domain(shard), answer->why.text);
	shard_end_by(shard, write_gone);
}

static void delete_domain(struct shard *shard)
{
	shard_ask(shard, "delete_domain", json_pack("{s:s, s:b}", "domain",
	    shard->router.made_id, "if_empty", true), hear_deleted);
}

static enum err write_moves_told(void *self, struct why *why)
{
	struct shard *shard = self;
	struct tx tx = shard_begin_guarded(shard, why);

	store_moves_told(&tx, &shard->router, shard->moves, shard->move_count);
	return tx_commit(&tx);
}

static void withdraw(struct shard *shard);

static void hear_withdrawn(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;
	struct why why;

	if (answer->err == ERR_INVALID && !shard->has_no_extras) {
		shard->has_no_extras = true;
		withdraw(shard);
		return;
	}
	if (answer->err && answer->err != ERR_NOT_FOUND)
		shard_give_up(shard, answer->why.text);
	else if (!answer->err && shard->move_count == MOVES_MAX &&
	         tx_retry_on_loop(write_moves_told, shard, &why))
		shard_give_up(shard, why.text);
	else if (!answer->err && shard->move_count == MOVES_MAX)
		shard_look(shard);
	else if (!answer->err && *shard->router.made_id)
		delete_domain(shard);
	else
		shard_end_by(shard, write_gone);
}

static void withdraw(struct shard *shard)
{
	shard_ask(shard, "apply_changes", shard_change(shard), hear_withdrawn);
}

/* Of a parent that the registry does not know any more nothing can be asked. */
static void hear_undelegated(void *self, const struct rpc_answer *answer)
{
	struct shard *shard = self;

	if (answer->err && answer->err != ERR_NOT_FOUND)
		shard_not_delegated(shard, answer);
	else
		withdraw(shard);
}

void shard_leave(struct shard *shard)
{
	if (shard_is_delegated(shard))
		shard_undelegate(shard, hear_undelegated);
	else
		withdraw(shard);
}
