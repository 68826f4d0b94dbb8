#include "core/domain_view.h"

#include <string.h>

#include "base/buf.h"

/* "ns2: no answer in 3 tries of 30 s; ns3: refused" */
static const char *reasons(const struct standing *standing, struct arena *arena)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < standing->count && text.len < VERDICT_REASON; i++)
		if (standing->sightings[i].status == SEEN_ERROR ||
		    (standing->sightings[i].status == SEEN_NO_DOMAIN &&
		     *standing->reasons[i]))	/* else a deletion, to be confirmed */
			buf_printf(&text, "%s%s: %s", text.len ? "; " : "",
			           standing->server_ids[i],
			           standing->reasons[i]);
	const char *result = arena_printf(arena, "%.*s", VERDICT_REASON - 1,
	                                  buf_string(&text));
	buf_clear(&text);
	return result;
}

/* How many servers did what was asked of them, and how many failed. */
static struct verdict count(const struct standing *standing, int threshold_percent)
{
	size_t ok = 0, bad = 0;

	for (size_t i = 0; i < standing->count; i++) {
		ok += standing->sightings[i].status == SEEN_SUCCESS;
		bad += standing->sightings[i].status == SEEN_ERROR;
	}
	return consensus_verdict(ok, bad, standing->count, threshold_percent);
}

/* Central knows already that it failed: only news are told. */
static bool is_settled(const struct standing *standing)
{
	return standing->domain.state.task == TASK_NONE;
}

/*
 * Of a domain that was out: too many servers serve something else by now, another serial
 * or other records. That some are silent, or fail, is no such news.
 */
static bool foreign_verdict(const struct standing *standing, int threshold_percent,
                            struct pool_report *report)
{
	uint32_t wanted = standing->domain.state.serial;
	struct consensus consensus = consensus_of(standing->sightings, standing->count,
	                                          threshold_percent, wanted);

	report->report = REPORT_FOREIGN;
	report->serial = wanted;
	return (standing->foreign_count || standing->differing_count) &&
	       standing->domain.state.status == STATUS_ACTIVE &&
	       !(consensus.reached && consensus.serial == wanted);
}

/* A catalog zone in a pool none of whose servers reads it: nobody is waited for. */
static bool is_for_nobody(const struct standing *standing)
{
	return standing->domain.is_catalog && !standing->count;
}

static bool update_verdict(const struct standing *standing, int threshold_percent,
                           struct pool_report *report)
{
	struct consensus consensus = consensus_of(standing->sightings, standing->count,
	                                          threshold_percent,
	                                          standing->domain.state.serial);

	if (consensus.failed && standing->domain.state.status == STATUS_PENDING) {
		report->report = REPORT_ERROR;
		report->serial = consensus.failed_serial;
		return true;
	}
	report->report = REPORT_SUCCESS;
	report->serial = consensus.serial;
	if (is_for_nobody(standing))
		report->serial = standing->domain.state.serial;
	return consensus.reached || is_for_nobody(standing);
}

/* A zone that cannot be created on enough servers will not be served by them. */
static bool create_verdict(const struct standing *standing, int threshold_percent,
                           struct pool_report *report)
{
	report->report = REPORT_ERROR;
	report->serial = standing->domain.state.serial;
	return count(standing, threshold_percent).failed &&
	       standing->domain.state.status == STATUS_PENDING;
}

static bool delete_verdict(const struct standing *standing, int threshold_percent,
                           struct pool_report *report)
{
	struct verdict verdict = count(standing, threshold_percent);

	verdict.done |= is_for_nobody(standing);
	report->report = verdict.done ? REPORT_NO_DOMAIN : REPORT_ERROR;
	report->serial = standing->domain.state.serial;
	if (standing->domain.state.task != TASK_DELETE)
		return false;
	return verdict.done ||
	       (verdict.failed && standing->domain.state.status == STATUS_PENDING);
}

bool verdict_of(const struct standing *standing, enum action action,
                int threshold_percent, struct arena *arena, struct pool_report *report)
{
	static bool (*const verdicts[ACTION_COUNT])(const struct standing *, int,
	                                            struct pool_report *) = {
		[ACTION_CREATE] = create_verdict,
		[ACTION_UPDATE] = update_verdict,
		[ACTION_DELETE] = delete_verdict,
	};

	if (action != ACTION_DELETE && standing->domain.state.task == TASK_DELETE)
		return false;
	*report = (struct pool_report){ .domain = standing->domain, .reason = "" };
	if (!(is_settled(standing) ? foreign_verdict : verdicts[action])(
	        standing, threshold_percent, report))
		return false;
	if (report->report == REPORT_ERROR || report->report == REPORT_FOREIGN)
		report->reason = reasons(standing, arena);
	return true;
}
