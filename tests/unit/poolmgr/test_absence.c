#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/absence.h"

/* The whole input space. */
static const enum absence want[REPORT_COUNT][CONFIRMATION_COUNT] = {
	/*                     none, driver, answers, denied */
	[REPORT_SUCCESS]   = { ABSENCE_NOT_SEEN, ABSENCE_NOT_SEEN, ABSENCE_NOT_SEEN,
	                       ABSENCE_NOT_SEEN },
	[REPORT_ERROR]     = { ABSENCE_NOT_SEEN, ABSENCE_NOT_SEEN, ABSENCE_NOT_SEEN,
	                       ABSENCE_NOT_SEEN },
	[REPORT_NO_DOMAIN] = { ABSENCE_DOUBTED,  ABSENCE_PROVEN,   ABSENCE_PROVEN,
	                       ABSENCE_REFUTED },
};

static void each_has_its_meaning(void **unused)
{
	(void)unused;
	for (enum report report = 0; report < REPORT_COUNT; report++)
		for (enum confirmation of = 0; of < CONFIRMATION_COUNT; of++)
			assert_int_equal(absence_of(report, of), want[report][of]);
}

/* A poll or a confirmation alone proves nothing. */
static void it_takes_two(void **unused)
{
	(void)unused;
	for (enum report report = 0; report < REPORT_COUNT; report++)
		assert_int_not_equal(absence_of(report, CONFIRMATION_NONE),
		                     ABSENCE_PROVEN);
	for (enum confirmation of = 0; of < CONFIRMATION_COUNT; of++) {
		assert_int_not_equal(absence_of(REPORT_ERROR, of), ABSENCE_PROVEN);
		assert_int_not_equal(absence_of(REPORT_SUCCESS, of), ABSENCE_PROVEN);
	}
}

/* What keeps a server in error has words. */
static void doubt_has_words(void **unused)
{
	(void)unused;
	for (enum absence absence = 0; absence < ABSENCE_COUNT; absence++)
		assert_int_equal(absence == ABSENCE_DOUBTED || absence == ABSENCE_REFUTED,
		                 absence_words(absence)[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_its_meaning),
		cmocka_unit_test(it_takes_two),
		cmocka_unit_test(doubt_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
