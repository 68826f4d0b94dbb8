/*
 * rrset -- the records of one name and type, as a zone has them or as somebody wants
 * them. Rdata is canonical: in wire form, with its names in lower case, so that equal
 * octets are equal records. Each comes once, in the order of its octets; all have one
 * TTL, the least of them (RFC 2181 5.2).
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

/* RDATA is borrowed. Once all are in, rrset_sort() makes a set of them. */
void rrset_push(struct rrset *set, uint32_t ttl, struct rdata rdata, struct arena *arena);
void rrset_sort(struct rrset *set);

/* ---- of sets that are sorted ---- */

bool rrset_has(const struct rrset *set, struct rdata rdata);
/* False: it is not there. */
bool rrset_remove(struct rrset *set, struct rdata rdata);
/* Another with the same records, which can be changed. */
struct rrset rrset_copy(const struct rrset *set, struct arena *arena);
/* The same records, whatever their TTL. */
bool rrset_same_records(const struct rrset *a, const struct rrset *b);
int rdata_compare(struct rdata a, struct rdata b);

/* ---- in one piece: each record as its length, of two octets, and its octets ---- */

void rrset_pack(const struct rrset *set, struct buf *packed);
/* Pushes them, with TTL; the octets are borrowed. False: it is no such piece. */
bool rrset_unpack(struct rrset *set, uint32_t ttl, const uint8_t *packed, size_t len,
                  struct arena *arena);
