#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consistency/drift.h"

enum { APART = 60, STALE = 400, LOST = 240, LIMIT = 5, HOUR = 3600 * 1000 };

static const struct suspicion_terms terms = { APART, STALE, LOST, LIMIT };

#define NONE SUSPICION_NONE
#define SEEN SUSPICION_SEEN
#define CONFIRMED SUSPICION_CONFIRMED
#define PARKED SUSPICION_PARKED

/* Seen now. */
static void each_state(void **state)
{
	static const struct {
		struct suspicion known;
		enum advice advice;
	} table[] = {
		{ { NONE,      0,         0     }, ADVICE_SUSPECT },
		/* the same round; a later one; too late */
		{ { SEEN,      0,         0     }, ADVICE_NOTHING },
		{ { SEEN,      APART - 1, 0     }, ADVICE_NOTHING },
		{ { SEEN,      APART,     0     }, ADVICE_REPAIR  },
		{ { SEEN,      STALE,     0     }, ADVICE_REPAIR  },
		{ { SEEN,      STALE + 1, 0     }, ADVICE_SUSPECT },
		/* repaired before, in this hour */
		{ { SEEN,      APART,     LIMIT - 1 }, ADVICE_REPAIR },
		{ { SEEN,      APART,     LIMIT }, ADVICE_PARK    },
		{ { SEEN,      APART - 1, LIMIT }, ADVICE_NOTHING },
		/* under way; lost with whoever was at it */
		{ { CONFIRMED, 0,         0     }, ADVICE_NOTHING },
		{ { CONFIRMED, LOST - 1,  0     }, ADVICE_NOTHING },
		{ { CONFIRMED, LOST,      0     }, ADVICE_SUSPECT },
		/* left alone for an hour */
		{ { PARKED,    0,         LIMIT }, ADVICE_NOTHING },
		{ { PARKED,    HOUR - 1,  LIMIT }, ADVICE_NOTHING },
		{ { PARKED,    HOUR,      0     }, ADVICE_SUSPECT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_int_equal(suspicion_advice(&table[i].known, &terms),
		                 table[i].advice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
