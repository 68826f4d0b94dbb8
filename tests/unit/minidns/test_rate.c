#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdlib.h>
#include <string.h>

#include "core/rate.h"

static const struct siphash_key key = { "sixteen octets!" };

/* An answer that is as long as its question. */
static enum rate_verdict ask(struct rate *rate, const struct address *client,
                             enum rate_kind kind, int64_t now_ms)
{
	const struct rate_answer answer = {
		.client = client, .kind = kind, .question_len = 40, .len = 40,
	};

	return rate_decide(rate, &answer, now_ms);
}

static enum rate_verdict decide(struct rate *rate, const char *client,
                                enum rate_kind kind, int64_t now_ms)
{
	struct address address;

	assert_true(address_parse(client, 40000, &address));
	return ask(rate, &address, kind, now_ms);
}

/* A network of its own for each number below 2^24. */
static struct address network(uint32_t number)
{
	struct address address = { .bits = 32 };

	address.octets[0] = number >> 16;
	address.octets[1] = number >> 8;
	address.octets[2] = number;
	address.octets[3] = rand();
	return address;
}

/* ---- one client ---- */

/* Questions at a time each, and the first letters of what becomes of them. */
struct question {
	int64_t now_ms;
	const char *verdicts;
};

static const struct {
	struct rate_limits limits;
	struct question questions[8];
} stories[] = {
	{ { 2, 3, 1 }, { { 0, "SSSTT" }, { 499, "T" }, { 500, "ST" }, { 999, "T" },
	                 { 1000, "S" }, { 2500, "SSST" } } },
	{ { 2, 3, 0 }, { { 0, "SSSDDD" }, { 500, "SD" } } },
	{ { 2, 1, 2 }, { { 7, "STDTD" }, { 507, "STDT" } } },
	{ { 2, 1, 3 }, { { 0, "STDDTDDT" } } },
	{ { 1, 1, 1 }, { { 0, "ST" }, { 999, "T" }, { 1000, "S" }, { 1999, "T" },
	                 { 3600000, "ST" } } },
	/* a third of a second is a little longer than 333 ms */
	{ { 3, 1, 1 }, { { 0, "S" }, { 333, "T" }, { 334, "S" }, { 667, "T" } } },
	{ { 1000, 2, 1 }, { { 5, "SST" }, { 6, "ST" }, { 7, "ST" }, { 9, "SST" } } },
	{ { RATE_MAX, 3, 1 }, { { 5, "SSST" }, { 6, "SSST" } } },
};

static void a_bucket_empties_and_fills(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct rate *rate = rate_new(&stories[i].limits, 64, &key);
		const struct question *at = stories[i].questions;

		for (; at->verdicts; at++)
			for (const char *verdict = at->verdicts; *verdict; verdict++)
				assert_int_equal("STD"[decide(rate, "192.0.2.1",
				                              RATE_ANSWER, at->now_ms)],
				                 *verdict);
		rate_free(&rate);
		assert_null(rate);
	}
}

/* ---- long answers, and servers ---- */

/* Octets of a question and its answer, and how many answers that counts as. */
static const struct { size_t question_len, len; int worth; } lengths[] = {
	{ 40, 12, 1 }, { 40, 40, 1 }, { 40, 104, 1 }, { 40, 105, 2 }, { 29, 93, 1 },
	{ 29, 94, 2 }, { 40, 168, 2 }, { 40, 169, 3 }, { 32, 1232, 19 },
};

static void an_answer_counts_by_what_it_gains(void **state)
{
	static const struct rate_limits limits = { 1, 20, 1 };
	struct address client = network(1);

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct rate *rate = rate_new(&limits, 64, &key);
		const struct rate_answer answer = {
			.client = &client, .kind = RATE_ANSWER,
			.question_len = lengths[i].question_len, .len = lengths[i].len,
		};
		int left = 0;

		assert_int_equal(rate_decide(rate, &answer, 0), RATE_SEND);
		while (ask(rate, &client, RATE_ANSWER, 0) == RATE_SEND)
			left++;
		assert_int_equal(left, limits.burst - lengths[i].worth);
		rate_free(&rate);
	}
}

/* The first goes out though the bucket has no room for all of it; then it is empty. */
static void a_long_answer_is_owed(void **state)
{
	struct rate *rate = rate_new(&(struct rate_limits){ 1, 1, 1 }, 64, &key);
	struct address client = network(1);
	const struct rate_answer answer = {
		.client = &client, .kind = RATE_ANSWER, .question_len = 32, .len = 1232,
	};

	(void)state;
	assert_int_equal(rate_decide(rate, &answer, 0), RATE_SEND);
	assert_int_equal(rate_decide(rate, &answer, 18999), RATE_TRUNCATE);
	assert_int_equal(rate_decide(rate, &answer, 19000), RATE_SEND);
	rate_free(&rate);
}

