#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/id_cycle.h"

enum { DOMAINS = 40 };

/* "00" to "39", as the database has them. */
static char ids[DOMAINS][8];

static void make_ids(void)
{
	for (int i = 0; i < DOMAINS; i++)
		snprintf(ids[i], sizeof ids[i], "%02d", i);
}

/* The COUNTth id behind AFTER, or LIMIT: as store_slice_end() does. */
static const char *slice_end(const char *after, const char *limit, int count)
{
	for (int i = 0; i < DOMAINS; i++)
		if (strcmp(ids[i], after) > 0 && strcmp(ids[i], limit) <= 0 && !--count)
			return ids[i];
	return limit;
}

static bool is_in(const struct id_cycle *cycle, const char *id)
{
	return strcmp(id, cycle->after) > 0 && strcmp(id, cycle->upto) <= 0;
}

/* Each domain is in one slice, wherever it begins and however long the slices are. */
static void once_round_meets_each_domain_once(void **state)
{
	static const char *const origins[] = { "", "00", "0", "17", "175", "38", "39",
	                                       "4", "zz" };

	(void)state;
	for (size_t o = 0; o < sizeof origins / sizeof *origins; o++)
		for (int size = 1; size <= DOMAINS + 1; size++) {
			struct id_cycle cycle = { .round_the_end = true };
			int met[DOMAINS] = { 0 }, slices = 0;

			id_cycle_begin(&cycle, origins[o]);
			do {
				assert_true(++slices < 2 * DOMAINS);
				id_cycle_set_slice(&cycle, slice_end(cycle.after,
				              id_cycle_limit(&cycle), size));
				for (int i = 0; i < DOMAINS; i++)
					met[i] += is_in(&cycle, ids[i]);
			} while (id_cycle_next(&cycle));
			for (int i = 0; i < DOMAINS; i++)
				assert_int_equal(met[i], 1);
		}
}

/*
 * Domains that stay as they are however often they are taken up, of several servers with
 * room for so many in a round: after enough rounds each was taken up for each of them.
 */
static void take_up(struct id_cycle *cycle, int size, int *left, bool *taken)
{
	const char *last = cycle->after;
	int count = 0, limit = *left < size ? *left : size;

	for (int i = 0; i < DOMAINS && count < limit; i++)
		if (is_in(cycle, ids[i])) {
			taken[i] = true;
			last = ids[i];
			count++;
		}
	*left -= count;
	if (!*left)
		id_cycle_cut(cycle, last);
}

static void nobody_starves_for_room(void **state)
{
	enum { SERVERS = 3 };

	(void)state;
	srand(21);
	for (int run = 0; run < 500; run++) {
		struct id_cycle cycle = { .round_the_end = false };
		bool taken[SERVERS][DOMAINS] = { { false } };
		int size = 1 + rand() % 20, room[SERVERS], least = DOMAINS;

		for (int s = 0; s < SERVERS; s++) {
			room[s] = 1 + rand() % DOMAINS;
			least = room[s] < least ? room[s] : least;
		}
		for (int round = 0; round <= DOMAINS / least + 1; round++) {
			int left[SERVERS];

			memcpy(left, room, sizeof left);
			id_cycle_begin(&cycle, ids[rand() % DOMAINS]);
			do {
				id_cycle_set_slice(&cycle, slice_end(cycle.after,
				              id_cycle_limit(&cycle), size));
				for (int s = 0; s < SERVERS; s++)
					take_up(&cycle, size, &left[s], taken[s]);
			} while (id_cycle_next(&cycle));
		}
		for (int s = 0; s < SERVERS; s++)
			for (int i = 0; i < DOMAINS; i++)
				assert_true(taken[s][i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_round_meets_each_domain_once),
		cmocka_unit_test(nobody_starves_for_room),
	};

	make_ids();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
