/*
 * paged_read -- reads a domain page by page. All pages must have one serial. If the
 * domain changes between two pages, the reader drops them and starts again. Limits bound
 * the time, the starts and the size.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dns/axfr_reader.h"

enum { PAGED_READ_STARTS_MAX = 6 };

struct paged_read {
	struct axfr_limits limits;	/* octets: limit for the text */
	int64_t until_ms;
	int starts;
	/* since the last start */
	bool has_serial;
	uint32_t serial;
	uint64_t records, octets;
};

struct read_page {
	uint32_t serial;
	size_t records, octets;
};

/* Starts a read; then request the first page. The whole read may take WHOLE_MS. */
void paged_read_init(struct paged_read *read, const struct axfr_limits *limits,
                     int64_t now_ms, int64_t whole_ms);
/*
 * Counts a page. *is_restarted: the serial has changed; drop all pages, including this
 * one, and request the first page. ERR_BUSY, _REMOTE, _TOO_LARGE, _TIMEOUT: the read
 * failed.
 */
enum err paged_read_add(struct paged_read *read, const struct read_page *page,
                        int64_t now_ms, bool *is_restarted, struct why *why);
