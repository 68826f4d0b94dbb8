#include "peers.h"

#include "base/log.h"
#include "model/name.h"
#include "runtime/rpc.h"

void peers_transfer_ended(struct rpc_client *rpc, const struct name *zone,
                          const struct address *peer, uint32_t serial)
{
	struct rpc_target target = { .topic = "minidns", .fanout = true };
	char name[NAME_MAX_TEXT + 1], address[ADDRESS_TEXT];
	struct why why;
	json_t *args;

	name_format(zone, name);
	address_format(peer, address);
	args = json_pack("{s:s, s:s, s:I}", "name", name, "address", address, "serial",
	                 (json_int_t)serial);
	/*
	 * if it is lost, a poll takes some milliseconds longer: only worth a debug line
	 */
	if (rpc_cast(rpc, &target, "transfer_ended", args, NULL, &why))
		log_debug("end of transfer not announced: reason=\"%s\"", why.text);
	json_decref(args);
}
