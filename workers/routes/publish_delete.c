#include "base/log.h"
#include "publish_private.h"

static void publish_write_deleted(void *object, struct tx *tx)
{
	const struct publication *publication = object;

	store_router_former_names_delete(tx, publication->name);
	store_router_delete(tx, publication->name);
}

/* ERR_CONFLICT: the domain has other records, and is not deleted. */
static void publish_on_deleted(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err && answer->err != ERR_NOT_FOUND && answer->err != ERR_CONFLICT) {
		work_fail(publication, answer->why.text);
		return;
	}
	if (answer->err == ERR_CONFLICT)
		log_info("domain of a router not deleted with its router: router=%s "
		         "domain=%s reason=\"%s\"",
		         publication->name, publish_domain(publication),
		         answer->why.text);
	work_write_then(publication, publish_write_deleted, work_end);
}

static void publish_write_former_names(void *object, struct tx *tx)
{
	const struct publication *publication = object;

	store_former_names_sent(tx, &publication->router, publication->former_names,
	                 publication->former_count);
}

static void publish_withdraw(struct publication *publication);

static void publish_on_withdrawn(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if ((answer->err == ERR_INVALID || answer->err == ERR_CONFLICT) &&
	    !publication->has_no_extras) {
		publication->has_no_extras = true;
		publish_withdraw(publication);
	} else if (answer->err && answer->err != ERR_NOT_FOUND) {
		work_fail(publication, answer->why.text);
	} else if (!answer->err && publication->former_count == FORMER_NAMES_MAX) {
		work_write_then(publication, publish_write_former_names, work_step);
	} else if (!answer->err && *publication->router.made_id) {
		publish_call(publication, "delete_domain", json_pack("{s:s, s:b}",
		    "domain", publication->router.made_id, "if_empty", true),
		    publish_on_deleted);
	} else {
		work_write_then(publication, publish_write_deleted, work_end);
	}
}

static void publish_withdraw(struct publication *publication)
{
	publish_call(publication, "apply_changes", publish_change(publication),
	             publish_on_withdrawn);
}

/* ERR_NOT_FOUND: the registry no longer has the parent. */
static void publish_on_undelegated(void *self, const struct rpc_answer *answer)
{
	struct publication *publication = self;

	if (answer->err && answer->err != ERR_NOT_FOUND)
		publish_fail_delegation(publication, answer);
	else
		publish_withdraw(publication);
}

void publish_delete(struct publication *publication)
{
	if (publish_is_delegated(publication))
		publish_undelegate(publication, publish_on_undelegated);
	else
		publish_withdraw(publication);
}
