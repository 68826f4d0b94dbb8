#include "service_private.h"
#include "store.h"

void service_check_network(struct request *req, struct tx *tx, const char *id)
{
	struct network_row network;

	if (!store_network_read(tx, req->arena, id, &network) ||
	    access_check(req, network.project_id))
		tx_fail(tx, ERR_NOT_FOUND, "there is no network %.32s", id);
}
