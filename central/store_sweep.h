/*
 * store_sweep -- what is too old, removed a bounded piece at a time: each
 * function removes at most SWEEP_ROWS rows and returns how many (the caller
 * goes on while that is many, as long as its time lasts).
 */
#pragma once

#include "store.h"

enum { SWEEP_ROWS = 2000, SWEEP_DOMAINS = 100, SWEEP_SCAN = 1000 };

/* Some domains, by id. */
struct sweep_list {
	char ids[SWEEP_DOMAINS][ID_LEN + 1];
	size_t count;
};

/*
 * Served domains with tombstones older than AGE_S among the next SWEEP_SCAN behind
 * CURSOR, which moves on, and back to "" at the end.
 */
void store_sweep_find_tombstones(struct tx *tx, int age_s, char cursor[ID_LEN + 1],
                                 struct sweep_list *list);
/* Of one of them, locked first: its tombstones, and the record sets left empty. */
int64_t store_sweep_tombstones(struct tx *tx, const char *domain_id, int age_s);

/* Domains that were deleted and still have something. */
void store_sweep_find_deleted(struct tx *tx, struct sweep_list *list);
/* What such a domain left: first records, then record sets, then the journal. */
int64_t store_sweep_deleted(struct tx *tx, const char *domain_id);
/*
 * Domains that were deleted more than AGE_S ago and have nothing left. Their rows are the last to
 * go: a row has the serial, and the rows of the servers point to it.
 */
void store_sweep_find_domains(struct tx *tx, int age_s, struct sweep_list *list);
int64_t store_sweep_domains(struct tx *tx, const struct sweep_list *list,
                            struct arena *arena);

/*
 * Each too old change and all before it: what is left of a domain's history is a suffix
 * of the chain, so that no server is sent a step from a serial that it does not have.
 */
int64_t store_sweep_journal(struct tx *tx, int age_s, struct arena *arena);
/*
 * Likewise what is more than LIMIT bytes a domain, the oldest changes first, of domains
 * that changed within the last WITHIN_S. Returns how many had more.
 */
int64_t store_sweep_large_journals(struct tx *tx, int within_s, int64_t limit,
                                   struct arena *arena);
int64_t store_sweep_requests(struct tx *tx, int age_s);

enum { SWEEP_NAMES = 20 };
/*
 * The names, in ARENA, of at most SWEEP_NAMES living domains with a "/" that
 * rules_domain_name() refuses. It reads the names of all domains. Returns how many.
 */
size_t store_sweep_find_paths(struct tx *tx, struct arena *arena,
                              const char *names[SWEEP_NAMES]);

/* Imports left open become ERROR; records of settled ones go; the rows after AGE_S. */
int64_t store_sweep_open_imports(struct tx *tx, int age_s, struct arena *arena);
int64_t store_sweep_import_records(struct tx *tx);
int64_t store_sweep_imports(struct tx *tx, int age_s, struct arena *arena);
