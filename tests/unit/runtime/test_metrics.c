#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "runtime/metrics.h"

enum { PROCESSES = 3 };

/* The value behind `SERIES `; -1 when there is no such line. */
static double value_of(const char *series)
{
	struct buf text = { 0 }, line = { 0 };
	const char *at;
	double value = -1;

	metrics_format(&text);
	buf_printf(&line, "\n%s ", series);
	at = strstr(buf_string(&text), buf_string(&line));
	if (at)
		value = strtod(at + line.len, NULL);
	buf_clear(&text);
	buf_clear(&line);
	return value;
}

static int occurrences(const char *words)
{
	struct buf text = { 0 };
	int count = 0;

	metrics_format(&text);
	for (const char *at = buf_string(&text); (at = strstr(at, words)); at++)
		count++;
	buf_clear(&text);
	return count;
}

#define assert_value(series, want) \
	assert_int_equal(value_of("zonefleet_" series) * 1000000, (want) * 1000000)

/* Runs body() as process INDEX, as a child does; true if it came to its end. */
static int in_process(int index, void (*body)(void *self), void *self)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		metrics_process(index);
		body(self);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void add_two(void *self)
{
	metric_add(self, 2);
}

static void set_five(void *self)
{
	metric_set(self, 5);
}

/* True: metric_new() accepts the name; false: it ends the process, as a bug. */
static bool may_be_named(enum metric_type type, const char *name, const char *help)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		metric_new(type, name, help, NULL, NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGABRT);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Who reads a number on a page must see whether it is a time. */
static void test_names_end_in_the_unit(void **state)
{
	static const struct {
		enum metric_type type;
		const char *name, *help;
		bool want;
	} cases[] = {
		{ METRIC_GAUGE,     "x_age_seconds", "seconds since X",  true },
		{ METRIC_GAUGE,     "x_age",         "seconds since X",  false },
		{ METRIC_GAUGE,     "x_seconds",     "objects in X",     false },
		{ METRIC_GAUGE,     "x",             "objects in X",     true },
		{ METRIC_GAUGE,     "x_total",       "objects in X",     false },
		{ METRIC_COUNTER,   "x_total",       "objects since X",  true },
		{ METRIC_COUNTER,   "x",             "objects since X",  false },
		{ METRIC_HISTOGRAM, "x_seconds",     "duration of X",    true },
		{ METRIC_HISTOGRAM, "x_time",        "duration of X",    false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(may_be_named(cases[i].type, cases[i].name,
		                              cases[i].help), cases[i].want);
}

static void test_processes_are_summed_and_counters_stay(void **state)
{
	struct metric *counter = metric_new(METRIC_COUNTER, "a_total", "A.", NULL, NULL);
	struct metric *gauge = metric_new(METRIC_GAUGE, "g", "G.", NULL, NULL);

	(void)state;
	for (int process = 0; process < PROCESSES; process++) {
		assert_true(in_process(process, add_two, counter));
		assert_true(in_process(process, set_five, gauge));
	}
	metric_add(counter, 1);		/* the supervisor's own */
	assert_value("a_total", 7);
	assert_value("g", 15);
	metrics_reset_process(1);
	assert_value("a_total", 7);
	assert_value("g", 10);
	assert_true(in_process(1, add_two, counter));	/* started again */
	assert_value("a_total", 9);
}

static void test_a_gauge_goes_up_and_down(void **state)
{
	struct metric *gauge = metric_new(METRIC_GAUGE, "level", "L.", NULL, NULL);

	(void)state;
	metric_set(gauge, 3);
	metric_add(gauge, -5);
	assert_value("level", -2);
}

static void test_the_same_twice_is_the_same(void **state)
{
	struct metric *kv = metric_new(METRIC_COUNTER, "same_total", "S.", "k", "v");
	struct metric *kw = metric_new(METRIC_COUNTER, "same_total", "S.", "k", "w");
	struct metric *lv = metric_new(METRIC_COUNTER, "same_total", "S.", "l", "v");

	(void)state;
	assert_ptr_not_equal(kv, kw);
	assert_ptr_not_equal(kv, lv);
	assert_ptr_equal(kv, metric_new(METRIC_COUNTER, "same_total", "S.", "k", "v"));
	assert_int_equal(occurrences("zonefleet_same_total{k=\"v\"} "), 1);
}

/* However the series of two families were mixed when they were made. */
static void test_a_family_stands_together(void **state)
{
	static const char want[] = "# HELP zonefleet_mix_total Mixed.\n"
				   "# TYPE zonefleet_mix_total counter\n"
				   "zonefleet_mix_total{k=\"1\"} 0\n"
				   "zonefleet_mix_total{k=\"2\"} 0\n";
	struct buf text = { 0 };
	const char *at;

	(void)state;
	metric_new(METRIC_COUNTER, "mix_total", "Mixed.", "k", "1");
	metric_new(METRIC_COUNTER, "other_total", "Other.", "k", "1");
	metric_new(METRIC_COUNTER, "mix_total", "Mixed.", "k", "2");
	metrics_format(&text);
	at = strstr(buf_string(&text), "# HELP zonefleet_mix_total");
	assert_non_null(at);
	assert_memory_equal(at, want, sizeof want - 1);
	assert_int_equal(occurrences("# HELP zonefleet_mix_total "), 1);
	assert_int_equal(occurrences("# TYPE zonefleet_mix_total "), 1);
	buf_clear(&text);
}

static void test_labels_and_help_are_escaped(void **state)
{
	(void)state;
	metric_new(METRIC_GAUGE, "esc", "One\nline, \\ and \".", "k", "a\"b\\c\nd");
	assert_int_equal(occurrences("# HELP zonefleet_esc One\\nline, \\\\ and \".\n"),
	                 1);
	assert_int_equal(occurrences("zonefleet_esc{k=\"a\\\"b\\\\c\\nd\"} 0\n"), 1);
}

static void test_a_histogram_counts_by_bounds(void **state)
{
	static const int64_t times_us[] = { 0, 100, 101, 2500, 100000000, 100000001 };
	static const struct {
		const char *series;
		double want;
	} lines[] = {
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"0.0001\"}",  2 },
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"0.00025\"}", 3 },
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"0.001\"}",   3 },
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"0.0025\"}",  4 },
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"50\"}",      4 },
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"100\"}",     5 },
		{ "zonefleet_t_seconds_bucket{k=\"v\",le=\"+Inf\"}",    6 },
		{ "zonefleet_t_seconds_count{k=\"v\"}",                 6 },
		{ "zonefleet_t_seconds_sum{k=\"v\"}",                   200.002702 },
	};
	struct metric *times = metric_new(METRIC_HISTOGRAM, "t_seconds", "T.", "k", "v");

	(void)state;
	for (size_t i = 0; i < sizeof times_us / sizeof times_us[0]; i++)
		metric_observe_us(times, times_us[i]);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		double got = value_of(lines[i].series);

		if (got < lines[i].want - 1e-7 || got > lines[i].want + 1e-7)
			fail_msg("%s: want %f, got %f", lines[i].series, lines[i].want,
				 got);
	}
	assert_int_equal(occurrences("zonefleet_t_seconds_bucket{"), 20);
}

