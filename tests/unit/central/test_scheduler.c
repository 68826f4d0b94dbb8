#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/scheduler.h"

enum { POOLS = 3, FILTERS = 6, CHAIN_MAX = 3 };

static const struct attribute gold[] = { { "tier", "gold" } };

/* A pool of the input space: the three facts that the filters look at. */
static struct candidate candidate_of(size_t index, unsigned facts)
{
	static const char *const names[POOLS] = { "a", "b", "c" };

	return (struct candidate){
		.name = names[index],
		.attributes = { gold, facts & 1 },
		.capacity = facts & 2 ? 5 : facts & 4 ? -1 : 6,
		.domains = 5,
		.is_default = index == 1,
	};
}

/* ---- what must come out, written once more, as sets ---- */

struct want {
	unsigned left;			/* a bit for each pool */
	const char *last_filter;
};

static unsigned want_after(const char *filter, unsigned left, unsigned all,
                           const struct placement *placement,
                           const struct candidate *pools)
{
	unsigned fits = 0, standard = 1u << 1 & all, n = 0, places[POOLS];

	for (unsigned i = 0; i < POOLS; i++)
		if (left >> i & 1)
			places[n++] = 1u << i;
	if (!strcmp(filter, "random"))
		return n ? places[placement->random % n] : 0;
	if (!strcmp(filter, "default"))
		return left & standard ? standard : left;
	if (!strcmp(filter, "fallback"))
		return left || placement->pool ? left : standard;
	for (unsigned i = 0; i < POOLS; i++) {
		bool has = !placement->attributes.count || pools[i].attributes.count;
		bool named = !placement->pool || !strcmp(placement->pool, pools[i].name);
		bool room = pools[i].capacity != 5;

		if (!strcmp(filter, "attribute") ? has :
		    !strcmp(filter, "pool_id") ? named : room)
			fits |= 1u << i;
	}
	return left & fits;
}

static struct want want_of(const char *const *chain, size_t count, unsigned all,
                           const struct placement *placement,
                           const struct candidate *pools)
{
	struct want want = { .left = all };

	for (size_t i = 0; i < count; i++) {
		unsigned before = want.left;

		want.left = want_after(chain[i], before, all, placement, pools);
		if (before && !want.left)
			want.last_filter = chain[i];
	}
	return want;
}

/* ---- the whole space ---- */

struct space {
	struct arena *arena;
	size_t selected, none, several, refused;
};

static void check_one(struct space *space, unsigned all,
                      const struct placement *placement,
                      const struct candidate *pools)
{
	const char *const *chain = placement->filters;
	size_t count = placement->filter_count;
	struct want want = want_of(chain, count, all, placement, pools);
	const struct candidate *selected = NULL;
	struct candidate given[POOLS];
	struct candidates candidates = { .all = given };
	struct why why = { "" };
	bool can_name = false;
	enum err err;

	for (size_t i = 0; i < POOLS; i++)
		if (all >> i & 1)
			given[candidates.all_count++] = pools[i];
	for (size_t i = 0; i < count; i++)
		can_name |= !strcmp(chain[i], "pool_id");
	err = scheduler_select(placement, &candidates, space->arena, &selected, &why);
	if (placement->pool && !can_name) {
		assert_int_equal(err, ERR_INVALID);
		space->refused++;
	} else if (!want.left) {
		assert_int_equal(err, ERR_NO_POOL);
		if (want.last_filter)
			assert_non_null(strstr(why.text, want.last_filter));
		space->none++;
	} else if (want.left & (want.left - 1)) {
		assert_int_equal(err, ERR_SEVERAL_POOLS);
		space->several++;
	} else {
		assert_int_equal(err, OK);
		assert_string_equal(selected->name,
		                    pools[__builtin_ctz(want.left)].name);
		space->selected++;
	}
}

/* All chains of up to CHAIN_MAX filters, with repetitions. */
static void check_chains(struct space *space, unsigned all, struct placement *placement,
                         const struct candidate *pools)
{
	const char *chain[CHAIN_MAX];

	placement->filters = chain;

	for (size_t count = 1, chains = FILTERS; count <= CHAIN_MAX;
	     count++, chains *= FILTERS)
		for (size_t number = 0; number < chains; number++) {
			for (size_t i = 0, rest = number; i < count; i++, rest /= FILTERS)
				chain[i] = scheduler_filters[rest % FILTERS].name;
			placement->filter_count = count;
			check_one(space, all, placement, pools);
		}
	arena_reset(space->arena);
}

