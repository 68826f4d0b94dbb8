/*
 * store -- the SQL statements of central. Each statement is in a function, and each kind
 * of object has a store*.c file. A function with a struct access (runtime/access.h) also
 * checks the tenant. Such a function finds only rows that the caller may see.
 *
 * A transaction that changes a domain first locks the row of the domain. So no other
 * transaction can change the values of the domain before the commit.
 */
#pragma once

#include <jansson.h>

#include "core/changes.h"
#include "core/pattern.h"
#include "core/rrsets.h"
#include "core/scheduler.h"
#include "core/zone.h"
#include "runtime/access.h"
#include "runtime/rpc_digest.h"
#include "runtime/tx.h"
#include "runtime/tx_list.h"

/* Identifies a domain in a call, by id or by name. */
struct domain_key {
	char id[ID_LEN + 1];	/* "": use the name */
	const char *name;	/* name in canonical form */
};

/* The page of results that a call of a find_* method requests. */
struct paging {
	/* id of the last object on the previous page; "": the first page */
	char marker[ID_LEN + 1];
	uint32_t limit;
	size_t sort;			/* index of the sort key */
	bool descending;
};

enum {
	STORE_NAMES_MAX = TX_LIST_MAX,	/* maximum number of names in one statement */
	/* maximum number of names in the list of a name and all names above it */
	STORE_ANCESTORS_MAX = 128,
	POOL_NS_MAX = 32,
	/* the tenant has no own limit, so the configured limit applies */
	QUOTA_DEFAULT = INT32_MIN,
};

/*
 * How long a statement waits for a locked row. On the event loop, the statement waits at
 * most 0.25 s (TX_SHORT_LIMIT) if request.may_wait is true. If request.may_wait is false,
 * the statement does not wait. On a lane (a thread), the statement waits as long as its
 * connection allows.
 */
enum store_wait { STORE_WAIT_NONE, STORE_WAIT_SHORT, STORE_WAIT_LONG };
#define STORE_WAITS(tx, wait, sql) \
	((wait) == STORE_WAIT_LONG || !tx_has_short_limit(tx) ? sql : \
	 (wait) == STORE_WAIT_SHORT ? TX_SHORT_LIMIT sql : TX_NO_LOCK_WAIT sql)
/*
 * Call it after a statement with STORE_WAITS. If the statement ended on the event loop
 * because a row was locked, the function sets ERR_LOCKED in the transaction. WHAT: the
 * name of the object in the reason.
 */
void store_check_wait(struct tx *tx, enum store_wait wait, const char *what);

/*
 * Sets ERR_INTERNAL in the transaction: COLUMN ("domains.id") contains TEXT, but must
 * contain WANT.
 */
void store_fail_value(struct tx_rows *rows, const char *column, const char *text,
                      const char *want);
/*
 * store_read_id() reads an id from the next column. store_read_state() reads serial, task
 * and status from the next three columns. An error names COLUMN or TABLE.
 */
void store_read_id(struct tx_rows *rows, const char *column, char id[ID_LEN + 1]);
void store_read_state(struct tx_rows *rows, const char *table, struct state *state);
/* Reads a text of model/attributes.h from the next column. */
const char *store_read_attributes(struct tx_rows *rows, const char *column);
/*
 * Writes the names above NAME to NAMES as strings, in the order from the nearest name to
 * the root. If WITH_ITSELF is true, NAME itself is the first string. Returns the number
 * of names.
 */
size_t store_ancestors(const struct name *name, bool with_itself, struct arena *arena,
                       const char **names);

/* ---- stored answers, so that a repeated message has only one effect ---- */

struct kept_answer {
	char id[ID_LEN + 1];		/* the id from rpc_stored_id() */
	const char *result;			/* NULL: the answer is the JSON null */
	/* the cast to the pool manager after the commit; NULL: no cast */
	const char *cast_method, *domain_id;
	/* digest of the call (runtime/rpc_digest.h) */
	uint8_t digest[RPC_DIGEST_LEN];
	/* the answer belongs to another call with this id */
	bool is_other;
};
/*
 * Reads the stored answer for the id in KEPT, and compares the digest in KEPT with the
 * stored digest. The strings are in the arena. False: the database has no answer for this
 * id.
 */
bool store_request_get(struct tx *tx, struct arena *arena, struct kept_answer *kept);
/* Stores answers. ERR_EXISTS in the transaction: one of the ids already has an answer. */
void store_requests_insert(struct tx *tx, const struct kept_answer *kept, size_t count);

