#include "core/source.h"

static bool is_believed(const struct source_report *report)
{
	return report->count || report->had < report->min_records || !report->owns_sets;
}

struct source_state source_judge(const struct source_report *report)
{
	if (!report->is_complete)
		return (struct source_state){ false, report->left + report->count };
	if (!is_believed(report))
		return (struct source_state){ false, report->had };
	return (struct source_state){ true, report->count };
}
