#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consistency/drift.h"

enum { APART = 60, STALE = 400, LOST = 240, LIMIT = 5, HOUR = 3600 * 1000 };

static const struct drift_terms terms = { APART, STALE, LOST, LIMIT };

#define NONE DRIFT_NONE
#define SEEN DRIFT_SEEN
#define CONFIRMED DRIFT_CONFIRMED
#define PARKED DRIFT_PARKED
#define SETTLED DRIFT_SETTLED

/* Seen now. */
static void each_state(void **state)
{
	static const struct {
		struct drift known;
		enum drift_action action;
	} table[] = {
		{ { NONE,      0,         0     }, DRIFT_RECORD },
		/* the same round; a later one; too late */
		{ { SEEN,      0,         0     }, DRIFT_IGNORE },
		{ { SEEN,      APART - 1, 0     }, DRIFT_IGNORE },
		{ { SEEN,      APART,     0     }, DRIFT_REPAIR  },
		{ { SEEN,      STALE,     0     }, DRIFT_REPAIR  },
		{ { SEEN,      STALE + 1, 0     }, DRIFT_RECORD },
		/* repaired before, in this hour */
		{ { SEEN,      APART,     LIMIT - 1 }, DRIFT_REPAIR },
		{ { SEEN,      APART,     LIMIT }, DRIFT_PARK    },
		{ { SEEN,      APART - 1, LIMIT }, DRIFT_IGNORE },
		/* of this difference: twice without effect */
		{ { SEEN,      APART,     1, 1 }, DRIFT_REPAIR  },
		{ { SEEN,      APART,     2, 1 }, DRIFT_REPAIR  },
		{ { SEEN,      APART,     2, 2 }, DRIFT_DIFFERS },
		{ { SEEN,      APART,     LIMIT, 2 }, DRIFT_DIFFERS },
		{ { SEEN,      APART - 1, 2, 2 }, DRIFT_IGNORE  },
		{ { SEEN,      STALE + 1, 2, 2 }, DRIFT_RECORD  },
		/* under way; lost with whoever was at it */
		{ { CONFIRMED, 0,         0     }, DRIFT_IGNORE },
		{ { CONFIRMED, LOST - 1,  0     }, DRIFT_IGNORE },
		{ { CONFIRMED, LOST,      0     }, DRIFT_RECORD },
		/* left alone for an hour */
		{ { PARKED,    0,         LIMIT }, DRIFT_IGNORE },
		{ { PARKED,    HOUR - 1,  LIMIT }, DRIFT_IGNORE },
		{ { PARKED,    HOUR,      0     }, DRIFT_RECORD },
		/* known to be no drift: its row stays */
		{ { SETTLED,   0,         0     }, DRIFT_IGNORE  },
		{ { SETTLED,   HOUR - 1,  2, 2  }, DRIFT_IGNORE  },
		{ { SETTLED,   HOUR,      0     }, DRIFT_DIFFERS },
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_int_equal(drift_decide(&table[i].known, &terms), table[i].action);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
