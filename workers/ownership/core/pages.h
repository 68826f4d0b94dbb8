/*
 * pages -- a zone that comes page by page: all of one serial, and not without end. If it
 * changes between two pages, those that came are worth nothing, and it is begun again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "dns/axfr_reader.h"

enum { PAGES_BEGUN_MAX = 6 };		/* times that a zone is begun */

struct pages {
	struct axfr_limits limits;	/* octets: of its text */
	int64_t until_ms;
	int begun;
	/* since it was begun */
	bool has_serial;
	uint32_t serial;
	uint64_t records, octets;
};

struct page {
	uint32_t serial;
	size_t records, octets;
};

/* The first page is to be asked for; it may take WHOLE_MS from NOW_MS on. */
void pages_init(struct pages *pages, const struct axfr_limits *limits,
                int64_t now_ms, int64_t whole_ms);
/*
 * A page that came. *is_another: of another serial than those before it; it means
 * nothing, nor do they: ask for the first page. ERR_BUSY, _REMOTE, _TOO_LARGE, _TIMEOUT:
 * it cannot be read.
 */
enum err pages_take(struct pages *pages, const struct page *page, int64_t now_ms,
                    bool *is_another, struct why *why);