static void servers_have_a_limit_of_their_own(void **state)
{
	const struct rate_limits limits = { 1, 1, 1, .servers_per_second = 3 };
	struct rate *rate = rate_new(&limits, 64, &key);

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(decide(rate, "192.0.2.1", RATE_SERVER, 0), RATE_SEND);
	assert_int_equal(decide(rate, "192.0.2.1", RATE_SERVER, 0), RATE_TRUNCATE);
	assert_int_equal(decide(rate, "192.0.2.1", RATE_SERVER, 334), RATE_SEND);
	assert_int_equal(decide(rate, "192.0.2.2", RATE_SERVER, 0), RATE_SEND);
	assert_int_equal(decide(rate, "2001:db8::1", RATE_SERVER, 0), RATE_SEND);
	assert_int_equal(decide(rate, "192.0.2.1", RATE_ANSWER, 0), RATE_SEND);
	rate_free(&rate);
	rate = rate_new(&(struct rate_limits){ 1, 1, 1 }, 64, &key);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(decide(rate, "192.0.2.1", RATE_SERVER, 0), RATE_SEND);
	rate_free(&rate);
}

/* ---- who shares a bucket ---- */

static const struct {
	const char *one, *two;
	enum rate_kind kind_one, kind_two;
	bool same;
} pairs[] = {
	{ "192.0.2.1", "192.0.2.255", RATE_ANSWER, RATE_ANSWER, true },
	{ "192.0.2.1", "192.0.3.1", RATE_ANSWER, RATE_ANSWER, false },
	{ "192.0.2.1", "::ffff:192.0.2.7", RATE_ANSWER, RATE_ANSWER, true },
	{ "2001:db8:0:1ff::1", "2001:db8:0:100::", RATE_ANSWER, RATE_ANSWER, true },
	{ "2001:db8:0:1ff::1", "2001:db8:0:200::1", RATE_ANSWER, RATE_ANSWER, false },
	{ "1.2.3.4", "102:300::", RATE_ANSWER, RATE_ANSWER, false },
	{ "192.0.2.1", "192.0.2.1", RATE_ANSWER, RATE_NXDOMAIN, false },
	{ "192.0.2.1", "192.0.2.1", RATE_NXDOMAIN, RATE_ERROR, false },
	{ "192.0.2.1", "192.0.2.2", RATE_ERROR, RATE_ERROR, true },
};

static void a_network_and_a_kind_have_a_bucket(void **state)
{
	static const struct rate_limits limits = { 1, 1, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct rate *rate = rate_new(&limits, 64, &key);

		print_message("%s, %s\n", pairs[i].one, pairs[i].two);
		assert_int_equal(decide(rate, pairs[i].one, pairs[i].kind_one, 0),
		                 RATE_SEND);
		assert_int_equal(decide(rate, pairs[i].two, pairs[i].kind_two, 0),
		                 pairs[i].same ? RATE_TRUNCATE : RATE_SEND);
		rate_free(&rate);
	}
}

static void an_rcode_has_a_kind(void **state)
{
	(void)state;
	assert_int_equal(rate_kind_of(RCODE_NOERROR), RATE_ANSWER);
	assert_int_equal(rate_kind_of(RCODE_NXDOMAIN), RATE_NXDOMAIN);
	assert_int_equal(rate_kind_of(RCODE_REFUSED), RATE_ERROR);
	assert_int_equal(rate_kind_of(RCODE_BADVERS), RATE_ERROR);
}

/* New limits, old debts. */
static void limits_change(void **state)
{
	struct rate *rate = rate_new(&(struct rate_limits){ 1, 2, 0 }, 8, &key);

	(void)state;
	assert_int_equal(decide(rate, "::1", RATE_ANSWER, 0), RATE_SEND);
	assert_int_equal(decide(rate, "::1", RATE_ANSWER, 0), RATE_SEND);
	rate_set_limits(rate, &(struct rate_limits){ 10, 30, 1 });
	for (int i = 0; i < 10; i++)
		assert_int_equal(decide(rate, "::1", RATE_ANSWER, 0), RATE_SEND);
	assert_int_equal(decide(rate, "::1", RATE_ANSWER, 0), RATE_TRUNCATE);
	assert_int_equal(decide(rate, "::1", RATE_ANSWER, 100), RATE_SEND);
	rate_free(&rate);
}

