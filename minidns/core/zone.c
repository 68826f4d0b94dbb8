#include "core/zone.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/presentation.h"

enum { MAX_LABELS = 128 };

/* Offsets have 32 bits; a name adds at most all of its ancestors. */
#define NAMES_LIMIT (UINT32_MAX - MAX_LABELS * NAME_MAX_WIRE)
#define RDATA_LIMIT (UINT32_MAX - 65536)

static uint32_t zone_hash(const uint8_t *wire)
{
	uint32_t hash = 2166136261u;	/* FNV-1a; includes the length octets */

	for (; wire[0]; wire += 1 + wire[0])
		for (int i = 0; i <= wire[0]; i++)
			hash = (hash ^ wire[i]) * 16777619u;
	return hash ^ hash >> 15;
}

/* ---- use ---- */

const uint8_t *zone_name(const struct zone *zone, uint32_t node)
{
	return zone->names + zone->nodes[node].name;
}

static bool zone_same_name(const uint8_t *a, const uint8_t *b)
{
	size_t len = name_wire_len(a, NAME_MAX_WIRE);

	return len == name_wire_len(b, NAME_MAX_WIRE) && !memcmp(a, b, len);
}

uint32_t zone_find(const struct zone *zone, const uint8_t *wire)
{
	uint32_t mask = zone->slot_count - 1;

	for (uint32_t i = zone_hash(wire) & mask; zone->slots[i]; i = (i + 1) & mask)
		if (zone_same_name(zone_name(zone, zone->slots[i] - 1), wire))
			return zone->slots[i] - 1;
	return ZONE_NONE;
}

uint32_t zone_closest(const struct zone *zone, const struct name *name, bool *exact)
{
	const uint8_t *wire = name->wire;
	uint32_t node = zone_find(zone, wire);

	*exact = node != ZONE_NONE;
	while (node == ZONE_NONE && wire[0]) {
		wire += 1 + wire[0];
		node = zone_find(zone, wire);
	}
	return node;
}

const struct zone_rrset *zone_rrset(const struct zone *zone, uint32_t node, uint16_t type)
{
	const struct zone_node *at = &zone->nodes[node];

	for (uint32_t i = 0; i < at->rrset_count; i++)
		if (zone->rrsets[at->rrsets + i].type == type)
			return &zone->rrsets[at->rrsets + i];
	return NULL;
}

static uint16_t zone_u16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

void zone_next_rr(const struct zone *zone, const struct zone_rrset *set, uint32_t *at,
                  struct rr *rr)
{
	const uint8_t *from = zone->rdata + *at;

	rr->type = set->type;
	rr->rdata_len = zone_u16(from);
	rr->rdata = from + 2;
	rr->ttl = rr_served_ttl(rr->type, rr->rdata, rr->rdata_len, set->ttl);
	*at += 2 + rr->rdata_len;
}

struct zone *zone_hold(struct zone *zone)
{
	zone->users++;
	return zone;
}

static void zone_free(struct zone *zone)
{
	free(zone->nodes);
	free(zone->rrsets);
	free(zone->names);
	free(zone->rdata);
	free(zone->slots);
	free(zone);
}

void zone_release(struct zone **zone)
{
	struct zone *held = *zone;

	*zone = NULL;
	if (!held)
		return;
	bug_if(!held->users);
	if (!--held->users)
		zone_free(held);
}

/* ---- build: collect ---- */

/*
 * Makes room for one more element of SIZE octets; the array has room for *have elements.
 */
static void *zone_grow(void *array, size_t *have, size_t used, size_t size)
{
	if (used < *have)
		return array;
	*have = *have ? 2 * *have : 512;
	return xrealloc(array, *have * size);
}

/* Records of one set that were added one after the other. */
struct run {
	size_t key;			/* offset of the owner's sort key in `keys` */
	size_t owner;			/* offset of the owner in `names` */
	size_t rdata;
	uint32_t count, ttl;
	uint32_t order;			/* number of the run, to keep the sort stable */
	uint16_t key_len;
	uint16_t type;
};

