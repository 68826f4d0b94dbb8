/*
 * store -- every SQL statement of central is a function in one of the
 * store*.c files, by noun. What is not the tenant's own is not found: the
 * condition stands in the statement (struct access, runtime/access.h), not beside it.
 *
 * A domain's row is locked first by whoever changes anything of the domain;
 * all that is read behind it then holds until the commit.
 */
#pragma once

#include "core/changes.h"
#include "core/rrsets.h"
#include "core/zone.h"
#include "runtime/access.h"
#include "runtime/rpc_digest.h"
#include "runtime/tx.h"
#include "runtime/tx_list.h"

/* A domain as callers name it: by id, or by name. */
struct domain_key {
	char id[ID_LEN + 1];	/* "": by name */
	const char *name;	/* canonical */
};

/* Of a find: which rows, in which order, from where. */
struct paging {
	char marker[ID_LEN + 1];	/* the last one seen; "": from the start */
	uint32_t limit;
	size_t sort;			/* index into the sort keys of the noun */
	bool descending;
};

enum {
	STORE_NAMES_MAX = TX_LIST_MAX,	/* of one statement */
	STORE_ANCESTORS_MAX = 128,	/* a name and all above it */
	POOL_NS_MAX = 32,
	QUOTA_DEFAULT = INT32_MIN,	/* the tenant has no limit of its own */
};

/*
 * How long a statement waits for a row that another transaction has locked: on the loop
 * for a moment at most; on a lane, as long as its connection says.
 */
enum store_wait { STORE_WAIT_NOT, STORE_WAIT_A_MOMENT, STORE_WAIT_LONG };
#define STORE_WAITS(tx, wait, sql) \
	((wait) == STORE_WAIT_LONG || !tx_has_short_limit(tx) ? sql : \
	 (wait) == STORE_WAIT_A_MOMENT ? TX_SHORT_LIMIT sql : TX_NO_LOCK_WAIT sql)
/* Behind such a statement: one that waited in vain, not on a lane, ends in ERR_LOCKED. */
void store_waited(struct tx *tx, enum store_wait wait, const char *what);

/* NAME, if WITH_ITSELF, and the names above it, as texts. */
size_t store_ancestors(const struct name *name, bool with_itself, struct arena *arena,
                       const char **names);

/* ---- requests: one effect a message ---- */

struct kept {
	const char *unique_id, *result;		/* NULL: null */
	const char *tell, *domain_id;		/* NULL: the pool manager need not hear */
	uint8_t digest[RPC_DIGEST_LEN];		/* of the call (runtime/rpc_digest.h) */
	bool is_other;			/* it was read, and another call left it */
};
/*
 * What was kept of the message with KEPT's id and digest, in the arena. False: no message
 * with that id was here.
 */
bool store_request_get(struct tx *tx, struct arena *arena, struct kept *kept);
/* ERR_EXISTS in the transaction: one of the messages was here before. */
void store_requests_insert(struct tx *tx, const struct kept *kept, size_t count);

/* ---- what reports settle (store_settle.c); each for 1 to TX_LIST_MAX domains ---- */

struct domain_state {
	char id[ID_LEN + 1];
	const char *name;
	struct state is;
	int64_t changed_us;		/* ago: its last change */
};
/*
 * Locks those that live and that nobody else has locked, without a wait and in the order
 * of their ids; returns how many.
 */
size_t store_domain_lock_states(struct tx *tx, const char *const *ids, size_t count,
                                struct arena *arena, struct domain_state *found);
/* One that lives and was not locked so: another has locked it. */
bool store_domain_lives(struct tx *tx, const char *id);
void store_domain_settle(struct tx *tx, struct arena *arena, const char *const *ids,
                         size_t count, const struct state *state, const char *reason);
/* A report that speaks of SERIAL moves the records of the domain up to it. */
struct settled {
	const char *domain_id;
	uint32_t serial;
};
/* True: that was a portion, go on. */
bool store_record_settle(struct tx *tx, struct arena *arena, enum report report,
                         const struct settled *settled, size_t count);

/* ---- domains (store_domain.c) ---- */

