/*
 * store_health -- the health of a server in its row of pool_servers. All pool managers
 * of the pool write this row. A statement changes the row only if no other process has
 * changed it since this process read it.
 */
#pragma once

#include "core/health.h"
#include "runtime/tx.h"

/* Columns of pool_servers p, in the order of store_read_health(). */
#define HEALTH_COLUMNS "p.control_failures, " \
                       "COALESCE(p.control_next_try_at <= NOW(3), 1), " \
                       "p.failures, COALESCE(p.next_try_at <= NOW(3), 1)"
void store_read_health(struct tx_rows *rows, struct health health[CHANNELS]);
/* False: no such server. */
bool store_health(struct tx *tx, const char *pool, const char *server_id,
                  struct health health[CHANNELS]);
/*
 * Changes the row from HEALTH to MOVE. REASON NULL: keeps the old reason. False: another
 * process has changed the row, or no probe is due.
 */
bool store_health_move(struct tx *tx, const char *pool, const char *server_id,
                       enum channel channel, const struct health *health,
                       const struct health_move *move, const char *reason);
