#include "core/answer.h"

#include <string.h>

enum { MAX_CHAIN = 16, MAX_TARGETS = 32 };

struct answer {
	const struct query *query;
	const struct zone *zone;
	struct packet_writer writer;
	uint16_t count[SECTIONS];
	uint16_t flags;
	enum rcode rcode;
	struct name name;		/* the name to look up */
	struct {
		struct name name;
		uint32_t dname;		/* node of the DNAME; ZONE_NONE: a CNAME */
	} chain[MAX_CHAIN];		/* the previous names of the chain */
	int chain_len;
	struct {
		const struct zone_rrset *set;
		uint32_t node;
	} seen[MAX_TARGETS];		/* sets whose targets need addresses */
	int seen_count;
};

static void answer_add(struct answer *answer, enum section section, const struct rr *rr)
{
	packet_put_rr(&answer->writer, rr);
	if (!answer->writer.full)
		answer->count[section]++;
}

/*
 * Adds the whole set or nothing. OWNER is the name of the question if a wildcard gave the
 * set. A set that does not fit sets TC, except for additional records.
 */
static bool answer_add_set(struct answer *answer, enum section section,
                           const uint8_t *owner, const struct zone_rrset *set)
{
	size_t start = answer->writer.len;
	uint16_t count = answer->count[section];
	struct rr rr = { .name = owner };
	uint32_t at = set->rdata;

	for (uint32_t i = 0; i < set->count && !answer->writer.full; i++) {
		zone_next_rr(answer->zone, set, &at, &rr);
		answer_add(answer, section, &rr);
	}
	if (!answer->writer.full)
		return true;
	packet_cut(&answer->writer, start);
	answer->count[section] = count;
	if (section != SECTION_ADDITIONAL)
		answer->flags |= FLAG_TC;
	return false;
}

/* Adds the SOA. Its TTL is that of the negative answer (RFC 2308 3). */
static void answer_add_soa(struct answer *answer)
{
	const struct zone_rrset *set = zone_rrset(answer->zone, 0, RR_SOA);
	struct rr rr = { .name = zone_name(answer->zone, 0) };
	struct soa soa;

	zone_next_rr(answer->zone, set, &(uint32_t){ set->rdata }, &rr);
	if (soa_parse(rr.rdata, rr.rdata_len, &soa) && soa.minimum < rr.ttl)
		rr.ttl = soa.minimum;
	answer_add(answer, SECTION_AUTHORITY, &rr);
	if (answer->writer.full)
		answer->flags |= FLAG_TC;
}

/* ---- additional: addresses of names in the answer ---- */

static void answer_keep(struct answer *answer, uint32_t node,
                        const struct zone_rrset *set)
{
	if (answer->seen_count == MAX_TARGETS)
		return;
	answer->seen[answer->seen_count].node = node;
	answer->seen[answer->seen_count++].set = set;
}

/* The offset of a host name in the rdata of TYPE; -1: TYPE has none. */
static int answer_target_at(uint16_t type)
{
	switch (type) {
	case RR_NS: return 0;
	case RR_MX: return 2;
	case RR_SRV: return 6;
	default: return -1;
	}
}

static bool answer_read_target(const struct rr *rr, struct name *target)
{
	int at = answer_target_at(rr->type);
	size_t len = at >= 0 && rr->rdata_len > at
			     ? name_wire_len(rr->rdata + at, rr->rdata_len - at) : 0;

	if (!len)
		return false;
	target->len = len;
	memcpy(target->wire, rr->rdata + at, len);
	name_fold(target);
	return true;
}

/* Adds addresses. Needed glue that does not fit truncates the answer (RFC 9471). */
static void answer_add_host(struct answer *answer, const struct name *target, bool needed)
{
	static const uint16_t types[] = { RR_A, RR_AAAA };
	const struct zone *zone = answer->zone;
	uint32_t node;

	if (!name_is_below(target, &zone->apex))
		return;
	node = zone_find(zone, target->wire);
	if (node == ZONE_NONE)
		return;
	for (int i = 0; i < 2; i++) {
		const struct zone_rrset *set = zone_rrset(zone, node, types[i]);

		if (set &&
		    !answer_add_set(answer, SECTION_ADDITIONAL, zone_name(zone, node),
		                    set) && needed)
			answer->flags |= FLAG_TC;
	}
}

static void answer_add_additional(struct answer *answer)
{
	for (int i = 0; i < answer->seen_count; i++) {
		const struct zone_rrset *set = answer->seen[i].set;
		const struct zone_node *node = &answer->zone->nodes[answer->seen[i].node];
		struct rr rr = { 0 };
		struct name target;
		uint32_t at = set->rdata;

		for (uint32_t k = 0; k < set->count && k < MAX_TARGETS; k++) {
			zone_next_rr(answer->zone, set, &at, &rr);
			if (answer_read_target(&rr, &target))
				answer_add_host(answer, &target, node->flags & NODE_CUT);
		}
	}
}

