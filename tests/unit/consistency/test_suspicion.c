#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consistency/suspicion.h"

enum { APART = 60, STALE = 400, LIMIT = 5, HOUR = 3600 * 1000 };

static const struct suspicion_terms terms = { APART, STALE, LIMIT };

#define NONE SUSPICION_NONE
#define SEEN SUSPICION_SEEN
#define CONFIRMED SUSPICION_CONFIRMED
#define PARKED SUSPICION_PARKED

/* Seen now at version 7. */
static void each_state(void **state)
{
	static const struct {
		struct suspicion known;
		enum advice advice;
	} table[] = {
		{ { NONE,      0, 0,         0     }, ADVICE_SUSPECT },
		/* the same round; a later one; too late */
		{ { SEEN,      7, 0,         0     }, ADVICE_NOTHING },
		{ { SEEN,      7, APART - 1, 0     }, ADVICE_NOTHING },
		{ { SEEN,      7, APART,     0     }, ADVICE_REPAIR  },
		{ { SEEN,      7, STALE,     0     }, ADVICE_REPAIR  },
		{ { SEEN,      7, STALE + 1, 0     }, ADVICE_SUSPECT },
		/* the master changed in between, to a higher version or over 2^32 */
		{ { SEEN,      6, APART,     0     }, ADVICE_SUSPECT },
		{ { SEEN,      8, APART,     0     }, ADVICE_SUSPECT },
		{ { SEEN,      UINT32_MAX, APART, 0 }, ADVICE_SUSPECT },
		{ { SEEN,      6, 0,         0     }, ADVICE_SUSPECT },
		/* version 0 is one as any other */
		{ { SEEN,      0, APART,     0     }, ADVICE_SUSPECT },
		/* repaired before, in this hour */
		{ { SEEN,      7, APART,     LIMIT - 1 }, ADVICE_REPAIR },
		{ { SEEN,      7, APART,     LIMIT }, ADVICE_PARK    },
		{ { SEEN,      7, APART - 1, LIMIT }, ADVICE_NOTHING },
		{ { SEEN,      6, APART,     LIMIT }, ADVICE_SUSPECT },
		/* under way; lost with whoever was at it */
		{ { CONFIRMED, 7, 0,         0     }, ADVICE_NOTHING },
		{ { CONFIRMED, 6, STALE - 1, 0     }, ADVICE_NOTHING },
		{ { CONFIRMED, 7, STALE,     0     }, ADVICE_SUSPECT },
		/* left alone for an hour */
		{ { PARKED,    7, 0,         LIMIT }, ADVICE_NOTHING },
		{ { PARKED,    6, HOUR - 1,  LIMIT }, ADVICE_NOTHING },
		{ { PARKED,    7, HOUR,      0     }, ADVICE_SUSPECT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_int_equal(suspicion_advice(&table[i].known, 7, &terms),
		                 table[i].advice);
}

static void version_0(void **state)
{
	const struct suspicion known = { SEEN, 0, APART, 0 };

	(void)state;
	assert_int_equal(suspicion_advice(&known, 0, &terms), ADVICE_REPAIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_state),
		cmocka_unit_test(version_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