enum { DOMAIN_SORT_NAME, DOMAIN_SORT_CREATED, DOMAIN_SORT_UPDATED, DOMAIN_SORT_SERIAL };
extern const char *const store_domain_sort_keys[];	/* as callers name them; NULL */

struct domain_criterion {
	const char *name;		/* exact, or with one * at its start or end */
	const char *status, *task, *pool, *tenant;
};

bool store_domain_get(struct tx *tx, const struct domain_key *key,
                      const struct access *access, struct arena *arena,
                      struct zone *zone);
/*
 * The same, locked until the end of the transaction. One that another has locked is
 * ERR_LOCKED, at once or (MAY_WAIT) in a moment; or waited for: that is for lanes, never
 * for the loop.
 */
bool store_domain_lock(struct tx *tx, const struct domain_key *key,
                       const struct access *access, bool may_wait, struct arena *arena,
                       struct zone *zone);
bool store_domain_lock_wait(struct tx *tx, const struct domain_key *key,
                            const struct access *access, struct arena *arena,
                            struct zone *zone);
/*
 * Those of KEYS (1 to TX_LIST_MAX), whoever's they are: zones[], NULL where there is
 * none. What a caller may see is for store_domain_is_seen() to say.
 */
void store_domain_get_several(struct tx *tx, struct arena *arena,
                              const struct domain_key *keys, size_t count,
                              const struct zone **zones);
bool store_domain_is_seen(const struct access *access, const struct zone *zone);
/*
 * Locks those of KEYS (1 to TX_LIST_MAX) that are there and that nobody else has locked,
 * without a wait. locked[] tells which; nothing is read that needs a snapshot.
 */
void store_domain_try_lock(struct tx *tx, struct arena *arena,
                           const struct domain_key *keys, size_t count, bool *locked);
/*
 * What those of KEYS (1 to TX_LIST_MAX) are that this transaction has locked, whoever's
 * they are: zones[], NULL for one that is not there. Nothing but locks may come before
 * it in the transaction, so that its snapshot is not older than they are.
 */
void store_domain_read_locked(struct tx *tx, struct arena *arena,
                              const struct domain_key *keys, size_t count,
                              const struct zone **zones);
void store_domain_find(struct tx *tx, const struct access *access,
                       const struct domain_criterion *criterion,
                       const struct paging *paging, struct arena *arena,
                       struct tx_rows *rows);
bool store_domain_next(struct tx_rows *rows, struct zone *zone);
/* Its version is 1. */
void store_domain_insert(struct tx *tx, struct zone *zone, enum store_wait wait);
/* The counts alone, of a domain that was just inserted. */
void store_domain_counts(struct tx *tx, const struct zone *zone);
/* The description alone: nothing of it is served. Its version is the next one. */
void store_domain_describe(struct tx *tx, struct zone *zone);
/* Its tenant's domains, counted up to MAX + 1. */
int64_t store_domain_count(struct tx *tx, const char *tenant, int64_t max);
/* The highest serial under which NAME was served before; false: it never was. */
bool store_domain_last_serial(struct tx *tx, const char *name, uint32_t *serial);
/* A parent or child of NAME that is not TENANT's. */
bool store_domain_foreign_relative(struct tx *tx, const struct name *name,
                                   const char *tenant, struct arena *arena,
                                   const char **relative);
/*
 * After the insertion of ZONE: ERR_RACE if another transaction has created a domain above or
 * below it that this one does not see. Of two that insert at the same time, at least one ends
 * in ERR_RACE or ERR_LOCKED. Until the end of the transaction, others wait with such domains.
 */
void store_domain_check_relatives(struct tx *tx, const struct zone *zone,
                                  enum store_wait wait, struct arena *arena);
bool store_domain_child(struct tx *tx, const struct zone *zone, struct arena *arena,
                        const char **child);
/* Those of NAMES that are domains; FOUND holds as many as there are names. */
size_t store_domain_existing(struct tx *tx, const char *const *names, size_t count,
                             struct arena *arena, struct name *found);
/* The tenant's own limit of domains; false: it has none. */
bool store_domain_quota(struct tx *tx, const char *tenant, int64_t *limit);
/* NAME or a name above it that is on the blacklist. */
bool store_blacklist_match(struct tx *tx, const struct name *name, struct arena *arena,
                           const char **match);

