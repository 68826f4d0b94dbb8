#include "moves.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "hosts_news.h"

enum { PAGE = 250, PAGES = 4 };		/* of a turn: calls wait meanwhile */

struct turn {
	struct routes *routes;
	struct arena *arena;
	struct move_row rows[PAGE];
	size_t count;
	const char *touched;		/* the router that was touched last; NULL */
	const char *route_id;		/* of the name that has just gone */
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
	struct tx tx = tx_once(turn->routes->runtime.db, why);

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

/* One row after the other, in the order in which all lock routers: nothing is read before. */
static void lock_routers(const struct turn *turn, struct tx *tx)
{
	for (size_t i = 0; i < turn->count; i++)
		if (!i || strcmp(turn->rows[i].router, turn->rows[i - 1].router))
			store_router_lock(tx, turn->rows[i].router);
}

static void take_router(void *self, const char *router)
{
	struct turn *turn = self;

	hosts_news_add(&turn->news, router, turn->route_id);
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
	if (move_asks(next) != MOVE_ASKS_NOTHING)
		touch(turn, tx, move->router);
	if (next != MOVE_GONE)
		return;
	turn->route_id = move->route_id;
	take_router(turn, move->router);
	store_route_routers(tx, turn->arena, move->route_id, take_router, turn);
}

static enum err write_over(void *self, struct why *why)
{
	struct turn *turn = self;
	struct tx tx = tx_begin(turn->routes->runtime.db, why);

	turn->news = (struct hosts_news){ .arena = turn->arena };
	turn->touched = NULL;
	lock_routers(turn, &tx);
	for (size_t i = 0; i < turn->count; i++)
		end_time(turn, &tx, &turn->rows[i]);
	hosts_news_raise(&turn->news, &tx);
	return tx_commit(&tx);
}

/* Is there perhaps more? */
static bool run_page(struct turn *turn)
{
	struct why why;
	enum err err = tx_again(read_over, turn, &why);

	if (!err && turn->count) {
		qsort(turn->rows, turn->count, sizeof(*turn->rows), compare_routers);
		err = tx_again(write_over, turn, &why);
		if (!err)
			hosts_news_tell(&turn->news, turn->routes);
	}
	if (err)
		log_warn("names before not ended: reason=\"%s\"", why.text);
	return !err && turn->count == PAGE;
}

void moves_fire(struct routes *routes)
{
	struct turn turn = { .routes = routes, .arena = arena_new() };

	for (int i = 0; i < PAGES && run_page(&turn); i++)
		arena_reset(turn.arena);
	arena_free(&turn.arena);
}
