/*
 * store_adjust -- the SQL statements of adjust.h. The CREATE row of a domain on a server
 * contains the digest of the settings that the zone had when the pool manager last
 * created or checked the zone. The row of the server contains the digest of the newest
 * settings.
 */
#pragma once

#include "model/domain.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"

/* Writes the current time of the clock of the database, minus AGE_MS, to TEXT. */
void store_settings_at(struct tx *tx, int64_t age_ms, char text[SETTINGS_AT_LEN + 1]);

/*
 * Finds the domains in SCOPE whose zones on the server must be checked, because their
 * rows have a digest other than DIGEST. Reads at most MAX domains, with strings in the
 * arena, and returns the number of domains.
 */
size_t store_unadjusted(struct tx *tx, struct arena *arena, const struct scope *scope,
                        const char *server_id, const char *digest,
                        struct domain_ref *domains, size_t max);
/* Writes to the row of the zone that the zone has the settings of DIGEST. */
void store_adjusted(struct tx *tx, const char *domain_id, const char *server_id,
                    const char *digest);
/*
 * Makes a new check due for the zones of the domains IDS, on all servers. COUNT is at
 * most TX_LIST_MAX.
 */
void store_adjust_again(struct tx *tx, struct arena *arena, const char *const *ids,
                        size_t count);
/*
 * Like store_adjust_again(), but for one domain, on the event loop. Does not wait for
 * locked rows.
 */
void store_adjust_one_again(struct tx *tx, const char *domain_id);