/* ---- record sets and records (store_recordset.c) ---- */

enum { RECORDSET_SORT_NAME, RECORDSET_SORT_CREATED, RECORDSET_SORT_UPDATED };
extern const char *const store_recordset_sort_keys[];
enum { RECORD_SORT_ID, RECORD_SORT_UPDATED };
extern const char *const store_record_sort_keys[];

struct record_criterion {
	const char *name, *status, *data;
	uint16_t type;			/* 0: any */
	char domain_id[ID_LEN + 1];	/* "": any */
};

/* All sets at NAMES (at most STORE_NAMES_MAX) with their records that are served. */
void store_recordset_read(struct tx *tx, const char *domain_id, const char *const *names,
                          size_t count, struct rrsets *sets);
/* The same for several domains at once. */
struct sets_wanted {
	const char *domain_id, *name;
	struct rrsets *sets;		/* the same for all of a domain */
};
void store_recordset_read_of(struct tx *tx, struct arena *arena,
                             const struct sets_wanted *wanted, size_t count);
/* After a new default TTL, all records without a TTL of their own. How many. */
int64_t store_record_touch_default(struct tx *tx, const char *domain_id, uint32_t serial);
bool store_recordset_get(struct tx *tx, const char *domain_id, const char *id,
                         struct arena *arena, struct recordset *set);
/* Those that have a record which is served, or on its way out of service. */
void store_recordset_find(struct tx *tx, const struct access *access,
                          const struct record_criterion *criterion,
                          const struct paging *paging, struct arena *arena,
                          struct tx_rows *rows);
/* One found set, without its records. Its times are milliseconds since 1970. */
bool store_recordset_next(struct tx_rows *rows, struct recordset *set);
/* The members of SETS, which stand in the order of their ids or any other. */
void store_recordset_members(struct tx *tx, struct recordset *sets, size_t count,
                             struct arena *arena);

struct found_record {
	struct record record;
	char recordset_id[ID_LEN + 1], domain_id[ID_LEN + 1];
	const char *name;
	uint16_t type;
	bool has_ttl;
	uint32_t ttl;
};
void store_record_find(struct tx *tx, const struct access *access,
                       const struct record_criterion *criterion,
                       const struct paging *paging, struct arena *arena,
                       struct tx_rows *rows);
bool store_record_next(struct tx_rows *rows, struct found_record *found);

/* ---- imports (store_import.c) ---- */

enum import_state { IMPORT_OPEN, IMPORT_COMMITTING, IMPORT_DONE, IMPORT_ERROR };

struct import {
	char id[ID_LEN + 1];
	const char *tenant, *domain_name;
	enum import_state state;
	const char *state_name;		/* "OPEN" */
	const char *wish;		/* JSON: domain, mode, the caller's rights */
	uint32_t parts, records;
	const char *result, *reason;	/* result NULL: none yet */
	const char *worker;		/* that commits it, or did so last; "": none yet */
	uint32_t attempts;		/* times that a commit was begun */
	const char *created_at, *updated_at;
};

/* One staged record, as it was checked. */
struct staged {
	char id[ID_LEN + 1];
	const struct change *record;	/* an ADD of one */
};

bool store_import_get(struct tx *tx, const char *id, const struct access *access,
                      struct arena *arena, struct import *import);
bool store_import_lock(struct tx *tx, const char *id, const struct access *access,
                       struct arena *arena, struct import *import);
/* For the loop: one that another has locked is ERR_LOCKED, at once or after a moment. */
bool store_import_lock_now(struct tx *tx, const char *id, const struct access *access,
                           bool may_wait, struct arena *arena, struct import *import);
void store_import_insert(struct tx *tx, const struct import *import);
/* The tenant's imports that have not ended, and the records of all of them. */
void store_import_counts(struct tx *tx, const char *tenant, int64_t *count,
                         int64_t *records);
/* Replaces the part, so that a part that comes twice counts once. */
void store_import_stage(struct tx *tx, const char *id, uint32_t part,
                        const struct staged *records, size_t count, struct arena *arena);
