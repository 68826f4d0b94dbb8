#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

static char line[16384];
static int stderr_was, capture;

static void capture_begin(void)
{
	stderr_was = dup(STDERR_FILENO);
	capture = memfd_create("stderr", MFD_CLOEXEC);
	dup2(capture, STDERR_FILENO);
}

/* What went to stderr meanwhile, in line. */
static void capture_end(void)
{
	ssize_t n = pread(capture, line, sizeof line - 1, 0);

	line[n < 0 ? 0 : n] = 0;
	dup2(stderr_was, STDERR_FILENO);
	close(stderr_was);
	close(capture);
}

static void assert_matches(const char *pattern)
{
	regex_t regex;
	int match;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	match = regexec(&regex, line, 0, NULL, 0);
	regfree(&regex);
	if (match != 0)
		fail_msg("\"%s\" does not match %s", line, pattern);
}

static int start(void **state)
{
	(void)state;
	unsetenv("JOURNAL_STREAM");
	log_open("zonefleet-test", false);
	log_level_set(LOG_LEVEL_INFO);
	log_request(NULL);
	return 0;
}

static void test_line(void **state)
{
	(void)state;
	capture_begin();
	log_info("domain status changed: serial=%d", 17);
	capture_end();
	assert_matches(
		"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z "
		"zonefleet-test\\[[0-9]+\\] info: domain status changed: serial=17\n$");
}

static void test_request_stands_behind(void **state)
{
	(void)state;
	capture_begin();
	log_request("req-6f1c");
	log_warn("a");
	log_request("");
	log_warn("b");
	capture_end();
	assert_matches("warn: a req=req-6f1c\n.*warn: b\n$");
}

static void test_escapes(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "plain", "plain" },
		{ "two\nlines\r", "two\\x0alines\\x0d" },
		{ "\x1b[31m\x7f\t", "\\x1b[31m\\x7f\\x09" },
		{ "z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80",
		  "z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xc2\x85", "\\xc2\\x85" },			/* C1: next line */
		{ "\xc0\xaf", "\\xc0\\xaf" },			/* overlong */
		{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },		/* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },	/* above U+10FFFF */
		{ "\xc3", "\\xc3" },					/* cut short */
		{ "\xf0\x9f\x98", "\\xf0\\x9f\\x98" },
		{ "\xff" "a", "\\xff" "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char want[128];

		capture_begin();
		log_info("%s", cases[i].text);
		capture_end();
		snprintf(want, sizeof want, " info: %s\n", cases[i].want);
		assert_non_null(strstr(line, "info"));
		assert_string_equal(strstr(line, " info: "), want);
	}
}

/* What a peer says is the value of one key, whatever it says. */
static void test_a_text_is_one_value(void **state)
{
	static const struct {
		const char *text, *word, *quoted;
	} cases[] = {
		{ "", "", "" },
		{ "example.org.", "example.org.", "example.org." },
		{ "x=1", "x=1", "x=1" },
		{ "a\nb", "a\\x0ab", "a\\x0ab" },
		{ "x err=ok", "\"x err=ok\"", "x err=ok" },
		{ "x\" err=\"ok", "\"x\\\" err=\\\"ok\"", "x\\\" err=\\\"ok" },
		{ "x\\", "\"x\\\\\"", "x\\\\" },
		{ "a\\x0ab", "\"a\\\\x0ab\"", "a\\\\x0ab" },
		{ "\"", "\"\\\"\"", "\\\"" },
		{ "z\xc3\xbcrich", "\"z\xc3\xbcrich\"", "z\xc3\xbcrich" },
		/* a space that some readers split at */
		{ "a\xe2\x80\x83" "b", "\"a\xe2\x80\x83" "b\"", "a\xe2\x80\x83" "b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char want[256];

		log_request(cases[i].text);
		capture_begin();
		log_info("request settled: method=%s ms=%d why=\"%s\" at=%s/%s",
		         cases[i].text, 5, cases[i].text, cases[i].text, "b");
		capture_end();
		snprintf(want, sizeof want,
		         " info: request settled: method=%s ms=5 why=\"%s\" "
		         "at=%s/b%s%s\n", cases[i].word, cases[i].quoted, cases[i].word,
		         *cases[i].text ? " req=" : "", cases[i].word);
		assert_string_equal(strstr(line, " info: "), want);
	}
}

/* Words of the program's own stay as they are. */
static void test_words_of_a_format(void **state)
{
	(void)state;
	capture_begin();
	log_info("%s: 100%% of \"%s\"", "server is silent", "it");
	capture_end();
	assert_non_null(strstr(line, " info: server is silent: 100% of \"it\"\n"));
}

static void test_conversions(void **state)
{
	(void)state;
	capture_begin();
	log_info("a=%d b=%u c=%ld d=%lld e=%llu f=%zu g=%5.2f h=%x i=%c j=%-3d| k=%hhu",
	         -1, 4000000000u, -5L, -6LL, 18446744073709551615ull, (size_t)7, 1.5,
	         255u, 'c', 1, (unsigned char)200);
	log_info("a=%.*s b=%.3s c=%*d d=%" PRId64 " e=%" PRIu64, 2, "abc", "a bc", 4, 1,
	         (int64_t)-1, UINT64_MAX);
	capture_end();
	assert_matches("info: a=-1 b=4000000000 c=-5 d=-6 e=18446744073709551615 f=7 "
	               "g=\" 1.50\" h=ff i=c j=\"1  \"\\| k=200\n");
	assert_matches("info: a=ab b=\"a b\" c=\"   1\" d=-1 e=18446744073709551615\n");
}

/* A text that is cut ends, and the id behind it is none of it. */
static void test_a_cut_text_ends(void **state)
{
	static const char end[] = "\\\"...\" req=req-1\n";
	char text[8000];

	(void)state;
	memset(text, '"', sizeof text - 1);
	text[sizeof text - 1] = 0;
	log_request("req-1");
	capture_begin();
	log_info("x: why=\"%s\"", text);
	capture_end();
	assert_string_equal(line + strlen(line) - strlen(end), end);
	capture_begin();
	log_info("x: method=%s", text);
	capture_end();
	assert_string_equal(line + strlen(line) - strlen(end), end);
}

/* Whatever it is made of, the line ends in time, and with its request id. */
static void test_long_lines_are_cut(void **state)
{
	static const char *const fillers[] = {
		"x", "\xc3\xbc", "\x01", "\xf0\x9f\x98\x80",
	};
	char text[12000];

	(void)state;
	log_request("req-1");
	for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++) {
		size_t len = 0;

		while (len + 5 < sizeof text)
			len += sprintf(text + len, "%s", fillers[i]);
		capture_begin();
		log_info("%s", text);
		capture_end();
		assert_in_range(strlen(line), 3800, 4096);
		assert_string_equal(line + strlen(line) - strlen("... req=req-1\n"),
		                    "... req=req-1\n");
		assert_null(strchr(line, 1));
	}
}

