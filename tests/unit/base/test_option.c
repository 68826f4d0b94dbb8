#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/option.h"

struct central {
	char *name, *note, *password;
	int processes, interval, pause, threshold, mode;
	int64_t cache;
	bool strict;
	struct option_texts listen;
};

struct server {
	char *host;
	int port;
	char *key;
};

static struct central central;
static struct { int workers; } bind9;
static struct { char *token; } nsd;
static struct server *servers;
static size_t server_count;

#define AT(member) offsetof(struct central, member)
#define NAMED "central: { name = \"abc\"; }; "	/* all that is required */
static const char *const mode_words[] = { "calm", "hasty", NULL };
static const struct option central_rows[] = {
	{ "name", OPTION_TEXT, AT(name), "zone \"one\" \\", 2, 20, "How it is called.",
	  .required = true },
	{ "note", OPTION_TEXT, AT(note), NULL, 0, 0, "Anything." },
	{ "password", OPTION_SECRET, AT(password), NULL, 4, 40, "Tells it from others.",
	  .reloadable = true },
	{ "processes", OPTION_INT, AT(processes), "2", 1, 64, "How many to run." },
	{ "mode", OPTION_WORD, AT(mode), "hasty", .words = mode_words,
	  .help = "In which way." },
	{ "interval", OPTION_SECONDS, AT(interval), "2m", 1, 86400, "How often.",
	  .reloadable = true },
	{ "pause", OPTION_DURATION, AT(pause), "2s", 50, 86400 * 1000, "How long." },
	{ "threshold", OPTION_PERCENT, AT(threshold), "100", 0, 0, "How many must agree.",
	  .reloadable = true },
	{ "cache", OPTION_BYTES, AT(cache), "64M", 0, 0, "How much memory." },
	{ "strict", OPTION_BOOL, AT(strict), "true", 0, 0,
	  "Whether to refuse what looks odd, in a long sentence that has to be wrapped "
	  "before it runs out of the page." },
	{ "listen", OPTION_TEXTS, AT(listen), "127.0.0.1, ::1", 1, 15, "Where.",
	  .reloadable = true },
	{ 0 }
};
static const struct option bind9_rows[] = {
	{ "workers", OPTION_INT, 0, "4", 0, 0, "Side by side." },
	{ 0 }
};
static const struct option nsd_rows[] = {
	{ "token", OPTION_TEXT, 0, "", 0, 0, "A token." },
	{ 0 }
};
static const struct option server_rows[] = {
	{ "host", OPTION_TEXT, offsetof(struct server, host), NULL, 1, 64, "Its address.",
	  .required = true },
	{ "port", OPTION_INT, offsetof(struct server, port), "953", 1, 65535, "Its port.",
	  .reloadable = true },
	{ "key", OPTION_SECRET, offsetof(struct server, key), NULL, 0, 0, "Its key." },
	{ 0 }
};
static const struct option_section sections[] = {
	{ "central", "The keeper of domains.", central_rows, &central },
	{ "backends.bind9", "BIND by rndc.", bind9_rows, &bind9 },
	{ "backends.nsd", "NSD by its control socket.", nsd_rows, &nsd },
	{ 0 }
};
static const struct option_list lists[] = {
	{ "backends.bind9", NULL, "Its servers.", server_rows, sizeof(struct server),
	  (void **)&servers, &server_count },
	{ 0 }
};
static const struct option_schema schema = { "zonefleet-test", sections, lists };

static char folder[64], path[128], secret[128];
static struct why why;

static void write_file(const char *where, const char *text, size_t len, mode_t mode)
{
	int fd = open(where, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static enum err load(const char *text)
{
	write_file(path, text, strlen(text), 0600);
	return option_load(&schema, path, &why);
}

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "%s/test_option.XXXXXX", P_tmpdir);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/f.cfg", folder);
	snprintf(secret, sizeof secret, "%s/secret", folder);
	why.text[0] = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	option_clear(&schema);
	unlink(path);
	unlink(secret);
	return rmdir(folder);
}

