/*
 * peers -- tells the other instances of mini-DNS that a transfer to a name server has
 * ended here. The poll of that server may run on another instance.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct rpc_client;

void peers_transfer_ended(struct rpc_client *rpc, const struct name *zone,
                          const struct address *peer, uint32_t serial);
