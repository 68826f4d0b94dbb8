/* store_private -- declarations that only the files of the store use. */
#pragma once

#include "store.h"

/* The network id in tombstones of objects whose network is unknown. */
#define NO_NETWORK "00000000000000000000000000000000"
/* Inserts the row of this network if the row is missing. */
void store_network_put_placeholder(struct tx *tx);

/*
 * If is_claimed of a zone is true, writes made_for of the zone, so the zone counts for
 * this tenant. Also makes this zone due.
 */
void store_zones_claim(struct tx *tx, const struct zone_key *zones, size_t count);

/* Reads the columns address and bits. */
void store_cidr(struct tx_rows *rows, struct prefix *cidr);