static void check_placements(struct space *space, unsigned all,
                             const struct candidate *pools)
{
	static const char *const named[] = { NULL, "a", "b", "nowhere" };

	for (size_t pool = 0; pool < sizeof named / sizeof named[0]; pool++)
		for (unsigned wants = 0; wants < 2; wants++) {
			struct placement placement = {
				.pool = named[pool], .attributes = { gold, wants },
				.random = all + wants,
			};

			check_chains(space, all, &placement, pools);
		}
}

/* Three pools, each with two kinds of attributes and three of room, present or not. */
static void test_whole_space(void **state)
{
	static const unsigned facts[] = { 0, 1, 2, 3, 4, 5 };
	struct space space = { .arena = arena_new() };
	struct candidate pools[POOLS];

	(void)state;
	for (size_t number = 0; number < 6 * 6 * 6; number++) {
		for (size_t i = 0, rest = number; i < POOLS; i++, rest /= 6)
			pools[i] = candidate_of(i, facts[rest % 6]);
		for (unsigned all = 0; all < 1u << POOLS; all++)
			check_placements(&space, all, pools);
	}
	assert_true(space.selected && space.none && space.several && space.refused);
	arena_free(&space.arena);
}

/* ---- words ---- */

static void test_reasons(void **state)
{
	static const struct {
		const char *chain[2];
		size_t pools;
		const char *want;
	} rows[] = {
		{ { "attribute", "random" }, 2,
		  "no pool is left, because the filter 'attribute' of "
		  "central.scheduler_filters has removed the last pool: change the "
		  "attributes of the domain or of a pool" },
		{ { "capacity", "random" }, 2,
		  "no pool is left, because the filter 'capacity' of "
		  "central.scheduler_filters has removed the last pool: an administrator "
		  "can increase the capacity of a pool" },
		{ { "attribute", "random" }, 0,
		  "there is no pool that the caller can use" },
		{ { "attribute", "fallback" }, 1,
		  "no pool is left, because the filter 'attribute' of "
		  "central.scheduler_filters has removed the last pool: change the "
		  "attributes of the domain or of a pool" },
	};
	static const struct candidate pools[] = {
		{ .name = "a", .capacity = 0 }, { .name = "b", .capacity = 0 },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		bool wants = strcmp(rows[i].chain[0], "capacity") != 0;
		const struct placement placement = { .attributes = { gold, wants },
		                                     .filters = rows[i].chain,
		                                     .filter_count = 2 };
		struct candidates candidates = { .all = pools,
		                                 .all_count = rows[i].pools };
		const struct candidate *selected;
		struct why why = { "" };

		assert_int_equal(scheduler_select(&placement, &candidates, arena,
		                                  &selected, &why), ERR_NO_POOL);
		assert_string_equal(why.text, rows[i].want);
	}
	arena_free(&arena);
}

static void test_settings(void **state)
{
	static const char *const good[] = { "attribute", "pool_id", "capacity", "random",
	                                    "default", "fallback" };
	static const char *const bad[] = { "attribute", "Random" };
	static const char *many[SCHEDULER_FILTERS_MAX + 1];
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
		many[i] = "random";
	assert_int_equal(scheduler_check(good, 6, "f", &why), OK);
	assert_int_equal(scheduler_check(many, SCHEDULER_FILTERS_MAX, "f", &why), OK);
	assert_int_equal(scheduler_check(many, SCHEDULER_FILTERS_MAX + 1, "f", &why),
	                 ERR_INVALID);
	assert_int_equal(scheduler_check(good, 0, "f", &why), ERR_INVALID);
	assert_int_equal(scheduler_check(bad, 2, "f", &why), ERR_INVALID);
	assert_string_equal(why.text, "f: must contain only the filters attribute, "
	                    "pool_id, capacity, random, default, fallback, not "
	                    "'Random'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_space),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
