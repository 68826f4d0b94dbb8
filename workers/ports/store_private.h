/*
 * store_private -- between the files of the store: what more than one of them reads.
 */
#pragma once

#include "store.h"

/* A network of which nobody knows more than that something gone was of it. */
#define NO_NETWORK "00000000000000000000000000000000"
void store_network_put_placeholder(struct tx *tx);

/* Of ZONES those that are claimed count for their projects from now on, and are due. */
void store_zones_claim(struct tx *tx, const struct zone_key *zones, size_t count);

/* The columns address and bits. */
void store_cidr(struct tx_rows *rows, struct prefix *cidr);
