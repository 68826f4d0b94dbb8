/*
 * rrset -- a record set: the records of one name and type, either in a zone or desired by
 * an endpoint. Rdata is canonical (in wire form, with names in lower case), so equal
 * octets mean equal records. Each record occurs only once. The records are sorted by
 * their octets. If the TTLs of the records differ, the record set has the smallest of
 * these TTLs (RFC 2181 5.2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

struct rdata {
	const uint8_t *octets;
	uint16_t len;
};

struct rrset {
	uint16_t type;
	uint32_t ttl;
	size_t count, size;
	struct rdata *records;
};

/* Adds a record. Borrows RDATA. After the last record, call rrset_sort(). */
void rrset_push(struct rrset *set, uint32_t ttl, struct rdata rdata, struct arena *arena);
void rrset_sort(struct rrset *set);

/* ---- for sorted sets ---- */

bool rrset_has(const struct rrset *set, struct rdata rdata);
/* Returns a copy of SET. The caller may add records to the copy and sort the copy. */
struct rrset rrset_copy(const struct rrset *set, struct arena *arena);
/* True: both sets have the same records. Their TTLs can differ. */
bool rrset_same_records(const struct rrset *a, const struct rrset *b);
int rdata_compare(struct rdata a, struct rdata b);

/* ---- packed form: for each record its length in two octets, then its octets ---- */

void rrset_pack(const struct rrset *set, struct buf *packed);
/*
 * Adds the packed records with this TTL. Borrows the octets. False: PACKED is malformed.
 */
bool rrset_unpack(struct rrset *set, uint32_t ttl, const uint8_t *packed, size_t len,
                  struct arena *arena);
