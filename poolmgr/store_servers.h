/*
 * store_servers -- the pool's servers as all its managers know them (pool_servers): who
 * is configured anywhere, and what the operator said of each.
 */
#pragma once

#include <stdbool.h>

#include "runtime/tx.h"
#include "servers.h"

/*
 * The servers, as this process has them in its configuration; again in each round. One
 * that nobody has named for UNHEARD_S was removed: what is known of it is forgotten.
 */
void store_register(struct tx *tx, const char *pool, const struct servers *servers);
void store_forget_removed(struct tx *tx, const char *pool, int unheard_s);

/* The pool's servers as the table has them, in the arena. */
struct seen_servers {
	struct seen_server {
		const char *id;
		bool in_service;	/* not drained or removed by the operator */
		bool has_due;		/* something is due, whosever it is */
		struct health health[CHANNELS];
	} *item;
	size_t count;
};
void store_read_servers(struct tx *tx, struct arena *arena, const char *pool,
                        struct seen_servers *servers);
/* What is known of those that the operator removed. */
void store_forget_out(struct tx *tx, const char *pool);
