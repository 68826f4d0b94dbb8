/*
 * store_private -- what the files of the store share.
 */
#pragma once

#include "store.h"

/* Placeholder network of tombstones whose network is unknown. */
#define NO_NETWORK "00000000000000000000000000000000"
void store_network_put_placeholder(struct tx *tx);

/* Whether SQL, which selects at most one row, selects one. */
bool store_exists(struct tx *tx, const char *sql, const struct tx_value *bind);
/* The first column of its row; NULL: no row. */
const char *store_text(struct tx *tx, struct arena *arena, const char *sql,
                       const struct tx_value *bind);

/* Counts the claimed zones of ZONES for their tenants and makes them due. */
void store_zones_claim(struct tx *tx, const struct zone_key *zones, size_t count);

/* Reads the columns address and bits. */
void store_cidr(struct tx_rows *rows, struct prefix *cidr);
