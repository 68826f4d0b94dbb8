#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/former_name.h"

static enum move_state run(enum move_state state, const enum move_event *events,
                           size_t count)
{
	for (size_t i = 0; i < count; i++)
		state = move_next(state, events[i]);
	return state;
}

#define RUN(state, ...) \
	run(state, (const enum move_event[]){ __VA_ARGS__ }, \
	    sizeof((const enum move_event[]){ __VA_ARGS__ }) / sizeof(enum move_event))

#define LIFE MOVE_LEADS, MOVE_IS_TOLD, MOVE_IS_OUT, MOVE_IS_OVER

static void test_lives(void **state)
{
	static const enum move_event life[] = {
		LIFE, MOVE_IS_TOLD, MOVE_IS_OUT, MOVE_IS_OVER,
	};
	static const enum move_state want[] = {
		MOVE_ADD, MOVE_TOLD, MOVE_HAVE, MOVE_WITHDRAW, MOVE_WITHDRAWN, MOVE_CACHED,
		MOVE_GONE,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(life) / sizeof(life[0]); i++)
		assert_int_equal(run(MOVE_GONE, life, i + 1), want[i]);
	assert_int_equal(RUN(MOVE_GONE, MOVE_STAYS), MOVE_CACHED);
	assert_int_equal(RUN(MOVE_GONE, MOVE_STAYS, MOVE_IS_OVER), MOVE_GONE);
	assert_int_equal(RUN(MOVE_HAVE, MOVE_ENDS, MOVE_IS_TOLD), MOVE_GONE);
	assert_int_equal(RUN(MOVE_GONE, LIFE, MOVE_LEADS), MOVE_ADD);
	assert_int_equal(RUN(MOVE_HAVE, MOVE_TURNS, MOVE_IS_TOLD), MOVE_TOLD);
}

static int may_have_cname(enum move_state state)
{
	return state != MOVE_CACHED && state != MOVE_GONE;
}

/* Of each state and each event: the CNAME is gone from the servers before the name is. */
static void test_a_name_is_served_while_a_server_has_its_cname(void **unused)
{
	(void)unused;
	for (enum move_state state = 0; state < MOVE_GONE; state++)
		for (enum move_event event = 0; event < MOVE_EVENTS; event++) {
			enum move_state next = move_next(state, event);
			const int is_withdrawn = state == MOVE_WITHDRAWN &&
			                         event == MOVE_IS_OUT;
			const int is_dropped = state == MOVE_DROP && event == MOVE_IS_TOLD;

			if (may_have_cname(state) && !may_have_cname(next) &&
			    !is_withdrawn && !is_dropped)
				fail_msg("%s -> %s", move_state_name(state),
				         move_state_name(next));
			if (next == MOVE_DROP && event != MOVE_ENDS && state != MOVE_DROP)
				fail_msg("%s is served no more by event %d",
				         move_state_name(state), event);
		}
}

/* What a process did twice, or two of them at once, is done once. */
static void test_an_event_that_comes_twice(void **unused)
{
	(void)unused;
	for (enum move_state state = 0; state < MOVE_STATES; state++)
		for (enum move_event event = 0; event < MOVE_EVENTS; event++)
			assert_int_equal(RUN(state, event), RUN(state, event, event));
}

static void test_what_central_is_told(void **unused)
{
	(void)unused;
	for (enum move_state state = 0; state < MOVE_STATES; state++)
		assert_int_equal(move_asks(state) == MOVE_ASKS_NOTHING,
		                 move_next(state, MOVE_IS_TOLD) == state);
	assert_int_equal(move_asks(MOVE_ADD), MOVE_ASKS_CNAME);
	assert_int_equal(move_asks(MOVE_WITHDRAW), MOVE_ASKS_NO_CNAME);
	assert_int_equal(move_asks(MOVE_DROP), MOVE_ASKS_NO_CNAME);
}

static void test_names(void **unused)
{
	enum move_state found;

	(void)unused;
	for (enum move_state state = 0; state < MOVE_GONE; state++) {
		assert_true(move_state_parse(move_state_name(state), &found));
		assert_int_equal(found, state);
	}
	assert_string_equal(move_state_name(MOVE_WITHDRAWN), "WITHDRAWN");
	assert_string_equal(move_state_name(MOVE_GONE), "GONE");
	assert_false(move_state_parse("GONE", &found));
	assert_false(move_state_parse("", &found));
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
