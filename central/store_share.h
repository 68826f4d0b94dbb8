/*
 * store_share -- the SQL statements for shares: the right of a tenant to create record
 * sets in a domain of another tenant.
 */
#pragma once

#include "core/share.h"
#include "store.h"

struct domain_share {
	char id[ID_LEN + 1];
	char domain_id[ID_LEN + 1];
	const char *domain;		/* name of the domain */
	const char *tenant;		/* tenant of the domain */
	const char *target_tenant;
	/* the share covers this name and all names below */
	const char *name;
	const char *created_at;
};

struct share_criterion {
	char domain_id[ID_LEN + 1];	/* "": all domains */
	const char *domain;		/* name of the domain; NULL: all domains */
	const char *target_tenant;	/* NULL: all tenants */
};
extern const char *const store_share_sort_keys[];	/* the only key is "created_at" */

enum { SHARES_MAX = 100 };		/* of one domain with one tenant */

/* Finds the share ID if the caller is the tenant of the domain or the target tenant. */
bool store_share_get(struct tx *tx, const char *id, const struct access *access,
                     struct arena *arena, struct domain_share *share);
/*
 * Locks the row of the share. Does not read the name and the tenant of the domain,
 * because a join would also lock its row.
 */
bool store_share_lock(struct tx *tx, const char *id, enum store_wait wait,
                      struct arena *arena, struct domain_share *share);
void store_share_find(struct tx *tx, const struct access *access,
                      const struct share_criterion *criterion,
                      const struct paging *paging, struct arena *arena,
                      struct tx_rows *rows);
bool store_share_next(struct tx_rows *rows, struct domain_share *share);
/* ERR_EXISTS in the transaction: the same share already exists. */
void store_share_insert(struct tx *tx, const struct domain_share *share,
                        enum store_wait wait);
void store_share_delete(struct tx *tx, const char *id);

/* Returns the number of shares of the domain with TENANT. */
int64_t store_share_count(struct tx *tx, const char *domain_id, const char *tenant);
/*
 * Reads the rights of access->tenant in the domain, of at most SHARES_MAX shares. False:
 * the domain is not shared with this tenant, which can be "".
 */
bool store_share_rights(struct tx *tx, const char *domain_id, const struct access *access,
                        struct arena *arena, struct share_rights *rights);
/*
 * True: the domain KEY is shared with TENANT. Reads no values of the domain, because an
 * error about a value must not show that the domain exists.
 */
bool store_share_domain(struct tx *tx, const struct domain_key *key, const char *tenant);
/* True: a domain is shared with TENANT. */
bool store_share_has(struct tx *tx, const char *tenant);

/* Finds a record set with records that a tenant created in the domain by a share. */
bool store_share_any_set(struct tx *tx, const char *domain_id, struct arena *arena,
                         struct recordset *set);
/*
 * Reads record sets with records that the tenant created in the domain, in the order of
 * their ids. AFTER: the id of the last record set of the previous page, or "". Sets only
 * id, name, type and tenant of SETS. Returns their number.
 */
struct set_owner {
	const char *domain_id, *tenant;
};
enum { SHARE_SETS = 500 };
size_t store_share_sets(struct tx *tx, const struct set_owner *owner, const char *after,
                        struct arena *arena, struct recordset sets[SHARE_SETS]);
/*
 * Finds a record set of another tenant whose records have changed with SERIAL. Sets only
 * id, name, type and tenant of SET.
 */
bool store_share_changed(struct tx *tx, const char *domain_id, uint32_t serial,
                         struct arena *arena, struct recordset *set);
/* Gives these record sets to the tenant of the domain. */
void store_share_take_sets(struct tx *tx, struct arena *arena,
                           const struct recordset *sets, size_t count);
/*
 * Changes the row and the version of the locked domain, although its values stay. So a
 * transaction that has read the shares before, and locks the domain later, runs again
 * (db.h). Increments the version of ZONE.
 */
void store_share_touch(struct tx *tx, struct zone *zone);
/* Deletes all shares of the domain with TENANT. */
void store_share_delete_all(struct tx *tx, const char *domain_id, const char *tenant);
