#include "name_expiry.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "host_changes.h"

/*
 * Calls wait during a turn, so it writes only one page. After a full page the next turn
 * comes soon.
 */
enum { PAGE = 32, SOON_MS = 100 };

struct turn {
	struct routes *routes;
	struct arena *arena;
	struct former_name rows[PAGE];
	bool is_locked[PAGE];		/* for each row: we have the lock of its router */
	size_t count;
	const char *touched;		/* the last router that was updated, or NULL */
	const char *gone[PAGE];		/* routes whose former names were deleted */
	size_t gone_count;
	size_t ended;			/* number of changed rows */
	struct host_changes changes;		/* routers that serve fewer names */
};

static void expiry_add_row(void *self, const struct former_name *former)
{
	struct turn *turn = self;

	turn->rows[turn->count++] = *former;
}

static enum err expiry_read(void *self, struct why *why)
{
	struct turn *turn = self;
	struct tx tx = tx_autocommit(turn->routes->runtime.db, why);

	turn->count = 0;
	for (enum former_state state = FORMER_ADD; state < FORMER_GONE; state++)
		if (former_name_next(state, FORMER_ON_EXPIRED) != state &&
		    turn->count < PAGE)
			store_former_names_expired(&tx, turn->arena, state,
			                           PAGE - (int)turn->count,
			                           expiry_add_row, turn);
	return tx_commit(&tx);
}

static int expiry_compare_routers(const void *a, const void *b)
{
	return strcmp(((const struct former_name *)a)->router,
	              ((const struct former_name *)b)->router);
}

/*
 * All transactions lock routers in the order of their names. The names of a router that
 * another transaction has locked wait for a later turn, so the loop never waits.
 */
static void expiry_lock_routers(struct turn *turn, struct tx *tx)
{
	for (size_t i = 0; i < turn->count; i++)
		if (i && !strcmp(turn->rows[i].router, turn->rows[i - 1].router))
			turn->is_locked[i] = turn->is_locked[i - 1];
		else
			turn->is_locked[i] = store_router_try_lock(tx,
			                                           turn->rows[i].router);
}

static void expiry_add_change(void *self, const char *route_id, const char *router)
{
	struct turn *turn = self;

	host_changes_add(&turn->changes, router, route_id);
}

static void expiry_touch_router(struct turn *turn, struct tx *tx, const char *router)
{
	if (!turn->touched || strcmp(turn->touched, router))
		store_router_touch(tx, router);
	turn->touched = router;
}

static void expiry_end_row(struct turn *turn, struct tx *tx,
                           const struct former_name *former)
{
	enum former_state next = former_name_next(former->state, FORMER_ON_EXPIRED);

	if (!store_former_name_apply(tx, former, FORMER_ON_EXPIRED))
		return;
	turn->ended++;
	if (former_name_update(next) != FORMER_NO_UPDATE)
		expiry_touch_router(turn, tx, former->router);
	if (next != FORMER_GONE)
		return;
	host_changes_add(&turn->changes, former->router, former->route_id);
	turn->gone[turn->gone_count++] = former->route_id;
}

static enum err expiry_write(void *self, struct why *why)
{
	struct turn *turn = self;
	struct tx tx = tx_begin(turn->routes->runtime.db, why);

	turn->changes = (struct host_changes){ .arena = turn->arena };
	turn->touched = NULL;
	turn->gone_count = 0;
	turn->ended = 0;
	expiry_lock_routers(turn, &tx);
	for (size_t i = 0; i < turn->count; i++)
		if (turn->is_locked[i])
			expiry_end_row(turn, &tx, &turn->rows[i]);
	if (turn->gone_count)
		store_routes_routers(&tx, turn->arena, turn->gone, turn->gone_count,
		                     expiry_add_change, turn);
	host_changes_write(&turn->changes, &tx);
	return tx_commit(&tx);
}

/* True: there may be more rows. */
static bool expiry_run_page(struct turn *turn)
{
	struct why why;
	enum err err = tx_retry_on_loop(expiry_read, turn, &why);

	if (!err && turn->count) {
		qsort(turn->rows, turn->count, sizeof(*turn->rows),
		      expiry_compare_routers);
		err = tx_retry_on_loop(expiry_write, turn, &why);
		if (!err)
			host_changes_cast(&turn->changes, turn->routes);
	}
	if (err)
		log_warn("expired former names of routes not removed: reason=\"%s\"",
		         why.text);
	return !err && turn->count == PAGE && turn->ended;
}

void name_expiry_fire(struct routes *routes)
{
	struct turn turn = { .routes = routes, .arena = arena_new() };

	routes->name_expiry_period_ms = expiry_run_page(&turn) ? SOON_MS
	                                                       : NAME_EXPIRY_PERIOD_MS;
	arena_free(&turn.arena);
}
