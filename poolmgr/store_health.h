/*
 * store_health -- reads and writes the health of a server, which is in the row of the
 * server in pool_servers. All pool managers of the pool write this row. A statement
 * changes the row only if no other process has changed the health since this process read
 * the row.
 */
#pragma once

#include "core/health.h"
#include "runtime/tx.h"

/* Columns of pool_servers p, in the order of store_read_health(). */
#define HEALTH_COLUMNS "p.control_failures, " \
                       "COALESCE(p.control_next_try_at <= NOW(3), 1), " \
                       "p.failures, COALESCE(p.next_try_at <= NOW(3), 1)"
void store_read_health(struct tx_rows *rows, struct health health[CHANNELS]);
/* Reads the health of a server from its row. False: no such server. */
bool store_health(struct tx *tx, const char *pool, const char *server_id,
                  struct health health[CHANNELS]);
/*
 * Changes the row from HEALTH to MOVE. REASON NULL: keeps the old reason. False: another
 * process has changed the row, or no probe is due.
 */
bool store_health_move(struct tx *tx, const char *pool, const char *server_id,
                       enum channel channel, const struct health *health,
                       const struct health_move *move, const char *reason);