static void test_defaults(void **state)
{
	(void)state;
	assert_int_equal(load("central: { name = \"abc\"; };"), OK);
	assert_string_equal(central.name, "abc");
	assert_null(central.note);
	assert_null(central.password);
	assert_int_equal(central.processes, 2);
	assert_int_equal(central.interval, 120);
	assert_int_equal(central.mode, 1);
	assert_int_equal(central.threshold, 100);
	assert_int_equal(central.cache, 64 << 20);
	assert_true(central.strict);
	assert_int_equal(central.listen.count, 2);
	assert_string_equal(central.listen.item[0], "127.0.0.1");
	assert_string_equal(central.listen.item[1], "::1");
	assert_int_equal(bind9.workers, 4);
	assert_string_equal(nsd.token, "");
	assert_int_equal(server_count, 0);
}

static void test_all_that_is_set(void **state)
{
	(void)state;
	assert_int_equal(
		load("# 99999999999 @include\n/* @include \"x\" 4294967296 */\n"
		     "central: { name = \"@include 4294967296 \\\" 99999999999\";\n"
		     "  password = \"hunter22\"; processes = 0x40; interval = \"12h\";\n"
		     "  threshold = 0; cache = 5000000000L; strict = false;\n"
		     "  listen = []; note = \"\"; };\n"),
		ERR_INVALID);
	assert_non_null(strstr(why.text, "must be a string of 2 to 20 bytes"));
	assert_int_equal(
		load("// 99999999999\ncentral: { name = \"@include \\\" // #\";\n"
		     "  password = \"hunter22\"; processes = 0x40; interval = \"12h\";\n"
		     "  threshold = 0; cache = 5000000000L; strict = false;\n"
		     "  listen = []; note = \"4294967296\"; mode = \"calm\"; };\n"),
		OK);
	assert_int_equal(central.mode, 0);
	assert_string_equal(central.name, "@include \" // #");
	assert_string_equal(central.password, "hunter22");
	assert_string_equal(central.note, "4294967296");
	assert_int_equal(central.processes, 64);
	assert_int_equal(central.interval, 43200);
	assert_int_equal(central.threshold, 0);
	assert_int_equal(central.cache, INT64_C(5000000000));
	assert_false(central.strict);
	assert_int_equal(central.listen.count, 0);
}

