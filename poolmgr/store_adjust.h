/*
 * store_adjust -- the SQL statements of adjust.h. The CREATE row of a domain on a server
 * contains the digest of the settings that its zone had when the pool manager last
 * created or checked it. The row of the server contains the digest of the newest
 * settings.
 */
#pragma once

#include "model/domain.h"
#include "runtime/tx.h"
#include "scope.h"
#include "servers.h"

/* Writes the time of the clock of the database minus AGE_MS to TEXT. */
void store_settings_at(struct tx *tx, int64_t age_ms, char text[SETTINGS_AT_LEN + 1]);

/*
 * Reads at most MAX domains of the scope whose zone on the server was not checked against
 * DIGEST, into the arena. Returns their number.
 */
size_t store_unadjusted(struct tx *tx, struct arena *arena, const struct scope *scope,
                        const char *server_id, const char *digest,
                        struct domain_ref *domains, size_t max);
/* Writes to the row of the zone that the zone has the settings of DIGEST. */
void store_adjusted(struct tx *tx, const char *domain_id, const char *server_id,
                    const char *digest);
/*
 * Makes another check of the zones due, for at most TX_LIST_MAX domains on all servers.
 */
void store_adjust_again(struct tx *tx, struct arena *arena, const char *const *ids,
                        size_t count);
/*
 * Like store_adjust_again(), but for one domain, on the event loop. Does not wait for
 * locked rows.
 */
void store_adjust_one_again(struct tx *tx, const char *domain_id);
