#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdlib.h>
#include <string.h>

#include "core/batch.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { UPDATES_MAX = 500 };

/* A server that takes a message if it would take each update of it alone. */
struct server {
	enum outcome of[UPDATES_MAX];	/* OUTCOME_APPLIED: it takes it */
	size_t taken[UPDATES_MAX], messages;
};

static enum outcome send_message(struct server *server, size_t first, size_t count)
{
	server->messages++;
	for (size_t i = first; i < first + count; i++)
		if (server->of[i] != OUTCOME_APPLIED)
			return server->of[i];
	for (size_t i = first; i < first + count; i++)
		server->taken[i]++;
	return OUTCOME_APPLIED;
}

static struct batch *new_batch(size_t count, size_t changes, size_t limit)
{
	struct batch_size sizes[UPDATES_MAX];
	struct batch_limits limits = { limit, 100000 };

	for (size_t i = 0; i < count; i++)
		sizes[i] = (struct batch_size){ changes, 100 };
	return batch_new(sizes, count, &limits);
}

static void send_all(struct batch *batch, struct server *server)
{
	size_t first, count;

	while (batch_next(batch, &first, &count))
		batch_settle(batch, send_message(server, first, count));
}

static void take_all(struct server *server)
{
	memset(server, 0, sizeof(*server));
	for (size_t i = 0; i < UPDATES_MAX; i++)
		server->of[i] = OUTCOME_APPLIED;
}

static void what_an_answer_means(void **state)
{
	static const struct {
		uint8_t rcode;
		uint16_t tsig_error;
		enum outcome want;
	} answers[] = {
		{ 0, 0, OUTCOME_APPLIED },   { 1, 0, OUTCOME_PARKED },
		{ 2, 0, OUTCOME_UNABLE },    { 3, 0, OUTCOME_CHANGED },
		{ 4, 0, OUTCOME_PARKED },    { 5, 0, OUTCOME_POLICY },
		{ 6, 0, OUTCOME_CONFLICT },  { 7, 0, OUTCOME_CONFLICT },
		{ 8, 0, OUTCOME_CHANGED },   { 9, 0, OUTCOME_PARKED },
		{ 10, 0, OUTCOME_FAILED },   { 11, 0, OUTCOME_AGAIN },
		{ 15, 0, OUTCOME_AGAIN },    { 16, 0, OUTCOME_AGAIN },
		{ 255, 0, OUTCOME_AGAIN },
		{ 9, 16, OUTCOME_PARKED },   { 9, 17, OUTCOME_PARKED },
		{ 9, 18, OUTCOME_PARKED },   { 0, 16, OUTCOME_PARKED },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(answers); i++)
		assert_int_equal(outcome_of_reply(answers[i].rcode,
		                                  answers[i].tsig_error),
		                 answers[i].want);
	for (int i = 0; i < OUTCOME_COUNT; i++)
		assert_non_null(outcome_name(i));
}

/* Only of silence, and of what central never saw, it is unknown to whom it is due. */
static void what_central_answers_means(void **state)
{
	static const struct {
		enum err err;
		enum outcome want;
	} answers[] = {
		{ OK, OUTCOME_APPLIED },
		{ ERR_INVALID, OUTCOME_FAILED },      { ERR_TOO_LARGE, OUTCOME_FAILED },
		{ ERR_ARGUMENTS, OUTCOME_PARKED },    { ERR_METHOD, OUTCOME_PARKED },
		{ ERR_VERSION, OUTCOME_PARKED },      { ERR_NOT_FOUND, OUTCOME_PARKED },
		{ ERR_DENIED, OUTCOME_POLICY },       { ERR_QUOTA, OUTCOME_POLICY },
		{ ERR_NO_POOL, OUTCOME_POLICY },
		{ ERR_SEVERAL_POOLS, OUTCOME_POLICY },
		{ ERR_EXISTS, OUTCOME_CHANGED },      { ERR_CONFLICT, OUTCOME_CHANGED },
		{ ERR_RACE, OUTCOME_UNABLE },         { ERR_BUSY, OUTCOME_UNABLE },
		{ ERR_LOCKED, OUTCOME_UNABLE },       { ERR_EXPIRED, OUTCOME_UNABLE },
		{ ERR_REMOTE, OUTCOME_UNABLE },       { ERR_INTERNAL, OUTCOME_UNABLE },
		{ ERR_TIMEOUT, OUTCOME_AGAIN },       { ERR_UNREACHABLE, OUTCOME_AGAIN },
	};

	(void)state;
	assert_int_equal(COUNT(answers), ERR_COUNT);
	for (size_t i = 0; i < COUNT(answers); i++)
		assert_int_equal(outcome_of_err(answers[i].err), answers[i].want);
	for (int err = ERR_INVALID; err < ERR_COUNT; err++) {
		enum outcome outcome = outcome_of_err(err);

		assert_int_equal(outcome_is_of_one(outcome),
		                 outcome != OUTCOME_AGAIN && outcome != OUTCOME_PARKED);
	}
}