/* ---- states (store_state.c); each function for 1 to TX_LIST_MAX domains ---- */

struct domain_state {
	char id[ID_LEN + 1];
	const char *name, *tenant;
	struct state is;
	int64_t changed_us;		/* microseconds since the last change */
};
/*
 * Locks the live domains among IDS, in the order of the ids, and reads their states into
 * FOUND. Skips domains that another transaction has locked. Returns the number of locked
 * domains.
 */
size_t store_domain_lock_states(struct tx *tx, const char *const *ids, size_t count,
                                struct arena *arena, struct domain_state *found);
/*
 * True: the domain ID exists and is not deleted. If store_domain_lock_states() has not
 * returned such a domain, another transaction has locked it.
 */
bool store_domain_is_live(struct tx *tx, const char *id);
void store_domain_set_states(struct tx *tx, struct arena *arena, const char *const *ids,
                             size_t count, const struct state *state, const char *reason);
/*
 * A domain, and the serial in a report about this domain. The report changes the state of
 * those records of the domain whose serial is not newer than the serial in the report.
 */
struct reported_serial {
	const char *domain_id;
	uint32_t serial;
};
/*
 * Applies REPORT to records of the domains in SERIALS, to at most 5000 records in one
 * call. True: further records are possibly left, so call the function again.
 */
bool store_record_apply_report(struct tx *tx, struct arena *arena, enum report report,
                               const struct reported_serial *serials, size_t count);

/* ---- domains (store_domain.c) ---- */

enum { DOMAIN_SORT_NAME, DOMAIN_SORT_CREATED, DOMAIN_SORT_UPDATED, DOMAIN_SORT_SERIAL };
/* names of the sort keys in calls; the list ends with NULL */
extern const char *const store_domain_sort_keys[];

struct domain_criterion {
	struct pattern name;
	const char *status, *task, *pool, *tenant;
	/* also the domains of other tenants that are shared with access->tenant */
	bool with_shared;
};

bool store_domain_get(struct tx *tx, const struct domain_key *key,
                      const struct access *access, struct arena *arena,
                      struct zone *zone);
/*
 * Like store_domain_get(), but also locks the row. If MAY_WAIT is true, the function
 * waits at most 0.25 s (TX_SHORT_LIMIT) for a row that another transaction has locked. If
 * the row is still locked after the wait, or if MAY_WAIT is false, the result is
 * ERR_LOCKED. store_domain_lock_wait() always waits for the row, so use this function
 * only on lanes.
 */
bool store_domain_lock(struct tx *tx, const struct domain_key *key,
                       const struct access *access, bool may_wait, struct arena *arena,
                       struct zone *zone);
bool store_domain_lock_wait(struct tx *tx, const struct domain_key *key,
                            const struct access *access, struct arena *arena,
                            struct zone *zone);
/*
 * Reads the domains of KEYS (1 to TX_LIST_MAX keys) into ZONES, for all tenants. If the
 * domain of keys[i] does not exist, zones[i] is unchanged. So set all elements of ZONES
 * to NULL before the call. Check each domain with store_domain_is_visible().
 */
void store_domain_get_several(struct tx *tx, struct arena *arena,
                              const struct domain_key *keys, size_t count,
                              const struct zone **zones);
bool store_domain_is_visible(const struct access *access, const struct zone *zone);
/*
 * Locks the domains of KEYS (1 to TX_LIST_MAX). Skips domains that another transaction
 * has locked. Sets locked[i] to true if this call has locked the domain of keys[i];
 * otherwise locked[i] is unchanged. Opens no snapshot.
 */
void store_domain_try_lock(struct tx *tx, struct arena *arena,
                           const struct domain_key *keys, size_t count, bool *locked);
/*
 * Call it after store_domain_try_lock(). Reads the domains of KEYS (1 to TX_LIST_MAX
 * keys) into ZONES, for all tenants, with the values that a change needs. Also reads
 * domains that store_domain_try_lock() has skipped. If the domain of keys[i] does not
 * exist, zones[i] is unchanged. So set all elements of ZONES to NULL before the call.
 * Before this call, the transaction must not read rows, because its snapshot must not be
 * older than the locks.
 */
void store_domain_read_locked(struct tx *tx, struct arena *arena,
                              const struct domain_key *keys, size_t count,
                              const struct zone **zones);
