#include "codec.h"
#include "service_private.h"

#include <string.h>

#include "base/id.h"
#include "base/map.h"
#include "model/json.h"
#include "runtime/access.h"
#include "runtime/tx.h"
#include "storage.h"
#include "store.h"

/* ---- plans ---- */

static json_t *service_encode_status(const struct registry *registry,
                                     const struct registry_status *status)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:s?, s:s, s:n}",
		"storage_id", registry->settings->storage_id,
		"zone", registry->zone_text, "state", status->state,
		"reason", status->reason, "rev", (json_int_t)status->rev,
		"planned_rev", (json_int_t)status->planned_rev,
		"rounds", (json_int_t)status->rounds, "planned_at", status->planned_at,
		"approved_by", status->approved_by, "plan");
}

static enum err service_get_plan(void *self, struct request *req)
{
	struct ownership *ownership = self;
	struct registry_status status;
	struct registry *registry;
	const char *plan = NULL;
	enum err err = service_registry(ownership, req, &registry);

	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(ownership->runtime.db, &req->why);
	if (store_registry_status(&tx, req->arena, registry->id, &status)) {
		req->result = service_encode_status(registry, &status);
		plan = store_plan(&tx, req->arena, registry->id);
	}
	if (plan)
		json_object_set_new(req->result, "plan", json_loads(plan, 0, NULL));
	return tx_commit(&tx);
}

/* Makes the next round due now; `rounds` of get_plan shows when it has ended. */
static enum err service_plan_calculate(void *self, struct request *req)
{
	struct ownership *ownership = self;
	struct registry *registry;
	enum err err = service_registry(ownership, req, &registry);

	if (err)
		return err;

	struct tx tx = tx_autocommit(ownership->runtime.db, &req->why);
	store_registry_urgent(&tx, registry->id);
	err = tx_commit(&tx);
	if (!err)
		due_now(ownership, registry);
	return err ? err : service_get_plan(self, req);
}

static enum err service_plan_approve(void *self, struct request *req)
{
	struct ownership *ownership = self;
	struct registry *registry;
	const char *digest;
	enum err err = service_registry(ownership, req, &registry);

	if (!err)
		err = json_get_text(req->args, "digest", JSON_REQUIRED, 64, &digest,
		                    &req->why);
	if (err)
		return err;

	struct tx tx = tx_begin(ownership->runtime.db, &req->why);
	if (!store_plan_approve(&tx, registry->id, digest, req->context.user))
		tx_fail(&tx, ERR_CONFLICT, "there is no held plan with the digest '%s': "
		        "read the plan again", err_quote(digest, (char[65]){ 0 }, 65));
	else
		service_note_registry(req, registry);
	err = tx_commit(&tx);
	if (!err)
		due_now(ownership, registry);
	return err;
}

/* ---- orders ---- */

/* The order has the id of the message, so a repeated message is one order. */
static enum err service_put_order(struct ownership *ownership, struct registry *registry,
                                  struct order_row *order, struct request *req)
{
	const char *state, *result;
	enum err err = json_get_bool(req->args, "dry_run", 0, &order->is_dry, &req->why);

	if (err)
		return err;
	if (!registry->storage->has_rows)
		return fail(&req->why, ERR_CONFLICT,
		            "the storage '%s' of zone %s does not accept orders: use the "
		            "storage 'txt' or 'table'",
		            registry->storage->name, registry->zone_text);
	order->id = req->unique_id;
	order->ordered_by = req->context.user;

	struct tx tx = tx_begin(ownership->runtime.db, &req->why);
	store_registry_urgent(&tx, registry->id);	/* orders come one by one */
	bool is_known = store_order_read(&tx, req->arena, registry->id, order->id, &state,
	                                 &result);
	store_order_put(&tx, registry->id, order, req);
	if (!is_known && !order->is_dry)
		service_note_registry(req, registry);
	err = tx_commit(&tx);
	if (err)
		return err;
	req->result = json_pack("{s:s}", "order", order->id);
	due_now(ownership, registry);
	return OK;
}

static enum err service_adopt(void *self, struct request *req)
{
	struct order_row order = { .kind = ORDER_ADOPT };
	struct registry *registry;
	enum err err = service_registry(self, req, &registry);

	if (!err)
		err = codec_expected(req->args, registry, req->arena, &order, &req->why);
	return err ? err : service_put_order(self, registry, &order, req);
}

static enum err service_release(void *self, struct request *req)
{
	struct order_row order = { .kind = ORDER_RELEASE };
	struct registry *registry;
	enum err err = service_registry(self, req, &registry);

	if (!err)
		err = codec_selector(req->args, &order, &req->why);
	return err ? err : service_put_order(self, registry, &order, req);
}

/* Adopts all selected sets that are exactly as desired. */
static enum err service_adopt_wanted(void *self, struct request *req)
{
	struct order_row order = { .kind = ORDER_ADOPT };
	struct registry *registry;
	enum err err = service_registry(self, req, &registry);

