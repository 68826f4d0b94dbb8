#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <malloc.h>
#include <stdio.h>

#include "core/soa_cache.h"
#include "packets.h"

enum { NOW = 1000000, PLENTY = 1 << 30 };

/* A zone as most are; its serial is its number. */
static struct head head_of(unsigned number)
{
	struct head head = { .serial = number, .soa_ttl = 3600, .soa_len = 62 };
	char text[64];

	snprintf(text, sizeof(text), "domain%u.example.", number);
	head.name = name_of(text);
	snprintf(head.id, sizeof(head.id), "%032u", number);
	snprintf(head.pool, sizeof(head.pool), "%032u", 1);
	memset(head.soa, (int)number, head.soa_len);
	return head;
}

/* As long as one can be. */
static struct head large_head(unsigned number)
{
	struct head head = head_of(number);

	memset(head.pool, 'p', HEAD_POOL);
	head.soa_len = HEAD_SOA;
	return head;
}

static bool is_known(const struct known *known, unsigned number, int64_t now_ms)
{
	struct head wanted = head_of(number), got;

	if (!known_get(known, &wanted.name, now_ms, &got))
		return false;
	assert_int_equal(got.serial, number);
	return true;
}

static void a_head_comes_back_whole(void **state)
{
	struct known *known = known_new(1, PLENTY);
	struct head put = large_head(7), got;

	(void)state;
	assert_false(is_known(known, 7, NOW));
	known_put(known, &put, NOW);
	assert_true(known_get(known, &put.name, NOW, &got));
	assert_string_equal(got.id, put.id);
	assert_string_equal(got.pool, put.pool);
	assert_true(name_equal(&got.name, &put.name));
	assert_int_equal(got.serial, put.serial);
	assert_int_equal(got.soa_ttl, put.soa_ttl);
	assert_int_equal(got.soa_len, put.soa_len);
	assert_memory_equal(got.soa, put.soa, put.soa_len);
	known_forget(known, &put.name);
	assert_false(is_known(known, 7, NOW));
	assert_int_equal(known_bytes(known), 0);
	known_free(&known);
}

static void a_newer_one_takes_its_place(void **state)
{
	struct known *known = known_new(1, PLENTY);
	struct head head = large_head(7);
	size_t bytes;

	(void)state;
	known_put(known, &head, NOW);
	bytes = known_bytes(known);
	head = head_of(7);
	known_put(known, &head, NOW + KNOWN_MS);
	assert_true(known_bytes(known) < bytes);
	assert_true(is_known(known, 7, NOW + 2 * KNOWN_MS));
	assert_false(is_known(known, 7, NOW + 2 * KNOWN_MS + 1));
	known_free(&known);
}

static void the_oldest_goes_when_there_is_no_room(void **state)
{
	struct known *one = known_new(1, PLENTY), *known;
	struct head head = head_of(1000);
	size_t budget;

	(void)state;
	known_put(one, &head, NOW);
	budget = 100 * known_bytes(one);
	known_free(&one);
	known = known_new(1, budget);
	for (unsigned number = 1000; number < 2000; number++) {
		head = head_of(number);
		known_put(known, &head, NOW);
		assert_true(known_bytes(known) <= budget);
		/* read again, it is young */
		head = head_of(1000);
		known_put(known, &head, NOW);
	}
	for (unsigned number = 1001; number < 2000; number++)
		assert_int_equal(is_known(known, number, NOW), number > 1900);
	assert_true(is_known(known, 1000, NOW));
	known_free(&known);
}

/* A large one among small ones, too, after each put. */
static void the_budget_is_kept(void **state)
{
	enum { BUDGET = 100000 };
	struct known *known = known_new(1, BUDGET);

	(void)state;
	for (unsigned number = 0; number < 5000; number++) {
		struct head head =
			number > 1000 ? large_head(number) : head_of(number);

		known_put(known, &head, NOW);
		assert_true(known_bytes(known) <= BUDGET);
		assert_true(is_known(known, number, NOW));
	}
	known_free(&known);
}

static void what_is_old_goes_as_others_come(void **state)
{
	struct known *known = known_new(1, PLENTY);
	struct head head;
	size_t full;

	(void)state;
	for (unsigned number = 1000; number < 2000; number++) {
		head = head_of(number);
		known_put(known, &head, NOW);
	}
	full = known_bytes(known);
	for (unsigned number = 2000; number < 2200; number++) {
		head = head_of(number);
		known_put(known, &head, NOW + KNOWN_MS + 1);
		assert_true(known_bytes(known) < full);
	}
	assert_int_equal(known_bytes(known) * 5, full);
	known_free(&known);
}

/* What is counted is what malloc gave, but for a tenth. */
static void bytes_are_those_of_malloc(void **state)
{
	enum { COUNT = 100000 };
	size_t before = mallinfo2().uordblks, taken, counted;
	struct known *known = known_new(1, PLENTY);

	(void)state;
	for (unsigned number = 0; number < COUNT; number++) {
		struct head head = head_of(number);

		known_put(known, &head, NOW);
	}
	taken = mallinfo2().uordblks + mallinfo2().hblkhd - before;
	counted = known_bytes(known);
	known_free(&known);
	if (!mallinfo2().arena)
		skip();			/* another allocator, of a sanitizer */
	print_message("%zu bytes a head, %zu counted\n", taken / COUNT, counted / COUNT);
	assert_in_range(counted, taken - taken / 10, taken + taken / 10);
}

/* The head of a domain, at a version; its serial goes with it. */
static struct head version_of(unsigned number, unsigned version)
{
	struct head head = head_of(number);

	head.version = version;
	head.serial = 100 * number + version;
	return head;
}

static struct edition edition(unsigned number, unsigned version)
{
	struct head head = version_of(number, version);
	struct edition edition = { .version = version, .serial = head.serial };