/*
 * For WORKER, an import that is COMMITTING and that no commit holds: the one of ID, or,
 * if that is "", the oldest that has been left for some seconds, more with each attempt:
 * its id. Another may claim it meanwhile: the two wait for each other at its row.
 */
bool store_import_claim(struct tx *tx, const char *worker, char id[ID_LEN + 1]);
void store_import_set_state(struct tx *tx, const char *id, enum import_state state,
                            const char *result, const char *reason);
/* The SOA of the staged zone; its rdata in ARENA. Returns how many (2: or more). */
int store_import_soa(struct tx *tx, const char *id, struct arena *arena,
                     struct rdata *soa, uint32_t *ttl);
/* The hosts of the staged NS records at NAME, at most MAX. */
size_t store_import_ns(struct tx *tx, const char *id, const char *name,
                       struct arena *arena, const char **hosts, size_t max);

/* The commit, one set-based step after the other, on the locked domain. */
struct import_step {
	const char *import_id;
	const struct zone *zone;
	uint32_t serial;
	bool only_named;	/* sets that the file does not name stay as they are */
};
/* Records that the file has not become tombstones. How many. */
int64_t store_import_delete(struct tx *tx, const struct import_step *step);
/* Those of sets to which the file gives another TTL are touched. How many. */
int64_t store_import_touch(struct tx *tx, const struct import_step *step);
void store_import_recordsets(struct tx *tx, const struct import_step *step);
void store_import_records(struct tx *tx, const struct import_step *step);
/* The served records that carry the step's serial: new or touched. */
int64_t store_import_count(struct tx *tx, const struct import_step *step);
/* The served record sets and records of the domain. */
void store_import_totals(struct tx *tx, struct zone *zone);
/*
 * Append the RRs of the records that carry the step's serial, with their sets' present
 * TTLs; LIVE: only those that are served. False when they would need more than MAX bytes.
 */
bool store_import_affected(struct tx *tx, const struct import_step *step, bool live,
                           int64_t max, struct arena *arena, struct buf *rrs);
/* By the rules between records (core/rules.h): a name that breaks one, or NULL. */
const char *store_import_cname_clash(struct tx *tx, const struct zone *zone,
                                     struct arena *arena);
const char *store_import_not_single(struct tx *tx, const struct zone *zone,
                                    struct arena *arena);
const char *store_import_inside_child(struct tx *tx, const struct zone *zone,
                                      struct arena *arena);
const char *store_import_above_quota(struct tx *tx, const struct zone *zone, int64_t max,
                                     struct arena *arena);
bool store_import_has_set(struct tx *tx, const struct zone *zone, const char *name,
                          uint16_t type);

/* ---- pools (store_pool.c) ---- */

enum { POOL_SORT_NAME, POOL_SORT_CREATED };
extern const char *const store_pool_sort_keys[];

/* By id, or by name when ID is "". */
bool store_pool_get(struct tx *tx, const char *id, const char *name, struct arena *arena,
                    struct pool *pool);
bool store_pool_lock(struct tx *tx, const char *id, const char *name,
                     enum store_wait wait, struct arena *arena, struct pool *pool);
void store_pool_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                     struct tx_rows *rows);
bool store_pool_next(struct tx_rows *rows, struct pool *pool);
void store_pool_ns_records(struct tx *tx, struct arena *arena, struct pool *pool);
void store_pool_insert(struct tx *tx, const struct pool *pool, enum store_wait wait);
void store_pool_update(struct tx *tx, const struct pool *pool);
/* Its catalog_id; "" is none. */
void store_pool_set_catalog(struct tx *tx, const struct pool *pool);
void store_pool_set_ns_records(struct tx *tx, const struct pool *pool,
                               struct arena *arena);
void store_pool_delete(struct tx *tx, const char *id);
/* Has it any domain, served or a tombstone? */
bool store_pool_is_used(struct tx *tx, const char *id);

/* ---- blacklist, quotas (store_admin.c) ---- */

struct blacklist {
	char id[ID_LEN + 1];
	const char *name, *description, *created_at;
};
extern const char *const store_blacklist_sort_keys[];	/* by name only */