/* ---- the answer ---- */

/* Adds the delegation at or above NODE. NODE is glue or the cut. */
static void answer_add_referral(struct answer *answer, uint32_t node)
{
	const struct zone *zone = answer->zone;
	const struct zone_rrset *set;

	while (!(zone->nodes[node].flags & NODE_CUT))
		node = zone->nodes[node].parent;
	set = zone_rrset(zone, node, RR_NS);
	if (answer_add_set(answer, SECTION_AUTHORITY, zone_name(zone, node), set))
		answer_keep(answer, node, set);
	if (!answer->count[SECTION_ANSWER])
		answer->flags &= ~FLAG_AA;
}

static void answer_add_negative(struct answer *answer, enum rcode rcode)
{
	answer->rcode = rcode;
	answer_add_soa(answer);
}

static bool answer_has_followed(const struct answer *answer, const struct name *name)
{
	for (int i = 0; i < answer->chain_len; i++)
		if (name_equal(&answer->chain[i].name, name))
			return true;
	return false;
}

static bool answer_has_used(const struct answer *answer, uint32_t dname)
{
	for (int i = 0; i < answer->chain_len; i++)
		if (answer->chain[i].dname == dname)
			return true;
	return false;
}

/* True: NAME is in this zone; answer->name is now NAME and must be looked up. */
static bool answer_follow(struct answer *answer, const struct name *name, uint32_t dname)
{
	if (answer->chain_len == MAX_CHAIN)
		return false;
	answer->chain[answer->chain_len].name = answer->name;
	answer->chain[answer->chain_len++].dname = dname;
	answer->name = *name;
	name_fold(&answer->name);
	return name_is_below(&answer->name, &answer->zone->apex) &&
	       !answer_has_followed(answer, &answer->name);
}

/*
 * The target of SET, which is the whole rdata of its only record; length 0: SET has no
 * such target.
 */
static struct name answer_target(const struct zone *zone, const struct zone_rrset *set)
{
	struct rr rr = { 0 };
	struct name target = { 0 };

	zone_next_rr(zone, set, &(uint32_t){ set->rdata }, &rr);
	target.len = name_wire_len(rr.rdata, rr.rdata_len);
	memcpy(target.wire, rr.rdata, target.len);
	return target;
}

static bool answer_follow_alias(struct answer *answer, const struct zone_rrset *alias)
{
	struct name target = answer_target(answer->zone, alias);

	return target.len && answer_follow(answer, &target, ZONE_NONE);
}

/* ---- DNAME (RFC 6672 3.2) ---- */

/* The DNAME node above the name whose closest node is NODE; or ZONE_NONE. */
static uint32_t answer_find_dname(const struct zone *zone, uint32_t node, bool exact)
{
	uint8_t flags = zone->nodes[node].flags;

	if (!(flags & NODE_BELOW_DNAME) && !(flags & NODE_DNAME && !exact))
		return ZONE_NONE;
	while (!(zone->nodes[node].flags & NODE_DNAME))
		node = zone->nodes[node].parent;
	return node;
}

/* Replaces OWNER at the end of NAME by the target. False: the result is too long. */
static bool answer_substitute(const struct name *name, const uint8_t *owner,
                              const struct name *target, struct name *result)
{
	size_t head = name->len - name_wire_len(owner, NAME_MAX_WIRE);

	if (!target->len || head + target->len > NAME_MAX_WIRE)
		return false;
	result->len = head + target->len;
	memcpy(result->wire, name->wire, head);
	memcpy(result->wire + head, target->wire, target->len);
	return true;
}

/* Adds the CNAME that a DNAME makes for answer->name. */
static bool answer_add_alias(struct answer *answer, uint32_t ttl,
                             const struct name *target)
{
	const struct rr alias = {
		.name = answer->name.wire, .type = RR_CNAME, .ttl = ttl,
		.rdata = target->wire, .rdata_len = target->len,
	};

	answer_add(answer, SECTION_ANSWER, &alias);
	if (answer->writer.full)
		answer->flags |= FLAG_TC;
	return !answer->writer.full;
}

/* True: continue with the name below the target. */
static bool answer_redirect(struct answer *answer, uint32_t node)
{
	const struct zone *zone = answer->zone;
	const struct zone_rrset *set = zone_rrset(zone, node, RR_DNAME);
	const struct name target = answer_target(zone, set);
	uint16_t type = answer->query->type;
	struct name name;

	if (answer_has_used(answer, node) ||
	    !answer_add_set(answer, SECTION_ANSWER, zone_name(zone, node), set))
		return false;
	if (!answer_substitute(&answer->name, zone_name(zone, node), &target, &name)) {
		answer->rcode = RCODE_YXDOMAIN;
		return false;
	}
	return answer_add_alias(answer, set->ttl, &name) && type != RR_CNAME &&
	       type != RR_ANY && answer_follow(answer, &name, node);
}

