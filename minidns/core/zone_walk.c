#include "core/zone_walk.h"

struct zone_walk zone_walk(const struct zone *zone)
{
	return (struct zone_walk){ .zone = zone };
}

/* Moves to the node of record set `set`, of which no record is left. */
static void zone_walk_enter_set(struct zone_walk *walk)
{
	const struct zone *zone = walk->zone;

	while (walk->set >=
	       zone->nodes[walk->node].rrsets + zone->nodes[walk->node].rrset_count)
		walk->node++;
	walk->rdata = zone->rrsets[walk->set].rdata;
	walk->left = zone->rrsets[walk->set].count;
}

bool zone_walk_next(struct zone_walk *walk, struct rr *rr)
{
	const struct zone *zone = walk->zone;

	if (walk->set == zone->rrset_count)
		return false;
	if (!walk->left)
		zone_walk_enter_set(walk);
	rr->name = zone_name(zone, walk->node);
	zone_next_rr(zone, &zone->rrsets[walk->set], &walk->rdata, rr);
	if (!--walk->left)
		walk->set++;
	return true;
}
