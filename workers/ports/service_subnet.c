#include <string.h>

#include "model/json.h"
#include "network_update.h"
#include "reverse_quota.h"
#include "service_private.h"

/* ---- set, delete: both publish the ports of the network again ---- */

struct subnet_call {
	struct request *req;
	struct network_update update;
	struct network_row network;
};

static void subnet_call_init(struct subnet_call *call, struct ports *ports,
                             struct request *req)
{
	*call = (struct subnet_call){ .req = req };
	/* always set: a retry after a lost answer to COMMIT must announce them */
	call->update = (struct network_update){ .ports = ports, .arena = req->arena,
	                                        .network = &call->network,
	                                        .has_new_lines = true };
}

/* Only Neutron may change its subnets: the next comparison would undo a call. */
static void subnet_call_check_not_fed(const struct subnet_call *call,
                                      const struct subnet_row *subnet, struct tx *tx)
{
	if (subnet->is_fed && *call->update.ports->settings.feed)
		tx_fail(tx, ERR_CONFLICT, "subnet %.32s belongs to Neutron: change the "
		        "subnet in Neutron",
		        subnet->id);
}

static void subnet_call_republish(struct subnet_call *call, struct tx *tx)
{
	if (store_network_lock(tx, call->req->arena, call->network.id, &call->network))
		network_update_republish(&call->update, tx);
	reverse_quota_check(call->update.ports, tx, call->req, &call->update.diff);
}

/* A subnet among the subnets of its network. */
struct subnet_place {
	struct subnet_row *subnet;
	bool has_id;
	struct subnet_row other;	/* a subnet that overlaps `subnet` */
	bool has_overlap;
	int others;
};

enum { SUBNETS_MAX = 256 };		/* of a network; calls about its ports read all */

static void subnet_place_compare(void *self, const struct subnet_row *other)
{
	struct subnet_place *place = self;
	struct subnet_row *subnet = place->subnet;

	place->others += strcmp(other->id, subnet->id) != 0;
	if (!strcmp(other->id, subnet->id) ||
	    !cidr_overlaps(&other->cidr, &subnet->cidr))
		return;
	if (!place->has_id && cidr_equal(&other->cidr, &subnet->cidr)) {
		memcpy(subnet->id, other->id, sizeof(subnet->id));
		place->has_id = true;
		return;
	}
	place->other = *other;
	place->has_overlap = true;
}

static void subnet_call_find_place(struct subnet_call *call, struct subnet_place *place,
                                   struct tx *tx)
{
	const struct port_filter all = { .network_id = call->network.id,
	                                 .marker = "", .limit = INT32_MAX };
	char own[CIDR_TEXT], other[CIDR_TEXT];

	store_subnets(tx, call->req->arena, &all, subnet_place_compare, place);
	if (tx->err)
		return;
	if (place->others >= SUBNETS_MAX)
		tx_fail(tx, ERR_QUOTA,
		        "a network must have at most %d subnets: delete a subnet first",
		        SUBNETS_MAX);
	if (tx->err || !place->has_overlap)
		return;
	cidr_format(&place->subnet->cidr, own);
	cidr_format(&place->other.cidr, other);
	tx_fail(tx, ERR_CONFLICT, "cidr: %s overlaps %s of subnet %.32s in this network: "
	        "use a different prefix",
	        own, other, place->other.id);
}

/*
 * Refuses an id that belongs to a subnet of another network, perhaps of another tenant.
 */
static void subnet_call_refuse_id(struct subnet_call *call, const char *id, struct tx *tx)
{
	struct subnet_row subnet;

	if (store_subnet_read(tx, call->req->arena, id, &subnet) &&
	    access_is_owner(call->req, subnet.project_id))
		tx_fail(tx, ERR_EXISTS, "id: subnet %.32s belongs to another network: "
		        "use a new id",
		        id);
	else
		tx_fail(tx, ERR_NOT_FOUND, "there is no subnet %.32s", id);
}

static void subnet_call_put(struct subnet_call *call, struct subnet_row *subnet,
                            struct tx *tx)
{
	struct subnet_row old;
	bool exists = store_subnet_lock(tx, subnet->id, &old);

