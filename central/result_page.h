/*
 * result_page -- one reply of a find: collects objects until it has as many as were
 * asked for, or would grow beyond what a message should be. The marker in it
 * is where the next page begins.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/id.h"

enum { REPLY_MAX = 512 * 1024 };

struct page {
	json_t *items;
	size_t bytes, limit;
	char last[ID_LEN + 1];		/* the id of the last one taken */
	bool full;
};

void page_begin(struct page *page, size_t limit);
/* Takes ITEM over; false when there was no room for it. The first one always has. */
bool page_add(struct page *page, json_t *item, const char *id);
/* {KEY: [...], "marker": the last id, or null when that was all} */
json_t *page_end(struct page *page, const char *key);