/* ---- a name of the zone ---- */

/* The set of NODE that answers: of the type, a CNAME, or any set for ANY. */
static const struct zone_rrset *answer_pick(const struct answer *answer, uint32_t node)
{
	const struct zone *zone = answer->zone;
	const struct zone_rrset *set;

	if (answer->query->type == RR_ANY)
		return zone->nodes[node].rrset_count
			       ? &zone->rrsets[zone->nodes[node].rrsets] : NULL;
	set = zone_rrset(zone, node, answer->query->type);
	return set ? set : zone_rrset(zone, node, RR_CNAME);
}

/* Answers answer->name from NODE. True: continue with the target of the alias. */
static bool answer_from(struct answer *answer, uint32_t node)
{
	const struct zone_rrset *set = answer_pick(answer, node);
	struct name owner = answer->name;
	uint16_t type = answer->query->type;

	if (!set) {
		answer_add_negative(answer, RCODE_NOERROR);
		return false;
	}
	if (!answer_add_set(answer, SECTION_ANSWER, owner.wire, set))
		return false;
	if (set->type == RR_CNAME && type != RR_CNAME && type != RR_ANY)
		return answer_follow_alias(answer, set);
	answer_keep(answer, node, set);
	return false;
}

/*
 * True: the answer is a referral. At a cut only the DS record is ours, and nothing below
 * it.
 */
static bool answer_is_referral(const struct answer *answer, uint32_t node, bool exact)
{
	uint8_t flags = answer->zone->nodes[node].flags & (NODE_CUT | NODE_BELOW_CUT);

	return flags && !(flags == NODE_CUT && exact && answer->query->type == RR_DS);
}

static uint32_t answer_find_wildcard(const struct zone *zone, uint32_t encloser)
{
	const uint8_t *above = zone_name(zone, encloser);
	uint8_t wire[NAME_MAX_WIRE + 2] = { 1, '*' };
	size_t len = name_wire_len(above, NAME_MAX_WIRE);

	if (len + 2 > NAME_MAX_WIRE)
		return ZONE_NONE;
	memcpy(wire + 2, above, len);
	return zone_find(zone, wire);
}

/* Handles one name of the chain. True: there is a next name. */
static bool answer_step(struct answer *answer)
{
	const struct zone *zone = answer->zone;
	bool exact;
	uint32_t node = zone_closest(zone, &answer->name, &exact);
	uint32_t dname = answer_find_dname(zone, node, exact);

	if (answer_is_referral(answer, node, exact)) {
		answer_add_referral(answer, node);
		return false;
	}
	if (dname != ZONE_NONE)
		return answer_redirect(answer, dname);
	if (!exact)
		node = answer_find_wildcard(zone, node);
	if (node == ZONE_NONE) {
		answer_add_negative(answer, RCODE_NXDOMAIN);
		return false;
	}
	return answer_from(answer, node);
}

static size_t answer_end(struct answer *answer)
{
	struct query query = *answer->query;	/* answering changes it */

	query_answer_end(&query, answer->flags, answer->rcode, answer->count,
	                 &answer->writer);
	return answer->writer.len;
}

size_t answer_build(const struct query *query, const struct zone *zone, bool tcp,
                    uint8_t *data, size_t size)
{
	struct answer answer;

	answer.query = query;
	answer.zone = zone;
	answer.flags = FLAG_AA;
	answer.rcode = RCODE_NOERROR;
	answer.name = query->name;
	answer.seen_count = answer.chain_len = 0;
	memset(answer.count, 0, sizeof(answer.count));
	query_answer_begin(query, tcp, data, size, &answer.writer);
	while (answer_step(&answer))
		;
	if (!(answer.flags & FLAG_TC))
		answer_add_additional(&answer);
	return answer_end(&answer);
}

size_t answer_soa(const struct query *query, const struct rr *soa, bool tcp,
                  uint8_t *data, size_t size)
{
	struct answer answer;

	answer.query = query;
	answer.flags = FLAG_AA;
	answer.rcode = RCODE_NOERROR;
	memset(answer.count, 0, sizeof(answer.count));
	query_answer_begin(query, tcp, data, size, &answer.writer);
	answer_add(&answer, SECTION_ANSWER, soa);
	if (answer.writer.full)
		answer.flags |= FLAG_TC;
	return answer_end(&answer);
}
