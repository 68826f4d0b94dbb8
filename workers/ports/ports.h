/*
 * ports -- gives names to the ports of networks (requirements: seed 002).
 *
 * service       calls -> rows: networks, subnets, ports and their records
 * feed          messages of Neutron -> the same rows
 * compare       repairs the same rows after lost messages
 * publish       open rows -> central, one domain at a time
 * domain_watch  deleted domains and records -> open rows
 * agent         --agent, on other machines: hosts_export -> the files of dnsmasq
 *
 * zonefleet-ports commits the names of a port to the database before zonefleet-ports
 * answers the call about the port. A unique key of the table prevents two ports from
 * having the same name. Open rows contain the records to add or delete. The process with
 * the lock of a domain publishes the open rows of the domain together, as one change with
 * one serial. After a failure, the process retries with growing pauses. Open rows are in
 * the database, so all changes survive a crash.
 */
#pragma once

#include "core/port_name.h"
#include "runtime/worker.h"

struct comparison;
struct feed;
struct reconciler;
struct domain_watch;

enum ports_publish { PUBLISH_ALL, PUBLISH_FLAGGED };

struct ports_settings {
	char *pool, *email, *reverse_tenant;
	char *domain, *feed, *feed_queue, *feed_objects;
	int label_rules;		/* value of enum label_rules */
	int publish;			/* value of enum ports_publish */
	int v4_bits, v6_bits, retry_ms, check_ms, compare_ms, quota_reverse;
	bool creates_domains, deletes_reverse;
};

struct ports {
	struct runtime runtime;
	struct ports_settings settings;
	struct reconciler *publisher;
	struct feed *feed;
	struct comparison *comparison;
	struct domain_watch *watch;
	/* periods of the timers. The program never changes these periods. */
	int due_period_ms, look_period_ms, sweep_period_ms;
};

extern const struct rpc_method ports_methods[];		/* service.c */

/*
 * settings.c: the options of the section [ports], and checks that need several options.
 */
extern const struct option ports_options[];
enum err ports_settings_check(const struct ports_settings *settings, struct why *why);

enum label_rules ports_label_rules(const struct ports *ports);
/*
 * True: zonefleet publishes the addresses of all subnets from Neutron. False: zonefleet
 * publishes the addresses of a subnet from Neutron only if is_flagged of the subnet is
 * true (store.h).
 */
bool ports_publishes_all(const struct ports *ports);
