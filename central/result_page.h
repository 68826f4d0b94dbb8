/*
 * result_page -- one page of the results of a find_* method. The caller limits the
 * number of objects on the page. REPLY_MAX limits the size of the page in octets. The
 * next page begins after the marker of this page.
 */
#pragma once

#include <jansson.h>

#include "central.h"
#include "store.h"

enum { REPLY_MAX = 512 * 1024 };

struct result_page {
	json_t *items;
	size_t bytes, limit;
	char last[ID_LEN + 1];		/* the id of the last object */
	bool full;
};

void result_page_init(struct result_page *page, size_t limit);
/*
 * Takes ownership of ITEM and adds it. False: the page has no room for ITEM. The first
 * object always fits.
 */
bool result_page_add(struct result_page *page, json_t *item, const char *id);
/* Makes {KEY: [...], "marker": ID}. ID is the last id, or null on the last page. */
json_t *result_page_encode(struct result_page *page, const char *key);

/* A list without criteria, for administrators only. */
struct result_list {
	/* member of the answer, for example "pools" */
	const char *key;
	const char *const *sort_keys;
	void (*read)(struct tx *tx, const struct paging *paging, struct arena *arena,
	             struct result_page *page);
};
/* Answers find_pools and similar methods. */
enum err result_page_find(struct central *central, struct request *req,
                          const struct result_list *list);
