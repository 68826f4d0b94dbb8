/*
 * store -- all SQL of mini-DNS. mini-DNS only reads the database. The statements run on
 * lanes (threads), and each lane has its own connection. After a deadlock, store.c
 * repeats the transaction, except the transaction of store_servers().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/id.h"
#include "core/access.h"
#include "core/ixfr.h"
#include "core/soa_cache.h"
#include "core/zone.h"
#include "model/name.h"

struct db;

/* maximum number of names in store_heads(), and of ids in store_editions() */
enum { STORE_NAMES = 256 };

/*
 * The head of a zone (core/soa_cache.h), and the newest change of the zone. After a
 * query for the SOA, a client usually sends an IXFR query for this change.
 */
struct head_row {
	struct head head;
	/* delta of the newest change; NULL: the change is too old, too large or broken */
	struct delta *newest;
};

/*
 * Reads the heads of the zones that mini-DNS may serve and whose names are in NAMES
 * (canonical text). The caller frees *rows, and releases the deltas in *rows. If mini-DNS
 * cannot read the SOA of a zone, soa_len of this zone is 0. *found: number of rows.
 */
enum err store_heads(struct db *db, const char *const *names, size_t count,
                     struct head_row **rows, size_t *found, struct why *why);

/*
 * Reads the editions of the domains in IDS that mini-DNS may serve. *found: number of
 * editions.
 */
enum err store_editions(struct db *db, const char *const *ids, size_t count,
                        struct edition *editions, size_t *found, struct why *why);

/*
 * Reads the zone in one snapshot. The snapshot is possibly newer than the last
 * announcement. ERR_NOT_FOUND: the zone no longer exists. ERR_INVALID: the zone has a
 * record that mini-DNS cannot serve.
 */
enum err store_zone(struct db *db, const char *domain_id, struct zone **zone,
                    struct why *why);

/*
 * Reads the delta from FROM to the serial of HEAD. *delta is NULL if the journal has no
 * unbroken chain of valid changes between these serials, or if these changes are larger
 * than LIMIT bytes before the merge.
 */
enum err store_delta(struct db *db, const struct head *head, uint32_t from, size_t limit,
                     struct delta **delta, struct why *why);

/* maximum numbers of addresses of servers, and of keys, that store_servers() reads */
enum { STORE_SERVERS = 10000, STORE_KEYS = 100000 };

struct store_servers {
	struct access_server *servers;	/* array of all servers, xmalloc'ed */
	size_t server_count;
	struct keyring keys;
	/* the database contains more servers or keys than these limits */
	bool cut;
};

/*
 * Reads the access list and the TSIG keys. After an error, *found contains no server and
 * no key.
 */
enum err store_servers(struct db *db, struct store_servers *found, struct why *why);