static void test_times_and_sizes(void **state)
{
	static const struct {
		const char *interval, *cache;
		int want_interval;
		int64_t want_cache;
	} cases[] = {
		{ "90", "1", 90, 1 },
		{ "\"90\"", "\"64\"", 90, 64 },
		{ "\"90s\"", "\"64K\"", 90, 65536 },
		{ "\"2m\"", "\"3M\"", 120, 3 << 20 },
		{ "\"24h\"", "\"2G\"", 86400, INT64_C(2) << 30 },
		{ "\"1d\"", "\"1T\"", 86400, INT64_C(1) << 40 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[256];

		snprintf(text, sizeof text,
			 "central: { name = \"abc\"; interval = %s; cache = %s; };",
			 cases[i].interval, cases[i].cache);
		assert_int_equal(load(text), OK);
		assert_int_equal(central.interval, cases[i].want_interval);
		assert_int_equal(central.cache, cases[i].want_cache);
		option_clear(&schema);
	}
}

static void test_durations(void **state)
{
	static const struct {
		const char *pause;
		int want_ms;
	} cases[] = {
		{ "1", 1000 },
		{ "\"1\"", 1000 },
		{ "\"200ms\"", 200 },
		{ "\"90s\"", 90 * 1000 },
		{ "\"3m\"", 180 * 1000 },
		{ "\"24h\"", 86400 * 1000 },
		{ "\"1d\"", 86400 * 1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[128];

		snprintf(text, sizeof text, "central: { name = \"abc\"; pause = %s; };",
			 cases[i].pause);
		assert_int_equal(load(text), OK);
		assert_int_equal(central.pause, cases[i].want_ms);
		option_clear(&schema);
	}
	assert_int_equal(load("central: { name = \"abc\"; };"), OK);
	assert_int_equal(central.pause, 2000);
}

/* The rest of the words behind "FILE:", for each way to be wrong. */
static void test_errors(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		/* types and bounds */
		{ "central: { name = \"abc\";\nprocesses = \"x\"; };",
		  "2: central.processes: must be an integer from 1 to 64, not \"x\"" },
		{ "central: { name = \"abc\"; processes = 0; };",
		  "1: central.processes: must be an integer from 1 to 64, not 0" },
		{ "central: { name = \"abc\"; processes = 65; };",
		  "1: central.processes: must be an integer from 1 to 64, not 65" },
		{ "central: { name = \"abc\"; processes = 4294967298L; };",
		  "1: central.processes: must be an integer from 1 to 64, "
		  "not 4294967298" },
		{ "central: { name = \"abc\"; processes = 1.5; };",
		  "1: central.processes: must be an integer from 1 to 64, "
		  "not a fraction" },
		{ "central: { name = \"abc\"; processes = \"4\"; };",
		  "1: central.processes: must be an integer from 1 to 64, not \"4\"" },
		{ "central: { name = \"abc\"; processes = { a = 1; }; };",
		  "1: central.processes: must be an integer from 1 to 64, not a group" },
		{ "central: { name = \"abc\"; threshold = 101; };",
		  "1: central.threshold: must be a percentage from 0 to 100, not 101" },
		{ "central: { name = \"abc\"; interval = \"2d\"; };",
		  "1: central.interval: must be a time from 1s to 1d, not \"2d\"" },
		{ "central: { name = \"abc\"; interval = \"2 m\"; };",
		  "1: central.interval: must be a time from 1s to 1d, not \"2 m\"" },
		{ "central: { name = \"abc\"; interval = \"\"; };",
		  "1: central.interval: must be a time from 1s to 1d, not \"\"" },
		{ "central: { name = \"abc\"; pause = \"49ms\"; };",
		  "1: central.pause: must be a time from 50ms to 1d, not \"49ms\"" },
		{ "central: { name = \"abc\"; pause = 0; };",
		  "1: central.pause: must be a time from 50ms to 1d, not 0" },
		{ "central: { name = \"abc\"; pause = 9223372036854775807L; };",
		  "1: central.pause: must be a time from 50ms to 1d, "
		  "not 9223372036854775807" },
		{ "central: { name = \"abc\"; interval = \"-5\"; };",
		  "1: central.interval: must be a time from 1s to 1d, not \"-5\"" },
		{ "central: { name = \"abc\"; cache = -1; };",
		  "1: central.cache: must be a size, not -1" },
		{ "central: { name = \"abc\"; cache = \"9000000T\"; };",
		  "1: central.cache: must be a size, not \"9000000T\"" },
		{ "central: { name = \"abc\"; cache = \"18014398509481985K\"; };",
		  "1: central.cache: must be a size, not \"18014398509481985K\"" },
		{ "central: { name = \"abc\"; cache = \"99999999999999999999\"; };",
		  "1: central.cache: must be a size, not \"99999999999999999999\"" },
		{ "central: { name = \"abc\"; strict = 1; };",
		  "1: central.strict: must be true or false, not 1" },
		{ "central: { name = \"a\"; };",
		  "1: central.name: must be a string of 2 to 20 bytes, not \"a\"" },
		{ "central: { name = \"abc\"; mode = \"Calm\"; };",
		  "1: central.mode: must be calm | hasty, not \"Calm\"" },
		{ "central: { name = \"abc\"; mode = 1; };",
		  "1: central.mode: must be calm | hasty, not 1" },
		{ "central: { name = true; };",
		  "1: central.name: must be a string of 2 to 20 bytes, not true" },
		{ "central: { name = \"abc\"; listen = \"::1\"; };",
		  "1: central.listen: must be a list of strings of 1 to 15 bytes, "
		  "not \"::1\"" },
		{ "central: { name = \"abc\"; listen = ( \"a\", \"\" ); };",
		  "1: central.listen: must be a list of strings of 1 to 15 bytes, "
		  "not \"a\", \"\"" },
		{ "central: { name = \"abc\"; listen = ( \"a\", 1 ); };",
		  "1: central.listen: must be a list of strings of 1 to 15 bytes, "
		  "not a list with a value that is not a string" },
		/* what libconfig would get wrong */
		{ "central: { name = \"abc\";\n\nprocesses = 4294967297; };",
		  "3: the number does not fit into 32 bits: write L after the number" },
		{ "central: { name = \"abc\"; processes = 2147483648; };",
		  "1: the number does not fit into 32 bits: write L after the number" },
		{ "central: { name = \"abc\"; processes = -2147483649; };",
		  "1: the number does not fit into 32 bits: write L after the number" },
		{ "central: { name = \"abc\"; processes = 0xffffffff; };",
		  "1: the number does not fit into 32 bits: write L after the number" },
		{ "central: { name = \"abc\"; cache = 99999999999999999999L; };",
		  "1: the number does not fit into 64 bits" },
		{ "central: { name = \"abc\"; };\n@include \"other.cfg\"\n",
		  "2: @include is not supported: write all settings into this file" },
		/* grammar */
		{ "central: { name = \"abc\";", "1: syntax error" },
		{ "central: {\nname = \"abc\"; name = \"def\"; };",
		  "2: duplicate setting name" },
		/* groups and keys */
		{ "", " central.name: must be set: How it is called." },
		{ "central: { };", " central.name: must be set: How it is called." },
		{ "central = 5;", "1: central: must be a group: { ... }" },
		{ "central: { name = \"abc\";\nproceses = 4; };",
		  "2: central.proceses: is not a known setting: did you mean "
		  "'processes'?" },
		{ "central: { foo = 1; };",
		  "1: central.foo: is not a known setting: see --help" },
		{ "centrall: { };",
		  "1: centrall: is not a known setting: did you mean 'central'?" },
		{ "ruotes: { };",
		  "1: ruotes: is not a known setting: did you mean 'routes'?" },
		{ "backends: { bind: { }; };",
		  "1: backends.bind: is not a known setting: did you mean 'bind9'?" },
		{ "backends: { bind9: { sevrers: ( ); }; };",
		  "1: backends.bind9.sevrers: is not a known setting: did you mean "
		  "'servers'?" },
		{ "backends: 1;", "1: backends: must be a group: { ... }" },
		{ NAMED "\nmetrics = \"127.0.0.1:9151\";",
		  "2: metrics: must be a group: { ... }" },
		{ NAMED "routes = ( );", "1: routes: must be a group: { ... }" },
		{ "backends: { foo: { }; };",
		  "1: backends.foo: is not a known setting: see --help" },
		{ "backends: { bind9: 3; };",
		  "1: backends.bind9: must be a group: { ... }" },
		{ "backends: { bind9: { foo = 3; }; };",
		  "1: backends.bind9.foo: is not a known setting: see --help" },
		/* lists */
		{ NAMED "backends: { bind9: { servers: ( { port = 1; } ); }; };",
		  "1: backends.bind9.servers[0]: the setting host must be set" },
		{ NAMED "backends: { bind9: { servers: (\n{ host = \"a\"; },\n"
		  "{ host = \"b\"; port = 0; } ); }; };",
		  "3: backends.bind9.servers[1].port: "
		  "must be an integer from 1 to 65535, not 0" },
		{ NAMED "backends: { bind9: { servers: ( { hots = \"a\"; } ); }; };",
		  "1: backends.bind9.servers[0].hots: is not a known setting: did you "
		  "mean 'host'?" },
		{ NAMED "backends: { bind9: { servers: ( 1 ); }; };",
		  "1: backends.bind9.servers[0]: must be a group: { ... }" },
		{ NAMED "backends: { bind9: { servers: { a: { }; }; }; };",
		  "1: backends.bind9.servers: "
		  "must be a list of groups: ( { ... }, ... )" },
		{ NAMED "backends: { bind9: { servers = 4; }; };",
		  "1: backends.bind9.servers: "
		  "must be a list of groups: ( { ... }, ... )" },
		{ NAMED "backends: { bind9: { default: { foo = 1; }; }; };",
		  "1: backends.bind9.default.foo: is not a known setting: see --help" },
		{ NAMED "backends: { bind9: { default: { port = 0; }; }; };",
		  "1: backends.bind9.default.port: "
		  "must be an integer from 1 to 65535, not 0" },
		{ NAMED "backends: { bind9: { default = 1; }; };",
		  "1: backends.bind9.default: must be a group: { ... }" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char want[600];

		snprintf(want, sizeof want, "%s:%s", path, cases[i].want);
		assert_int_equal(load(cases[i].text), ERR_INVALID);
		assert_string_equal(why.text, want);
		assert_null(central.name);
		assert_null(servers);
	}
}

static void test_groups_of_other_programs(void **state)
{
	static const char *const groups[] = {
		"broker", "database", "log", "metrics", "worker", "poolmgr", "minidns",
		"client", "ports", "routes", "ownership",
	};

	(void)state;
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		char text[256];

		snprintf(text, sizeof text, "%s: { whatever: { x = 1; }; };\n"
			 "central: { name = \"abc\"; };", groups[i]);
		assert_int_equal(load(text), OK);
		option_clear(&schema);
		snprintf(text, sizeof text, "central: { name = \"abc\"; %s: { }; };",
			 groups[i]);
		assert_int_equal(load(text), ERR_INVALID);
	}
}

/* Own key, else the default's, else the fallback. */
static void test_servers_inherit(void **state)
{
	(void)state;
	assert_int_equal(load("central: { name = \"abc\"; };\n"
			      "backends: { bind9: { workers = 7;\n"
			      "  default: { port = 1000; key = \"k0\"; };\n"
			      "  servers: ( { host = \"a\"; },\n"
			      "  { host = \"b\"; port = 2000; key = \"k1\"; } );\n"
			      "}; };"), OK);
	assert_int_equal(bind9.workers, 7);
	assert_int_equal(server_count, 2);
	assert_string_equal(servers[0].host, "a");
	assert_int_equal(servers[0].port, 1000);
	assert_string_equal(servers[0].key, "k0");
	assert_string_equal(servers[1].host, "b");
	assert_int_equal(servers[1].port, 2000);
	assert_string_equal(servers[1].key, "k1");
	option_clear(&schema);
	assert_null(servers);
	assert_int_equal(load("central: { name = \"abc\"; };\n"
			      "backends: { bind9: { default: { host = \"h\"; }; "
			      "servers: ( { } ); }; };"), OK);
	assert_string_equal(servers[0].host, "h");
	assert_int_equal(servers[0].port, 953);
	assert_null(servers[0].key);
}

static void test_file_trouble(void **state)
{
	char *big = malloc((1 << 20) + 2);
	char words[512];

	(void)state;
	assert_int_equal(option_load(&schema, path, &why), ERR_NOT_FOUND);
	snprintf(words, sizeof words,
		 "%s: does not exist: create the file with "
		 "'zonefleet-test --sample > %s'",
		 path, path);
	assert_string_equal(why.text, words);
	assert_int_equal(option_load(&schema, folder, &why), ERR_INVALID);
	assert_non_null(strstr(why.text, ": must be a regular file"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(option_load(&schema, path, &why), ERR_INVALID);
	assert_non_null(strstr(why.text, ": must be a regular file"));
	unlink(path);
	write_file(path, "central: \0{ };", 14, 0600);
	assert_int_equal(option_load(&schema, path, &why), ERR_INVALID);
	assert_non_null(strstr(why.text, "must not contain NUL bytes"));
	memset(big, '\n', (1 << 20) + 1);
	write_file(path, big, (1 << 20) + 1, 0600);
	assert_int_equal(option_load(&schema, path, &why), ERR_TOO_LARGE);
	free(big);
}

static enum err load_secret(const char *text, size_t len, mode_t mode)
{
	char file[256];

	write_file(secret, text, len, mode);
	snprintf(file, sizeof file, "central: { name = \"abc\"; password = \"@%s\"; };",
		 secret);
	write_file(path, file, strlen(file), 0644);
	return option_load(&schema, path, &why);
}

/* The file of settings may be read by all as long as the secret's own file may not. */
static void test_secret_from_a_file(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "hunter22", "hunter22" },
		{ "hunter22\n", "hunter22" },
		{ "hunter22\n\n", "hunter22\n" },
		{ "@hunter22", "@hunter22" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(load_secret(cases[i].text, strlen(cases[i].text), 0600),
				 OK);
		assert_string_equal(central.password, cases[i].want);
		option_clear(&schema);
	}
	assert_int_equal(load_secret("hunter22", 8, 0400), OK);
}

static void test_secret_trouble(void **state)
{
	static const mode_t modes[] = { 0640, 0604, 0620, 0602, 0644 };
	char big[4098];

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_int_equal(load_secret("hunter22", 8, modes[i]), ERR_INVALID);
		assert_non_null(strstr(why.text, ":1: central.password: "));
		assert_non_null(strstr(why.text, "chmod 600"));
	}
	memset(big, 'x', sizeof big);
	assert_int_equal(load_secret(big, 4097, 0600), ERR_INVALID);
	assert_non_null(strstr(why.text, "must have at most 4096 bytes"));
	assert_int_equal(load_secret("a\0bcdef", 7, 0600), ERR_INVALID);
	assert_non_null(strstr(why.text, "must not contain NUL bytes"));
	assert_int_equal(
		load("central: { name = \"abc\"; password = \"@/nonexistent/x\"; };"),
		ERR_INVALID);
	assert_non_null(strstr(why.text, "cannot read /nonexistent/x: No such file"));
	assert_int_equal(load("central: { name = \"abc\"; password = \"@/\"; };"),
			 ERR_INVALID);
	assert_non_null(strstr(why.text, "/: must be a regular file"));
}

static void test_secret_in_clear(void **state)
{
	static const char text[] = "central: { name = \"abc\"; "
				   "password = \"hunter22\"; };";

	(void)state;
	for (mode_t mode = 0; mode < 010; mode++) {
		write_file(path, text, strlen(text), 0640 | mode);
		assert_int_equal(option_load(&schema, path, &why),
				 mode ? ERR_INVALID : OK);
		option_clear(&schema);
		if (!mode)
			continue;
		assert_non_null(strstr(why.text, "chmod 640"));
		assert_null(strstr(why.text, "hunter22"));
	}
}

static void test_secret_is_never_printed(void **state)
{
	(void)state;
	assert_int_equal(load("central: { name = \"abc\"; password = \"pw9\"; };"),
			 ERR_INVALID);
	assert_non_null(strstr(why.text,
			       ":1: central.password: must be a secret or \"@FILE\" "
			       "of 4 to 40 bytes"));
	assert_null(strstr(why.text, "pw9"));
	assert_int_equal(load_secret("pw9", 3, 0600), ERR_INVALID);
	assert_null(strstr(why.text, "pw9"));
}

/* What PRINT writes to stdout, by way of the file at path. */
static char *printed(void (*print)(const struct option_schema *schema))
{
	int was = dup(STDOUT_FILENO),
	    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char text[32768];
	ssize_t n;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	print(&schema);
	fflush(stdout);
	dup2(was, STDOUT_FILENO);
	close(was);
	n = pread(fd, text, sizeof text - 1, 0);
	close(fd);
	assert_in_range(n, 1, sizeof text - 2);
	text[n] = 0;
	return text;
}

static void assert_lines_fit(const char *text)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		assert_in_range(strcspn(text, "\n"), 0, 90);
}

