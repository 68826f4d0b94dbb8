#include "moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "hosts_news.h"

/* A turn writes one page, for calls wait meanwhile. A full page has the next one soon. */
enum { PAGE = 32, SOON_MS = 100 };

struct turn {
	struct routes *routes;
	struct arena *arena;
	struct move_row rows[PAGE];
	bool is_locked[PAGE];		/* by row: this process has its router */
	size_t count;
	const char *touched;		/* the router that was touched last; NULL */
	const char *gone[PAGE];		/* routes whose names have gone */
	size_t gone_count;
	size_t ended;			/* rows that changed */
	struct hosts_news news;		/* of routers that serve less by now */
};

static void take_move(void *self, const struct move_row *move)
{
	struct turn *turn = self;

	turn->rows[turn->count++] = *move;
}

/* Of all states that have a time. */
static enum err read_over(void *self, struct why *why)
{
	struct turn *turn = self;
	struct tx tx = tx_autocommit(turn->routes->runtime.db, why);

	turn->count = 0;
	for (enum move_state state = MOVE_ADD; state < MOVE_GONE; state++)
		if (move_next(state, MOVE_IS_OVER) != state && turn->count < PAGE)
			store_moves_over(&tx, turn->arena, state,
			                 PAGE - (int)turn->count, take_move, turn);
	return tx_commit(&tx);
}

static int compare_routers(const void *a, const void *b)
{
	return strcmp(((const struct move_row *)a)->router,
	              ((const struct move_row *)b)->router);
}

/*
 * In the order in which all lock routers: nothing is read before. The names of a router that
 * another transaction has wait for a later turn, and the loop waits for no router.
 */
static void lock_routers(struct turn *turn, struct tx *tx)
{
	for (size_t i = 0; i < turn->count; i++)
		if (i && !strcmp(turn->rows[i].router, turn->rows[i - 1].router))
			turn->is_locked[i] = turn->is_locked[i - 1];
		else
			turn->is_locked[i] = store_router_try_lock(tx, turn->rows[i].router);
}

static void take_router(void *self, const char *route_id, const char *router)
{
	struct turn *turn = self;

	hosts_news_add(&turn->news, router, route_id);
}

static void touch(struct turn *turn, struct tx *tx, const char *router)
{
	if (!turn->touched || strcmp(turn->touched, router))
		store_router_touch(tx, router);
	turn->touched = router;
}

static void end_time(struct turn *turn, struct tx *tx, const struct move_row *move)
{
	enum move_state next = move_next(move->state, MOVE_IS_OVER);

	if (!store_move_event(tx, move, MOVE_IS_OVER))
		return;
	turn->ended++;
	if (move_asks(next) != MOVE_ASKS_NOTHING)
		touch(turn, tx, move->router);
	if (next != MOVE_GONE)
		return;
	hosts_news_add(&turn->news, move->router, move->route_id);
	turn->gone[turn->gone_count++] = move->route_id;
}

static enum err write_over(void *self, struct why *why)
{
	struct turn *turn = self;
	struct tx tx = tx_begin(turn->routes->runtime.db, why);

	turn->news = (struct hosts_news){ .arena = turn->arena };
	turn->touched = NULL;
	turn->gone_count = 0;
	turn->ended = 0;
	lock_routers(turn, &tx);
	for (size_t i = 0; i < turn->count; i++)
		if (turn->is_locked[i])
			end_time(turn, &tx, &turn->rows[i]);
	if (turn->gone_count)
		store_routes_routers(&tx, turn->arena, turn->gone, turn->gone_count,
		                     take_router, turn);
	hosts_news_raise(&turn->news, &tx);
	return tx_commit(&tx);
}

/* Is there perhaps more? */
static bool run_page(struct turn *turn)
{
	struct why why;
	enum err err = tx_retry_on_loop(read_over, turn, &why);

	if (!err && turn->count) {
		qsort(turn->rows, turn->count, sizeof(*turn->rows), compare_routers);
		err = tx_retry_on_loop(write_over, turn, &why);
		if (!err)
			hosts_news_tell(&turn->news, turn->routes);
	}
	if (err)
		log_warn("former names not ended: reason=\"%s\"", why.text);
	return !err && turn->count == PAGE && turn->ended;
}

void moves_fire(struct routes *routes)
{
	struct turn turn = { .routes = routes, .arena = arena_new() };

	routes->moves_period_ms = run_page(&turn) ? SOON_MS : MOVES_PERIOD_MS;
	arena_free(&turn.arena);
}
