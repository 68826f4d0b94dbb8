#include "core/zone.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

enum { MAX_LABELS = 128 };

/* Offsets are of 32 bits; a name brings at most all of its ancestors. */
#define NAMES_LIMIT (UINT32_MAX - MAX_LABELS * NAME_MAX_WIRE)
#define RDATA_LIMIT (UINT32_MAX - 65536)

static uint32_t hash_name(const uint8_t *wire)
{
	uint32_t hash = 2166136261u;	/* FNV-1a; length octets are part of it */

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

static bool same_name(const uint8_t *a, const uint8_t *b)
{
	size_t len = name_wire_len(a, NAME_MAX_WIRE);

	return len == name_wire_len(b, NAME_MAX_WIRE) && !memcmp(a, b, len);
}

uint32_t zone_find(const struct zone *zone, const uint8_t *wire)
{
	uint32_t mask = zone->slot_count - 1;

	for (uint32_t i = hash_name(wire) & mask; zone->slots[i]; i = (i + 1) & mask)
		if (same_name(zone_name(zone, zone->slots[i] - 1), wire))
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

static uint16_t load_u16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

void zone_next_rr(const struct zone *zone, const struct zone_rrset *set, uint32_t *at,
                  struct rr *rr)
{
	const uint8_t *from = zone->rdata + *at;

	rr->type = set->type;
	rr->ttl = set->ttl;
	rr->rdata_len = load_u16(from);
	rr->rdata = from + 2;
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

/* Room for one more of SIZE octets; *have elements are there. */
static void *grow(void *array, size_t *have, size_t used, size_t size)
{
	if (used < *have)
		return array;
	*have = *have ? 2 * *have : 512;
	return xrealloc(array, *have * size);
}

/* Records of one set that came one after the other. */
struct run {
	size_t key;			/* offset of the owner's sort key */
	size_t owner;			/* offset of the owner */
	size_t rdata;
	uint32_t count, ttl;
	uint32_t order;			/* which run it was: the sort is stable by it */
	uint16_t key_len;
	uint16_t type;
};

struct zone_builder {
	struct name apex;
	struct buf keys, owners, rdata;
	struct run *runs;
	size_t count, size;
	struct why why;			/* the first thing that was wrong */
	bool failed;
	/* while it is being finished */
	struct zone *zone;
	size_t node_size, rrset_size, names_size;
	size_t names_len, rdata_len;
	uint32_t path[MAX_LABELS];	/* nodes from the apex to the last one made */
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
 * A key whose memcmp() order is the canonical order of names: labels from the root
 * down, each behind a zero; octets 0 and 1 are written as two, so that nothing
 * within a label sorts before its end.
 */
static void append_key(struct buf *keys, const uint8_t *wire)
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

static void refuse(struct zone_builder *builder, const struct rr *rr, const char *words)
{
	char text[NAME_MAX_TEXT + 1];

	if (builder->failed)
		return;
	builder->failed = true;
	name_format_wire(rr->name, text);
	fail(&builder->why, ERR_INVALID, "record of type %d at %s %s", rr->type, text,
	     words);
}

static bool is_in_zone(const struct name *apex, const uint8_t *wire, size_t len)
{
	struct name owner = { .len = len };

	bug_if(len > sizeof(owner.wire));
	memcpy(owner.wire, wire, len);
	return name_is_below(&owner, apex);
}

/* The owner and its key, unless they are those of the run before. */
static void set_owner(struct zone_builder *builder, struct run *run, const struct rr *rr)
{
	struct name owner = { .len = name_wire_len(rr->name, NAME_MAX_WIRE) };
	const struct run *last =
	    builder->count ? &builder->runs[builder->count - 1] : NULL;

	memcpy(owner.wire, rr->name, owner.len);
	name_fold(&owner);
	if (last && same_name(builder->owners.data + last->owner, owner.wire)) {
		run->key = last->key;
		run->key_len = last->key_len;
		run->owner = last->owner;
		return;
	}
	run->owner = builder->owners.len;
	buf_append(&builder->owners, owner.wire, owner.len);
	run->key = builder->keys.len;
	append_key(&builder->keys, owner.wire);
	run->key_len = builder->keys.len - run->key;
	if (!is_in_zone(&builder->apex, owner.wire, owner.len))
		refuse(builder, rr, "is outside of the zone");
}

static struct run *add_run(struct zone_builder *builder, const struct rr *rr)
{
	struct run run = { .type = rr->type, .ttl = rr->ttl, .order = builder->count };

	set_owner(builder, &run, rr);
	run.rdata = builder->rdata.len;
	builder->runs = grow(builder->runs, &builder->size, builder->count, sizeof(run));
	builder->runs[builder->count] = run;
	return &builder->runs[builder->count++];
}

static bool continues(const struct zone_builder *builder, const struct rr *rr)
{
	const struct run *last =
	    builder->count ? &builder->runs[builder->count - 1] : NULL;

	return last && last->type == rr->type &&
	       same_name(builder->owners.data + last->owner, rr->name);
}

void zone_builder_add(struct zone_builder *builder, const struct rr *rr)
{
	struct run *run;

	if (builder->failed)
		return;
	if (rr->rdata_len > RDATA_MAX)
		refuse(builder, rr, "is too large for a message");
	run = continues(builder, rr) ? &builder->runs[builder->count - 1]
	                             : add_run(builder, rr);
	run->count++;
	buf_u16(&builder->rdata, rr->rdata_len);
	buf_append(&builder->rdata, rr->rdata, rr->rdata_len);
	if (builder->rdata.len > RDATA_LIMIT)
		refuse(builder, rr, "makes the zone too large");
}

/* ---- build: sort ---- */

/*
 * qsort has no argument of its own, and threads build side by
 * side: sort what points at its key.
 */
struct sorted {
	const uint8_t *key;
	const struct run *run;
};

static int compare_keys(const struct sorted *a, const struct sorted *b)
{
	size_t a_len = a->run->key_len, b_len = b->run->key_len;
	int order = memcmp(a->key, b->key, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

/*
 * Within a node the SOA comes first: a transfer begins with
 * it, and skips it by its place.
 */
static int rank(uint16_t type)
{
	return type == RR_SOA ? -1 : type;
}

static int compare_runs(const void *left, const void *right)
{
	const struct sorted *a = left, *b = right;
	int order = a->run->owner == b->run->owner ? 0 : compare_keys(a, b);

	if (!order)
		order = rank(a->run->type) - rank(b->run->type);
	return order ? order
	             : (a->run->order > b->run->order) - (a->run->order < b->run->order);
}

static struct sorted *sort_runs(const struct zone_builder *builder)
{
	struct sorted *sorted =
	    xcalloc(builder->count ? builder->count : 1, sizeof(*sorted));

	for (size_t i = 0; i < builder->count; i++)
		sorted[i] = (struct sorted){
			.key = builder->keys.data + builder->runs[i].key,
			.run = &builder->runs[i],
		};
	qsort(sorted, builder->count, sizeof(*sorted), compare_runs);
	return sorted;
}

/* ---- build: lay out ---- */

static uint32_t add_name(struct zone_builder *builder, const uint8_t *wire, size_t len)
{
	struct zone *zone = builder->zone;
	uint32_t at = builder->names_len;

	zone->names = grow(zone->names, &builder->names_size, at + NAME_MAX_WIRE, 1);
	memcpy(zone->names + at, wire, len);
	builder->names_len += len;
	return at;
}

static uint8_t flags_below(uint8_t flags)
{
	if (flags & (NODE_CUT | NODE_BELOW_CUT))
		return NODE_BELOW_CUT;
	return flags & (NODE_DNAME | NODE_BELOW_DNAME) ? NODE_BELOW_DNAME : 0;
}

/* The parent's node must be the last of the path. */
static void add_node(struct zone_builder *builder, const uint8_t *wire, size_t len)
{
	struct zone *zone = builder->zone;
	uint32_t parent = builder->depth ? builder->path[builder->depth - 1] : ZONE_NONE;

	zone->nodes = grow(zone->nodes, &builder->node_size, zone->node_count,
	                   sizeof(*zone->nodes));
	zone->nodes[zone->node_count] = (struct zone_node){
		.name = add_name(builder, wire, len),
		.parent = parent,
		.rrsets = zone->rrset_count,
	};
	if (parent != ZONE_NONE)
		zone->nodes[zone->node_count].flags =
		    flags_below(zone->nodes[parent].flags);
	builder->path[builder->depth++] = zone->node_count++;
}

/* Where in WIRE the name of as many labels as DEPTH below the apex begins. */
static const uint8_t *tail(const uint8_t *wire, size_t len, const struct name *apex,
                           int depth)
{
	uint8_t at[MAX_LABELS];
	int count = 0;

	for (size_t i = 0; i < len - apex->len; i += 1 + wire[i])
		at[count++] = i;
	return depth ? wire + at[count - depth] : wire + len - apex->len;
}

static int depth_of(const uint8_t *wire, size_t len, const struct name *apex)
{
	int depth = 0;

	for (size_t i = 0; i < len - apex->len; i += 1 + wire[i])
		depth++;
	return depth;
}

/*
 * Make the node of WIRE the end of the path, with those
 * between it and its closest encloser.
 */
static void enter(struct zone_builder *builder, const uint8_t *wire)
{
	size_t len = name_wire_len(wire, NAME_MAX_WIRE);
	int wanted = depth_of(wire, len, &builder->apex);

	if (builder->depth > wanted + 1)
		builder->depth = wanted + 1;
	while (builder->depth) {
		int depth = builder->depth - 1;
		const uint8_t *top = zone_name(builder->zone, builder->path[depth]);

		if (same_name(top, tail(wire, len, &builder->apex, depth)))
			break;
		builder->depth--;
	}
	while (builder->depth <= wanted) {
		const uint8_t *name = tail(wire, len, &builder->apex, builder->depth);

		add_node(builder, name, wire + len - name);
	}
}

static struct zone_rrset *add_rrset(struct zone_builder *builder, const struct run *run)
{
	struct zone *zone = builder->zone;
	struct zone_node *node = &zone->nodes[builder->path[builder->depth - 1]];

	zone->rrsets = grow(zone->rrsets, &builder->rrset_size, zone->rrset_count,
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

/* The set that a run belongs to: the one before if the records came in two runs. */
static struct zone_rrset *set_of(struct zone_builder *builder, const struct run *run)
{
	struct zone *zone = builder->zone;
	const struct zone_node *node = &zone->nodes[builder->path[builder->depth - 1]];
	struct zone_rrset *last =
	    zone->rrset_count ? &zone->rrsets[zone->rrset_count - 1] : NULL;

	if (last && node->rrset_count && last->type == run->type)
		return last;
	return add_rrset(builder, run);
}

static void add_records(struct zone_builder *builder, const struct run *run)
{
	struct zone *zone = builder->zone;
	const uint8_t *from = builder->rdata.data + run->rdata;
	size_t owner_len, len = 0;

	enter(builder, builder->owners.data + run->owner);
	owner_len = name_wire_len(builder->owners.data + run->owner, NAME_MAX_WIRE);
	set_of(builder, run)->count += run->count;
	for (uint32_t i = 0; i < run->count; i++)
		len += 2 + load_u16(from + len);
	memcpy(zone->rdata + builder->rdata_len, from, len);
	builder->rdata_len += len;
	zone->record_count += run->count;
	/* type, class, ttl; len has rdlength */
	zone->wire_bytes += len + run->count * (owner_len + 8);
}

static void index_nodes(struct zone *zone)
{
	zone->slot_count = 4;
	while (zone->slot_count < 2 * (uint64_t)zone->node_count)
		zone->slot_count *= 2;
	zone->slots = xcalloc(zone->slot_count, sizeof(*zone->slots));
	for (uint32_t node = 0; node < zone->node_count; node++) {
		uint32_t i = hash_name(zone_name(zone, node)) & (zone->slot_count - 1);

		while (zone->slots[i])
			i = (i + 1) & (zone->slot_count - 1);
		zone->slots[i] = node + 1;
	}
}

/*
 * A block of the size that is used. What realloc() cuts off a small one is a hole that no
 * later zone fits into; of a large one the kernel takes it back.
 */
static void *fit(void *block, size_t size)
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

static void trim(struct zone_builder *builder)
{
	struct zone *zone = builder->zone;

	zone->names = fit(zone->names, builder->names_len);
	zone->nodes = fit(zone->nodes, zone->node_count * sizeof(*zone->nodes));
	zone->rrsets = fit(zone->rrsets, zone->rrset_count * sizeof(*zone->rrsets));
	zone->memory = sizeof(*zone) + builder->names_len + builder->rdata_len +
		       zone->node_count * sizeof(*zone->nodes) +
		       zone->rrset_count * sizeof(*zone->rrsets) +
		       zone->slot_count * sizeof(*zone->slots);
}

static void lay_out(struct zone_builder *builder)
{
	struct zone *zone = builder->zone = xcalloc(1, sizeof(*zone));
	struct sorted *sorted = sort_runs(builder);

	zone->users = 1;
	zone->apex = builder->apex;
	zone->rdata = xmalloc(builder->rdata.len + 1);
	enter(builder, builder->apex.wire);
	for (size_t i = 0; i < builder->count && builder->names_len < NAMES_LIMIT; i++)
		add_records(builder, sorted[i].run);
	free(sorted);
	index_nodes(zone);
	trim(builder);
}

/* One SOA at the apex, and nowhere else. */
static enum err check_soa(struct zone *zone, struct why *why)
{
	const struct zone_rrset *set = zone_rrset(zone, 0, RR_SOA);
	struct rr rr = { 0 };
	struct soa soa;

	if (!set || set->count != 1)
		return fail(why, ERR_INVALID, "the zone has no SOA record, or several");
	zone_next_rr(zone, set, &(uint32_t){ set->rdata }, &rr);
	if (!soa_parse(rr.rdata, rr.rdata_len, &soa))
		return fail(why, ERR_INVALID, "the zone's SOA record is broken");
	for (uint32_t i = 1; i < zone->rrset_count; i++)
		if (zone->rrsets[i].type == RR_SOA)
			return fail(why, ERR_INVALID,
			            "there is an SOA record below the apex");
	zone->serial = soa.serial;
	return OK;
}

static enum err check(const struct zone_builder *builder, struct why *why)
{
	if (builder->names_len >= NAMES_LIMIT)
		return fail(why, ERR_INVALID,
		            "the zone has more names than can be served");
	return check_soa(builder->zone, why);
}

enum err zone_builder_finish(struct zone_builder **builder, struct zone **zone,
                             struct why *why)
{
	enum err err;

	if ((*builder)->failed) {
		*why = (*builder)->why;
		err = ERR_INVALID;
	} else {
		lay_out(*builder);
		err = check(*builder, why);
	}
	if (!err) {
		*zone = (*builder)->zone;
		(*builder)->zone = NULL;
	}
	zone_builder_free(builder);
	return err;
}