void store_domain_find(struct tx *tx, const struct access *access,
                       const struct domain_criterion *criterion,
                       const struct paging *paging, struct arena *arena,
                       struct tx_rows *rows);
bool store_domain_next(struct tx_rows *rows, struct zone *zone);
/* Inserts the row of the domain, and sets zone->is.version to 1. */
void store_domain_insert(struct tx *tx, struct zone *zone, enum store_wait wait);
/* Writes the numbers of record sets and records of a domain that was just inserted. */
void store_domain_set_counts(struct tx *tx, const struct zone *zone);
/*
 * Writes the description of the domain. The description is not part of the zone, so the
 * change needs no new serial. The version of ZONE grows by one.
 */
void store_domain_set_description(struct tx *tx, struct zone *zone);
/*
 * Writes only the attributes of the domain. Another function writes the new version in
 * the same transaction.
 */
void store_domain_set_attributes(struct tx *tx, const struct zone *zone);
/* The newest of all domains that had the same name. */
struct last_domain {
	uint32_t serial;
	const char *tenant;
	bool is_going;			/* the deletion of the domain is not complete */
};
/*
 * Finds the newest domain with this name, even if the domain is deleted, or if the
 * database contains only the serial of the domain. False: there was no domain with this
 * name.
 */
bool store_domain_find_last(struct tx *tx, const char *name, struct arena *arena,
                            struct last_domain *last);
/*
 * Finds a domain above or below NAME that does not belong to TENANT. RELATIVE: the name
 * of this domain.
 */
bool store_domain_foreign_relative(struct tx *tx, const struct name *name,
                                   const char *tenant, struct arena *arena,
                                   const char **relative);
/*
 * Checks that no other transaction has created a domain above or below ZONE at the same
 * time. Call it after the insertion of ZONE. ERR_RACE: there is such a domain, but the
 * snapshot of this transaction does not show it. If two insertions run at the same time,
 * at least one ends in ERR_RACE or ERR_LOCKED. The function locks the index entries of
 * the names above and below ZONE until the end of the transaction.
 */
void store_domain_check_relatives(struct tx *tx, const struct zone *zone,
                                  enum store_wait wait, struct arena *arena);
bool store_domain_child(struct tx *tx, const struct zone *zone, struct arena *arena,
                        const char **child);
struct parent_domain {
	const char *id, *name, *tenant;
};
/*
 * Finds the first domains below ZONE, of any tenant. Ignores catalog zones. In CHILDREN,
 * each domain precedes the domains below it. CHILDREN has room for MAX domains. Returns
 * the number of domains.
 */
struct child_domain {
	struct name name;
	const char *text, *tenant;
};
size_t store_domain_children(struct tx *tx, const struct zone *zone, struct arena *arena,
                             struct child_domain *children, size_t max);
/* Finds the nearest domain above ZONE, of any tenant. Ignores catalog zones. */
bool store_domain_parent(struct tx *tx, const struct zone *zone, struct arena *arena,
                         struct parent_domain *parent);
/*
 * Finds the live domains among NAMES. Writes their names to FOUND, and returns their
 * number. FOUND has room for COUNT names.
 */
size_t store_domain_existing(struct tx *tx, const char *const *names, size_t count,
                             struct arena *arena, struct name *found);

/* ---- record sets and records (store_recordset.c) ---- */

enum { RECORDSET_SORT_NAME, RECORDSET_SORT_CREATED, RECORDSET_SORT_UPDATED };
extern const char *const store_recordset_sort_keys[];
enum { RECORD_SORT_ID, RECORD_SORT_UPDATED };
extern const char *const store_record_sort_keys[];

struct record_criterion {
	struct pattern name;
	const char *status, *data;
	uint16_t type;			/* 0: any type */
	char domain_id[ID_LEN + 1];	/* "": any domain */
	/* only record sets that this tenant created by a share; NULL: all */
	const char *tenant;
	/*
	 * also the record sets that access->tenant created by shares in domains of other
	 * tenants
	 */
	bool with_shared;
};

/*
 * SQL condition: NAME is below ABOVE. A dot in NAME separates two labels only if an even
 * number of backslashes precedes this dot. For example, `a\.b.` is one label.
 */
#define STORE_BEFORE(name, above) \
	"LEFT(" name ", CAST(LENGTH(" name ") AS SIGNED) - LENGTH(" above ") - 1)"
