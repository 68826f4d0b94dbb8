#include "order.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "evaluate.h"
#include "operation.h"
#include "store.h"
#include "store_due.h"

/*
 * A server out of service also gets the deletion: it runs when the server is back in
 * service.
 */
static void order_write(struct tx *tx, struct poolmgr *poolmgr,
                        const struct domain_ref *domain, enum action action)
{
	const struct servers *servers = poolmgr->servers;
	struct order *orders = xcalloc(servers->count, sizeof(*orders));
	size_t count = 0;

	for (size_t i = 0; i < servers->count; i++)
		if (action == ACTION_DELETE ? server_is_for(&servers->item[i], domain)
		                            : server_has(&servers->item[i], domain))
			orders[count++] = (struct order){
				domain->id, servers->item[i].settings->id, action,
			};
	store_write_orders(tx, orders, count, poolmgr_poll_budget_s(poolmgr) + 30,
	                   false);
	if (action == ACTION_DELETE)
		store_drop_plans(tx, domain->id);
	free(orders);
}

static void order_start_all(struct poolmgr *poolmgr, const struct domain_ref *domain,
                            enum action action, const struct cause *cause)
{
	struct servers *servers = poolmgr->servers;

	for (size_t i = 0; i < servers->count; i++)
		if (server_has(&servers->item[i], domain))
			operation_start(poolmgr, domain, action, &servers->item[i],
			                cause);
}

enum err order_start(struct poolmgr *poolmgr, const char *domain_id, enum action action,
                     const struct cause *cause, struct why *why)
{
	struct arena *arena = arena_new();
	struct domain_ref domain;
	bool needed = false;
	struct tx tx = tx_begin(poolmgr->runtime.db, why);

	if (store_domain(&tx, arena, domain_id, &domain))
		needed = store_is_needed(&tx, &domain, action);
	if (needed)
		order_write(&tx, poolmgr, &domain, action);
	store_check_locked(&tx);
	enum err err = tx_commit(&tx);
	if (!err && needed)
		order_start_all(poolmgr, &domain, action, cause);
	if (!err && needed)
		err = evaluate_unserved(poolmgr, &domain,
		                        action == ACTION_DELETE ? action : ACTION_UPDATE,
		                        cause, why);
	if (!err && !needed)
		log_info("outdated order ignored: action=%s id=%s", action_name(action),
		         domain_id);
	arena_free(&arena);
	return err;
}