	if (tx->err)
		return;
	if (exists ? strcmp(old.network_id, subnet->network_id) != 0
	           : store_subnet_is_gone(tx, subnet->id)) {
		subnet_call_refuse_id(call, subnet->id, tx);
		return;
	}
	if (exists) {
		subnet->is_fed = old.is_fed;
		subnet->revision = old.revision;
	}
	store_subnet_put(tx, subnet);
	if (!exists || old.is_published != subnet->is_published ||
	    !cidr_equal(&old.cidr, &subnet->cidr)) {
		rpc_changed(call->req, "subnet", subnet->id);
		subnet_call_republish(call, tx);
	}
}

static void subnet_call_set(struct subnet_call *call, struct subnet_place *place,
                            struct tx *tx)
{
	struct request *req = call->req;
	const char *network = place->subnet->network_id;

	if (!store_network_lock(tx, req->arena, network, &call->network) ||
	    !access_is_owner(req, call->network.project_id))
		tx_fail(tx, ERR_NOT_FOUND,
		        "there is no network %.32s: create the network first", network);
	else if (call->network.is_fed && *call->update.ports->settings.feed)
		tx_fail(tx, ERR_CONFLICT, "network %.32s belongs to Neutron: change its "
		        "subnets in Neutron", network);
	if (tx->err)
		return;
	subnet_call_find_place(call, place, tx);
	if (!tx->err)
		subnet_call_put(call, place->subnet, tx);
}

enum err service_set_subnet(void *self, struct request *req)
{
	struct subnet_call call;
	struct subnet_row subnet;
	struct subnet_place place = { .subnet = &subnet };
	enum err err = codec_subnet(req, &subnet, &place.has_id);

	if (err)
		return err;
	subnet_call_init(&call, self, req);

	struct tx tx = tx_begin(call.update.ports->runtime.db, &req->why);
	subnet_call_set(&call, &place, &tx);
	err = network_update_commit(&call.update, &tx);
	if (err)
		return err;
	subnet.project_id = call.network.project_id;
	subnet.domain_text = call.network.domain_text;
	req->result = json_pack("{s:o}", "subnet", codec_encode_subnet(&subnet));
	return OK;
}

static void subnet_call_delete(struct subnet_call *call, const char *id, struct tx *tx)
{
	struct subnet_row subnet;

	if (!store_subnet_lock(tx, id, &subnet))
		return;
	subnet_call_check_not_fed(call, &subnet, tx);
	if (tx->err)
		return;
	store_subnet_delete(tx, id);
	rpc_changed(call->req, "subnet", id);
}

/* Idempotent. A repeated call announces the lines again. */
enum err service_delete_subnet(void *self, struct request *req)
{
	struct subnet_call call;
	struct subnet_row subnet;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "subnet", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;
	subnet_call_init(&call, self, req);

	struct tx tx = tx_begin(call.update.ports->runtime.db, &req->why);
	bool exists = store_subnet_read(&tx, req->arena, id, &subnet);
	bool is_gone = !exists && store_subnet_gone_network(&tx, id, subnet.network_id);

	if ((!exists && !is_gone) ||
	    !store_network_lock(&tx, req->arena, subnet.network_id, &call.network) ||
	    access_check(req, call.network.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "there is no subnet %.32s", id);
	if (!tx.err && exists)
		subnet_call_delete(&call, id, &tx);
	if (!tx.err)
		subnet_call_republish(&call, &tx);
	return network_update_commit(&call.update, &tx);
}

/* ---- get, list ---- */

enum err service_get_subnet(void *self, struct request *req)
{
	struct ports *ports = self;
	struct subnet_row subnet;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "subnet", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	if (store_subnet_read(&tx, req->arena, id, &subnet) &&
	    !access_check(req, subnet.project_id))
		req->result = json_pack("{s:o}", "subnet", codec_encode_subnet(&subnet));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no subnet %.32s", id);
	return tx_commit(&tx);
}

struct subnets_page {
	json_t *list;
	char last[ID_LEN + 1];
};

static void subnets_page_add(void *self, const struct subnet_row *subnet)
{
	struct subnets_page *page = self;

	memcpy(page->last, subnet->id, sizeof(page->last));
	json_array_append_new(page->list, codec_encode_subnet(subnet));
}

enum err service_list_subnets(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct subnets_page page = { .last = "" };
	enum err err = access_filter(req, &filter.project_id);

	if (!err)
		err = codec_filter(req, &filter);
	if (err)
		return err;
	page.list = json_array();

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	store_subnets(&tx, req->arena, &filter, subnets_page_add, &page);
	req->result = json_pack("{s:o, s:s?}", "subnets", page.list, "marker",
		json_array_size(page.list) == (size_t)filter.limit ? page.last : NULL);
	return tx_commit(&tx);
}
