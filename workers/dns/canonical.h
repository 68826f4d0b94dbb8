/*
 * canonical -- a record in the canonical form, for comparisons. The record is
 * uncompressed. The owner of the record and the names in the rdata are in lower case,
 * because some servers change letters to upper or lower case. Two records are equal if
 * the octets of their owners, types, classes, TTLs and rdata are equal.
 *
 * Section 6.2 of RFC 4034 lists the types whose names have to be in lower case. Section 4
 * of RFC 3597 lists the types whose names may be compressed. canonical.c converts and
 * expands the names of all types that are known to contain names. Name servers do the
 * same, because the case of a name has no meaning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/packet.h"
#include "model/rr.h"

enum {
	CANONICAL_FIXED = 8,		/* octets of the type, class and TTL */
	CANONICAL_MAX = NAME_MAX_WIRE + CANONICAL_FIXED + UINT16_MAX,
};

struct canonical {
	uint16_t type;
	uint32_t ttl;
	size_t len;
	size_t rdata;	/* offset of the rdata in `octets`; the owner is at offset 0 */
	uint8_t octets[CANONICAL_MAX];
};

/*
 * Converts RR, a record of MESSAGE. Adds the number of compression pointers in the rdata
 * to MESSAGE->pointers. False: the rdata does not match the type.
 */
bool canonical_of_packet(struct packet_reader *message, const struct packet_rr *rr,
                         struct canonical *canonical);
bool canonical_of_rr(const struct rr *rr, struct canonical *canonical);
