#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consistency/election.h"

enum { TIMEOUT = 1000, MOST = 12, OBJECTS = 500 };

struct membership {
	struct member members[MOST];
	size_t count;
	int64_t now_ms;
};

static void join(struct membership *fleet, const char *name)
{
	struct member *member = &fleet->members[fleet->count++];

	*member = (struct member){ .active = true, .hash_factor = -1,
	                           .plugin_time_ms = fleet->now_ms };
	snprintf(member->plugin_name, sizeof(member->plugin_name), "%s", name);
}

static struct member *find(struct membership *fleet, const char *name)
{
	for (size_t i = 0; i < fleet->count; i++)
		if (!strcmp(fleet->members[i].plugin_name, name))
			return &fleet->members[i];
	return NULL;
}

/* Time passes, and all but DEAD say that they are there. */
static void pass(struct membership *fleet, const char *dead)
{
	fleet->now_ms += TIMEOUT + 1;
	for (size_t i = 0; i < fleet->count; i++)
		if (!dead || strcmp(fleet->members[i].plugin_name, dead))
			fleet->members[i].plugin_time_ms = fleet->now_ms;
}

static bool arrange(struct membership *fleet, const char *master)
{
	return election_assign(fleet->members, fleet->count, master, fleet->now_ms,
	                       TIMEOUT);
}

static void has(struct membership *fleet, const char *name, int factor, int total)
{
	struct share share = election_share(fleet->members, fleet->count, name);

	assert_int_equal(share.total, total);
	if (total)
		assert_int_equal(share.factor, factor);
}

/* The seed's own story. */
static void b_dies_and_the_others_move_up(void **state)
{
	struct membership fleet = { .now_ms = 5000 };
	uint64_t generation;

	(void)state;
	join(&fleet, "A"), join(&fleet, "B"), join(&fleet, "C");
	assert_true(election_is_vacant(fleet.members, fleet.count, fleet.now_ms,
	                               TIMEOUT));
	assert_true(arrange(&fleet, "A"));
	has(&fleet, "A", 0, 3), has(&fleet, "B", 1, 3), has(&fleet, "C", 2, 3);
	assert_false(arrange(&fleet, "A"));
	join(&fleet, "D");
	has(&fleet, "D", 0, 0);		/* not before the master knows of it */
	assert_true(arrange(&fleet, "A"));
	has(&fleet, "D", 3, 4);
	generation = find(&fleet, "A")->generation;
	pass(&fleet, "B");
	assert_true(arrange(&fleet, "A"));
	has(&fleet, "A", 0, 3), has(&fleet, "B", 0, 0);
	has(&fleet, "C", 1, 3), has(&fleet, "D", 2, 3);
	assert_false(find(&fleet, "B")->active);
	assert_int_equal(find(&fleet, "C")->generation, generation + 1);
	/* the master dies, and comes back as one of the others */
	pass(&fleet, "A");
	assert_true(election_is_vacant(fleet.members, fleet.count, fleet.now_ms,
	                               TIMEOUT));
	assert_true(arrange(&fleet, "C"));
	assert_true(find(&fleet, "C")->is_master);
	assert_false(find(&fleet, "A")->is_master || find(&fleet, "A")->active);
	pass(&fleet, NULL);
	arrange(&fleet, "C");
	has(&fleet, "C", 0, 4), has(&fleet, "D", 1, 4);
	has(&fleet, "B", 2, 4), has(&fleet, "A", 3, 4);	/* B was back before */
}

/* A member of an older generation has no share. */
static void an_old_generation_does_nothing(void **state)
{
	struct membership fleet = { .now_ms = 5000 };
	struct member old;

	(void)state;
	join(&fleet, "A"), join(&fleet, "B");
	arrange(&fleet, "A");
	old = *find(&fleet, "B");
	join(&fleet, "C");
	arrange(&fleet, "A");
	*find(&fleet, "B") = old;
	has(&fleet, "B", 0, 0);
	assert_true(arrange(&fleet, "A"));	/* which is seen, and mended */
	has(&fleet, "B", 1, 3);
}

static int owners_of(struct membership *fleet, const char *object)
{
	int owners = 0;

	for (size_t i = 0; i < fleet->count; i++) {
		struct share share = election_share(fleet->members, fleet->count,
		                                    fleet->members[i].plugin_name);

		owners += share_has(&share, object);
	}
	return owners;
}

/* Whoever comes and goes: after the master's turn each object is one member's. */
static void each_object_is_one_members(void **state)
{
	struct membership fleet = { .now_ms = 5000 };

	(void)state;
	srand(7);
	for (int i = 0; i < MOST; i++) {
		char name[8];

		snprintf(name, sizeof(name), "m%d", i);
		join(&fleet, name);
	}
	for (int round = 0; round < 300; round++) {
		char master[8];

		fleet.now_ms += TIMEOUT / 2;
		for (size_t i = 0; i < fleet.count; i++)
			if (rand() % 3)
				fleet.members[i].plugin_time_ms = fleet.now_ms;
		snprintf(master, sizeof(master), "m%d", rand() % MOST);
		arrange(&fleet, master);
		for (int number = 0; number < OBJECTS; number += 7) {
			char object[33];

			snprintf(object, sizeof(object), "%032x", (unsigned)number);
			assert_int_equal(owners_of(&fleet, object), 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(b_dies_and_the_others_move_up),
		cmocka_unit_test(an_old_generation_does_nothing),
		cmocka_unit_test(each_object_is_one_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