static void test_sample_loads_again(void **state)
{
	const char *text = printed(option_sample);

	(void)state;
	assert_lines_fit(text);
	if (option_load(&schema, path, &why))
		fail_msg("%s\n%s", why.text, text);
	assert_string_equal(central.name, "zone \"one\" \\");
	assert_int_equal(central.processes, 2);
	assert_null(central.password);
	assert_int_equal(server_count, 0);
	assert_non_null(strstr(text, "\n    # processes = 2;\n"));
	assert_non_null(strstr(text, "\n    # listen = [ \"127.0.0.1\", \"::1\" ];\n"));
}

/* Every line that could be uncommented loads too: nobody should learn syntax here. */
static void test_sample_loads_uncommented(void **state)
{
	char *text = printed(option_sample), *end;
	struct buf active = { 0 };

	(void)state;
	for (char *line = text; *line; line = end) {
		char *mark = strstr(line, "# ");
		size_t len;

		end = line + strcspn(line, "\n") + 1;
		len = end - line;
		if (mark && mark < end && (end[-2] == ';' || mark[2] == '{'))
			memset(mark, ' ', 2);
		buf_append(&active, line, len);
	}
	write_file(path, buf_string(&active), active.len, 0600);
	if (option_load(&schema, path, &why))
		fail_msg("%s\n%s", why.text, buf_string(&active));
	assert_string_equal(central.password, "change-me");
	assert_int_equal(server_count, 1);
	assert_int_equal(central.listen.count, 2);
	buf_clear(&active);
}

