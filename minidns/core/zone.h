/*
 * zone -- one version of a zone in wire form, complete and never changed:
 * built once from its records, then read by any number of answers and
 * transfers, and counted so that it lives as long as its last reader.
 *
 * Nodes stand in canonical order (RFC 4034 6.1), the apex first, with the
 * empty non-terminals among them; a hash finds one by name. Offsets of 32
 * bits instead of pointers keep a record in a few octets more than its rdata.
 * The counter is the loop's: a zone is built on any thread, then handed over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/name.h"
#include "model/rr.h"

#define ZONE_NONE UINT32_MAX

enum {
	NODE_CUT = 1,			/* has NS and is not the apex */
	NODE_BELOW_CUT = 2,		/* is glue */
	NODE_DNAME = 4,			/* has one, and what is below it is elsewhere */
	NODE_BELOW_DNAME = 8,
};

struct zone_node {
	uint32_t name;			/* offset into names */
	uint32_t parent;		/* node; ZONE_NONE at the apex */
	uint32_t rrsets;		/* its first; they follow each other by type */
	uint32_t rrset_count : 24;	/* 0: an empty non-terminal */
	uint32_t flags : 8;
};

struct zone_rrset {
	/* offset of the first: length in two octets, then the octets */
	uint32_t rdata;
	uint32_t count;
	uint32_t ttl;
	uint16_t type;
};

struct zone {
	struct name apex;
	uint32_t serial;
	unsigned users;
	struct zone_node *nodes;
	struct zone_rrset *rrsets;
	uint8_t *names, *rdata;
	uint32_t *slots;		/* node + 1 by the hash of its name */
	uint32_t node_count, rrset_count, slot_count;
	uint64_t record_count;
	uint64_t wire_bytes;		/* of all records, uncompressed */
	uint64_t memory;		/* held by all of this */
};

/* ---- build ---- */

struct zone_builder;

struct zone_builder *zone_builder_new(const struct name *apex);
/* Any order is right; the records of a set one after the other are cheaper. Copies. */
void zone_builder_add(struct zone_builder *builder, const struct rr *rr);
/*
 * Ends the builder in either case. ERR_INVALID, with the record named, for what cannot
 * be served: no SOA, a name outside of the zone, a record that fits into no message.
 */
enum err zone_builder_finish(struct zone_builder **builder, struct zone **zone,
                             struct why *why);
void zone_builder_free(struct zone_builder **builder);

/* ---- use ---- */

struct zone *zone_hold(struct zone *zone);
void zone_release(struct zone **zone);

const uint8_t *zone_name(const struct zone *zone, uint32_t node);
/* exactly; or ZONE_NONE */
uint32_t zone_find(const struct zone *zone, const uint8_t *wire);
/*
 * The node of NAME or of its closest encloser (RFC 4592 3.3.1), and whether it is NAME's.
 * NAME is in lower case and in the zone.
 */
uint32_t zone_closest(const struct zone *zone, const struct name *name, bool *exact);
const struct zone_rrset *zone_rrset(const struct zone *zone, uint32_t node,
                                    uint16_t type);
/* The records of a set: start with *at = set->rdata. Fills in what is not the owner. */
void zone_next_rr(const struct zone *zone, const struct zone_rrset *set, uint32_t *at,
                  struct rr *rr);
