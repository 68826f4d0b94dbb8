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

static bool is_in(const struct circuit *circuit, const char *id)
{
	return strcmp(id, circuit->after) > 0 && strcmp(id, circuit->upto) <= 0;
}

/* Each domain is in one slice, wherever it begins and however long the slices are. */
static void once_round_meets_each_domain_once(void **state)
{
	static const char *const origins[] = { "", "00", "0", "17", "175", "38", "39", "4",
	                                       "zz" };

	(void)state;
	for (size_t o = 0; o < sizeof origins / sizeof *origins; o++)
		for (int size = 1; size <= DOMAINS + 1; size++) {
			struct circuit circuit = { .round_the_end = true };
			int met[DOMAINS] = { 0 }, slices = 0;

			circuit_begin(&circuit, origins[o]);
			do {
				assert_true(++slices < 2 * DOMAINS);
				circuit_slice(&circuit, slice_end(circuit.after,
				              circuit_limit(&circuit), size));
				for (int i = 0; i < DOMAINS; i++)
					met[i] += is_in(&circuit, ids[i]);
			} while (circuit_go_on(&circuit));
			for (int i = 0; i < DOMAINS; i++)
				assert_int_equal(met[i], 1);
		}
}

/*
 * Domains that stay as they are however often they are taken up, of several servers with
 * room for so many in a round: after enough rounds each was taken up for each of them.
 */
static void take_up(struct circuit *circuit, int size, int *left, bool *taken)
{
	const char *last = circuit->after;
	int count = 0, limit = *left < size ? *left : size;

	for (int i = 0; i < DOMAINS && count < limit; i++)
		if (is_in(circuit, ids[i])) {
			taken[i] = true;
			last = ids[i];
			count++;
		}
	*left -= count;
	if (!*left)
		circuit_cut(circuit, last);
}

static void nobody_starves_for_room(void **state)
{
	enum { SERVERS = 3 };

	(void)state;
	srand(21);
	for (int run = 0; run < 500; run++) {
		struct circuit circuit = { .round_the_end = false };
		bool taken[SERVERS][DOMAINS] = { { false } };
		int size = 1 + rand() % 20, room[SERVERS], least = DOMAINS;

		for (int s = 0; s < SERVERS; s++) {
			room[s] = 1 + rand() % DOMAINS;
			least = room[s] < least ? room[s] : least;
		}
		for (int round = 0; round <= DOMAINS / least + 1; round++) {
			int left[SERVERS];

			memcpy(left, room, sizeof left);
			circuit_begin(&circuit, ids[rand() % DOMAINS]);
			do {
				circuit_slice(&circuit, slice_end(circuit.after,
				              circuit_limit(&circuit), size));
				for (int s = 0; s < SERVERS; s++)
					take_up(&circuit, size, &left[s], taken[s]);
			} while (circuit_go_on(&circuit));
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
