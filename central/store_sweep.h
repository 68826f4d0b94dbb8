/*
 * store_sweep -- removes old rows. Each function removes at most SWEEP_ROWS rows and
 * returns how many. The caller repeats it until it returns 0 or the time is over.
 */
#pragma once

#include "store.h"

enum { SWEEP_ROWS = 2000, SWEEP_DOMAINS = 100, SWEEP_SCAN = 1000 };

/* Ids of domains. */
struct sweep_list {
	char ids[SWEEP_DOMAINS][ID_LEN + 1];
	size_t count;
};

/*
 * Live domains with DELETED records older than AGE_S, among the next SWEEP_SCAN domains
 * behind CURSOR. Moves CURSOR on, and at the end back to "".
 */
void store_sweep_find_tombstones(struct tx *tx, int age_s, char cursor[ID_LEN + 1],
                                 struct sweep_list *list);
/* Locks one of them and removes its DELETED records and then its empty record sets. */
int64_t store_sweep_tombstones(struct tx *tx, const char *domain_id, int age_s);

/* DELETED domains that still have record sets or a journal. */
void store_sweep_find_deleted(struct tx *tx, struct sweep_list *list);
/* Removes the records of such a domain, then its record sets, then its journal. */
int64_t store_sweep_deleted(struct tx *tx, const char *domain_id);
/*
 * DELETED domains older than AGE_S without other rows. A domain's row goes last: it has
 * the serial, and the rows of the servers refer to it.
 */
void store_sweep_find_domains(struct tx *tx, int age_s, struct sweep_list *list);
int64_t store_sweep_domains(struct tx *tx, const struct sweep_list *list,
                            struct arena *arena);

/*
 * Removes changes older than AGE_S, each with all earlier changes of its domain: the
 * journal must stay a chain without gaps.
 */
int64_t store_sweep_journal(struct tx *tx, int age_s, struct arena *arena);
/*
 * Removes the oldest changes of journals with more than LIMIT bytes, of domains that
 * changed within the last WITHIN_S. Returns how many such domains there were.
 */
int64_t store_sweep_large_journals(struct tx *tx, int within_s, int64_t limit,
                                   struct arena *arena);
int64_t store_sweep_requests(struct tx *tx, int age_s);

enum { SWEEP_NAMES = 20 };
/*
 * The names of at most SWEEP_NAMES live domains with a "/" that rules_domain_name()
 * refuses. It reads the names of all domains. Returns how many.
 */
size_t store_sweep_find_paths(struct tx *tx, struct arena *arena,
                              const char *names[SWEEP_NAMES]);

/* Open imports older than AGE_S become ERROR; records of ended ones; ended ones. */
int64_t store_sweep_open_imports(struct tx *tx, int age_s, struct arena *arena);
int64_t store_sweep_import_records(struct tx *tx);
int64_t store_sweep_imports(struct tx *tx, int age_s, struct arena *arena);
