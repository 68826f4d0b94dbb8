/*
 * ports -- names for what is attached to networks (seed 002).
 *
 *	service  calls -> rows: networks, subnets, ports, and the records that they give
 *	feed     what Neutron tells -> the same rows
 *	compare  what Neutron answers -> the same rows, where something got lost
 *	publish  rows that are open -> central, a domain at a time
 *	watch    domains that somebody deleted -> rows that are open
 *	agent    --agent, on other machines: hosts_export -> the files of dnsmasq
 *
 * A call ends with its commit: by then the port has its names, for they are unique by a
 * key of the table, and the records of each port are rows that say what is to be done.
 * Whoever of the processes has the lock of a domain publishes all that is open there as
 * one change with one serial, at once; what fails is tried again with backoff. Nothing
 * is lost between the two, for the rows are what is owed.
 */
#pragma once

#include "core/port_name.h"
#include "runtime/worker.h"

struct comparison;
struct feed;
struct publisher;
struct heartbeat;
struct queue_watch;
struct domain_watch;

enum ports_publish { PUBLISH_ALL, PUBLISH_FLAGGED };

struct ports_settings {
	char *pool, *email, *reverse_tenant;
	char *domain, *feed, *feed_queue, *feed_objects;
	int label_rules;		/* enum label_rules */
	int publish;			/* enum ports_publish */
	int v4_bits, v6_bits, retry_ms, compare_ms, quota_reverse;
	bool creates_domains, deletes_reverse;
};

struct ports {
	struct runtime runtime;
	struct ports_settings settings;
	struct heartbeat *heartbeat;
	struct queue_watch *queues;
	struct publisher *publisher;
	struct feed *feed;
	struct comparison *comparison;
	struct domain_watch *watch;
	int due_period_ms, look_period_ms, sweep_period_ms;	/* constant */
};

extern const struct rpc_method ports_methods[];		/* service.c */

/* settings.c: the section [ports], and what no row of it can check. */
extern const struct option ports_options[];
enum err ports_settings_check(const struct ports_settings *settings, struct why *why);

enum label_rules ports_label_rules(const struct ports *ports);
/* Else those of Neutron's subnets only whose own flag says so. */
bool ports_publishes_all(const struct ports *ports);