struct zone_builder {
	struct name apex;
	struct buf keys, owners, rdata;
	struct run *runs;
	size_t count, size;
	struct why why;			/* the first error */
	bool failed;
	/* while the zone is finished */
	struct zone *zone;
	size_t node_size, rrset_size, names_size;
	size_t names_len, rdata_len;
	uint32_t path[MAX_LABELS];	/* nodes from the apex to the last node */
	int depth;
};

struct zone_builder *zone_builder_new(const struct name *apex)
{
	struct zone_builder *builder = xcalloc(1, sizeof(*builder));

	builder->apex = *apex;
	return builder;
}

void zone_builder_free(struct zone_builder **builder)
{
	struct zone_builder *old = *builder;

	*builder = NULL;
	if (!old)
		return;
	buf_clear(&old->keys);
	buf_clear(&old->owners);
	buf_clear(&old->rdata);
	free(old->runs);
	if (old->zone)
		zone_free(old->zone);
	free(old);
}

/*
 * Appends a sort key. Its memcmp() order is the canonical order of names: labels from the
 * root down, each after a zero. Octets 0 and 1 are written as two octets, so that no
 * octet in a label sorts before the end of the label.
 */
static void zone_append_key(struct buf *keys, const uint8_t *wire)
{
	uint8_t at[MAX_LABELS];
	int count = 0;

	for (int i = 0; wire[i]; i += 1 + wire[i])
		at[count++] = i;
	while (count--) {
		const uint8_t *label = wire + at[count];

		buf_u8(keys, 0);
		for (int i = 1; i <= label[0]; i++) {
			if (label[i] <= 1)
				buf_u8(keys, 1);
			buf_u8(keys, label[i] <= 1 ? label[i] + 1 : label[i]);
		}
	}
}

static void builder_refuse(struct zone_builder *builder, const struct rr *rr,
                           const char *words)
{
	char text[NAME_MAX_TEXT + 1], type[16];

	if (builder->failed)
		return;
	builder->failed = true;
	name_format_wire(rr->name, text);
	rrtype_format(rr->type, type);
	fail(&builder->why, ERR_INVALID, "record of type %s at %s %s", type, text, words);
}

static bool zone_contains(const struct name *apex, const uint8_t *wire, size_t len)
{
	struct name owner = { .len = len };

	bug_if(len > sizeof(owner.wire));
	memcpy(owner.wire, wire, len);
	return name_is_below(&owner, apex);
}

/* Sets the owner and its key, unless the previous run has the same. */
static void run_set_owner(struct zone_builder *builder, struct run *run,
                          const struct rr *rr)
{
	struct name owner = { .len = name_wire_len(rr->name, NAME_MAX_WIRE) };
	const struct run *last =
	    builder->count ? &builder->runs[builder->count - 1] : NULL;

	memcpy(owner.wire, rr->name, owner.len);
	name_fold(&owner);
	if (last && zone_same_name(builder->owners.data + last->owner, owner.wire)) {
		run->key = last->key;
		run->key_len = last->key_len;
		run->owner = last->owner;
		return;
	}
	run->owner = builder->owners.len;
	buf_append(&builder->owners, owner.wire, owner.len);
	run->key = builder->keys.len;
	zone_append_key(&builder->keys, owner.wire);
	run->key_len = builder->keys.len - run->key;
	if (!zone_contains(&builder->apex, owner.wire, owner.len))
		builder_refuse(builder, rr, "is outside the zone");
}

static struct run *run_add(struct zone_builder *builder, const struct rr *rr)
{
	struct run run = { .type = rr->type, .ttl = rr->ttl, .order = builder->count };

	run_set_owner(builder, &run, rr);
	run.rdata = builder->rdata.len;
	builder->runs = zone_grow(builder->runs, &builder->size, builder->count,
	                          sizeof(run));
	builder->runs[builder->count] = run;
	return &builder->runs[builder->count++];
}

