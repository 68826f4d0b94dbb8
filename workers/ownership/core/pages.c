#include "core/pages.h"

static void begin(struct pages *pages)
{
	pages->begun++;
	pages->has_serial = false;
	pages->records = pages->octets = 0;
}

void pages_init(struct pages *pages, const struct axfr_limits *limits,
                int64_t now_ms, int64_t whole_ms)
{
	*pages = (struct pages){ .limits = *limits, .until_ms = now_ms + whole_ms };
	begin(pages);
}

static enum err check_limits(const struct pages *pages, struct why *why)
{
	if (pages->records > pages->limits.records)
		return fail(why, ERR_TOO_LARGE, "the domain has too many records");
	if (pages->octets > pages->limits.octets)
		return fail(why, ERR_TOO_LARGE, "the domain is too large");
	return OK;
}

enum err pages_take(struct pages *pages, const struct page *page, int64_t now_ms,
                    bool *is_another, struct why *why)
{
	*is_another = false;
	if (now_ms > pages->until_ms)
		return fail(why, ERR_TIMEOUT, "the domain takes too long to be read");
	if (!page->records)	/* of such there could be any number */
		return fail(why, ERR_REMOTE, "a page without records");
	if (pages->has_serial && pages->serial != page->serial) {
		if (pages->begun == PAGES_BEGUN_MAX)
			return fail(why, ERR_BUSY,
			            "the domain changes while it is read");
		begin(pages);
		*is_another = true;
		return OK;
	}
	pages->has_serial = true;
	pages->serial = page->serial;
	pages->records += page->records;
	pages->octets += page->octets;
	return check_limits(pages, why);
}
