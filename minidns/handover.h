/*
 * handover -- gives the orders of a process that stops to the other processes of
 * mini-DNS: it sends them to their queue, from which the next process takes them. An
 * order keeps its remaining tries, so that restarts do not prolong a poll.
 *
 * Orders with the same server and terms share a message. If a process dies, its orders are
 * lost, and the pool manager gives them again.
 */
#pragma once

#include "model/messages.h"

struct handover;
struct rpc_client;

struct handover *handover_new(struct rpc_client *rpc);
/* SELF is the handover. Copies the order. */
void handover_add(void *self, const struct poll_order *order);
/* Sends what is left, logs the number of all orders, and frees the handover. */
void handover_send(struct handover **handover);
