/*
 * service -- the RPC methods of topic "minidns":
 *
 *	notify_zone_changed, poll_for_serial_number	orders of the pool manager
 *	propagate_zones, poll_zones			lists of them (order_queue.h)
 *	compare_zones					a list of zones (compare_queue.h)
 *	transfer_ended, news				told by another instance
 *
 * The first two are casts that are acknowledged once their timers are set;
 * what comes of them goes back as update_status.
 */
#pragma once

#include "runtime/rpc.h"

struct compare_queue;
struct announcer;
struct order_queue;
struct notifier;
struct poller;

/* What the handlers' self points to. */
struct service {
	struct compare_queue *compare_queue;
	struct announcer *announcer;
	struct order_queue *orders;
	struct notifier *notifier;
	struct poller *poller;
};

extern const struct rpc_method service_methods[];