/* A secret that only contains the word is a secret. */
static void test_placeholders(void **state)
{
	static const struct {
		const char *text, *refused;
	} cases[] = {
		{ NAMED, NULL },
		{ "central: { name = \"change-me\"; };", NULL },
		{ "central: { name = \"abc\"; password = \"change-me\"; };",
		  "central.password" },
		{ "central: { name = \"abc\"; password = \"u:change-me@h/v\"; };",
		  "central.password" },
		{ "central: { name = \"abc\"; password = \"1:change-me\\n2:abcd\"; };",
		  "central.password" },
		{ "central: { name = \"abc\"; password = \"dont-change-me\"; };", NULL },
		{ "central: { name = \"abc\"; password = \"change-men\"; };", NULL },
		{ NAMED "backends: { bind9: { default: { key = \"change-me\"; }; "
		  "servers: ( { host = \"h\"; } ); }; };", "backends.bind9.key" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(load(cases[i].text), OK);
		assert_int_equal(option_check_placeholders(&schema, &why),
		                 cases[i].refused ? ERR_INVALID : OK);
		if (cases[i].refused)
			assert_memory_equal(why.text, cases[i].refused,
			                    strlen(cases[i].refused));
		option_clear(&schema);
	}
}

struct file_settings { char *path; bool is_quiet; };

static bool is_used(const void *base)
{
	return !((const struct file_settings *)base)->is_quiet;
}

/* --check opens the files that the settings name. */
static void test_files(void **state)
{
	char own[] = "/tmp/zfoptionXXXXXX", file[64], missing[64];
	const struct {
		const char *path;
		enum option_file kind;
		bool is_quiet, is_good;
	} cases[] = {
		/* path   kind            quiet  good */
		{ file,    OPTION_FILE,   false, true },
		{ missing, OPTION_FILE,   false, false },
		{ missing, OPTION_FILE,   true,  true },	/* is_used() says no */
		{ own,     OPTION_FILE,   false, false },
		{ own,     OPTION_FOLDER, false, true },
		{ file,    OPTION_FOLDER, false, false },
		{ missing, OPTION_FOLDER, false, false },
		{ "",      OPTION_FILE,   false, true },	/* not set */
		{ missing, OPTION_NO_FILE, false, true },
	};

	(void)state;
	assert_non_null(mkdtemp(own));
	snprintf(file, sizeof(file), "%s/file", own);
	snprintf(missing, sizeof(missing), "%s/missing", own);
	write_file(file, "x", 1, 0600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct file_settings settings = {
			(char *)cases[i].path, cases[i].is_quiet,
		};
		const struct option rows[] = {
			{ "path", OPTION_TEXT, offsetof(struct file_settings, path), NULL,
			  .help = "a path", .file = cases[i].kind, .is_used = is_used },
			{ 0 }
		};
		const struct option_section named[] = {
			{ "group", "a group", rows, &settings }, { 0 }
		};
		enum err err = option_check_files(
		    &(struct option_schema){ "program", named, NULL }, &why);

		assert_int_equal(err, cases[i].is_good ? OK : ERR_INVALID);
		if (err)
			assert_memory_equal(why.text, "group.path: must be a ", 22);
	}
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(own), 0);
}