static bool builder_continues(const struct zone_builder *builder, const struct rr *rr)
{
	const struct run *last =
	    builder->count ? &builder->runs[builder->count - 1] : NULL;

	return last && last->type == rr->type &&
	       zone_same_name(builder->owners.data + last->owner, rr->name);
}

void zone_builder_add(struct zone_builder *builder, const struct rr *rr)
{
	struct run *run;

	if (builder->failed)
		return;
	if (rr->rdata_len > RDATA_MAX)
		builder_refuse(builder, rr, "is too large for a DNS message");
	run = builder_continues(builder, rr) ? &builder->runs[builder->count - 1]
	                                     : run_add(builder, rr);
	run->count++;
	buf_u16(&builder->rdata, rr->rdata_len);
	buf_append(&builder->rdata, rr->rdata, rr->rdata_len);
	if (builder->rdata.len > RDATA_LIMIT)
		builder_refuse(builder, rr, "makes the data of the zone larger than 4 "
		               "GiB");
}

/* ---- build: sort ---- */

/*
 * An element to sort. It points to its key, because qsort() has no argument for the
 * caller, and several threads may build zones.
 */
struct sorted {
	const uint8_t *key;
	const struct run *run;
};

static int zone_compare_keys(const struct sorted *a, const struct sorted *b)
{
	size_t a_len = a->run->key_len, b_len = b->run->key_len;
	int order = memcmp(a->key, b->key, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

/*
 * In a node the SOA comes first: a transfer begins with the SOA, and skips the first set
 * later.
 */
static int zone_rank(uint16_t type)
{
	return type == RR_SOA ? -1 : type;
}

static int zone_compare_runs(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	int order = a->run->owner == b->run->owner ? 0 : zone_compare_keys(a, b);

	if (!order)
		order = zone_rank(a->run->type) - zone_rank(b->run->type);
	return order ? order
	             : (a->run->order > b->run->order) - (a->run->order < b->run->order);
}

static struct sorted *builder_sort_runs(const struct zone_builder *builder)
{
	struct sorted *sorted =
	    xcalloc(builder->count ? builder->count : 1, sizeof(*sorted));

	for (size_t i = 0; i < builder->count; i++)
		sorted[i] = (struct sorted){
			.key = builder->keys.data + builder->runs[i].key,
			.run = &builder->runs[i],
		};
	qsort(sorted, builder->count, sizeof(*sorted), zone_compare_runs);
	return sorted;
}

/* ---- build: lay out ---- */

static uint32_t builder_add_name(struct zone_builder *builder, const uint8_t *wire,
                                 size_t len)
{
	struct zone *zone = builder->zone;
	uint32_t at = builder->names_len;

	zone->names = zone_grow(zone->names, &builder->names_size, at + NAME_MAX_WIRE, 1);
	memcpy(zone->names + at, wire, len);
	builder->names_len += len;
	return at;
}

static uint8_t zone_flags_below(uint8_t flags)
{
	if (flags & (NODE_CUT | NODE_BELOW_CUT))
		return NODE_BELOW_CUT;
	return flags & (NODE_DNAME | NODE_BELOW_DNAME) ? NODE_BELOW_DNAME : 0;
}

/* Adds a node; its parent must be the last node of the path. */
static void node_add(struct zone_builder *builder, const uint8_t *wire, size_t len)
{
	struct zone *zone = builder->zone;
	uint32_t parent = builder->depth ? builder->path[builder->depth - 1] : ZONE_NONE;

	zone->nodes = zone_grow(zone->nodes, &builder->node_size, zone->node_count,
	                        sizeof(*zone->nodes));
	zone->nodes[zone->node_count] = (struct zone_node){
		.name = builder_add_name(builder, wire, len),
		.parent = parent,
		.rrsets = zone->rrset_count,
	};
	if (parent != ZONE_NONE)
		zone->nodes[zone->node_count].flags =
		    zone_flags_below(zone->nodes[parent].flags);
	builder->path[builder->depth++] = zone->node_count++;
}

/* The part of WIRE that is the name with DEPTH labels below the apex. */
static const uint8_t *zone_tail(const uint8_t *wire, size_t len, const struct name *apex,
                                int depth)
{
	uint8_t at[MAX_LABELS];
	int count = 0;

	for (size_t i = 0; i < len - apex->len; i += 1 + wire[i])
		at[count++] = i;
	return depth ? wire + at[count - depth] : wire + len - apex->len;
}

static int zone_depth(const uint8_t *wire, size_t len, const struct name *apex)
{
	int depth = 0;

	for (size_t i = 0; i < len - apex->len; i += 1 + wire[i])
		depth++;
	return depth;
}

/*
 * Makes the node of WIRE the end of the path; adds missing nodes up to its closest
 * encloser.
 */
static void builder_enter(struct zone_builder *builder, const uint8_t *wire)
{
	size_t len = name_wire_len(wire, NAME_MAX_WIRE);
	int wanted = zone_depth(wire, len, &builder->apex);

	if (builder->depth > wanted + 1)
		builder->depth = wanted + 1;
	while (builder->depth) {
		int depth = builder->depth - 1;
		const uint8_t *top = zone_name(builder->zone, builder->path[depth]);

		if (zone_same_name(top, zone_tail(wire, len, &builder->apex, depth)))
			break;
		builder->depth--;
	}
	while (builder->depth <= wanted) {
		const uint8_t *name = zone_tail(wire, len, &builder->apex,
		                                builder->depth);

		node_add(builder, name, wire + len - name);
	}
}

static struct zone_rrset *builder_add_rrset(struct zone_builder *builder,
                                            const struct run *run)
{
	struct zone *zone = builder->zone;
	struct zone_node *node = &zone->nodes[builder->path[builder->depth - 1]];

	zone->rrsets = zone_grow(zone->rrsets, &builder->rrset_size, zone->rrset_count,
	                         sizeof(*zone->rrsets));
	if (!node->rrset_count)
		node->rrsets = zone->rrset_count;
	node->rrset_count++;
	if (run->type == RR_NS && node->parent != ZONE_NONE && !node->flags)
		node->flags = NODE_CUT;
	if (run->type == RR_DNAME && !node->flags)
		node->flags = NODE_DNAME;
	zone->rrsets[zone->rrset_count] = (struct zone_rrset){
		.rdata = builder->rdata_len,
		.ttl = run->ttl,
		.type = run->type,
	};
	return &zone->rrsets[zone->rrset_count++];
}

/*
 * The set of a run. If its records came in two runs, it is the set of the previous run.
 */
static struct zone_rrset *builder_set(struct zone_builder *builder, const struct run *run)
{
	struct zone *zone = builder->zone;
	const struct zone_node *node = &zone->nodes[builder->path[builder->depth - 1]];
	struct zone_rrset *last =
	    zone->rrset_count ? &zone->rrsets[zone->rrset_count - 1] : NULL;

	if (last && node->rrset_count && last->type == run->type)
		return last;
	return builder_add_rrset(builder, run);
}

static void builder_add_records(struct zone_builder *builder, const struct run *run)
{
	struct zone *zone = builder->zone;
	const uint8_t *from = builder->rdata.data + run->rdata;
	size_t owner_len, len = 0;

	builder_enter(builder, builder->owners.data + run->owner);
	owner_len = name_wire_len(builder->owners.data + run->owner, NAME_MAX_WIRE);
	builder_set(builder, run)->count += run->count;
	for (uint32_t i = 0; i < run->count; i++)
		len += 2 + zone_u16(from + len);
	memcpy(zone->rdata + builder->rdata_len, from, len);
	builder->rdata_len += len;
	zone->record_count += run->count;
	/* type, class, TTL; `len` has RDLENGTH */
	zone->wire_bytes += len + run->count * (owner_len + 8);
}

static void zone_index_nodes(struct zone *zone)
{
	zone->slot_count = 4;
	while (zone->slot_count < 2 * (uint64_t)zone->node_count)
		zone->slot_count *= 2;
	zone->slots = xcalloc(zone->slot_count, sizeof(*zone->slots));
	for (uint32_t node = 0; node < zone->node_count; node++) {
		uint32_t i = zone_hash(zone_name(zone, node)) & (zone->slot_count - 1);

		while (zone->slots[i])
			i = (i + 1) & (zone->slot_count - 1);
		zone->slots[i] = node + 1;
	}
}

/*
 * Shrinks a block to the used size. realloc() would leave a hole after a small block that
 * no later zone can use; the kernel takes the rest of a large block back.
 */
static void *zone_fit(void *block, size_t size)
{
	enum { LARGE = 1 << 20 };
	void *fitting;

	if (!block)
		return NULL;
	if (size >= LARGE)
		return xrealloc(block, size);
	fitting = xmalloc(size);
	memcpy(fitting, block, size);
	free(block);
	return fitting;
}

static void builder_trim(struct zone_builder *builder)
{
	struct zone *zone = builder->zone;

	zone->names = zone_fit(zone->names, builder->names_len);
	zone->nodes = zone_fit(zone->nodes, zone->node_count * sizeof(*zone->nodes));
	zone->rrsets = zone_fit(zone->rrsets, zone->rrset_count * sizeof(*zone->rrsets));
	zone->memory = sizeof(*zone) + builder->names_len + builder->rdata_len +
		       zone->node_count * sizeof(*zone->nodes) +
		       zone->rrset_count * sizeof(*zone->rrsets) +
		       zone->slot_count * sizeof(*zone->slots);
}

static void builder_lay_out(struct zone_builder *builder)
{
	struct zone *zone = builder->zone = xcalloc(1, sizeof(*zone));
	struct sorted *sorted = builder_sort_runs(builder);

	zone->users = 1;
	zone->apex = builder->apex;
	zone->rdata = xmalloc(builder->rdata.len + 1);
	builder_enter(builder, builder->apex.wire);
	for (size_t i = 0; i < builder->count && builder->names_len < NAMES_LIMIT; i++)
		builder_add_records(builder, sorted[i].run);
	free(sorted);
	zone_index_nodes(zone);
	builder_trim(builder);
}

/* Checks that there is one SOA, at the apex. */
static enum err zone_check_apex(struct zone *zone, struct why *why)
{
	const struct zone_rrset *set = zone_rrset(zone, 0, RR_SOA);
	struct rr rr = { 0 };
	struct soa soa;

	if (!set || set->count != 1)
		return fail(why, ERR_INVALID, "the zone must have one SOA record at its "
		            "apex, not %d", set ? (int)set->count : 0);
	zone_next_rr(zone, set, &(uint32_t){ set->rdata }, &rr);
	if (!soa_parse(rr.rdata, rr.rdata_len, &soa))
		return fail(why, ERR_INVALID, "the zone's SOA record must contain two "
		            "names and five numbers");
	for (uint32_t i = 1; i < zone->rrset_count; i++)
		if (zone->rrsets[i].type == RR_SOA)
			return fail(why, ERR_INVALID, "the zone must not have an SOA "
			            "record below its apex");
	zone->serial = soa.serial;
	return OK;
}

static enum err builder_check(const struct zone_builder *builder, struct why *why)
{
	if (builder->names_len >= NAMES_LIMIT)
		return fail(why, ERR_INVALID, "all names of the zone together must have "
		            "fewer than %zu octets, not %zu", (size_t)NAMES_LIMIT,
		            (size_t)builder->names_len);
	return zone_check_apex(builder->zone, why);
}

enum err zone_builder_finish(struct zone_builder **builder, struct zone **zone,
                             struct why *why)
{
	enum err err;

	if ((*builder)->failed) {
		*why = (*builder)->why;
		err = ERR_INVALID;
	} else {
		builder_lay_out(*builder);
		err = builder_check(*builder, why);
	}
	if (!err) {
		*zone = (*builder)->zone;
		(*builder)->zone = NULL;
	}
	zone_builder_free(builder);
	return err;
}
