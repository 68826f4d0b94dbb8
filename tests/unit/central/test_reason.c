#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/reason.h"

enum { SERIAL = 17, SERVERS_MAX = 3 };

#define SERVES(s) .has_serial = true, .serial = (s)
#define CREATED .create_status = "SUCCESS", .create_reason = ""
#define SUCCESS .status = "SUCCESS", .reason = ""
#define FAILED(text) .status = "ERROR", .reason = (text)

static void test_what_is_missing_now(void **state)
{
	static const struct row {
		struct state state;
		bool has_poolmgr, has_minidns;
		const char *stored;
		struct reason_server servers[SERVERS_MAX];
		const char *want;
		bool is_out_of_service, is_catalog;
	} rows[] = {
		/* a domain that is ACTIVE needs no worker */
		{ { TASK_NONE, STATUS_ACTIVE, SERIAL }, false, false, "",
		  { { 0 } }, "" },
		/* workers come first */
		{ { TASK_ADD, STATUS_PENDING, SERIAL }, false, false, "",
		  { { "a", CREATED, FAILED("no answer") } },
		  "no pool manager of pool 'edge' is running" },
		{ { TASK_DELETE, STATUS_ERROR, SERIAL }, false, true, "old",
		  { { 0 } }, "no pool manager of pool 'edge' is running" },
		{ { TASK_UPDATE, STATUS_PENDING, SERIAL }, true, false, "old",
		  { { 0 } }, "no mini-DNS is running" },
		/* then the servers of the pool */
		{ { TASK_ADD, STATUS_PENDING, SERIAL }, true, true, "old",
		  { { 0 } }, "no name server of pool 'edge' is in service", true },
		{ { TASK_NONE, STATUS_ACTIVE, SERIAL }, true, true, "",
		  { { 0 } }, "", true },
		/* a change on its way */
		{ { TASK_ADD, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "a" }, { "b", CREATED } }, "" },
		{ { TASK_UPDATE, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "a", CREATED, SUCCESS, SERVES(SERIAL - 1) } }, "" },
		/* failures of servers, the newest first */
		{ { TASK_ADD, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "b", .create_status = "ERROR", .create_reason = "rndc: refused" },
		    { "a", CREATED, FAILED("no answer") } },
		  "b: rndc: refused; a: no answer" },
		{ { TASK_ADD, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "c", CREATED, FAILED("no answer") },
		    { "b", .create_status = "ERROR", .create_reason = "rndc: refused" },
		    { "a", CREATED, FAILED("no answer") } },
		  "c, a: no answer; b: rndc: refused" },
		{ { TASK_UPDATE, STATUS_ERROR, SERIAL }, true, true, "a: no answer",
		  { { "b", CREATED, FAILED("answers with SERVFAIL") },
		    { "a", CREATED, SUCCESS, SERVES(SERIAL) } },
		  "b: answers with SERVFAIL" },
		{ { TASK_UPDATE, STATUS_ERROR, SERIAL }, true, true, "old",
		  { { "a", CREATED, SUCCESS, SERVES(SERIAL), .differs = true } },
		  "a: serves records that differ from the database" },
		/* the cause of the stored reason is gone: what comes next */
		{ { TASK_ADD, STATUS_ERROR, SERIAL }, true, true, "a: rndc: refused",
		  { { "a", CREATED } },
		  "a: has not answered mini-DNS about this domain yet" },
		{ { TASK_ADD, STATUS_ERROR, SERIAL }, true, true, "a: rndc: refused",
		  { { "a" } }, "a: waits until the pool manager creates the zone" },
		{ { TASK_ADD, STATUS_ERROR, SERIAL }, true, true, "a: no answer",
		  { { "a", .backend = "catalog" },
		    { "b", CREATED, .backend = "catalog" } },
		  "a: waits until the server creates the zone from the catalog zone; "
		  "b: has not answered mini-DNS about this domain yet" },
		{ { TASK_UPDATE, STATUS_ERROR, SERIAL }, true, true, "a: no answer",
		  { { "a", CREATED, SUCCESS, SERVES(SERIAL - 1) } },
		  "a: serves serial 16, not yet 17" },
		/* the stored reason is of an older report */
		{ { TASK_UPDATE, STATUS_ERROR, SERIAL }, true, true, "no route",
		  { { "a", CREATED, SUCCESS, SERVES(SERIAL + 1) } },
		  "the name servers serve the serial, but central has not processed "
		  "the last reports about these servers yet" },
		/* no server is known: the stored reason */
		{ { TASK_UPDATE, STATUS_ERROR, SERIAL }, true, true, "no route",
		  { { 0 } }, "no route" },
		/* deletions */
		{ { TASK_DELETE, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "a", CREATED }, { "b", CREATED, SUCCESS } },
		  "a: waits until the pool manager deletes the zone" },
		{ { TASK_DELETE, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "a", CREATED, .status = "NO_DOMAIN", .reason = "" },
		    { "b", CREATED, .backend = "catalog" } },
		  "a: has not answered mini-DNS about this deletion yet; b: waits until "
		  "the server deletes the zone, because the catalog zone no longer lists "
		  "it" },
		{ { TASK_DELETE, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "b", CREATED, .backend = "catalog" } },
		  "b: waits until you remove the catalog zone from the configuration of "
		  "the server", .is_catalog = true },
		/* a poll could not yet prove it */
		{ { TASK_DELETE, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "a", .backend = "catalog", .reason = "answers with REFUSED" } },
		  "a: answers with REFUSED" },
		{ { TASK_DELETE, STATUS_PENDING, SERIAL }, true, true, "",
		  { { "a", .create_status = "ERROR", .create_reason = "rndc: refused" },
		    { "b", CREATED, FAILED("still serves the domain at serial 17") } },
		  "a: waits until the pool manager deletes the zone; "
		  "b: still serves the domain at serial 17" },
		{ { TASK_DELETE, STATUS_ERROR, SERIAL }, true, true, "old",
		  { { "a", CREATED }, { "b", CREATED, SUCCESS } },
		  "a: waits until the pool manager deletes the zone" },
		{ { TASK_DELETE, STATUS_ERROR, SERIAL }, true, true, "",
		  { { "a", .status = "NO_DOMAIN", .reason = "answers with REFUSED" } },
		  "a: answers with REFUSED" },
	};
	struct arena *arena = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct reason_server servers[SERVERS_MAX];
		size_t count = 0;

		for (; count < SERVERS_MAX && row->servers[count].id; count++) {
			servers[count] = row->servers[count];
			if (!servers[count].backend)
				servers[count].backend = "nsd";
		}
		const char *got = reason_now(&(struct reason_view){
			row->state, "edge", row->is_catalog, row->stored,
			row->has_poolmgr, row->has_minidns, row->is_out_of_service,
			servers, count, NULL }, arena);
		if (strcmp(got, row->want))
			fail_msg("row %zu: '%s', not '%s'", i, got, row->want);
	}
	arena_free(&arena);
}

