#include <string.h>

#include "model/json.h"
#include "network_update.h"
#include "reverse_quota.h"
#include "service_private.h"

static void network_set(struct network_update *update, struct network_row *network,
                        struct request *req, struct tx *tx)
{
	struct network_row old;
	bool exists = store_network_lock(tx, req->arena, network->id, &old);

	if (tx->err)
		return;
	if (exists ? !access_is_owner(req, old.project_id)
	           : store_network_is_gone(tx, network->id)) {
		tx_fail(tx, ERR_NOT_FOUND, "there is no network %.32s", network->id);
		return;
	}
	if (exists) {			/* calls do not change these members */
		network->project_id = old.project_id;
		network->revision = old.revision;
		network->is_fed = old.is_fed;
		network->subnets = old.subnets;
	}
	store_network_put(tx, network);
	if (!exists || strcmp(old.domain_text, network->domain_text))
		rpc_changed(req, "network", network->id);
	update->has_new_lines = exists;	/* a retry must also announce them */
	if (exists && strcmp(old.domain_text, network->domain_text))
		network_update_rename(update, tx);
	reverse_quota_check(update->ports, tx, req, &update->diff);
}

enum err service_set_network(void *self, struct request *req)
{
	struct network_row network;
	struct network_update update = { .ports = self, .arena = req->arena,
	                                 .network = &network };
	enum err err = codec_network(req, &network, &req->why);

	if (!err)
		err = access_check(req, network.project_id);
	if (err)
		return err;
	update.unnamed = json_array();

	struct tx tx = tx_begin(update.ports->runtime.db, &req->why);
	network_set(&update, &network, req, &tx);
	err = network_update_commit(&update, &tx);
	if (err) {
		json_decref(update.unnamed);
		return err;
	}
	req->result = json_pack("{s:o, s:I, s:o}", "network",
		codec_encode_network(&network), "ports", (json_int_t)update.count,
		"unnamed", update.unnamed);
	return OK;
}

/* ---- get, delete, list ---- */

enum err service_get_network(void *self, struct request *req)
{
	struct ports *ports = self;
	struct network_row network;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	if (store_network_read(&tx, req->arena, id, &network) &&
	    !access_check(req, network.project_id))
		req->result = json_pack("{s:o}", "network",
		                        codec_encode_network(&network));
	else
		tx_fail(&tx, ERR_NOT_FOUND, "there is no network %.32s", id);
	return tx_commit(&tx);
}

enum err service_delete_network(void *self, struct request *req)
{
	struct ports *ports = self;
	struct network_row network;
	char id[ID_LEN + 1];
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	if (err)
		return err;

	struct tx tx = tx_begin(ports->runtime.db, &req->why);
	/* the lock comes first: it waits for calls that create ports in the network */
	bool exists = store_network_lock(&tx, req->arena, id, &network);
	const char *was_of = exists ? NULL
	                            : store_network_gone_project(&tx, req->arena, id);
	if (was_of && access_is_owner(req, was_of))
		return tx_commit(&tx);		/* idempotent */
	if (!exists || access_check(req, network.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "there is no network %.32s", id);
	if (!tx.err && store_network_is_used(&tx, id))
		tx_fail(&tx, ERR_CONFLICT, "network %.32s has ports: delete these ports "
		        "first", id);
	store_network_delete(&tx, id);
	rpc_changed(req, "network", id);
	return tx_commit(&tx);
}

struct networks_page {
	json_t *list;
	char last[ID_LEN + 1];
};

static void networks_page_add(void *self, const struct network_row *network)
{
	struct networks_page *page = self;

	memcpy(page->last, network->id, sizeof(page->last));
	json_array_append_new(page->list, codec_encode_network(network));
}

enum err service_list_networks(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct networks_page page = { .last = "" };
	enum err err = access_filter(req, &filter.project_id);

	if (!err)
		err = codec_filter(req, &filter);
	if (err)
		return err;
	page.list = json_array();

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	store_networks(&tx, req->arena, filter.project_id, filter.marker, filter.limit,
	               networks_page_add, &page);
	req->result = json_pack("{s:o, s:s?}", "networks", page.list, "marker",
		json_array_size(page.list) == (size_t)filter.limit ? page.last
		                                                   : NULL);
	return tx_commit(&tx);
}
