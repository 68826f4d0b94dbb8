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

static bool is_cached(const struct soa_cache *cache, unsigned number, int64_t now_ms)
{
	struct head wanted = head_of(number), got;

	if (!soa_cache_get(cache, &wanted.name, now_ms, &got))
		return false;
	assert_int_equal(got.serial, number);
	return true;
}

static void a_head_comes_back_whole(void **state)
{
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct head put = large_head(7), got;

	(void)state;
	assert_false(is_cached(cache, 7, NOW));
	soa_cache_put(cache, &put, NOW);
	assert_true(soa_cache_get(cache, &put.name, NOW, &got));
	assert_string_equal(got.id, put.id);
	assert_string_equal(got.pool, put.pool);
	assert_true(name_equal(&got.name, &put.name));
	assert_int_equal(got.serial, put.serial);
	assert_int_equal(got.soa_ttl, put.soa_ttl);
	assert_int_equal(got.soa_len, put.soa_len);
	assert_memory_equal(got.soa, put.soa, put.soa_len);
	soa_cache_drop(cache, &put.name);
	assert_false(is_cached(cache, 7, NOW));
	assert_int_equal(soa_cache_bytes(cache), 0);
	soa_cache_free(&cache);
}

static void a_newer_one_takes_its_place(void **state)
{
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct head head = large_head(7);
	size_t bytes;

	(void)state;
	soa_cache_put(cache, &head, NOW);
	bytes = soa_cache_bytes(cache);
	head = head_of(7);
	soa_cache_put(cache, &head, NOW + SOA_CACHE_MS);
	assert_true(soa_cache_bytes(cache) < bytes);
	assert_true(is_cached(cache, 7, NOW + 2 * SOA_CACHE_MS));
	assert_false(is_cached(cache, 7, NOW + 2 * SOA_CACHE_MS + 1));
	soa_cache_free(&cache);
}

static void the_oldest_goes_when_there_is_no_room(void **state)
{
	struct soa_cache *one = soa_cache_new(1, PLENTY), *cache;
	struct head head = head_of(1000);
	size_t budget;

	(void)state;
	soa_cache_put(one, &head, NOW);
	budget = 100 * soa_cache_bytes(one);
	soa_cache_free(&one);
	cache = soa_cache_new(1, budget);
	for (unsigned number = 1000; number < 2000; number++) {
		head = head_of(number);
		soa_cache_put(cache, &head, NOW);
		assert_true(soa_cache_bytes(cache) <= budget);
		/* read again, it is young */
		head = head_of(1000);
		soa_cache_put(cache, &head, NOW);
	}
	for (unsigned number = 1001; number < 2000; number++)
		assert_int_equal(is_cached(cache, number, NOW), number > 1900);
	assert_true(is_cached(cache, 1000, NOW));
	soa_cache_free(&cache);
}

/* A large one among small ones, too, after each put. */
static void the_budget_is_kept(void **state)
{
	enum { BUDGET = 100000 };
	struct soa_cache *cache = soa_cache_new(1, BUDGET);

	(void)state;
	for (unsigned number = 0; number < 5000; number++) {
		struct head head =
			number > 1000 ? large_head(number) : head_of(number);

		soa_cache_put(cache, &head, NOW);
		assert_true(soa_cache_bytes(cache) <= BUDGET);
		assert_true(is_cached(cache, number, NOW));
	}
	soa_cache_free(&cache);
}

static void what_is_old_goes_as_others_come(void **state)
{
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct head head;
	size_t full;

	(void)state;
	for (unsigned number = 1000; number < 2000; number++) {
		head = head_of(number);
		soa_cache_put(cache, &head, NOW);
	}
	full = soa_cache_bytes(cache);
	for (unsigned number = 2000; number < 2200; number++) {
		head = head_of(number);
		soa_cache_put(cache, &head, NOW + SOA_CACHE_MS + 1);
		assert_true(soa_cache_bytes(cache) < full);
	}
	assert_int_equal(soa_cache_bytes(cache) * 5, full);
	soa_cache_free(&cache);
}

