/*
 * store -- all SQL of minidns, which only reads. Called on lanes, each with
 * a connection of its own. A transaction that lost a race is run again here.
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

enum { STORE_NAMES = 256 };		/* that store_heads() takes at once */

/* A zone as it is, and the change that made it so: who asks for one wants the other. */
struct head_row {
	struct head head;
	struct delta *newest;		/* NULL: none of late, a large one, or unfit */
};

/*
 * Those of the NAMES (canonical text) that are zones to be served; *rows is xmalloc'ed,
 * and the newest changes in it are the caller's. One whose SOA cannot be read has none:
 * soa_len is 0.
 */
enum err store_heads(struct db *db, const char *const *names, size_t count,
                     struct head_row **rows, size_t *found, struct why *why);

/* Of those of the COUNT domains that are served, in *found: COUNT or fewer. */
enum err store_editions(struct db *db, const char *const *ids, size_t count,
                        struct edition *editions, size_t *found, struct why *why);

/*
 * The zone as of one moment, which may be newer than what was last heard of it.
 * ERR_NOT_FOUND: it is gone. ERR_INVALID: it has a record that cannot be served.
 */
enum err store_zone(struct db *db, const char *domain_id, struct zone **zone,
                    struct why *why);

/*
 * *delta is NULL when the journal does not lead there, or in more than LIMIT bytes:
 * as it was written, before the steps are merged.
 */
enum err store_delta(struct db *db, const struct head *head, uint32_t from, size_t limit,
                     struct delta **delta, struct why *why);

enum { STORE_SERVERS = 10000, STORE_KEYS = 100000 };	/* no more are read */

struct store_servers {
	struct access_server *servers;	/* xmalloc'ed */
	size_t server_count;
	struct keyring keys;
	bool cut;			/* there are more of either */
};

/* After an error *found has nothing. */
enum err store_servers(struct db *db, struct store_servers *found, struct why *why);
