#include "core/ixfr.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "core/ixfr_merge.h"
#include "core/zone.h"

/* ---- the delta ---- */

static bool ixfr_is_soa(const struct name *apex, const struct rr *rr, uint32_t serial)
{
	struct soa soa;

	return rr->type == RR_SOA &&
	       name_wire_len(rr->name, NAME_MAX_WIRE) == apex->len &&
	       !memcmp(rr->name, apex->wire, apex->len) &&
	       soa_parse(rr->rdata, rr->rdata_len, &soa) && soa.serial == serial;
}

static bool ixfr_is_in_zone(const struct name *apex, const struct rr *rr)
{
	struct name owner = { .len = name_wire_len(rr->name, NAME_MAX_WIRE) };

	memcpy(owner.wire, rr->name, owner.len);
	name_fold(&owner);
	return name_is_below(&owner, apex);
}

/* Adds half of a step: the SOA of SERIAL, then records of the zone without a SOA. */
static bool delta_add(struct delta *delta, const struct name *apex, uint32_t serial,
                      const uint8_t *data, size_t len)
{
	struct rr rr;
	size_t at = 0;

	if (!rr_next(data, len, &at, &rr) || !ixfr_is_soa(apex, &rr, serial))
		return false;
	delta->records++;
	while (rr_next(data, len, &at, &rr)) {
		if (rr.type == RR_SOA || rr.rdata_len > RDATA_MAX ||
		    !ixfr_is_in_zone(apex, &rr))
			return false;
		delta->records++;
	}
	if (at != len)
		return false;
	buf_append(&delta->rrs, data, len);
	return true;
}

static const struct ixfr_step *step_from(const struct ixfr_step *steps, size_t count,
                                         uint32_t serial)
{
	for (size_t i = 0; i < count; i++)
		if (steps[i].previous_serial == serial)
			return &steps[i];
	return NULL;
}

/*
 * Finds the next step. Steps in the right order are found immediately, because the search
 * begins after the last one.
 */
static const struct ixfr_step *step_next(const struct ixfr_step *steps, size_t count,
                                         const struct ixfr_step *last, uint32_t serial)
{
	if (last && last + 1 < steps + count && last[1].previous_serial == serial)
		return last + 1;
	return step_from(steps, count, serial);
}

/* Adds the steps between the serials. Returns their number; 0: there is no such chain. */
static size_t delta_add_steps(struct delta *delta, const struct name *apex,
                              const struct ixfr_step *steps, size_t count)
{
	const struct ixfr_step *step = NULL;
	uint32_t serial = delta->from;
	size_t added = 0;

	for (; added < count && serial != delta->to; added++) {
		step = step_next(steps, count, step, serial);
		if (!step)
			return 0;
		if (!delta_add(delta, apex, serial, step->removed, step->removed_len))
			return 0;
		delta->newest_soa = delta->rrs.len;
		if (!delta_add(delta, apex, step->serial, step->added, step->added_len))
			return 0;
		serial = step->serial;
	}
	return serial == delta->to ? added : 0;
}

static bool delta_merge(struct delta *delta)
{
	struct ixfr_merged merged;

	if (!ixfr_merge(&delta->rrs, &merged))
		return false;
	buf_clear(&delta->rrs);
	delta->rrs = merged.rrs;
	delta->newest_soa = merged.new_soa;
	delta->records = merged.records;
	return true;
}

/* A single step needs no merge. */
static bool delta_fill(struct delta *delta, const struct name *apex,
                       const struct ixfr_step *steps, size_t count)
{
	size_t added = delta_add_steps(delta, apex, steps, count);

	return added == 1 || (added && delta_merge(delta));
}

struct delta *delta_new(const struct name *apex, uint32_t from, uint32_t to,
                        const struct ixfr_step *steps, size_t count)
{
	struct delta *delta = xcalloc(1, sizeof(*delta));

	delta->from = from;
	delta->to = to;
	delta->users = 1;
	if (!delta_fill(delta, apex, steps, count))
		delta_release(&delta);
	return delta;
}

struct delta *delta_hold(struct delta *delta)
{
	delta->users++;
	return delta;
}

void delta_release(struct delta **delta)
{
	struct delta *held = *delta;

	*delta = NULL;
	if (!held)
		return;
	bug_if(!held->users);
	if (--held->users)
		return;
	buf_clear(&held->rrs);
	free(held);
}

/* ---- the messages ---- */

void ixfr_init(struct ixfr *ixfr, struct query *query, const struct delta *delta)
{
	*ixfr = (struct ixfr){ .query = query, .delta = delta };
}

static bool delta_put(const struct delta *delta, size_t *at, struct packet_writer *writer)
{
	struct rr rr;

	bug_if(!rr_next(delta->rrs.data, delta->rrs.len, at, &rr));
	packet_put_rr(writer, &rr);
	return !writer->full;
}

static bool delta_put_soa(const struct delta *delta, struct packet_writer *writer)
{
	size_t at = delta->newest_soa;

	return delta_put(delta, &at, writer);
}

static uint16_t ixfr_fill(struct ixfr *ixfr, struct packet_writer *writer)
{
	const struct delta *delta = ixfr->delta;
	uint16_t count = 0;

	if (!ixfr->started) {
		ixfr->started = true;
		count += delta_put_soa(delta, writer);
	}
	while (ixfr->at < delta->rrs.len) {
		size_t at = ixfr->at;

		if (!delta_put(delta, &at, writer))
			return count;
		ixfr->at = at;
		count++;
	}
	ixfr->ended = delta_put_soa(delta, writer);
	return count + ixfr->ended;
}

size_t ixfr_next(struct ixfr *ixfr, bool tcp, uint8_t *data, size_t size)
{
	struct packet_writer writer;
	uint16_t count[SECTIONS] = { 0 };

	if (ixfr->ended)
		return 0;
	query_answer_begin(ixfr->query, tcp, data, size, &writer);
	count[SECTION_ANSWER] = ixfr_fill(ixfr, &writer);
	query_answer_end(ixfr->query, FLAG_AA, RCODE_NOERROR, count, &writer);
	return writer.len;
}