void store_blacklist_insert(struct tx *tx, const struct blacklist *entry,
                            enum store_wait wait);
int64_t store_blacklist_delete(struct tx *tx, const char *id, enum store_wait wait);
void store_blacklist_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                          struct tx_rows *rows);
bool store_blacklist_next(struct tx_rows *rows, struct blacklist *entry);

/* RESOURCE is one of the names in the table; LIMIT -1: none. */
void store_quota_set(struct tx *tx, const char *tenant, const char *resource,
                     int64_t limit, enum store_wait wait);
void store_quota_find(struct tx *tx, const char *tenant, struct arena *arena,
                      struct tx_rows *rows);
bool store_quota_next(struct tx_rows *rows, const char **resource, int64_t *limit);

/* ---- TSIG keys (store_tsigkey.c) ---- */

/* A key as callers name it: by id, or by name. */
struct tsigkey_key {
	char id[ID_LEN + 1];		/* "": by name */
	const char *name;		/* canonical */
};

struct tsigkey {
	char id[ID_LEN + 1];
	const char *name, *algorithm;
	const char *secret;		/* base64; NULL in a list */
	const char *domain_id, *domain;	/* whose transfers it allows; NULL: a server's */
	const char *created_at, *updated_at;
};
extern const char *const store_tsigkey_sort_keys[];	/* by name only */

bool store_tsigkey_get(struct tx *tx, const struct tsigkey_key *by, struct arena *arena,
                       struct tsigkey *key);
/* The same, locked until the end of the transaction, without the domain's name. */
bool store_tsigkey_lock(struct tx *tx, const struct tsigkey_key *by,
                        enum store_wait wait, struct arena *arena, struct tsigkey *key);
/* Without the secrets. */
void store_tsigkey_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                        struct tx_rows *rows);
bool store_tsigkey_next(struct tx_rows *rows, struct tsigkey *key);
/* Waits for the row of its domain, too. */
void store_tsigkey_insert(struct tx *tx, const struct tsigkey *key, enum store_wait wait);
/* Its algorithm and its secret. */
void store_tsigkey_update(struct tx *tx, const struct tsigkey *key);
void store_tsigkey_delete(struct tx *tx, const char *id);
/* Those of a domain, but for one that a server of a pool has. */
void store_tsigkey_delete_domains(struct tx *tx, const char *domain_id,
                                  enum store_wait wait);
/* The first of the servers that have the key; false: none has. */
bool store_tsigkey_user(struct tx *tx, const char *name, struct arena *arena,
                        const char **pool, const char **server);

/* ---- what the servers have (store_admin.c) ---- */

/* A server of a pool, and how its UPDATEs stand over all domains. */
struct server_summary {
	const char *id, *pool, *backend, *host, *state, *last_error;
	uint32_t port;
	int64_t behind, failed;
};
void store_status_servers(struct tx *tx, const char *pool, struct arena *arena,
                          struct tx_rows *rows);
bool store_status_next_server(struct tx_rows *rows, struct server_summary *server);

/* What one server has of one domain. */
struct server_status {
	const char *id, *action, *status, *reason, *next_attempt_at, *seen_at, *state;
	bool has_serial;
	bool differs;			/* its records were seen to be others than ours */
	uint32_t serial, attempts;
};
/* ACTIVE, DRAINED or REMOVED; false: there is no such server. */
bool store_server_set(struct tx *tx, const char *pool, const char *id, const char *state,
                      enum store_wait wait);
/* How many servers the pool has in service, or how many that its catalog zone is for. */
int64_t store_status_server_count(struct tx *tx, const char *pool, bool of_catalog);
void store_status_domain(struct tx *tx, const char *domain_id, struct arena *arena,
                         struct tx_rows *rows);
bool store_status_next(struct tx_rows *rows, struct server_status *status);
/* The servers on which the deletion of the domain is not seen to be done, and why. */
void store_status_owing(struct tx *tx, const struct zone *zone, struct arena *arena,
                        struct tx_rows *rows);
bool store_status_next_owing(struct tx_rows *rows, const char **server_id,
                             const char **reason);
