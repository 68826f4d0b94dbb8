/*
 * service -- the RPC methods of topic "minidns":
 *
 * 	notify_zone_changed, poll_for_serial_number	orders from the pool manager
 * 	propagate_zones, poll_zones			lists of orders (order_queue.h)
 * 	compare_zones					a list of zones (compare_queue.h)
 * 	check_servers					servers (server_checker.h)
 * 	transfer_ended, zone_differs, zone_transferred, news
 * 							from a mini-DNS process
 *
 * mini-DNS acknowledges an order when it has put the order into a queue or has set the
 * timers for the order. Later, mini-DNS reports the result of a poll or comparison with
 * update_statuses.
 */
#pragma once

#include "runtime/rpc.h"

struct compare_queue;
struct announcer;
struct order_queue;
struct notifier;
struct poller;
struct server_checker;
struct retransfers;

/* The handlers get this struct as `self`. */
struct service {
	struct compare_queue *compare_queue;
	struct announcer *announcer;
	struct order_queue *orders;
	struct notifier *notifier;
	struct poller *poller;
	struct server_checker *checker;
	struct retransfers *retransfers;
};

extern const struct rpc_method service_methods[];