#define STORE_IS_BELOW(name, above) \
	"LENGTH(" name ") > LENGTH(" above ") AND (" above " = '.' OR " \
	"RIGHT(" name ", LENGTH(" above ") + 1) = CONCAT('.', " above ") AND " \
	"(LENGTH(" STORE_BEFORE(name, above) ") - LENGTH(TRIM(TRAILING CHAR(92) FROM " \
	STORE_BEFORE(name, above) "))) % 2 = 0)"
/*
 * SQL expressions to look up the names above NAME in an index. STORE_DOTS is the number
 * of dots in a name (the root: 0). STORE_ENDING is the end of NAME with DOTS dots. Such
 * an end is a name above NAME only if STORE_IS_BELOW is true.
 */
#define STORE_DOTS(name) \
	"IF(" name " = '.', 0, LENGTH(" name ") - LENGTH(REPLACE(" name ", '.', '')))"
#define STORE_ENDING(name, dots) \
	"IF(" dots " = 0, '.', SUBSTRING_INDEX(" name ", '.', -" dots " - 1))"
/*
 * Returns one of NAMES (at most STORE_NAMES_MAX) that has a live DNAME record. Ignores a
 * DNAME record set from which the changes in SETS remove all records. NULL: there is no
 * such name.
 */
const char *store_recordset_dname(struct tx *tx, const char *domain_id,
                                  const char *const *names, size_t count,
                                  const struct rrsets *sets);
/*
 * Returns a name that has live records, is not in SETS, and is below one of NAMES. NAMES:
 * at most STORE_NAMES_MAX names, each with DOTS dots (the root has 0). NULL: there is no
 * such name. The statement reads all names of the domain in an index. For 100 000 names,
 * the statement takes about 40 ms.
 */
const char *store_recordset_below(struct tx *tx, const char *domain_id, uint32_t dots,
                                  const char *const *names, size_t count,
                                  const struct rrsets *sets);
/* Reads all record sets at NAMES (at most STORE_NAMES_MAX) with their live records. */
void store_recordset_read(struct tx *tx, const char *domain_id, const char *const *names,
                          size_t count, struct rrsets *sets);
/* A name at which store_recordset_read_several() reads the record sets. */
struct sets_wanted {
	const char *domain_id, *name;
	struct rrsets *sets;		/* result; the same for all names of one domain */
};
void store_recordset_read_several(struct tx *tx, struct arena *arena,
                                  const struct sets_wanted *wanted, size_t count);
/*
 * Sets the serial of all live records that use the default TTL to SERIAL. Call the
 * function after a change of the default TTL. Returns the number of these records.
 */
int64_t store_record_touch_default(struct tx *tx, const char *domain_id, uint32_t serial);
bool store_recordset_get(struct tx *tx, const char *domain_id, const char *id,
                         struct arena *arena, struct recordset *set);
/*
 * Finds the record sets that match CRITERION. Leaves out record sets whose records are
 * all DELETED.
 */
void store_recordset_find(struct tx *tx, const struct access *access,
                          const struct record_criterion *criterion,
                          const struct paging *paging, struct arena *arena,
                          struct tx_rows *rows);
/*
 * Reads one record set without its records. The times in SET are milliseconds since 1970.
 */
bool store_recordset_next(struct tx_rows *rows, struct recordset *set);
/*
 * Reads the records of SETS. Sorts the records of each set in canonical order. The record
 * sets may be in any order.
 */
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

/* A record that a producer manages. */
struct managed_record {
	const char *managed_by, *name, *data;
	uint16_t type;
};
/* Finds a live record of the domain that a producer manages. */
bool store_record_managed(struct tx *tx, const char *domain_id, struct arena *arena,
                          struct managed_record *record);
/*
 * Finds a record that a producer manages and that the change with this SERIAL has
 * deleted.
 */
bool store_record_managed_deleted(struct tx *tx, const char *domain_id, uint32_t serial,
                                  struct arena *arena, struct managed_record *record);

/* ---- imports (store_import.c) ---- */

enum import_state { IMPORT_OPEN, IMPORT_COMMITTING, IMPORT_DONE, IMPORT_ERROR };

