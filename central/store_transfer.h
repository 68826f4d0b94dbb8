/*
 * store_transfer -- the SQL statements for transfer requests. When a request expires, no
 * statement changes its row. The row still has the state OPEN, but the functions return
 * TRANSFER_EXPIRED. A request about a domain that is being deleted is also expired.
 *
 * accept_transfer knows only the id of the request, so it locks the row of the request
 * before the row of the domain. If this causes a deadlock, central runs the call again.
 */
#pragma once

#include "store.h"

enum transfer_state {
	TRANSFER_OPEN, TRANSFER_ACCEPTED, TRANSFER_WITHDRAWN, TRANSFER_EXPIRED,
	TRANSFER_STATES
};
extern const char *const transfer_state_names[TRANSFER_STATES];	/* "OPEN", ... */

enum { TRANSFER_HASH_LEN = 64 };	/* hexadecimal digits */

struct transfer {
	char id[ID_LEN + 1];
	char domain_id[ID_LEN + 1];
	const char *domain;		/* name of the domain */
	const char *tenant;		/* the tenant that made the request */
	const char *target_tenant;	/* "": each tenant with the key may accept */
	const char *key_hash;		/* SHA-256 of the key */
	const char *description;
	enum transfer_state state;
	const char *accepted_by;	/* "": no tenant has accepted */
	const char *created_at, *updated_at, *expires_at;
};

struct transfer_criterion {
	char domain_id[ID_LEN + 1];	/* "": all domains */
	const char *domain;		/* name of the domain; NULL: all domains */
	const char *state;		/* NULL: all states */
};
extern const char *const store_transfer_sort_keys[];	/* the only key is "created_at" */

/*
 * Finds the request ID if ACCESS allows it. Only these callers may see a request: the
 * tenant that made it, its target tenant, the tenant that accepted it, and
 * administrators. accept_transfer uses full access, so it must check the key.
 */
bool store_transfer_get(struct tx *tx, const char *id, const struct access *access,
                        struct arena *arena, struct transfer *transfer);
/*
 * Like store_transfer_get(), but also locks the row. Does not read the name of the
 * domain, and does not look whether the domain is being deleted.
 */
bool store_transfer_lock(struct tx *tx, const char *id, const struct access *access,
                         enum store_wait wait, struct arena *arena,
                         struct transfer *transfer);
void store_transfer_find(struct tx *tx, const struct access *access,
                         const struct transfer_criterion *criterion,
                         const struct paging *paging, struct arena *arena,
                         struct tx_rows *rows);
bool store_transfer_next(struct tx_rows *rows, struct transfer *transfer);

enum { TRANSFERS_MAX = 100 };		/* of one domain */
/* Returns the number of requests about the domain, in all states. */
int64_t store_transfer_count(struct tx *tx, const char *domain_id);
/*
 * Sets the state of an expired request about the domain to EXPIRED. Then inserts
 * TRANSFER, which expires after EXPIRES_S seconds. ERR_EXISTS in the transaction: the
 * domain has an open request.
 */
void store_transfer_insert(struct tx *tx, const struct transfer *transfer,
                           int64_t expires_s, enum store_wait wait);
/* Writes state, accepted_by, target_tenant and description to the row. */
void store_transfer_update(struct tx *tx, const struct transfer *transfer);
/* Gives the locked domain to TENANT. Increments the version of ZONE. */
void store_transfer_domain(struct tx *tx, struct zone *zone, const char *tenant);
/*
 * Deletes requests that expired, or that a tenant accepted or withdrew, more than AGE_S
 * seconds ago. Returns their number.
 */
int64_t store_transfer_sweep(struct tx *tx, int64_t age_s);
