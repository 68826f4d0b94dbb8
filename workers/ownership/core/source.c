#include "core/source.h"

static bool source_is_plausible(const struct source_report *report)
{
	return report->count || report->had < report->min_records || !report->owns_sets;
}

struct source_state source_decide(const struct source_report *report)
{
	if (!report->is_complete)
		return (struct source_state){ false, report->left + report->count };
	if (!source_is_plausible(report))
		return (struct source_state){ false, report->had };
	return (struct source_state){ true, report->count };
}
