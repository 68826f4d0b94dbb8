#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <malloc.h>
#include <stdio.h>

#include "core/known.h"
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
	known_forget_all(known);
	assert_int_equal(known_bytes(known), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_malloc),
		cmocka_unit_test(a_head_comes_back_whole),
		cmocka_unit_test(a_newer_one_takes_its_place),
		cmocka_unit_test(the_oldest_goes_when_there_is_no_room),
		cmocka_unit_test(the_budget_is_kept),
		cmocka_unit_test(what_is_old_goes_as_others_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