static void test_a_plain_histogram_has_le_only(void **state)
{
	(void)state;
	metric_new(METRIC_HISTOGRAM, "plain_seconds", "P.", NULL, NULL);
	assert_value("plain_seconds_bucket{le=\"0.1\"}", 0);
	assert_int_equal(occurrences("zonefleet_plain_seconds_sum 0.000000\n"), 1);
}

static void beat_and_be_ready(void *self)
{
	metrics_heartbeat(*(int64_t *)self);
	metrics_set_down_reason("a word that is longer than the next");
	metrics_set_down_reason(NULL);
}

static void say_trouble(void *self)
{
	metrics_set_down_reason("a word that is longer than the next");
	metrics_set_down_reason(self);
}

static void test_life_signs(void **state)
{
	int64_t now_ms = 12345;
	char words[METRICS_WORDS], longest[2 * METRICS_WORDS];

	(void)state;
	assert_true(in_process(2, beat_and_be_ready, &now_ms));
	assert_int_equal(metrics_last_heartbeat(2), now_ms);
	assert_false(metrics_down_reason(2, words));
	assert_true(metrics_down_reason(0, words));
	assert_string_equal(words, "");
	assert_true(in_process(2, say_trouble, (char *)"no broker"));
	assert_true(metrics_down_reason(2, words));
	assert_string_equal(words, "no broker");
	memset(longest, 'w', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	assert_true(in_process(2, say_trouble, longest));
	assert_true(metrics_down_reason(2, words));
	assert_int_equal(strlen(words), METRICS_WORDS - 1);
	metrics_reset_process(2);
	assert_int_equal(metrics_last_heartbeat(2), 0);
	assert_true(metrics_down_reason(2, words));
	assert_string_equal(words, "");
}

/* A handle made after the fork would have cells that no other process knows. */
static void make_early(void *self)
{
	(void)self;
	metric_new(METRIC_COUNTER, "early_total", "Early.", NULL, NULL);
}

static void make_late(void *self)
{
	(void)self;
	metric_new(METRIC_COUNTER, "late_total", "Late.", NULL, NULL);
}

static void test_no_new_ones_after_the_fork(void **state)
{
	(void)state;
	make_early(NULL);
	assert_true(in_process(0, make_early, NULL));
	assert_false(in_process(0, make_late, NULL));
}

static void test_too_many_are_not_shown(void **state)
{
	struct metric *last = NULL;
	char value[16];

	(void)state;
	for (int i = 0; i <= METRICS_MAX; i++) {
		snprintf(value, sizeof value, "%d", i);
		last = metric_new(METRIC_HISTOGRAM, "many_seconds", "Many.", "k", value);
	}
	metric_observe_us(last, 100);
	metric_set(last, 1);
	metric_add(last, -1);
	assert_true(occurrences("zonefleet_many_seconds_count{") < METRICS_MAX);
	assert_true(occurrences("zonefleet_many_seconds_count{k=\"900\"} 0\n"));
	assert_value("a_total", 9);
}

static int init(void **state)
{
	(void)state;
	metrics_init(PROCESSES);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_end_in_the_unit),
		cmocka_unit_test(test_processes_are_summed_and_counters_stay),
		cmocka_unit_test(test_a_gauge_goes_up_and_down),
		cmocka_unit_test(test_the_same_twice_is_the_same),
		cmocka_unit_test(test_a_family_stands_together),
		cmocka_unit_test(test_labels_and_help_are_escaped),
		cmocka_unit_test(test_a_histogram_counts_by_bounds),
		cmocka_unit_test(test_a_plain_histogram_has_le_only),
		cmocka_unit_test(test_life_signs),
		cmocka_unit_test(test_no_new_ones_after_the_fork),
		cmocka_unit_test(test_too_many_are_not_shown),
	};

	return cmocka_run_group_tests(tests, init, NULL);
}