struct import {
	char id[ID_LEN + 1];
	const char *tenant, *domain_name;
	enum import_state state;
	const char *state_name;		/* name of the state, for example "OPEN" */
	/*
	 * JSON with the domain, the mode and the rights of the caller; from the column
	 * `wish`
	 */
	const char *spec;
	uint32_t parts, records;
	const char *result, *reason;	/* result may be NULL */
	/*
	 * class of the error, for example "OverQuota"; "": no error, cancelled, or open
	 * for too long
	 */
	const char *error;
	/* the process of the last attempt; "": no attempt yet */
	const char *worker;
	uint32_t attempts;		/* number of started commits */
	const char *created_at, *updated_at;
};

/* One checked record of a part. */
struct staged {
	char id[ID_LEN + 1];
	const struct change *record;	/* a CHANGE_ADD with one record */
};

bool store_import_get(struct tx *tx, const char *id, const struct access *access,
                      struct arena *arena, struct import *import);
bool store_import_lock(struct tx *tx, const char *id, const struct access *access,
                       struct arena *arena, struct import *import);
/*
 * Like store_import_lock(), but for the event loop. If MAY_WAIT is true, the function
 * waits at most 0.25 s (TX_SHORT_LIMIT) for a row that another transaction has locked. If
 * the row is still locked after the wait, or if MAY_WAIT is false, the result is
 * ERR_LOCKED.
 */
bool store_import_lock_now(struct tx *tx, const char *id, const struct access *access,
                           bool may_wait, struct arena *arena, struct import *import);
void store_import_insert(struct tx *tx, const struct import *import);
/* Counts the unfinished imports of the tenant, and the records in these imports. */
void store_import_counts(struct tx *tx, const char *tenant, int64_t *count,
                         int64_t *records);
/*
 * Stores RECORDS as the part PART of the import ID. If the part already exists, RECORDS
 * replace its records. So a caller can safely send a part twice.
 */
void store_import_stage(struct tx *tx, const char *id, uint32_t part,
                        const struct staged *records, size_t count, struct arena *arena);
/*
 * Claims the import ID for the process WORKER, if the import is in the state COMMITTING
 * and no transaction has locked its row. If ID is "", the function claims the oldest such
 * import whose pause is over, and writes the id of this import to ID. The pause after the
 * first attempt is 4 seconds. After each further attempt, the pause doubles, up to 120
 * seconds. A claim is not a lock: if two processes claim an import, one process waits for
 * the row.
 */
bool store_import_claim(struct tx *tx, const char *worker, char id[ID_LEN + 1]);
/*
 * Marks this database session as the session that is committing the import. If another
 * session has this mark, the function waits up to WAIT_S seconds until that session loses
 * the mark. A session loses the mark at its end, or with store_import_leave_session().
 */
void store_import_take_session(struct tx *tx, const char *id, int wait_s);
void store_import_leave_session(struct tx *tx);
/*
 * Finds a database session that is still committing an import, although the process of
 * the last attempt is dead.
 */
bool store_import_dead_session(struct tx *tx, char id[ID_LEN + 1], int64_t *connection);
/*
 * Ends the session. As a result, the database server rolls back the transaction of the
 * session. A database account may always end its own sessions.
 */
void store_import_end_session(struct tx *tx, int64_t connection);
/*
 * Returns one more than the largest number of a part with records. If the numbers of the
 * parts have no gap, the result is equal to import->parts.
 */
uint32_t store_import_part_numbers(struct tx *tx, const char *id);
/* Stores the argument `version` of commit_import, as "version" of import->spec. */
void store_import_set_version(struct tx *tx, const char *id, int64_t version);
void store_import_set_state(struct tx *tx, const char *id, enum import_state state,
                            const char *result);
/* Sets the state ERROR. ERR is OK if a caller cancelled the import. */
void store_import_set_error(struct tx *tx, const char *id, enum err err,
                            const char *reason);
/*
 * Reads the SOA record of the staged zone. Returns the number of different SOA records in
 * the zone. 2: there are two or more.
 */
int store_import_soa(struct tx *tx, const char *id, struct arena *arena,
                     struct rdata *soa, uint32_t *ttl);
/*
 * Finds the place of the last staged record with NAME and TYPE (0: any type). False:
 * there is no such record.
 */
bool store_import_place(struct tx *tx, const char *id, const char *name, uint16_t type,
                        uint32_t *part, uint32_t *position);
/* Reads the hosts of the staged NS records at NAME, at most MAX. */
size_t store_import_ns(struct tx *tx, const char *id, const char *name,
                       struct arena *arena, const char **hosts, size_t max);

/*
 * The commit of an import consists of the following functions. Lock the domain, and call
 * the functions in this order. Each function runs set-based statements.
 */