/* A text that is too long ends with a whole character. */
static void test_it_is_cut_between_characters(void **state)
{
	struct arena *arena = arena_new();
	char text[REASON_TEXT + 8];

	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		for (size_t i = 0; i + 3 < sizeof(text); i += 2)
			memcpy(text + i, "\xc3\xa4", 2);
		memset(text, 'x', shift);
		text[sizeof(text) - 4] = '\0';
		const struct reason_server server = { "a", "nsd", CREATED, FAILED(text) };
		const char *got = reason_now(&(struct reason_view){
			{ TASK_ADD, STATUS_PENDING, SERIAL }, "edge", false, "", true,
			true, false, &server, 1, NULL }, arena);
		size_t len = strlen(got);

		assert_in_range(len, REASON_TEXT - 3, REASON_TEXT - 1);
		assert_int_not_equal((unsigned char)got[len - 1], 0xc3);
		assert_true((unsigned char)got[len - 1] == 0xa4);
	}
	arena_free(&arena);
}

/* BIND does not take an NS record at a wildcard name; NSD does. */
static void test_the_record_that_a_server_refuses(void **state)
{
	static const struct row {
		struct reason_server servers[SERVERS_MAX];
		bool may_be;
		const char *want;
	} rows[] = {
		{ { { "a", "bind9", CREATED, FAILED("answers with SERVFAIL") },
		    { "b", "nsd", CREATED, FAILED("serves serial 16, not yet 17") } },
		  true, "a: answers with SERVFAIL; likely cause: '*.w.example.org. NS': "
		  "BIND accepts no NS records at a wildcard name; b: serves serial 16, "
		  "not yet 17" },
		{ { { "a", "bind9", CREATED, FAILED("serves serial 16, not yet 17"),
		      SERVES(SERIAL - 1) } },
		  true, "a: serves serial 16, not yet 17; likely cause: '*.w.example.org."
		  " NS': BIND accepts no NS records at a wildcard name" },
		/* it is silent, or its control channel fails: no record is the cause */
		{ { { "a", "bind9", CREATED, FAILED("no answer in 3 tries of 30 s") } },
		  false, "a: no answer in 3 tries of 30 s" },
		{ { { "a", "bind9", .create_status = "ERROR",
		      .create_reason = "rndc: refused" } }, false, "a: rndc: refused" },
		{ { { "a", "bind9", CREATED, SUCCESS, SERVES(SERIAL), .differs = true } },
		  false, "a: serves records that differ from the database" },
		/* PowerDNS leaves records out */
		{ { { "a", "powerdns", CREATED, SUCCESS, SERVES(SERIAL),
		      .differs = true } },
		  true, "a: serves records that differ from the database; likely cause: "
		  "'x.example.org. RRSIG': PowerDNS accepts no RRSIG, NSEC, NSEC3, "
		  "NSEC3PARAM, DNSKEY, CDS or CDNSKEY records from other servers" },
		/* it has reached the serial */
		{ { { "a", "bind9", CREATED, SUCCESS, SERVES(SERIAL) } }, false,
		  "the name servers serve the serial, but central has not processed "
		  "the last reports about these servers yet" },
		{ { { "a", "nsd", CREATED, FAILED("answers with SERVFAIL") } },
		  false, "a: answers with SERVFAIL" },
	};
	struct arena *arena = arena_new();
	struct rrset set = { .owner = "*.w.example.org.", .type = 2 };
	struct rrset sig = { .owner = "x.example.org.", .type = 46 };
	const struct limits_found found = {
		.rows = { [0] = { { &set }, 1 }, [SERVER_LIMITS - 1] = { { &sig }, 1 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct reason_view view = { { TASK_UPDATE, STATUS_ERROR, SERIAL }, "edge",
		                            false,
		                            "old", true, true, false, row->servers, 0,
		                            NULL };

		while (view.count < SERVERS_MAX && row->servers[view.count].id)
			view.count++;
		assert_int_equal(reason_may_be_limit(&view), row->may_be);
		view.limits = &found;
		const char *got = reason_now(&view, arena);
		if (strcmp(got, row->want))
			fail_msg("row %zu: '%s', not '%s'", i, got, row->want);
		view.state = (struct state){ TASK_DELETE, STATUS_ERROR, SERIAL };
		assert_false(reason_may_be_limit(&view));
		view.state = (struct state){ TASK_NONE, STATUS_ACTIVE, SERIAL };
		assert_false(reason_may_be_limit(&view));
	}
	arena_free(&arena);
}

static void test_when_it_is_due(void **state)
{
	(void)state;
	assert_false(reason_is_due(&(struct state){ TASK_NONE, STATUS_ACTIVE, 1 }));
	assert_true(reason_is_due(&(struct state){ TASK_ADD, STATUS_PENDING, 1 }));
	assert_true(reason_is_due(&(struct state){ TASK_UPDATE, STATUS_ERROR, 1 }));
	assert_true(reason_is_due(&(struct state){ TASK_DELETE, STATUS_PENDING, 1 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_missing_now),
		cmocka_unit_test(test_it_is_cut_between_characters),
		cmocka_unit_test(test_the_record_that_a_server_refuses),
		cmocka_unit_test(test_when_it_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
