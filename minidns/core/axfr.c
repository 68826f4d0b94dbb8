#include "core/axfr.h"

#include <string.h>

#include "base/log.h"

void axfr_init(struct axfr *axfr, struct query *query, const struct zone *zone)
{
	*axfr = (struct axfr){ .query = query, .zone = zone };
}

/* ---- the records, one after the other ---- */

static bool axfr_at_end(const struct axfr *axfr)
{
	return axfr->set == axfr->zone->rrset_count;
}

/* Moves to the node of record set `set`. */
static void axfr_enter_set(struct axfr *axfr)
{
	const struct zone *zone = axfr->zone;

	if (axfr_at_end(axfr))
		return;
	while (axfr->set >=
	       zone->nodes[axfr->node].rrsets + zone->nodes[axfr->node].rrset_count)
		axfr->node++;
	axfr->rdata = zone->rrsets[axfr->set].rdata;
	axfr->left = zone->rrsets[axfr->set].count;
}

static void axfr_next_set(struct axfr *axfr)
{
	axfr->set++;
	axfr_enter_set(axfr);
}

static void axfr_put_soa(struct axfr *axfr, struct packet_writer *writer)
{
	/* the first set of the apex */
	const struct zone_rrset *set = axfr->zone->rrsets;
	struct rr rr = { .name = zone_name(axfr->zone, 0) };

	zone_next_rr(axfr->zone, set, &(uint32_t){ set->rdata }, &rr);
	packet_put_rr(writer, &rr);
}

/* Writes the current record. If it does not fit, it stays the current one. */
static bool axfr_put_record(struct axfr *axfr, struct packet_writer *writer)
{
	struct rr rr = { .name = zone_name(axfr->zone, axfr->node) };
	uint32_t at = axfr->rdata;

	zone_next_rr(axfr->zone, &axfr->zone->rrsets[axfr->set], &at, &rr);
	packet_put_rr(writer, &rr);
	if (writer->full)
		return false;
	axfr->rdata = at;
	if (!--axfr->left)
		axfr_next_set(axfr);
	return true;
}

/* Writes records until the message is full or the zone ends. Returns their number. */
static uint16_t axfr_fill(struct axfr *axfr, struct packet_writer *writer)
{
	uint16_t count = 0;

	if (!axfr->started) {
		axfr_put_soa(axfr, writer);
		axfr->started = true;
		axfr->node = 0;
		axfr->set = 1;
		axfr_enter_set(axfr);
		count++;
	}
	while (!axfr_at_end(axfr) && axfr_put_record(axfr, writer))
		count++;
	if (!axfr_at_end(axfr))
		return count;
	axfr_put_soa(axfr, writer);
	axfr->ended = !writer->full;
	return count + axfr->ended;
}

size_t axfr_next(struct axfr *axfr, uint8_t *data, size_t size)
{
	struct packet_writer writer;
	uint16_t count[SECTIONS] = { 0 };

	if (axfr->ended)
		return 0;
	query_answer_begin(axfr->query, true, data, size, &writer);
	count[SECTION_ANSWER] = axfr_fill(axfr, &writer);
	/* each record of a zone fits into a message */
	bug_if(!count[SECTION_ANSWER]);
	axfr->records += count[SECTION_ANSWER];
	query_answer_end(axfr->query, FLAG_AA, RCODE_NOERROR, count, &writer);
	return writer.len;
}