struct import_step {
	const char *import_id;
	const struct zone *zone;
	uint32_t serial;
	bool only_named;	/* keep record sets that are not in the import */
};
/* A staged or live record with its spelling, for import_fold.h. */
struct spelling {
	const char *name;
	uint16_t type;
	struct rdata rdata;
	bool is_staged;
};
struct import_place {
	uint32_t part;
	int64_t position;
};
enum { IMPORT_CAPITALS_MAX = 100 };
/*
 * Reads the owner names of the next staged records after PLACE whose data contains names
 * and capital letters. Moves PLACE to the last of these records. NAMES can contain a name
 * several times. Returns the number of names.
 */
size_t store_import_capitals(struct tx *tx, const char *id, struct import_place *place,
                             struct arena *arena,
                             const char *names[IMPORT_CAPITALS_MAX]);
/*
 * Reads the next owner names after AFTER (if AFTER is "", from the first name). Each of
 * these names has a record set with both staged and live records. The data of at least
 * one of these live records contains names and capital letters. Returns the number of
 * names.
 */
size_t store_import_live_capitals(struct tx *tx, const struct import_step *step,
                                  const char *after, struct arena *arena,
                                  const char *names[IMPORT_CAPITALS_MAX]);
/*
 * Reads the records at NAMES. Skips the types whose data contains no names. IS_STAGED
 * true: reads the staged records. IS_STAGED false: reads the live records.
 */
void store_import_spellings(struct tx *tx, const struct import_step *step,
                            bool is_staged, const char *const *names, size_t count,
                            struct arena *arena, struct tx_rows *rows);
bool store_import_spelling_next(struct tx_rows *rows, struct spelling *spelling);
/*
 * Replaces the data of all staged records that have the name, type and data of FROM. TO:
 * the new data.
 */
void store_import_spell(struct tx *tx, const char *id, const struct spelling *from,
                        const struct rdata *to);
/*
 * Gives the task DELETE to the live records that are not in the import. If
 * step->only_named is true, the function changes only record sets that are in the import.
 * Returns the number of changed records.
 */
int64_t store_import_delete(struct tx *tx, const struct import_step *step);
/*
 * For each record set that gets a new TTL from the import: sets the serial of its live
 * records to the serial of the step. Omits RRSIG records. Returns the number of changed
 * records.
 */
int64_t store_import_touch(struct tx *tx, const struct import_step *step);
void store_import_recordsets(struct tx *tx, const struct import_step *step);
void store_import_records(struct tx *tx, const struct import_step *step);
/* Sets updated_at of each record set in which the step has changed a record. */
void store_import_date_recordsets(struct tx *tx, const struct import_step *step);
/*
 * Counts the live records with the serial of the step. These are new records, and records
 * with a new TTL.
 */
int64_t store_import_count(struct tx *tx, const struct import_step *step);
/*
 * Counts the live record sets and records of the domain, and writes the numbers to ZONE.
 */
void store_import_totals(struct tx *tx, struct zone *zone);
/*
 * Appends the RRs of the records with the serial of the step to RRS. If LIVE is true, the
 * function omits deleted records. Returns false if the RRs need more than MAX bytes.
 */
bool store_import_affected(struct tx *tx, const struct import_step *step, bool live,
                           int64_t max, struct arena *arena, struct buf *rrs);
/*
 * These functions check the rules of core/rules.h (store_import_rules.c). Each function
 * returns a name at which the step violates a rule. NULL: there is no such name. A
 * function checks only record sets that the import changes, because the database can
 * contain record sets that are older than a rule.
 */
const char *store_import_cname_clash(struct tx *tx, const struct import_step *step,
                                     struct arena *arena);
const char *store_import_not_single(struct tx *tx, const struct import_step *step,
                                    struct arena *arena);
const char *store_import_inside_child(struct tx *tx, const struct import_step *step,
                                      struct arena *arena);
const char *store_import_ns_at_dname(struct tx *tx, const struct import_step *step,
                                     struct arena *arena);
const char *store_import_below_dname(struct tx *tx, const struct import_step *step,
                                     struct arena *arena);
const char *store_import_not_hash(struct tx *tx, const struct import_step *step,
                                  struct arena *arena);
const char *store_import_too_large(struct tx *tx, const struct import_step *step,
                                   int64_t max, struct arena *arena);
