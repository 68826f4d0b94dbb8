/*
 * store_sweep -- the SQL statements of sweep.h. The functions store_sweep_find_*() only
 * read. Each other function does a limited part of the work, and returns the number of
 * rows or domains that it has processed. 0: there is no more work. The sweep repeats a
 * function until the result is 0, or until the time limit of the sweep is over.
 */
#pragma once

#include "store.h"

enum { SWEEP_ROWS = 2000, SWEEP_DOMAINS = 100, SWEEP_SCAN = 1000 };

/* A list of domains. */
struct sweep_list {
	char ids[SWEEP_DOMAINS][ID_LEN + 1];
	size_t count;
};

/*
 * Finds live domains with DELETED records older than AGE_S seconds, among the next
 * SWEEP_SCAN domains after CURSOR. Moves CURSOR to the last domain that the function has
 * checked. After the last domain in the database, CURSOR is "" again.
 */
void store_sweep_find_tombstones(struct tx *tx, int age_s, char cursor[ID_LEN + 1],
                                 struct sweep_list *list);
/*
 * Locks a domain that store_sweep_find_tombstones() has found, and deletes at most
 * SWEEP_ROWS of the DELETED records older than AGE_S seconds. If no such records are
 * left, also deletes empty record sets of the domain. Returns the number of deleted
 * records.
 */
int64_t store_sweep_tombstones(struct tx *tx, const char *domain_id, int age_s);

/* Finds DELETED domains that still have record sets or a journal. */
void store_sweep_find_deleted(struct tx *tx, struct sweep_list *list);
/*
 * Deletes rows of a domain that store_sweep_find_deleted() has found. One call deletes
 * rows of only one table: first the records, then the record sets, then the journal.
 * Returns the number of deleted rows.
 */
int64_t store_sweep_deleted(struct tx *tx, const char *domain_id);
/*
 * Finds domains that have been DELETED for AGE_S seconds and are in no catalog zone.
 * These domains also have no record sets, no journal, and no rows in pool_manager_status.
 * So the sweep deletes the row of a domain after all other rows about the domain. The row
 * must stay so long, because it contains the serial, and because the rows in
 * pool_manager_status refer to it.
 */
void store_sweep_find_domains(struct tx *tx, int age_s, struct sweep_list *list);
/*
 * Stores the serials of the tombstones IDS, at most TX_LIST_MAX tombstones. After the
 * deletion of the tombstones, store_domain_find_last() finds these serials.
 */
void store_sweep_keep_serials(struct tx *tx, struct arena *arena, const char *const *ids,
                              size_t count);
/*
 * Stores the serials of the domains that store_sweep_find_domains() has found, and
 * deletes the rows of these domains.
 */
int64_t store_sweep_domains(struct tx *tx, const struct sweep_list *list,
                            struct arena *arena);
/* Deletes the stored serials of domains that were deleted more than AGE_S seconds ago. */
int64_t store_sweep_last_serials(struct tx *tx, int age_s);

/*
 * Deletes changes older than AGE_S seconds from the journals. With each change, the
 * function deletes all earlier changes of the domain, because the journal must stay a
 * chain without gaps. The result does not count these earlier changes.
 */
int64_t store_sweep_journal(struct tx *tx, int age_s, struct arena *arena);
/*
 * Deletes the oldest changes of each journal with more than LIMIT bytes, for at most
 * SWEEP_DOMAINS domains that changed within the last WITHIN_S seconds. Returns the number
 * of these domains.
 */
int64_t store_sweep_large_journals(struct tx *tx, int within_s, int64_t limit,
                                   struct arena *arena);
int64_t store_sweep_requests(struct tx *tx, int age_s);

enum { SWEEP_NAMES = 20 };
/*
 * Finds at most SWEEP_NAMES names of live domains that contain a "/" and that
 * rules_domain_name() refuses. Returns the number of these names. The statement reads the
 * names of all domains.
 */
size_t store_sweep_find_paths(struct tx *tx, struct arena *arena,
                              const char *names[SWEEP_NAMES]);

/*
 * store_sweep_open_imports() sets open imports without activity for AGE_S seconds to
 * ERROR. store_sweep_import_records() deletes the staged records of finished imports.
 * store_sweep_imports() deletes finished imports that have no staged records and are
 * older than AGE_S seconds.
 */
int64_t store_sweep_open_imports(struct tx *tx, int age_s, struct arena *arena);
int64_t store_sweep_import_records(struct tx *tx);
int64_t store_sweep_imports(struct tx *tx, int age_s, struct arena *arena);

/*
 * Moves CURSOR to the next pool with a capacity, in the order of the ids (if CURSOR is
 * "", to the first one). False: there is no further pool.
 */
bool store_sweep_next_pool(struct tx *tx, char cursor[ID_LEN + 1]);
/*
 * Counts the live domains of a pool. The statement reads one index entry for each domain,
 * and locks no rows.
 */
int64_t store_sweep_count_domains(struct tx *tx, const char *pool_id);
/* Writes the number of domains to the row of the pool. */
void store_sweep_set_domains(struct tx *tx, const char *pool_id, int64_t domains);

/*
 * Deletes the rows of processes whose last heartbeat is older than AGE_S seconds, for
 * services without a living process. If a service has a living process, the master of the
 * service deletes these rows. TIMEOUT_MS: `fleet.timeout`.
 */
int64_t store_sweep_workers(struct tx *tx, int age_s, int timeout_ms,
                            struct arena *arena);