static void test_help_names_every_row(void **state)
{
	const char *text = printed(option_help);

	(void)state;
	assert_lines_fit(text);
	for (const struct option_section *s = sections; s->group; s++) {
		assert_non_null(strstr(text, s->group));
		assert_non_null(strstr(text, s->help));
		for (const struct option *row = s->rows; row->key; row++)
			assert_non_null(strstr(text, row->key));
	}
	assert_non_null(strstr(text, "an integer from 1 to 64, default 2\n"));
	assert_non_null(
		strstr(text, "a time from 1s to 1d, default 2m, reloadable\n"));
	assert_non_null(strstr(text, "calm | hasty, default hasty\n"));
	assert_non_null(strstr(text, "a string of 2 to 20 bytes, required\n"));
}

static enum err reload(const char *text)
{
	write_file(path, text, strlen(text), 0600);
	return option_reload(&schema, path, &why);
}

/* The warnings of a reload, one a line. */
static const char *reload_warnings(const char *text)
{
	int was = dup(STDERR_FILENO),
	    fd = open(secret, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	static char lines[4096];
	enum err err;
	ssize_t n;

	dup2(fd, STDERR_FILENO);
	err = reload(text);
	dup2(was, STDERR_FILENO);
	close(was);
	n = pread(fd, lines, sizeof lines - 1, 0);
	close(fd);
	lines[n < 0 ? 0 : n] = 0;
	assert_int_equal(err, OK);
	return lines;
}

static void test_reload(void **state)
{
	const char *lines;

	(void)state;
	assert_int_equal(load("central: { name = \"abc\"; password = \"first\"; };"), OK);
	lines = reload_warnings("central: { name = \"def\"; processes = 9; interval = 5; "
				"password = \"second\"; listen = [ \"a\" ]; };");
	assert_string_equal(central.name, "abc");
	assert_int_equal(central.processes, 2);
	assert_int_equal(central.interval, 5);
	assert_string_equal(central.password, "second");
	assert_int_equal(central.listen.count, 1);
	assert_non_null(strstr(lines, "key=central.name reason=\"a change of this "
	                              "setting needs a restart\""));
	assert_non_null(
		strstr(lines, "key=central.processes reason=\"a change of this "
		       "setting needs a restart\""));
	assert_null(strstr(lines, "interval"));
	assert_null(strstr(lines, "second"));
	assert_string_equal(reload_warnings("central: { name = \"abc\"; };"), "");
	assert_int_equal(central.interval, 120);
	assert_null(central.password);
}

static void test_reload_of_a_broken_file_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(load("central: { name = \"abc\"; interval = 5; };"), OK);
	assert_int_equal(
		reload("central: { name = \"abc\"; interval = 6; threshold = 101; };"),
		ERR_INVALID);
	assert_int_equal(central.interval, 5);
	assert_int_equal(central.threshold, 100);
	assert_string_equal(central.name, "abc");
}

