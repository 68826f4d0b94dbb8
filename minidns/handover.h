/*
 * handover -- passes the orders of a process that is stopping to the other mini-DNS
 * processes. The process sends the orders to the queue that all processes read. An order
 * contains the number of its remaining tries, so restarts do not prolong a poll.
 *
 * A message can contain many orders if they have the same server and the same poll
 * parameters. If a process crashes, its orders are lost, and the pool manager sends
 * these orders again.
 */
#pragma once

#include "model/messages.h"

struct handover;
struct rpc_client;

struct handover *handover_new(struct rpc_client *rpc);
/* Adds ORDER to SELF, which is the handover. Copies the order. */
void handover_add(void *self, const struct poll_order *order);
/* Sends the remaining orders, logs the number of all orders, and frees the handover. */
void handover_send(struct handover **handover);