const char *store_import_above_quota(struct tx *tx, const struct import_step *step,
                                     int64_t max, struct arena *arena);
/*
 * store_import_has_set() returns true if the domain has live records with NAME and TYPE.
 * store_import_changes_set() returns true if the step has changed such records.
 */
bool store_import_has_set(struct tx *tx, const struct zone *zone, const char *name,
                          uint16_t type);
bool store_import_changes_set(struct tx *tx, const struct import_step *step,
                              const char *name, uint16_t type);
/* Finds at most MAX names of the domain that have an NS, MX or SRV record set. */
size_t store_import_host_names(struct tx *tx, const struct zone *zone,
                               struct arena *arena, const char **names, size_t max);
/*
 * Finds at most MAX names with a record set of two or more records about which
 * core/advice_set.h possibly warns. Looks only at the first SETS record sets of the
 * domain.
 */
size_t store_import_doubtful_names(struct tx *tx, const struct zone *zone, int64_t sets,
                                   struct arena *arena, const char **names, size_t max);
/*
 * Appends a warning for each record set with several TTLs in the import. A warning names
 * the place of the last record of the set. Appends at most MAX warnings. If there are
 * further record sets with several TTLs, appends one more warning.
 */
void store_import_ttl_names(struct tx *tx, const char *id, struct arena *arena,
                            size_t max, json_t *warnings);

/* ---- pools (store_pool.c) ---- */

enum { POOL_SORT_NAME, POOL_SORT_CREATED };
extern const char *const store_pool_sort_keys[];

/* Finds a pool by ID. If ID is "", finds the pool by NAME. */
bool store_pool_get(struct tx *tx, const char *id, const char *name, struct arena *arena,
                    struct pool *pool);
bool store_pool_lock(struct tx *tx, const char *id, const char *name,
                     enum store_wait wait, struct arena *arena, struct pool *pool);
void store_pool_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                     struct tx_rows *rows);
bool store_pool_next(struct tx_rows *rows, struct pool *pool);
void store_pool_ns_records(struct tx *tx, struct arena *arena, struct pool *pool);
/*
 * Reads all pools for the scheduler, sorted by name. The function does not set
 * is_default. Returns the number of pools.
 */
size_t store_pool_candidates(struct tx *tx, struct arena *arena,
                             struct candidate **pools);
void store_pool_insert(struct tx *tx, const struct pool *pool, enum store_wait wait);
void store_pool_update(struct tx *tx, const struct pool *pool);
/* Writes pool->catalog_id to the row of the pool. "": the pool has no catalog zone. */
void store_pool_set_catalog(struct tx *tx, const struct pool *pool);
/*
 * True: pool managers have reported servers of the pool, and no server has the backend
 * `catalog`.
 */
bool store_pool_lacks_reader(struct tx *tx, const struct pool *pool);
void store_pool_set_ns_records(struct tx *tx, const struct pool *pool,
                               struct arena *arena);

/* ---- quotas (store_admin.c) ---- */

/* Sets the limit of the tenant for RESOURCE. LIMIT -1: no limit. */
void store_quota_set(struct tx *tx, const char *tenant, const char *resource,
                     int64_t limit, enum store_wait wait);
/*
 * Deletes the limit of the tenant for RESOURCE, so that the configured limit applies
 * again.
 */
void store_quota_reset(struct tx *tx, const char *tenant, const char *resource,
                       enum store_wait wait);
/* Reads the limit. If the tenant has no own limit, LIMIT is unchanged. */
void store_quota_get(struct tx *tx, const char *tenant, const char *resource,
                     int64_t *limit);
/* Deletes all limits of the tenant. */
void store_quota_reset_all(struct tx *tx, const char *tenant, enum store_wait wait);

/* A limit of a tenant, with the number of domains of the tenant. */
struct quota_row {
	const char *tenant, *resource;
	int64_t limit, domains;
};
/*
 * Finds the own limits of TENANT. store_quota_find_all() finds the own limits of the
 * first MAX tenants after the tenant AFTER. The limits of a tenant follow each other.
 */
void store_quota_find(struct tx *tx, const char *tenant, struct arena *arena,
                      struct tx_rows *rows);
void store_quota_find_all(struct tx *tx, const char *after, uint32_t max,
                          struct arena *arena, struct tx_rows *rows);
bool store_quota_next(struct tx_rows *rows, struct quota_row *row);

/* ---- TSIG keys (store_tsigkey.c) ---- */

