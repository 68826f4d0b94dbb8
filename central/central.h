/*
 * central -- owner of domains, record sets and records; what a handler of
 * central may touch, and nothing else. A change is one transaction: the
 * domain's row is locked first, its serial is raised, rows and journal are
 * written, and the answer is kept under the message's unique id. The pool
 * manager is told after the commit; should that message be lost, the row's
 * own state is the outbox and the pool manager's periodic sync finds it.
 */
#pragma once

#include "base/log.h"
#include "base/option.h"
#include "runtime/worker.h"

struct central {
	const struct runtime *runtime;
	struct {
		char *default_pool;
		struct option_texts tenant_pools;	/* names; "*": all */
		struct option_texts ns_records;	/* NS at the apex of its new domains */
		char *hostmaster;		/* RNAME where a domain names none */
		int default_ttl, min_ttl;
		int soa_refresh, soa_retry, soa_expire, soa_minimum;
		int quota_domains, quota_recordsets, quota_records;	/* -1: none */
		int quota_imports, quota_import_records;		/* -1: none */
		int64_t journal_change_bytes;	/* above, a gap: full transfers */
		int64_t journal_domain_bytes;
		int journal_age_s, tombstone_age_s, request_age_s, import_age_s;
		int sweep_ms;
	} config;
	struct lane *import_lane;		/* commits take long: beside the loop */
	struct db *import_db;
	struct db_config import_db_config;
	struct log_limit import_log_limit;	/* of the lane's thread */
	struct lane *sweep_lane;		/* of the sweep, for the same reason */
	struct db *sweep_db;
	struct db_config sweep_db_config;
	struct sweep *sweep;
	struct catalog *catalog;
	int catalog_repair_ms, import_look_ms;	/* of timers: constant */
	struct heartbeat *heartbeat;
	struct queue_watch *queues;
};