/* All processes together have at least the limit, and little more. 0 stays "no limit". */
static void processes_divide_the_limits(void **state)
{
	static const struct {
		struct rate_limits stated;
		int processes;
		struct rate_limits want;
	} cases[] = {
		{ { 200, 400, 2, 300 },         1,  { 200, 400, 2, 300 } },
		{ { 200, 400, 2, 300 },         4,  { 50, 100, 2, 75 } },
		{ { 200, 400, 2, 300 },         64, { 4, 7, 2, 5 } },
		{ { 1, 1, 1, 1 },               64, { 1, 1, 1, 1 } },
		{ { 1, 1, 0, 0 },               2,  { 1, 1, 0, 0 } },
		{ { RATE_MAX, RATE_MAX, 5, 3 }, 2,
		  { RATE_MAX / 2, RATE_MAX / 2, 5, 2 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rate_limits share = rate_limits_share(&cases[i].stated,
		                                             cases[i].processes);

		assert_memory_equal(&share, &cases[i].want, sizeof(share));
	}
}

/* ---- what is true of any sequence of questions ---- */

enum { CLIENTS = 40, QUESTIONS = 20000 };

struct sent {
	int count;
	int64_t at_ms[QUESTIONS];
};

/* Between any two of its answers a client got no more than burst + rate * t. */
static void check_all_spans(const struct sent *sent, const struct rate_limits *limits)
{
	for (int first = 0; first < sent->count; first++)
		for (int last = first; last < sent->count; last++) {
			int64_t ms = sent->at_ms[last] - sent->at_ms[first];

			if (1000 * (int64_t)(last - first + 1 - limits->burst) >
			    limits->per_second * ms)
				fail_msg("%d answers in %d ms", last - first + 1,
				         (int)ms);
		}
}

/*
 * Sixteen buckets for 40 networks, so that they displace each other all the
 * time; some ask often, some seldom, in spurts and after pauses.
 */
static void ask_at_random(const struct rate_limits *limits, struct sent *sent)
{
	struct rate *rate = rate_new(limits, 16, &key);
	int64_t now_ms = 1000000;

	for (int i = 0; i < CLIENTS; i++)
		sent[i].count = 0;
	for (int i = 0; i < QUESTIONS; i++) {
		int client = rand() % (1 + rand() % CLIENTS);
		struct address address = network(client);

		if (rand() % 8 == 0)
			now_ms += rand() % 1000 ? rand() % 50 : rand() % 5000;
		if (ask(rate, &address, RATE_ANSWER, now_ms) == RATE_SEND)
			sent[client].at_ms[sent[client].count++] = now_ms;
	}
	rate_free(&rate);
}

static void nobody_gets_more_than_his_limit(void **state)
{
	static const struct rate_limits limits[] = {
		{ 1, 1, 1 }, { 5, 20, 2 }, { 20, 5, 1 }, { 7, 13, 0 }, { 333, 3, 3 },
	};
	struct sent *sent = calloc(CLIENTS, sizeof(*sent));

	(void)state;
	srand(1);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		int total = 0;

		ask_at_random(&limits[i], sent);
		for (int client = 0; client < CLIENTS; client++) {
			check_all_spans(&sent[client], &limits[i]);
			total += sent[client].count;
		}
		print_message("%d/s: %d of %d sent\n", limits[i].per_second, total,
		              QUESTIONS);
		assert_in_range(total, CLIENTS, QUESTIONS - 1);
	}
	free(sent);
}

/* Who asks for too much gets what he may have, neither more nor less. */
static void who_asks_too_much_gets_his_rate(void **state)
{
	enum { SECONDS = 100 };
	static const int rates[] = { 1, 3, 20, 100 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct rate_limits limits = { rates[i], 10, 1 };
		struct rate *rate = rate_new(&limits, 64, &key);
		int sent = 0;

		for (int64_t ms = 0; ms < 1000 * SECONDS; ms++)
			sent += decide(rate, "::1", RATE_ANSWER, ms) == RATE_SEND;
		assert_in_range(sent, rates[i] * SECONDS + 10 - 2,
		                rates[i] * SECONDS + 10);
		rate_free(&rate);
	}
}

/* Where a millisecond has many answers, and no whole number of ns is between two. */
static void a_high_rate_is_a_limit(void **state)
{
	struct rate *rate = rate_new(&(struct rate_limits){ 700000, 900, 1 }, 8, &key);
	struct address address = network(1);
	int sent = 0;

	(void)state;
	for (int64_t ms = 0; ms <= 1000; ms++)
		for (int i = 0; i < 1000; i++)
			sent += ask(rate, &address, RATE_ANSWER, ms) == RATE_SEND;
	assert_in_range(sent, 699000, 700900);
	rate_free(&rate);
}

/* ---- floods ---- */

struct flood {
	struct rate *rate;
	int a_ms;			/* questions of random networks */
	int honest_sent, greedy_sent, others_sent;
};

/* A client that asks 10 times a second, one that asks 1000 times, and the flood. */
static void flood(struct flood *flood, int64_t seconds)
{
	struct address honest = network(1), greedy = network(2);

	for (int64_t ms = 0; ms < 1000 * seconds; ms++) {
		for (int i = 0; i < flood->a_ms; i++) {
			struct address other = network(3 + rand() % 0xffff00);

			flood->others_sent +=
			    ask(flood->rate, &other, RATE_ANSWER, ms) ==
			    RATE_SEND;
		}
		flood->greedy_sent +=
		    ask(flood->rate, &greedy, RATE_ANSWER, ms) == RATE_SEND;
		if (ms % 100 == 0)
			flood->honest_sent += ask(flood->rate, &honest,
			                                  RATE_ANSWER, ms) == RATE_SEND;
	}
}

/* 1024 buckets at 20 a second bear 20000 questions a second: here are half of them. */
static void a_flood_takes_nothing_from_the_honest(void **state)
{
	struct rate_limits limits = { 20, 20, 1 };
	struct flood case_of = {
		.rate = rate_new(&limits, 1024, &key), .a_ms = 10,
	};

	(void)state;
	srand(1);
	flood(&case_of, 20);
	print_message("honest %d, greedy %d, others %d\n", case_of.honest_sent,
	              case_of.greedy_sent, case_of.others_sent);
	assert_int_equal(case_of.honest_sent, 200);
	assert_in_range(case_of.greedy_sent, 20 * 20, 20 + 20 * 20);
	assert_int_equal(case_of.others_sent, 200000);
	rate_free(&case_of.rate);
}

/* Beyond what the table bears: all together get no more than its buckets may. */
static void a_larger_flood_gets_no_more(void **state)
{
	struct rate_limits limits = { 20, 20, 1 };
	struct flood case_of = {
		.rate = rate_new(&limits, 64, &key), .a_ms = 20,
	};
	int sent;

	(void)state;
	srand(1);
	flood(&case_of, 20);
	sent = case_of.honest_sent + case_of.greedy_sent + case_of.others_sent;
	print_message("%d sent\n", sent);
	assert_in_range(sent, 64 * 20 * 20, 64 * (20 + 20 * 20));
	assert_in_range(case_of.greedy_sent, 1, 20 + 20 * 20);
	rate_free(&case_of.rate);
}

/* What becomes of four times as many networks as there are buckets. */
enum { CROWD = 256 };

static void decide_crowd(const struct siphash_key *table_key, uint8_t verdicts[CROWD])
{
	struct rate *rate = rate_new(&(struct rate_limits){ 1, 2, 0 }, 64, table_key);

	for (int i = 0; i < CROWD; i++) {
		struct address address = network(i);

		verdicts[i] = ask(rate, &address, RATE_ANSWER, 0);
	}
	rate_free(&rate);
}

/* Else a small flood of chosen networks would meet a victim in his set. */
static void the_key_chooses_who_meets(void **state)
{
	static const struct siphash_key other = { "another sixteen" };
	uint8_t one[CROWD], same[CROWD], two[CROWD];

	(void)state;
	decide_crowd(&key, one);
	decide_crowd(&key, same);
	decide_crowd(&other, two);
	assert_memory_equal(one, same, CROWD);
	assert_memory_not_equal(one, two, CROWD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bucket_empties_and_fills),
		cmocka_unit_test(an_answer_counts_by_what_it_gains),
		cmocka_unit_test(a_long_answer_is_owed),
		cmocka_unit_test(servers_have_a_limit_of_their_own),
		cmocka_unit_test(a_network_and_a_kind_have_a_bucket),
		cmocka_unit_test(an_rcode_has_a_kind),
		cmocka_unit_test(limits_change),
		cmocka_unit_test(processes_divide_the_limits),
		cmocka_unit_test(nobody_gets_more_than_his_limit),
		cmocka_unit_test(who_asks_too_much_gets_his_rate),
		cmocka_unit_test(a_high_rate_is_a_limit),
		cmocka_unit_test(a_flood_takes_nothing_from_the_honest),
		cmocka_unit_test(a_larger_flood_gets_no_more),
		cmocka_unit_test(the_key_chooses_who_meets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
