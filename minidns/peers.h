/*
 * peers -- sends a fanout (transfer_ended) to all mini-DNS processes when this process
 * has finished a transfer to a name server. A different process is possibly polling this
 * server and waiting for the end of the transfer. The fanouts zone_differs and
 * zone_transferred are for core/retransfers.h.
 */
#pragma once

#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

struct rpc_client;

void peers_transfer_ended(struct rpc_client *rpc, const struct name *zone,
                          const struct address *peer, uint32_t serial);
void peers_zone_differs(struct rpc_client *rpc, const struct name *zone,
                        const struct address *server);
void peers_zone_transferred(struct rpc_client *rpc, const struct name *zone,
                            const struct address *peer, uint32_t serial);
