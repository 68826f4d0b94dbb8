/*
 * peers -- what minidns tells the other instances of itself: that a name
 * server's transfer was seen to end here, because its poll may run elsewhere.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct rpc_client;

void peers_transfer_ended(struct rpc_client *rpc, const struct name *zone,
                          const struct address *peer, uint32_t serial);
