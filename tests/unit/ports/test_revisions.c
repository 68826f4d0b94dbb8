#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/revisions.h"

enum { MANY = 300, ROUNDS = 200 };

/* "a3 b- c0": ids and revisions; '-': gone, '?': a hint. Ids in any order. */
static size_t parse(const char *text, struct revision *revisions)
{
	size_t count = 0;

	for (; *text; text += text[2] ? 3 : 2) {
		struct revision *revision = &revisions[count++];

		*revision = (struct revision){ .is_gone = text[1] == '-',
		                               .is_partial = text[1] == '?' };
		revision->id[0] = text[0];
		if (!revision->is_gone && !revision->is_partial)
			revision->revision = (uint64_t)(text[1] - '0');
	}
	revisions_sort(revisions, count);
	return count;
}

static const struct {
	const char *ours, *theirs, *differing;
} rows[] = {
	{ "",         "",         ""   },
	{ "a1",       "a1",       ""   },
	{ "",         "a1",       "a"  },	/* it was never told */
	{ "a1",       "",         "a"  },	/* nor that it is gone */
	{ "a1",       "a2",       "a"  },
	{ "a2",       "a1",       ""   },	/* theirs was read before */
	{ "a0",       "a1",       "a"  },	/* no revision: who knows */
	{ "a1",       "a0",       "a"  },
	{ "a-",       "a3",       ""   },	/* what is gone stays gone */
	{ "a-",       "",         ""   },
	{ "a1",       "a?",       ""   },
	{ "",         "a?",       "a"  },
	{ "a0",       "a?",       ""   },
	{ "b1 a1 c1", "c2 b1 d1", "acd" },
	{ "a1 b1 c1", "",         "abc" },
	{ "",         "c1 a1 b1", "abc" },
};

static void each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct revision ours[8], theirs[8], differing[16];
		size_t our_count = parse(rows[i].ours, ours);
		size_t their_count = parse(rows[i].theirs, theirs);
		size_t count = revisions_diff(ours, our_count, theirs, their_count,
		                              differing);

		assert_int_equal(count, strlen(rows[i].differing));
		for (size_t j = 0; j < count; j++)
			assert_int_equal(differing[j].id[0], rows[i].differing[j]);
	}
}

static uint32_t next_random(uint32_t *seed)
{
	return *seed = *seed * 1664525u + 1013904223u;
}

/* Each id by itself, next to all of them at once. */
static void as_one_by_one(void **state)
{
	static struct revision ours[MANY], theirs[MANY], all[2 * MANY], one[2];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		size_t our_count = 0, their_count = 0, expected = 0;

		for (int id = 0; id < MANY; id++) {
			struct revision our = { .revision = next_random(&seed) >> 30 };
			struct revision their = { .revision = next_random(&seed) >> 30 };
			bool has_our = next_random(&seed) >> 31;
			bool has_their = next_random(&seed) >> 31;

			our.is_gone = next_random(&seed) >> 30 == 0;
			their.is_partial = next_random(&seed) >> 30 == 0;
			snprintf(our.id, sizeof(our.id), "%032x", (unsigned)id * 7919u);
			memcpy(their.id, our.id, sizeof(their.id));
			expected += revisions_diff(&our, has_our, &their, has_their,
			                           one);
			if (has_our)
				ours[our_count++] = our;
			if (has_their)
				theirs[their_count++] = their;
		}
		revisions_sort(ours, our_count);
		revisions_sort(theirs, their_count);
		assert_int_equal(revisions_diff(ours, our_count, theirs, their_count,
		                                all), expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row),
		cmocka_unit_test(as_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
