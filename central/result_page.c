#include "result_page.h"

#include <string.h>

void result_page_init(struct result_page *page, size_t limit)
{
	*page = (struct result_page){ .items = json_array(), .limit = limit };
}

bool result_page_add(struct result_page *page, json_t *item, const char *id)
{
	size_t bytes = json_dumpb(item, NULL, 0, JSON_COMPACT) + 1;
	bool first = !json_array_size(page->items);

	if (page->full || (!first && page->bytes + bytes > REPLY_MAX)) {
		page->full = true;
		json_decref(item);
		return false;
	}
	page->bytes += bytes;
	memcpy(page->last, id, sizeof page->last);
	json_array_append_new(page->items, item);
	page->full = json_array_size(page->items) == page->limit;
	return true;
}

json_t *result_page_encode(struct result_page *page, const char *key)
{
	return json_pack("{s:o, s:s?}", key, page->items,
	                 "marker", page->full ? page->last : NULL);
}
