/*
 * zone -- one version of a zone in wire form. A struct zone is complete and never
 * changes. A builder makes the zone once from its records. After that, any number of
 * answers and transfers can read the zone. A counter keeps the zone in memory until the
 * last user releases the zone.
 *
 * The nodes include the empty non-terminals. The nodes are in canonical order (RFC 4034
 * 6.1), with the apex first. A hash table finds a node by name. Offsets of 32 bits
 * instead of pointers limit the overhead of a record to a few octets. Only the thread of
 * the event loop uses the counter. Any thread may build a zone and then pass it to the
 * event loop.
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
	NODE_CUT = 1,			/* the node has NS records and is not the apex */
	NODE_BELOW_CUT = 2,		/* the records of the node are glue */
	/* the node has a DNAME record, which redirects the names below the node */
	NODE_DNAME = 4,
	NODE_BELOW_DNAME = 8,
};

struct zone_node {
	uint32_t name;			/* offset of the name in zone.names */
	uint32_t parent;		/* index of the parent; ZONE_NONE at the apex */
	/*
	 * index of the first record set; the SOA is first, and the other sets are sorted
	 * by type
	 */
	uint32_t rrsets;
	uint32_t rrset_count : 24;	/* 0: the node is an empty non-terminal */
	uint32_t flags : 8;
};

struct zone_rrset {
	/* offset of the first record; a record is two octets of length, then the data */
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
	/* hash table; key: the name of a node; value: the index of the node + 1 */
	uint32_t *slots;
	uint32_t node_count, rrset_count, slot_count;
	uint64_t record_count;
	uint64_t wire_bytes;		/* size of all records without compression */
	uint64_t memory;		/* size of this structure with all its arrays */
};

/* ---- build ---- */

struct zone_builder;

struct zone_builder *zone_builder_new(const struct name *apex);
/*
 * Adds a copy of the record. The records may be in any order. The builder is faster if
 * the records of a record set follow each other.
 */
void zone_builder_add(struct zone_builder *builder, const struct rr *rr);
/*
 * Makes the zone. Frees the builder, also after an error. ERR_INVALID: mini-DNS cannot
 * serve the zone, because the zone does not have exactly one valid SOA, a name is outside
 * the zone, a record is too long for a message, or the total length of all names is too
 * large.
 */
enum err zone_builder_finish(struct zone_builder **builder, struct zone **zone,
                             struct why *why);
void zone_builder_free(struct zone_builder **builder);

/* ---- use ---- */

struct zone *zone_hold(struct zone *zone);
void zone_release(struct zone **zone);

const uint8_t *zone_name(const struct zone *zone, uint32_t node);
/* Returns the node with exactly this name, or ZONE_NONE. */
uint32_t zone_find(const struct zone *zone, const uint8_t *wire);
/*
 * Returns the node of NAME or of its closest encloser (RFC 4592 3.3.1). Sets *exact to
 * true if the node has the name NAME. NAME is in lower case and in the zone.
 */
uint32_t zone_closest(const struct zone *zone, const struct name *name, bool *exact);
const struct zone_rrset *zone_rrset(const struct zone *zone, uint32_t node,
                                    uint16_t type);
/*
 * Reads the next record of a record set. Before the first call, set *at to set->rdata.
 * Fills in all members of RR except the owner.
 */
void zone_next_rr(const struct zone *zone, const struct zone_rrset *set, uint32_t *at,
                  struct rr *rr);
