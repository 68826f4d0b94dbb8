/*
 * central -- the program that manages domains, record sets and records. struct central
 * contains all state of the process. All writes of a change are in one transaction. This
 * transaction locks the row of the domain, raises the serial, and writes the rows and the
 * journal. The transaction also stores the answer under the unique id of the message.
 * After the commit, central sends a cast to the pool manager. If the cast is lost, the
 * periodic sync of the pool manager finds the task in the row of the domain.
 */
#pragma once

#include "base/log.h"
#include "base/option.h"
#include "runtime/worker.h"

struct central {
	const struct runtime *runtime;
	struct {
		char *default_pool;
		/*
		 * pools that a tenant may name for a new domain, in addition to
		 * default_pool; "*": all pools
		 */
		struct option_texts tenant_pools;
		struct option_texts scheduler_filters;	/* core/scheduler.h */
		/* hosts for the NS records of the default pool */
		struct option_texts ns_records;
		/*
		 * email address in the SOA record of a new domain, if the call gives no
		 * address
		 */
		char *hostmaster;
		int default_ttl, min_ttl;
		int soa_refresh, soa_retry, soa_expire, soa_minimum;
		int quota_domains, quota_recordsets, quota_records;	/* -1: no limit */
		int quota_domain_records, quota_export_recordsets;	/* -1: no limit */
		int quota_imports, quota_import_records;		/* -1: no limit */
		/* size in bytes of the largest change that the journal stores */
		int64_t journal_change_bytes;
		int64_t journal_domain_bytes;
		int journal_age_s, tombstone_age_s, request_age_s, import_age_s;
		int sweep_ms;
	} config;
	struct lane *import_lane;		/* lane for the commits of imports */
	struct db *import_db;
	struct db_config import_db_config;
	/* limits the log lines about claims of imports */
	struct log_limit import_log_limit;
	struct lane *sweep_lane;
	struct db *sweep_db;
	struct db_config sweep_db_config;
	struct sweep *sweep;
	struct catalog *catalog;
	/* until then, no statement waits for the row of a tenant (usage.c) */
	int64_t usage_hangs_until_ms;
	/* periods of two timers; the program never changes these periods */
	int catalog_repair_ms, import_look_ms;
};
