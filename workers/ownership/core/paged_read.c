#include "core/paged_read.h"

static void paged_read_start(struct paged_read *read)
{
	read->starts++;
	read->has_serial = false;
	read->records = read->octets = 0;
}

void paged_read_init(struct paged_read *read, const struct axfr_limits *limits,
                     int64_t now_ms, int64_t whole_ms)
{
	*read = (struct paged_read){ .limits = *limits, .until_ms = now_ms + whole_ms };
	paged_read_start(read);
}

static enum err paged_read_check(const struct paged_read *read, struct why *why)
{
	if (read->records > read->limits.records)
		return fail(why, ERR_TOO_LARGE, "the domain must have at most %zu "
		            "records, but has more",
		            read->limits.records);
	if (read->octets > read->limits.octets)
		return fail(why, ERR_TOO_LARGE, "the records of the domain must have at "
		            "most %zu octets, but have more",
		            read->limits.octets);
	return OK;
}

enum err paged_read_add(struct paged_read *read, const struct read_page *page,
                        int64_t now_ms, bool *is_restarted, struct why *why)
{
	*is_restarted = false;
	if (now_ms > read->until_ms)
		return fail(why, ERR_TIMEOUT,
		            "the records of the domain did not arrive within the time "
		            "limit");
	if (!page->records)	/* such pages could come without end */
		return fail(why, ERR_REMOTE, "a page of the answer contains no records");
	if (read->has_serial && read->serial != page->serial) {
		if (read->starts == PAGED_READ_STARTS_MAX)
			return fail(why, ERR_BUSY, "the domain changed %d times while "
			            "zonefleet-ownership read the domain",
			            PAGED_READ_STARTS_MAX);
		paged_read_start(read);
		*is_restarted = true;
		return OK;
	}
	read->has_serial = true;
	read->serial = page->serial;
	read->records += page->records;
	read->octets += page->octets;
	return paged_read_check(read, why);
}
