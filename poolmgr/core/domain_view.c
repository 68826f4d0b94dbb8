#include "core/domain_view.h"

#include <string.h>

#include "base/buf.h"

/* Makes "ns2: no answer in 3 tries of 30 s; ns3: refused". */
static const char *domain_view_reasons(const struct domain_view *view,
                                       struct arena *arena)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < view->count && text.len < DOMAIN_VIEW_REASON; i++)
		if (view->observations[i].status == OBSERVED_ERROR ||
		    (view->observations[i].status == OBSERVED_NO_DOMAIN &&
		     *view->reasons[i]))	/* "": a deletion without a poll */
			buf_printf(&text, "%s%s: %s", text.len ? "; " : "",
			           view->server_ids[i],
			           view->reasons[i]);
	const char *result = arena_printf(arena, "%.*s", DOMAIN_VIEW_REASON - 1,
	                                  buf_string(&text));
	buf_clear(&text);
	return result;
}

/* Whether enough servers completed the action, or too many failed. */
static struct quorum domain_view_quorum(const struct domain_view *view,
                                        int threshold_percent)
{
	size_t ok = 0, bad = 0;

	for (size_t i = 0; i < view->count; i++) {
		ok += view->observations[i].status == OBSERVED_SUCCESS;
		bad += view->observations[i].status == OBSERVED_ERROR;
	}
	return consensus_quorum(ok, bad, view->count, threshold_percent);
}

/*
 * True: the last change is complete. Central only needs to know if servers lose the zone.
 */
static bool domain_view_is_settled(const struct domain_view *view)
{
	return view->domain.state.task == TASK_NONE;
}

/*
 * The domain was ACTIVE, and too many servers now serve an unknown serial, an older
 * serial or other records. Servers that are silent, or fail, cause no report.
 */
static bool domain_view_report_differing(const struct domain_view *view,
                                         int threshold_percent,
                                         struct pool_report *report)
{
	uint32_t wanted = view->domain.state.serial;
	struct consensus consensus = consensus_of(view->observations, view->count,
	                                          threshold_percent, wanted);

	report->report = REPORT_FOREIGN;
	report->serial = wanted;
	return (view->unknown_count || view->differing_count || view->has_older) &&
	       view->domain.state.status == STATUS_ACTIVE &&
	       !(consensus.reached && consensus.serial == wanted);
}

/*
 * True: a catalog zone in a pool without a server that reads it. Then consensus is
 * reached immediately.
 */
static bool domain_view_has_no_servers(const struct domain_view *view)
{
	return view->domain.is_catalog && !view->count;
}

static bool domain_view_report_update(const struct domain_view *view,
                                      int threshold_percent, struct pool_report *report)
{
	struct consensus consensus = consensus_of(view->observations, view->count,
	                                          threshold_percent,
	                                          view->domain.state.serial);

	if (consensus.failed && view->domain.state.status == STATUS_PENDING) {
		report->report = REPORT_ERROR;
		report->serial = consensus.failed_serial;
		return true;
	}
	report->report = REPORT_SUCCESS;
	report->serial = consensus.serial;
	if (domain_view_has_no_servers(view))
		report->serial = view->domain.state.serial;
	return consensus.reached || domain_view_has_no_servers(view);
}

/* If too many servers cannot create the zone, the domain is in error. */
static bool domain_view_report_create(const struct domain_view *view,
                                      int threshold_percent, struct pool_report *report)
{
	report->report = REPORT_ERROR;
	report->serial = view->domain.state.serial;
	return domain_view_quorum(view, threshold_percent).failed &&
	       view->domain.state.status == STATUS_PENDING;
}

static bool domain_view_report_delete(const struct domain_view *view,
                                      int threshold_percent, struct pool_report *report)
{
	struct quorum quorum = domain_view_quorum(view, threshold_percent);

	quorum.reached |= domain_view_has_no_servers(view);
	report->report = quorum.reached ? REPORT_NO_DOMAIN : REPORT_ERROR;
	report->serial = view->domain.state.serial;
	if (view->domain.state.task != TASK_DELETE)
		return false;
	return quorum.reached ||
	       (quorum.failed && view->domain.state.status == STATUS_PENDING);
}

bool domain_view_report(const struct domain_view *view, enum action action,
                        int threshold_percent, struct arena *arena,
                        struct pool_report *report)
{
	static bool (*const reports[ACTION_COUNT])(const struct domain_view *, int,
	                                           struct pool_report *) = {
		[ACTION_CREATE] = domain_view_report_create,
		[ACTION_UPDATE] = domain_view_report_update,
		[ACTION_DELETE] = domain_view_report_delete,
	};

	if (action != ACTION_DELETE && view->domain.state.task == TASK_DELETE)
		return false;
	*report = (struct pool_report){ .domain = view->domain, .reason = "" };
	if (!(domain_view_is_settled(view) ? domain_view_report_differing
	                                   : reports[action])(view, threshold_percent,
	                                                      report))
		return false;
	if (report->report == REPORT_ERROR || report->report == REPORT_FOREIGN)
		report->reason = domain_view_reasons(view, arena);
	return true;
}