static void messages_are_as_long_as_they_may_be(void **state)
{
	static const struct {
		size_t updates, changes, limit, messages;
	} cases[] = {
		{ 0, 1, 50, 0 },   { 1, 1, 50, 1 },   { 50, 1, 50, 1 },  { 51, 1, 50, 2 },
		{ 200, 2, 50, 8 }, { 3, 60, 50, 3 },  { 10, 26, 50, 10 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct batch *batch =
		    new_batch(cases[i].updates, cases[i].changes, cases[i].limit);
		struct server server;

		take_all(&server);
		send_all(batch, &server);
		assert_int_equal(server.messages, cases[i].messages);
		batch_free(&batch);
	}
}

static void octets_are_a_limit_too(void **state)
{
	struct batch_size sizes[4] = { { 1, 600 }, { 1, 300 }, { 1, 200 }, { 1, 5000 } };
	struct batch *batch = batch_new(sizes, 4, &(struct batch_limits){ 50, 1000 });
	size_t first, count;

	(void)state;
	assert_true(batch_next(batch, &first, &count));
	assert_int_equal(count, 2);
	batch_settle(batch, OUTCOME_APPLIED);
	assert_true(batch_next(batch, &first, &count));
	assert_int_equal(first, 2);
	assert_int_equal(count, 1);
	batch_settle(batch, OUTCOME_APPLIED);
	assert_true(batch_next(batch, &first, &count));
	assert_int_equal(first, 3);
	batch_settle(batch, OUTCOME_APPLIED);
	assert_false(batch_next(batch, &first, &count));
	batch_free(&batch);
}

/* Whichever are bad: they have their outcomes, and each of the others is taken once. */
static void bad_ones_keep_none_back(void **state)
{
	static const enum outcome bad[] = { OUTCOME_CONFLICT, OUTCOME_CHANGED,
	                                    OUTCOME_FAILED, OUTCOME_POLICY,
	                                    OUTCOME_UNABLE };

	(void)state;
	srandom(1);
	for (int round = 0; round < 2000; round++) {
		size_t count = 1 + (size_t)random() % 200, wrong = (size_t)random() % 6;
		struct batch *batch = new_batch(count, 1, 50);
		struct server server;

		take_all(&server);
		for (size_t i = 0; i < wrong; i++)
			server.of[(size_t)random() % count] =
			    bad[(size_t)random() % COUNT(bad)];
		send_all(batch, &server);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(batch_outcome(batch, i), server.of[i]);
			assert_int_equal(server.taken[i],
			                 server.of[i] == OUTCOME_APPLIED);
		}
		/* a bad one of 50 costs no more than two messages for each halving */
		assert_true(server.messages <= count / 50 + 1 + wrong * 2 * 6);
		batch_free(&batch);
	}
}

static void what_is_unknown_is_sent_again(void **state)
{
	struct batch *batch = new_batch(120, 1, 50);
	size_t first, count, again, same;

	(void)state;
	assert_true(batch_next(batch, &first, &count));
	batch_settle(batch, OUTCOME_AGAIN);
	assert_true(batch_next(batch, &again, &same));
	assert_int_equal(again, first);
	assert_int_equal(same, count);
	batch_settle(batch, OUTCOME_APPLIED);
	assert_true(batch_next(batch, &first, &count));
	batch_give_up(batch, OUTCOME_AGAIN);
	assert_false(batch_next(batch, &first, &count));
	assert_int_equal(batch_outcome(batch, 49), OUTCOME_APPLIED);
	assert_int_equal(batch_outcome(batch, 50), OUTCOME_AGAIN);
	assert_int_equal(batch_outcome(batch, 119), OUTCOME_AGAIN);
	batch_free(&batch);
}

static void a_server_that_wants_nothing_is_left_alone(void **state)
{
	struct batch *batch = new_batch(500, 1, 50);
	struct server server = { 0 };

	(void)state;
	for (size_t i = 0; i < 500; i++)
		server.of[i] = OUTCOME_POLICY;
	send_all(batch, &server);
	assert_int_equal(batch_outcome(batch, 0), OUTCOME_POLICY);
	assert_int_equal(batch_outcome(batch, 499), OUTCOME_PARKED);
	assert_true(server.messages < 30);
	batch_free(&batch);
}

static void one_that_takes_some_is_not(void **state)
{
	struct batch *batch = new_batch(100, 1, 50);
	struct server server;

	(void)state;
	take_all(&server);
	for (size_t i = 1; i < 100; i++)
		server.of[i] = OUTCOME_POLICY;
	send_all(batch, &server);
	assert_int_equal(batch_outcome(batch, 0), OUTCOME_APPLIED);
	assert_int_equal(batch_outcome(batch, 99), OUTCOME_POLICY);
	batch_free(&batch);
}

static void a_zone_that_takes_nothing_is_parked(void **state)
{
	struct batch *batch = new_batch(120, 1, 50);
	size_t first, count;

	(void)state;
	assert_true(batch_next(batch, &first, &count));
	batch_settle(batch, OUTCOME_PARKED);
	assert_false(batch_next(batch, &first, &count));
	assert_int_equal(batch_outcome(batch, 119), OUTCOME_PARKED);
	batch_free(&batch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_answer_means),
		cmocka_unit_test(what_central_answers_means),
		cmocka_unit_test(messages_are_as_long_as_they_may_be),
		cmocka_unit_test(octets_are_a_limit_too),
		cmocka_unit_test(bad_ones_keep_none_back),
		cmocka_unit_test(what_is_unknown_is_sent_again),
		cmocka_unit_test(a_server_that_wants_nothing_is_left_alone),
		cmocka_unit_test(one_that_takes_some_is_not),
		cmocka_unit_test(a_zone_that_takes_nothing_is_parked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
