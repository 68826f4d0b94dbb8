/*
 * store_reason -- reads what name servers have reported about domains, for the reason in
 * an answer (reasons.h).
 */
#pragma once

#include "core/reason.h"
#include "store.h"

/* maximum number of rows of one statement; central ignores further rows */
enum { REASON_ROWS = 10000 };

/*
 * The name servers in service of one domain. The server with the newest report is first.
 */
struct reason_servers {
	const char *domain_id;
	struct reason_server *item;
	size_t count;
};
/*
 * Reads the servers of the domains IDS (1 to TX_LIST_MAX). SERVERS gets one item for each
 * domain that has servers. SERVERS has room for COUNT items. Returns the number of items.
 */
size_t store_reason_servers(struct tx *tx, struct arena *arena, const char *const *ids,
                            size_t count, struct reason_servers *servers);
