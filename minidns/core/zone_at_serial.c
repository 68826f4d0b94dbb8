#include "core/zone_at_serial.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"

struct zone_at_serial {
	const struct zone *zone;
	const struct delta *delta;
	struct map *added;
	struct zone_walk walk;
	/* offset of the next removed record in the delta */
	size_t removed;
	struct canonical key;		/* buffer for one key */
};

/*
 * The key of a record in `added` is its canonical form with the rdata as written, because
 * two records may differ only in the case of names in their rdata. The case of the owner
 * may differ between zone and journal.
 */
static void zone_at_serial_make_key(struct zone_at_serial *view, const struct rr *rr,
                                    const struct canonical *record)
{
	bug_if(rr->rdata_len > sizeof(view->key.octets) - record->rdata);
	view->key.len = record->rdata + rr->rdata_len;
	memcpy(view->key.octets, record->octets, record->rdata);
	memcpy(view->key.octets + record->rdata, rr->rdata, rr->rdata_len);
}

static void zone_at_serial_read_added(struct zone_at_serial *view)
{
	struct canonical *record = xmalloc(sizeof(*record));
	const struct delta *delta = view->delta;
	size_t at = delta->newest_soa;
	struct rr rr;

	while (rr_next(delta->rrs.data, delta->rrs.len, &at, &rr)) {
		if (!canonical_of_rr(&rr, record))
			continue;
		zone_at_serial_make_key(view, &rr, record);
		map_put(view->added, view->key.octets, view->key.len, view);
	}
	free(record);
}

static bool zone_at_serial_is_usable(const struct zone *zone, const struct delta *delta)
{
	return !delta ||
	       (delta->to == zone->serial && delta->rrs.len <= ZONE_AT_SERIAL_OCTETS);
}

struct zone_at_serial *zone_at_serial_new(const struct zone *zone,
                                          const struct delta *delta, uint32_t seed)
{
	struct zone_at_serial *view;

	if (!zone_at_serial_is_usable(zone, delta))
		return NULL;
	view = xcalloc(1, sizeof(*view));
	view->zone = zone;
	view->delta = delta;
	view->added = map_new(seed);
	if (delta)
		zone_at_serial_read_added(view);
	zone_at_serial_rewind(view);
	return view;
}

void zone_at_serial_free(struct zone_at_serial **view)
{
	if (*view)
		map_free(&(*view)->added);
	free(*view);
	*view = NULL;
}

void zone_at_serial_rewind(struct zone_at_serial *view)
{
	view->walk = zone_walk(view->zone);
	view->removed = 0;
}

static bool zone_at_serial_is_added(struct zone_at_serial *view, const struct rr *rr,
                                    const struct canonical *record)
{
	if (!view->delta)
		return false;
	zone_at_serial_make_key(view, rr, record);
	return map_get(view->added, view->key.octets, view->key.len);
}

static bool zone_at_serial_next_removed(struct zone_at_serial *view,
                                        struct canonical *record)
{
	const struct delta *delta = view->delta;
	struct rr rr;

	while (delta && rr_next(delta->rrs.data, delta->newest_soa, &view->removed, &rr))
		if (canonical_of_rr(&rr, record))
			return true;
	return false;
}

bool zone_at_serial_next(struct zone_at_serial *view, struct canonical *record)
{
	struct rr rr;

	while (zone_walk_next(&view->walk, &rr))
		if (canonical_of_rr(&rr, record) &&
		    !zone_at_serial_is_added(view, &rr, record))
			return true;
	return zone_at_serial_next_removed(view, record);
}
