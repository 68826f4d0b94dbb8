#include "result_page.h"

#include <stdio.h>

#include "codec_find.h"

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
	snprintf(page->last, sizeof page->last, "%s", id);
	json_array_append_new(page->items, item);
	page->full = json_array_size(page->items) == page->limit;
	return true;
}

json_t *result_page_encode(struct result_page *page, const char *key)
{
	return json_pack("{s:o, s:s?}", key, page->items,
	                 "marker", page->full ? page->last : NULL);
}

enum err result_page_find(struct central *central, struct request *req,
                          const struct result_list *list)
{
	struct paging paging;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_find_no_criterion(req->args, &req->why);
	if (!err)
		err = codec_find_paging(req->args, list->sort_keys, &paging, &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	struct result_page page;

	result_page_init(&page, paging.limit);
	list->read(&tx, &paging, req->arena, &page);
	req->result = result_page_encode(&page, list->key);
	return tx_commit(&tx);
}
