/*
 * peers -- tells the other mini-DNS processes that this process has finished a transfer
 * to a name server. The process that polls this server may be a different process.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct rpc_client;

void peers_transfer_ended(struct rpc_client *rpc, const struct name *zone,
                          const struct address *peer, uint32_t serial);