	memcpy(edition.id, head.id, sizeof(edition.id));
	return edition;
}

static bool has(const struct known *known, unsigned number, const struct edition *edition)
{
	struct head head = head_of(number);

	return known_has(known, &head.name, edition);
}

static void news_are_old_or_new(void **state)
{
	static const struct {
		const char *what;
		int version, serial;	/* more than what is known */
		bool other_id, unknown;	/* there is no version in it */
		bool old;
	} rows[] = {
		{ "the same",                    0,  0, false, false, true  },
		{ "an older one",               -1, -1, false, false, true  },
		{ "a newer one",                 1,  1, false, false, false },
		{ "a deletion: no new serial",   1,  0, false, false, false },
		{ "a writer without versions",   0,  1, false, false, false },
		{ "the domain made again",      -1,  1, true,  false, false },
		{ "another of that name",        0,  0, true,  false, false },
		{ "no version",                  0,  0, false, true,  false },
	};
	struct known *known = known_new(1, PLENTY);
	struct head head = version_of(1, 5);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct edition news = edition(1, 5);

		assert_false(i == 0 && has(known, 1, &news));
		known_put(known, &head, NOW);
		news.version = rows[i].unknown ? 0 : 5 + (uint64_t)rows[i].version;
		news.serial += (uint32_t)rows[i].serial;
		if (rows[i].other_id)
			news.id[0] = 'f';
		if (has(known, 1, &news) != rows[i].old)
			fail_msg("%s", rows[i].what);
	}
	known_free(&known);
}

static bool is_usable(const struct known *known, unsigned number)
{
	struct head wanted = head_of(number), got;

	return known_get(known, &wanted.name, NOW, &got);
}

static void settle(struct known *known, unsigned number, const struct edition *stored,
                   enum settled how)
{
	struct head head = head_of(number);

	assert_int_equal(known_settle(known, &head.name, stored), how);
}

/* The first is gone, of the others every second one was changed. */
static void what_is_in_doubt_is_not_used_until_it_was_compared(void **state)
{
	enum { COUNT = 10, LIMIT = 4 };
	struct known *known = known_new(1, PLENTY);
	struct edition taken[LIMIT], was, stored;
	struct name names[LIMIT];
	unsigned next = 0;
	size_t count;

	(void)state;
	for (unsigned number = 0; number < COUNT; number++) {
		struct head head = version_of(number, 5);

		known_put(known, &head, NOW);
	}
	known_doubt(known);
	while ((count = known_take_doubted(known, NOW, taken, names, LIMIT)))
		for (size_t i = 0; i < count; i++, next++) {
			was = edition(next, 5);
			stored = edition(next, 5 + next % 2);
			assert_true(edition_equal(&taken[i], &was));
			assert_false(is_usable(known, next));
			settle(known, next, next ? &stored : NULL,
			       next && next % 2 == 0 ? SETTLED_SAME : SETTLED_DIFFERS);
		}
	assert_int_equal(next, COUNT);
	for (unsigned number = 0; number < COUNT; number++)
		assert_int_equal(is_usable(known, number), number && number % 2 == 0);
	known_free(&known);
}

/* A comparison that is overtaken says nothing of what was read, or doubted, since. */
static void a_comparison_that_is_late_changes_nothing(void **state)
{
	struct known *known = known_new(1, PLENTY);
	struct head first = version_of(1, 5), again = version_of(1, 6);
	struct edition taken[2], old = edition(1, 4);
	struct name names[2];

	(void)state;
	known_put(known, &first, NOW);
	known_doubt(known);
	assert_int_equal(known_take_doubted(known, NOW, taken, names, 2), 1);
	known_doubt(known);
	settle(known, 1, &taken[0], SETTLED_OTHERWISE);
	assert_false(is_usable(known, 1));
	assert_int_equal(known_take_doubted(known, NOW, taken, names, 2), 1);
	known_put(known, &again, NOW);
	settle(known, 1, &old, SETTLED_OTHERWISE);
	assert_true(is_usable(known, 1));
	assert_int_equal(known_take_doubted(known, NOW, taken, names, 2), 0);
	known_doubt(known);
	known_forget(known, &again.name);
	assert_int_equal(known_take_doubted(known, NOW, taken, names, 2), 0);
	known_free(&known);
}

static void what_is_in_doubt_and_old_is_not_compared(void **state)
{
	struct known *known = known_new(1, PLENTY);
	struct head first = version_of(1, 5), second = version_of(2, 5);
	struct edition taken[2];
	struct name names[2];

	(void)state;
	known_put(known, &first, NOW);
	known_put(known, &second, NOW + 1000);
	known_doubt(known);
	assert_int_equal(known_take_doubted(known, NOW + KNOWN_MS + 1, taken, names, 2), 1);
	assert_string_equal(taken[0].id, second.id);
	known_doubt(known);
	known_forget_doubted(known);
	assert_int_equal(known_take_doubted(known, NOW, taken, names, 2), 0);
	settle(known, 2, &taken[0], SETTLED_OTHERWISE);
	known_free(&known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_malloc),
		cmocka_unit_test(a_head_comes_back_whole),
		cmocka_unit_test(a_newer_one_takes_its_place),
		cmocka_unit_test(the_oldest_goes_when_there_is_no_room),
		cmocka_unit_test(the_budget_is_kept),
		cmocka_unit_test(what_is_old_goes_as_others_come),
		cmocka_unit_test(news_are_old_or_new),
		cmocka_unit_test(what_is_in_doubt_is_not_used_until_it_was_compared),
		cmocka_unit_test(a_comparison_that_is_late_changes_nothing),
		cmocka_unit_test(what_is_in_doubt_and_old_is_not_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