	if (!err)
		err = codec_selector(req->args, &order, &req->why);
	return err ? err : service_put_order(self, registry, &order, req);
}

/*
 * Finds the receiving registry. It must have the same zone and kind, so that it reads the
 * marks.
 */
static enum err service_find_receiver(struct ownership *ownership,
                                      const struct registry *from, struct request *req,
                                      struct registry **to)
{
	const char *storage_id;
	enum err err = json_get_text(req->args, "to", JSON_REQUIRED, MARK_OWNER_MAX,
	                             &storage_id, &req->why);

	if (err)
		return err;
	*to = registries_find(&ownership->registries, storage_id, from->zone_text);
	if (!*to || !access_is_owner(req, (*to)->settings->tenant))
		return codec_no_registry(storage_id, from->zone_text, &req->why);
	if (*to == from)
		return fail(&req->why, ERR_INVALID,
		            "to: must differ from storage_id '%s'",
		            err_quote(storage_id, (char[65]){ 0 }, 65));
	const char *otherwise = registry_cannot_read(*to, from);
	if (otherwise)
		return fail(&req->why, ERR_CONFLICT, "to: the registry with storage_id "
		            "'%s' cannot read the ownership marks of this registry, "
		            "because the settings of the two registries differ in: %s",
		            err_quote(storage_id, (char[65]){ 0 }, 65), otherwise);
	return OK;
}

static enum err service_transfer(void *self, struct request *req)
{
	struct order_row order = { .kind = ORDER_TRANSFER };
	struct registry *registry, *to;
	enum err err = service_registry(self, req, &registry);

	if (!err)
		err = service_find_receiver(self, registry, req, &to);
	if (!err)
		err = codec_selector(req->args, &order, &req->why);
	if (err)
		return err;
	order.to_id = to->id;
	return service_put_order(self, registry, &order, req);
}

static enum err service_get_order(void *self, struct request *req)
{
	struct ownership *ownership = self;
	char id[ID_LEN + 1];
	const char *state, *result;
	struct registry *registry;
	enum err err = service_registry(ownership, req, &registry);

	if (!err)
		err = json_get_id(req->args, "order", JSON_REQUIRED, id, &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(ownership->runtime.db, &req->why);
	if (store_order_read(&tx, req->arena, registry->id, id, &state, &result))
		req->result = json_pack("{s:s, s:s, s:o?}", "order", id, "state", state,
		                        "result", result ? json_loads(result, 0, NULL)
		                                         : NULL);
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no order %.32s", id);
	return tx_commit(&tx);
}

/* ---- the table of methods ---- */

static enum err service_find_registries(void *self, struct request *req)
{
	struct ownership *ownership = self;
	struct access access;
	enum err err = access_of_list(req, &access);

	if (err)
		return err;

	json_t *list = json_array();
	struct tx tx = tx_autocommit(ownership->runtime.db, &req->why);

	for (size_t i = 0; i < ownership->registries.count; i++) {
		const struct registry *registry = &ownership->registries.item[i];
		struct registry_status status;

		if (!access_has(&access, registry->settings->tenant) ||
		    !store_registry_status(&tx, req->arena, registry->id, &status))
			continue;
		json_array_append_new(list, service_encode_status(registry, &status));
	}
	req->result = json_pack("{s:o}", "registries", list);
	return tx_commit(&tx);
}

#define REGISTRY "storage_id zone"
/* It writes the row of the registry. */
#define ABOUT_REGISTRY .subject = REGISTRY

const struct rpc_method ownership_methods[] = {
	{ "apply_endpoints", service_apply_endpoints,
	  REGISTRY " resource endpoints complete rev?", ABOUT_REGISTRY },
	{ "plan_calculate",  service_plan_calculate,  REGISTRY, ABOUT_REGISTRY },
	{ "plan_approve",    service_plan_approve,    REGISTRY " digest",
	  ABOUT_REGISTRY },
	{ "get_plan",        service_get_plan,        REGISTRY },
	{ "find_registries", service_find_registries, "" },
	{ "ownership_adopt", service_adopt, REGISTRY " dnsname type targets dry_run?",
	  ABOUT_REGISTRY },
	{ "ownership_adopt_wanted", service_adopt_wanted,
	  REGISTRY " selector dry_run?", ABOUT_REGISTRY },
	{ "ownership_release",  service_release,  REGISTRY " selector dry_run?",
	  ABOUT_REGISTRY },
	{ "ownership_transfer", service_transfer, REGISTRY " to selector dry_run?",
	  ABOUT_REGISTRY },
	{ "get_order",       service_get_order,       REGISTRY " order" },
	{ "storage_records", service_storage_records, REGISTRY " marker? limit?" },
	{ "storage_import",  service_storage_import,  REGISTRY " records",
	  ABOUT_REGISTRY },
	{ 0 }
};