#define SERVERS(list)                                                                    \
	"central: { name = \"abc\"; }; backends: { bind9: { servers: ( " list " ); }; };"

/* A server is only what it was while it stands in its place. */
static void test_reload_of_servers(void **state)
{
	(void)state;
	assert_int_equal(
		load(SERVERS("{ host = \"a\"; port = 1; }, { host = \"b\"; port = 2; }")),
		OK);
	assert_string_equal(reload_warnings(SERVERS(
				    "{ host = \"a\"; port = 3; }, { host = \"b\"; }")),
			    "");
	assert_int_equal(servers[0].port, 3);
	assert_int_equal(servers[1].port, 953);
	assert_non_null(strstr(reload_warnings(SERVERS(
				       "{ host = \"b\"; port = 8; }, { host = \"a\"; }")),
			       "key=backends.bind9.host"));
	assert_string_equal(servers[0].host, "a");
	assert_int_equal(servers[0].port, 3);
	assert_non_null(strstr(reload_warnings(SERVERS("{ host = \"a\"; port = 8; }")),
			       "key=backends.bind9.servers"));
	assert_int_equal(server_count, 2);
	assert_int_equal(servers[0].port, 3);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	static const struct CMUnitTest tests[] = {
		CASE(test_defaults),
		CASE(test_all_that_is_set),
		CASE(test_times_and_sizes),
		CASE(test_durations),
		CASE(test_errors),
		CASE(test_groups_of_other_programs),
		CASE(test_servers_inherit),
		CASE(test_file_trouble),
		CASE(test_secret_from_a_file),
		CASE(test_secret_trouble),
		CASE(test_secret_in_clear),
		CASE(test_secret_is_never_printed),
		CASE(test_sample_loads_again),
		CASE(test_sample_loads_uncommented),
		CASE(test_placeholders),
		CASE(test_files),
		CASE(test_help_names_every_row),
		CASE(test_reload),
		CASE(test_reload_of_a_broken_file_changes_nothing),
		CASE(test_reload_of_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
