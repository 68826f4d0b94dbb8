/* store_private -- declarations that only the files of the store use. */
#pragma once

#include "store.h"

/* The network id in a tombstone whose network is unknown. */
#define NO_NETWORK "00000000000000000000000000000000"
void store_network_put_placeholder(struct tx *tx);

/* Counts the claimed zones of ZONES for their tenants, and makes these zones due. */
void store_zones_claim(struct tx *tx, const struct zone_key *zones, size_t count);

/* Reads the columns address and bits. */
void store_cidr(struct tx_rows *rows, struct prefix *cidr);