/* Identifies a key in a call, by id or by name. */
struct tsigkey_key {
	char id[ID_LEN + 1];		/* "": use the name */
	const char *name;		/* name in canonical form */
};

struct tsigkey {
	char id[ID_LEN + 1];
	const char *name, *algorithm;
	const char *secret;		/* secret in base64; NULL in a list */
	/* the domain that the key may transfer; NULL: a key for servers */
	const char *domain_id, *domain;
	const char *created_at, *updated_at;
};
extern const char *const store_tsigkey_sort_keys[];	/* the only key is "name" */

bool store_tsigkey_get(struct tx *tx, const struct tsigkey_key *by, struct arena *arena,
                       struct tsigkey *key);
/*
 * Like store_tsigkey_get(), but also locks the row. Does not read the name of the
 * domain.
 */
bool store_tsigkey_lock(struct tx *tx, const struct tsigkey_key *by,
                        enum store_wait wait, struct arena *arena, struct tsigkey *key);
/* Finds the keys of one page. Does not read the secrets. */
void store_tsigkey_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                        struct tx_rows *rows);
bool store_tsigkey_next(struct tx_rows *rows, struct tsigkey *key);
/*
 * Inserts the key. WAIT: how long the statement waits for the rows of the key and of the
 * domain.
 */
void store_tsigkey_insert(struct tx *tx, const struct tsigkey *key, enum store_wait wait);
/* Writes the algorithm and the secret of KEY to its row. */
void store_tsigkey_update(struct tx *tx, const struct tsigkey *key);
void store_tsigkey_delete(struct tx *tx, const char *id);
/* Deletes the TSIG keys of a domain, except keys that a name server uses. */
void store_tsigkey_delete_of_domain(struct tx *tx, const char *domain_id,
                                    enum store_wait wait);
/* Finds the first server that uses the key NAME. False: no server uses this key. */
bool store_tsigkey_user(struct tx *tx, const char *name, struct arena *arena,
                        const char **pool, const char **server);

/* ---- name servers (store_admin.c) ---- */

/*
 * A server of a pool. `behind` counts the domains whose newest serial the server does not
 * serve, except domains that are being deleted. `failed` counts the domains whose last
 * operation on the server failed, or whose records on the server differ from the
 * database. `unchecked` counts the zones whose settings the pool manager has not yet
 * compared with the newest settings. `last_error` is the reason why the server does not
 * work. If the server works, `last_error` is the newest reason of a failed operation.
 */
struct server_summary {
	const char *id, *pool, *backend, *host, *state, *health, *last_error;
	uint32_t port;
	int64_t behind, failed, unchecked;
};
void store_status_servers(struct tx *tx, const char *pool, struct arena *arena,
                          struct tx_rows *rows);
bool store_status_next_server(struct tx_rows *rows, struct server_summary *server);

/* The state of one domain on one server. */
struct server_status {
	const char *id, *action, *status, *reason, *next_attempt_at, *seen_at, *state;
	const char *backend;		/* "": the server is removed */
	const char *health;		/* as in struct server_summary */
	bool has_serial;
	bool differs;			/* a comparison has found different records */
	uint32_t serial, attempts;
};
/*
 * Sets the state of a server to STATE: ACTIVE, DRAINED or REMOVED. False: there is no
 * such server.
 */
bool store_server_set(struct tx *tx, const char *pool, const char *id, const char *state,
                      enum store_wait wait);
/*
 * Counts the ACTIVE servers of a pool. If OF_CATALOG is true, the function counts only
 * servers that read the catalog zone of the pool.
 */
int64_t store_status_server_count(struct tx *tx, const char *pool, bool of_catalog);
/*
 * Reads the rows about the domain on each server. Also returns a row for each server of
 * the pool that has not reported on the domain yet. Such a row has no status and no
 * seen_at. Its reason names the step that the server waits for.
 */
void store_status_domain(struct tx *tx, const struct zone *zone, struct arena *arena,
                         struct tx_rows *rows);
bool store_status_next(struct tx_rows *rows, struct server_status *status);
/*
 * Finds the servers that possibly still serve a deleted domain. Each row contains a
 * server and a reason.
 */
void store_status_undeleted(struct tx *tx, const struct zone *zone, struct arena *arena,
                            struct tx_rows *rows);
bool store_status_next_undeleted(struct tx_rows *rows, const char **server_id,
                                 const char **reason);
