#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/former_name.h"

static enum former_state run(enum former_state state, const enum former_event *events,
                             size_t count)
{
	for (size_t i = 0; i < count; i++)
		state = former_name_next(state, events[i]);
	return state;
}

#define RUN(state, ...) \
	run(state, (const enum former_event[]){ __VA_ARGS__ }, \
	    sizeof((enum former_event[]){ __VA_ARGS__ }) / sizeof(enum former_event))

#define LIFE FORMER_ON_LEAVE, FORMER_ON_SENT, FORMER_ON_PUBLISHED, FORMER_ON_EXPIRED

static void test_lives(void **state)
{
	static const enum former_event life[] = {
		LIFE, FORMER_ON_SENT, FORMER_ON_PUBLISHED, FORMER_ON_EXPIRED,
	};
	static const enum former_state want[] = {
		FORMER_ADD, FORMER_TOLD, FORMER_HAVE, FORMER_WITHDRAW, FORMER_WITHDRAWN,
		FORMER_CACHED, FORMER_GONE,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(life) / sizeof(life[0]); i++)
		assert_int_equal(run(FORMER_GONE, life, i + 1), want[i]);
	assert_int_equal(RUN(FORMER_GONE, FORMER_ON_KEEP), FORMER_CACHED);
	assert_int_equal(RUN(FORMER_GONE, FORMER_ON_KEEP, FORMER_ON_EXPIRED),
	                 FORMER_GONE);
	assert_int_equal(RUN(FORMER_HAVE, FORMER_ON_END, FORMER_ON_SENT), FORMER_GONE);
	assert_int_equal(RUN(FORMER_GONE, LIFE, FORMER_ON_LEAVE), FORMER_ADD);
	assert_int_equal(RUN(FORMER_HAVE, FORMER_ON_RETARGET, FORMER_ON_SENT),
	                 FORMER_TOLD);
}

static int may_have_cname(enum former_state state)
{
	return state != FORMER_CACHED && state != FORMER_GONE;
}

/* Of each state and each event: the CNAME is gone from the servers before the name is. */
static void test_a_name_is_served_while_a_server_has_its_cname(void **unused)
{
	(void)unused;
	for (enum former_state state = 0; state < FORMER_GONE; state++)
		for (enum former_event event = 0; event < FORMER_EVENTS; event++) {
			enum former_state next = former_name_next(state, event);
			const int is_withdrawn = state == FORMER_WITHDRAWN &&
			                         event == FORMER_ON_PUBLISHED;
			const int is_dropped = state == FORMER_DROP &&
			                       event == FORMER_ON_SENT;

			if (may_have_cname(state) && !may_have_cname(next) &&
			    !is_withdrawn && !is_dropped)
				fail_msg("%s -> %s", former_name_state_name(state),
				         former_name_state_name(next));
			if (next == FORMER_DROP && event != FORMER_ON_END &&
			    state != FORMER_DROP)
				fail_msg("%s is served no more by event %d",
				         former_name_state_name(state), event);
		}
}

/* What a process did twice, or two of them at once, is done once. */
static void test_an_event_that_comes_twice(void **unused)
{
	(void)unused;
	for (enum former_state state = 0; state < FORMER_STATES; state++)
		for (enum former_event event = 0; event < FORMER_EVENTS; event++)
			assert_int_equal(RUN(state, event), RUN(state, event, event));
}

static void test_what_central_is_told(void **unused)
{
	(void)unused;
	for (enum former_state state = 0; state < FORMER_STATES; state++)
		assert_int_equal(former_name_update(state) == FORMER_NO_UPDATE,
		                 former_name_next(state, FORMER_ON_SENT) == state);
	assert_int_equal(former_name_update(FORMER_ADD), FORMER_SET_CNAME);
	assert_int_equal(former_name_update(FORMER_WITHDRAW), FORMER_DELETE_CNAME);
	assert_int_equal(former_name_update(FORMER_DROP), FORMER_DELETE_CNAME);
}

static void test_names(void **unused)
{
	enum former_state found;

	(void)unused;
	for (enum former_state state = 0; state < FORMER_GONE; state++) {
		assert_true(former_name_state_parse(former_name_state_name(state),
		                                    &found));
		assert_int_equal(found, state);
	}
	assert_string_equal(former_name_state_name(FORMER_WITHDRAWN), "WITHDRAWN");
	assert_string_equal(former_name_state_name(FORMER_GONE), "GONE");
	assert_false(former_name_state_parse("GONE", &found));
	assert_false(former_name_state_parse("", &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_a_name_is_served_while_a_server_has_its_cname),
		cmocka_unit_test(test_an_event_that_comes_twice),
		cmocka_unit_test(test_what_central_is_told),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
