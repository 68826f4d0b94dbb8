/*
 * result_page -- builds one page of the results of a find_* method. The caller limits the
 * number of objects on the page. REPLY_MAX limits the size of the page in octets. The
 * next page begins after the marker of this page.
 */
#pragma once

#include <jansson.h>

#include "central.h"
#include "model/identity.h"
#include "store.h"

enum { REPLY_MAX = 512 * 1024 };

struct result_page {
	json_t *items;
	size_t bytes, limit;
	/* id of the last object on the page; in a list of tenants, the tenant */
	char last[IDENTITY_MAX + 1];
	bool full;
};

void result_page_init(struct result_page *page, size_t limit);
/*
 * Takes ownership of ITEM and adds ITEM to the page. False: the page has no room, so the
 * function has freed ITEM. The first object always fits.
 */
bool result_page_add(struct result_page *page, json_t *item, const char *id);
/*
 * Makes {KEY: [...], "marker": ID}. If the page is full, ID is the id of the last object.
 * If the page is not full, ID is null, because this is the last page.
 */
json_t *result_page_encode(struct result_page *page, const char *key);

/* A method that lists objects without criteria, for administrators only. */
struct result_list {
	/* name of the list in the answer, for example "pools" */
	const char *key;
	const char *const *sort_keys;
	void (*read)(struct tx *tx, const struct paging *paging, struct arena *arena,
	             struct result_page *page);
};
/*
 * Handles a call of find_pools or a similar method: reads one page and makes the answer.
 */
enum err result_page_find(struct central *central, struct request *req,
                          const struct result_list *list);
