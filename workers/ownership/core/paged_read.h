/*
 * paged_read -- reads a domain page by page. All pages must have the same serial. If the
 * domain changes between two pages, paged_read drops all pages and starts again. A read
 * has limits for its time, its size and the number of its attempts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dns/axfr_reader.h"

enum { PAGED_READ_STARTS_MAX = 6 };

struct paged_read {
	/* Limits of the read. `octets` limits the length of the text of all pages. */
	struct axfr_limits limits;
	int64_t until_ms;		/* time when the time limit of the read ends */
	int starts;			/* number of starts of the read */
	/* the following members are about the pages since the last start */
	bool has_serial;
	uint32_t serial;
	uint64_t records, octets;
};

struct read_page {
	uint32_t serial;
	size_t records, octets;
};

/*
 * Starts a read with the time limit WHOLE_MS. After the call, the caller requests the
 * first page.
 */
void paged_read_init(struct paged_read *read, const struct axfr_limits *limits,
                     int64_t now_ms, int64_t whole_ms);
/*
 * Counts a page. *is_restarted: the serial has changed, so the caller must drop all pages
 * including this one, and request the first page again. ERR_BUSY, _REMOTE, _TOO_LARGE,
 * _TIMEOUT: the read has failed.
 */
enum err paged_read_add(struct paged_read *read, const struct read_page *page,
                        int64_t now_ms, bool *is_restarted, struct why *why);
