#include <string.h>

#include "model/json.h"
#include "renaming.h"
#include "reverse_quota.h"
#include "service_private.h"

static void set_network(struct renaming *renaming, struct network_row *network,
                        struct request *req, struct tx *tx)
{
	struct network_row was;
	bool is_there = store_network_lock(tx, req->arena, network->id, &was);

	if (tx->err)
		return;
	if (is_there ? !access_is_owner(req, was.project_id)
	             : store_network_is_gone(tx, network->id)) {
		tx_fail(tx, ERR_NOT_FOUND, "no network %.32s", network->id);
		return;
	}
	if (is_there) {			/* whose it is, and what its source said of it */
		network->project_id = was.project_id;
		network->revision = was.revision;
		network->is_fed = was.is_fed;
		network->subnets = was.subnets;
	}
	store_network_put(tx, network);
	renaming->is_told = is_there;	/* the answer to a commit may have been lost */
	if (is_there && strcmp(was.domain_text, network->domain_text))
		renaming_all(renaming, tx);
	reverse_quota_check(renaming->ports, tx, req, &renaming->change);
}

enum err service_set_network(void *self, struct request *req)
{
	struct network_row network;
	struct renaming renaming = { .ports = self, .arena = req->arena,
	                             .network = &network };
	enum err err = codec_network(req, &network, &req->why);

	if (!err)
		err = access_check(req, network.project_id);
	if (err)
		return err;
	renaming.unnamed = json_array();

	struct tx tx = tx_begin(renaming.ports->runtime.db, &req->why);
	set_network(&renaming, &network, req, &tx);
	err = renaming_commit(&renaming, &tx);
	if (err) {
		json_decref(renaming.unnamed);
		return err;
	}
	req->result = json_pack("{s:o, s:I, s:o}", "network",
		codec_encode_network(&network), "ports", (json_int_t)renaming.count,
		"unnamed", renaming.unnamed);
	return OK;
}

/* ---- the others ---- */

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
		tx_fail(&tx, ERR_NOT_FOUND, "no network %.32s", id);
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
	/* first of all: whoever makes a port of it meanwhile is waited for */
	bool is_there = store_network_lock(&tx, req->arena, id, &network);
	const char *was_of = is_there ? NULL
	                              : store_network_gone_project(&tx, req->arena, id);
	if (was_of && access_is_owner(req, was_of))
		return tx_commit(&tx);		/* however often that is said */
	if (!is_there || access_check(req, network.project_id))
		tx_fail(&tx, ERR_NOT_FOUND, "no network %.32s", id);
	if (!tx.err && store_network_is_used(&tx, id))
		tx_fail(&tx, ERR_CONFLICT, "the network has ports: delete them first");
	store_network_delete(&tx, id);
	return tx_commit(&tx);
}

struct networks {
	json_t *list;
	char last[ID_LEN + 1];
};

static void take_network(void *self, const struct network_row *network)
{
	struct networks *networks = self;

	memcpy(networks->last, network->id, sizeof(networks->last));
	json_array_append_new(networks->list, codec_encode_network(network));
}

enum err service_list_networks(void *self, struct request *req)
{
	struct ports *ports = self;
	struct port_filter filter = { .project_id = NULL };
	struct networks networks = { .last = "" };
	enum err err = access_filter(req, &filter.project_id);

	if (!err)
		err = codec_filter(req, &filter);
	if (err)
		return err;
	networks.list = json_array();

	struct tx tx = tx_autocommit(ports->runtime.db, &req->why);
	store_networks(&tx, req->arena, filter.project_id, filter.marker, filter.limit,
	               take_network, &networks);
	req->result = json_pack("{s:o, s:s?}", "networks", networks.list, "marker",
		json_array_size(networks.list) == (size_t)filter.limit ? networks.last
		                                                       : NULL);
	return tx_commit(&tx);
}