static void test_hostile_request_id(void **state)
{
	char id[1000];

	(void)state;
	memset(id, '\n', sizeof id);
	id[sizeof id - 1] = 0;
	log_request(id);
	capture_begin();
	log_info("x");
	capture_end();
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

static void test_levels(void **state)
{
	(void)state;
	capture_begin();
	log_debug("hidden");
	log_level_set(LOG_LEVEL_DEBUG);
	log_debug("shown");
	log_level_set(LOG_LEVEL_ERROR);
	log_warn("hidden");
	capture_end();
	assert_null(strstr(line, "hidden"));
	assert_non_null(strstr(line, "debug: shown\n"));
	assert_string_equal(log_level_words[LOG_LEVEL_WARN], "warn");
}

static void test_journal_prefix(void **state)
{
	char stream[64];
	struct stat st;

	(void)state;
	capture_begin();
	fstat(STDERR_FILENO, &st);
	snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	setenv("JOURNAL_STREAM", stream, 1);
	log_open("zonefleet-test", false);
	log_level_set(LOG_LEVEL_DEBUG);
	log_warn("w");
	log_info("i");
	log_debug("d");
	capture_end();
	assert_string_equal(line, "<4>w\n<6>i\n<7>d\n");
}

static void test_another_stream_is_no_journal(void **state)
{
	(void)state;
	setenv("JOURNAL_STREAM", "1:1", 1);
	capture_begin();
	log_open("zonefleet-test", false);
	log_info("i");
	capture_end();
	assert_matches("^20.* info: i\n$");
}

/* Run in a child; its wait status. */
static int in_child(void (*death)(void))
{
	int status;
	pid_t pid;

	capture_begin();
	pid = fork();
	if (pid == 0) {
		struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGABRT, SIG_DFL);
		death();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	capture_end();
	return status;
}

static void die_fatal(void)
{
	fatal("cannot read %s", "it");
}

static void die_bug(void)
{
	bug_if(1 + 1 == 2);
}

static void live(void)
{
	bug_if(1 + 1 == 3);
}

static void test_fatal_exits_1(void **state)
{
	int status = in_child(die_fatal);

	(void)state;
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_matches(" fatal: cannot read it\n");
}

static void test_once_a_while(void **state)
{
	struct log_limit limit = { 0 }, other = { 0 };

	(void)state;
	assert_true(log_is_due(&limit, 3600 * 1000));
	assert_int_equal(limit.unlogged, 0);
	assert_false(log_is_due(&limit, 3600 * 1000));
	assert_true(log_is_due(&other, 0));
	assert_true(log_is_due(&other, 0));
}

static void test_unlogged_are_counted(void **state)
{
	static const struct { int64_t unlogged; bool is_over, is_due; } events[] = {
		{ 0, false, true }, { 0, false, false }, { 0, false, false },
		{ 2, true, true }, { 2, false, false }, { 1, true, true },
		{ 0, true, true },
	};
	struct log_limit limit = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		if (events[i].is_over)
			limit.quiet_until_ms = clock_ms();
		assert_int_equal(log_is_due(&limit, 3600 * 1000), events[i].is_due);
		assert_int_equal(limit.unlogged, events[i].unlogged);
	}
}

static void test_bug_aborts(void **state)
{
	int status = in_child(die_bug);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_matches(" bug: .*test_log.c:[0-9]+: this condition must be false: "
	               "1 \\+ 1 == 2\n");
	assert_int_equal(WEXITSTATUS(in_child(live)), 99);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_line, start),
		cmocka_unit_test_setup(test_request_stands_behind, start),
		cmocka_unit_test_setup(test_escapes, start),
		cmocka_unit_test_setup(test_a_text_is_one_value, start),
		cmocka_unit_test_setup(test_words_of_a_format, start),
		cmocka_unit_test_setup(test_conversions, start),
		cmocka_unit_test_setup(test_a_cut_text_ends, start),
		cmocka_unit_test_setup(test_long_lines_are_cut, start),
		cmocka_unit_test_setup(test_hostile_request_id, start),
		cmocka_unit_test_setup(test_levels, start),
		cmocka_unit_test_setup(test_journal_prefix, start),
		cmocka_unit_test_setup(test_another_stream_is_no_journal, start),
		cmocka_unit_test_setup(test_fatal_exits_1, start),
		cmocka_unit_test_setup(test_once_a_while, start),
		cmocka_unit_test_setup(test_unlogged_are_counted, start),
		cmocka_unit_test_setup(test_bug_aborts, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
