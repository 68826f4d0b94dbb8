#include "peers.h"

#include "base/id.h"
#include "base/log.h"
#include "model/name.h"
#include "runtime/rpc.h"

/* Adds the zone and the address to ARGS, and takes them over. */
static void peers_cast(struct rpc_client *rpc, const char *method,
                       const struct name *zone, const struct address *peer, json_t *args)
{
	struct rpc_target target = { .topic = "minidns", .fanout = true };
	char name[NAME_MAX_TEXT + 1], address[ADDRESS_TEXT];
	struct why why;

	name_format(zone, name);
	address_format(peer, address);
	json_object_set_new(args, "name", json_string(name));
	json_object_set_new(args, "address", json_string(address));
	/*
	 * if it is lost, a poll takes some milliseconds longer, or a difference is
	 * repaired once more: only worth a debug line
	 */
	if (rpc_cast(rpc, &target, method, args, NULL, &why))
		log_debug("announcement not sent: method=%s reason=\"%s\"", method,
		          why.text);
	json_decref(args);
}

void peers_transfer_ended(struct rpc_client *rpc, const struct name *zone,
                          const struct address *peer, uint32_t serial)
{
	peers_cast(rpc, "transfer_ended", zone, peer,
	           json_pack("{s:I}", "serial", (json_int_t)serial));
}

void peers_zone_differs(struct rpc_client *rpc, const struct name *zone,
                        const struct address *server)
{
	peers_cast(rpc, "zone_differs", zone, server, json_object());
}

void peers_zone_transferred(struct rpc_client *rpc, const struct name *zone,
                            const struct address *peer, uint32_t serial)
{
	char id[ID_LEN + 1];

	id_random(id);
	peers_cast(rpc, "zone_transferred", zone, peer,
	           json_pack("{s:I, s:s}", "serial", (json_int_t)serial, "transfer", id));
}
