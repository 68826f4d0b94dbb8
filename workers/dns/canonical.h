/*
 * canonical -- a record as it is compared: uncompressed, and in lower case its owner and
 * the names within its rdata, for a server may write them in its own way. Two records are
 * the same if these octets are: owner, type, class, TTL, rdata.
 *
 * RFC 4034 6.2 lists the types whose names are folded, and RFC 3597 4 those that may come
 * compressed. We do both with every type that is known to have names, later ones too, as
 * servers do: the case of a name means nothing, wherever it stands.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "model/rr.h"

enum {
	CANONICAL_FIXED = 8,		/* type, class, TTL */
	CANONICAL_MAX = NAME_MAX_WIRE + CANONICAL_FIXED + UINT16_MAX,
};

struct canonical {
	uint16_t type;
	uint32_t ttl;
	size_t len;
	size_t rdata;			/* where it begins; the owner is at 0 */
	uint8_t octets[CANONICAL_MAX];
};

/*
 * RR as it was read from MESSAGE, whose pointers are counted on. False: its rdata is not
 * what its type says.
 */
bool canonical_of_packet(struct packet_reader *message, const struct packet_rr *rr,
                         struct canonical *canonical);
bool canonical_of_rr(const struct rr *rr, struct canonical *canonical);