/* What is counted is what malloc gave, but for a tenth. */
static void bytes_are_those_of_malloc(void **state)
{
	enum { COUNT = 100000 };
	size_t before = mallinfo2().uordblks, taken, counted;
	struct soa_cache *cache = soa_cache_new(1, PLENTY);

	(void)state;
	for (unsigned number = 0; number < COUNT; number++) {
		struct head head = head_of(number);

		soa_cache_put(cache, &head, NOW);
	}
	taken = mallinfo2().uordblks + mallinfo2().hblkhd - before;
	counted = soa_cache_bytes(cache);
	soa_cache_free(&cache);
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

static bool has(const struct soa_cache *cache, unsigned number,
                const struct edition *edition)
{
	struct head head = head_of(number);

	return soa_cache_has(cache, &head.name, edition);
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
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct head head = version_of(1, 5);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct edition news = edition(1, 5);

		assert_false(i == 0 && has(cache, 1, &news));
		soa_cache_put(cache, &head, NOW);
		news.version = rows[i].unknown ? 0 : 5 + (uint64_t)rows[i].version;
		news.serial += (uint32_t)rows[i].serial;
		if (rows[i].other_id)
			news.id[0] = 'f';
		if (has(cache, 1, &news) != rows[i].old)
			fail_msg("%s", rows[i].what);
	}
	soa_cache_free(&cache);
}

static bool is_usable(const struct soa_cache *cache, unsigned number)
{
	struct head wanted = head_of(number), got;

	return soa_cache_get(cache, &wanted.name, NOW, &got);
}

static void verify(struct soa_cache *cache, unsigned number, const struct edition *stored,
                   enum soa_cache_check how)
{
	struct head head = head_of(number);

	assert_int_equal(soa_cache_verify(cache, &head.name, stored), how);
}

/* The first is gone, of the others every second one was changed. */
static void what_is_in_doubt_is_not_used_until_it_was_compared(void **state)
{
	enum { COUNT = 10, LIMIT = 4 };
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct edition taken[LIMIT], was, stored;
	struct name names[LIMIT];
	unsigned next = 0;
	size_t count;

	(void)state;
	for (unsigned number = 0; number < COUNT; number++) {
		struct head head = version_of(number, 5);

		soa_cache_put(cache, &head, NOW);
	}
	soa_cache_doubt(cache);
	while ((count = soa_cache_take_doubted(cache, NOW, taken, names, LIMIT)))
		for (size_t i = 0; i < count; i++, next++) {
			was = edition(next, 5);
			stored = edition(next, 5 + next % 2);
			assert_true(edition_equal(&taken[i], &was));
			assert_false(is_usable(cache, next));
			verify(cache, next, next ? &stored : NULL,
			       next &&
			       next % 2 == 0 ? SOA_CACHE_SAME : SOA_CACHE_DIFFERS);
		}
	assert_int_equal(next, COUNT);
	for (unsigned number = 0; number < COUNT; number++)
		assert_int_equal(is_usable(cache, number), number && number % 2 == 0);
	soa_cache_free(&cache);
}

/* A comparison that is overtaken says nothing of what was read, or doubted, since. */
static void a_comparison_that_is_late_changes_nothing(void **state)
{
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct head first = version_of(1, 5), again = version_of(1, 6);
	struct edition taken[2], old = edition(1, 4);
	struct name names[2];

	(void)state;
	soa_cache_put(cache, &first, NOW);
	soa_cache_doubt(cache);
	assert_int_equal(soa_cache_take_doubted(cache, NOW, taken, names, 2), 1);
	soa_cache_doubt(cache);
	verify(cache, 1, &taken[0], SOA_CACHE_REPLACED);
	assert_false(is_usable(cache, 1));
	assert_int_equal(soa_cache_take_doubted(cache, NOW, taken, names, 2), 1);
	soa_cache_put(cache, &again, NOW);
	verify(cache, 1, &old, SOA_CACHE_REPLACED);
	assert_true(is_usable(cache, 1));
	assert_int_equal(soa_cache_take_doubted(cache, NOW, taken, names, 2), 0);
	soa_cache_doubt(cache);
	soa_cache_drop(cache, &again.name);
	assert_int_equal(soa_cache_take_doubted(cache, NOW, taken, names, 2), 0);
	soa_cache_free(&cache);
}

static void what_is_in_doubt_and_old_is_not_compared(void **state)
{
	struct soa_cache *cache = soa_cache_new(1, PLENTY);
	struct head first = version_of(1, 5), second = version_of(2, 5);
	struct edition taken[2];
	struct name names[2];

	(void)state;
	soa_cache_put(cache, &first, NOW);
	soa_cache_put(cache, &second, NOW + 1000);
	soa_cache_doubt(cache);
	assert_int_equal(soa_cache_take_doubted(cache, NOW + SOA_CACHE_MS + 1, taken,
	                                        names, 2), 1);
	assert_string_equal(taken[0].id, second.id);
	soa_cache_doubt(cache);
	soa_cache_drop_doubted(cache);
	assert_int_equal(soa_cache_take_doubted(cache, NOW, taken, names, 2), 0);
	verify(cache, 2, &taken[0], SOA_CACHE_REPLACED);
	soa_cache_free(&cache);
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
