#include "core/zone_at_serial.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"

struct past {
	const struct zone *zone;
	const struct delta *delta;
	struct map *gained;
	struct zone_walk walk;
	size_t lost;			/* where in the delta the next one stands */
	struct canonical key;		/* room for one */
};

/*
 * What a record is found by among the gained: it, but with the names of its rdata as they
 * were written, for two records may differ in that alone. Its owner the zone may write in
 * another case than the journal.
 */
static void make_key(struct past *past, const struct rr *rr,
                     const struct canonical *record)
{
	bug_if(rr->rdata_len > sizeof(past->key.octets) - record->rdata);
	past->key.len = record->rdata + rr->rdata_len;
	memcpy(past->key.octets, record->octets, record->rdata);
	memcpy(past->key.octets + record->rdata, rr->rdata, rr->rdata_len);
}

static void read_gained(struct past *past)
{
	struct canonical *record = xmalloc(sizeof(*record));
	const struct delta *delta = past->delta;
	size_t at = delta->newest_soa;
	struct rr rr;

	while (rr_next(delta->rrs.data, delta->rrs.len, &at, &rr)) {
		if (!canonical_of_rr(&rr, record))
			continue;
		make_key(past, &rr, record);
		map_put(past->gained, past->key.octets, past->key.len, past);
	}
	free(record);
}

static bool is_usable(const struct zone *zone, const struct delta *delta)
{
	return !delta ||
	       (delta->to == zone->serial && delta->rrs.len <= PAST_OCTETS_MAX);
}

struct past *past_new(const struct zone *zone, const struct delta *delta, uint32_t seed)
{
	struct past *past;

	if (!is_usable(zone, delta))
		return NULL;
	past = xcalloc(1, sizeof(*past));
	past->zone = zone;
	past->delta = delta;
	past->gained = map_new(seed);
	if (delta)
		read_gained(past);
	past_rewind(past);
	return past;
}

void past_free(struct past **past)
{
	if (*past)
		map_free(&(*past)->gained);
	free(*past);
	*past = NULL;
}

void past_rewind(struct past *past)
{
	past->walk = zone_walk(past->zone);
	past->lost = 0;
}

static bool is_gained(struct past *past, const struct rr *rr,
                      const struct canonical *record)
{
	if (!past->delta)
		return false;
	make_key(past, rr, record);
	return map_get(past->gained, past->key.octets, past->key.len);
}

static bool next_lost(struct past *past, struct canonical *record)
{
	const struct delta *delta = past->delta;
	struct rr rr;

	while (delta && rr_next(delta->rrs.data, delta->newest_soa, &past->lost, &rr))
		if (canonical_of_rr(&rr, record))
			return true;
	return false;
}

bool past_next(struct past *past, struct canonical *record)
{
	struct rr rr;

	while (zone_walk_next(&past->walk, &rr))
		if (canonical_of_rr(&rr, record) && !is_gained(past, &rr, record))
			return true;
	return next_lost(past, record);
}
