#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdlib.h>
#include <string.h>

#include "core/mark.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEAD "heritage=external-dns"
#define OWNER ",external-dns/owner="
#define RESOURCE ",external-dns/resource="

static struct arena *arena;

static int begin(void **state)
{
	(void)state;
	arena = arena_new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* TEXT as the rdata of a TXT record, its first string cut off at SPLIT. */
static struct buf rdata_of(const char *text, size_t split)
{
	struct buf rdata = { 0 };
	size_t len = strlen(text);

	if (split > len)
		split = len;
	buf_u8(&rdata, (uint8_t)split);
	buf_append(&rdata, text, split);
	if (split < len) {
		buf_u8(&rdata, (uint8_t)(len - split));
		buf_append(&rdata, text + split, len - split);
	}
	return rdata;
}

static enum mark_kind read_text(const char *text, size_t split, bool is_bare,
                                struct mark *mark)
{
	struct buf rdata = rdata_of(text, split);
	enum mark_kind kind = mark_read(rdata.data, rdata.len, is_bare, arena, mark);

	buf_clear(&rdata);
	return kind;
}

static const struct {
	const char *text;
	bool is_bare;
	enum mark_kind want;
	const char *owner, *resource;
} readings[] = {
	{ HEAD OWNER "owner" RESOURCE "ingress/default/my-ingress", false,
	  MARK_OWNED, "owner", "ingress/default/my-ingress" },
	{ "\"" HEAD OWNER "owner" RESOURCE "service/a/b\"", false,
	  MARK_OWNED, "owner", "service/a/b" },
	{ HEAD OWNER "o" ",external-dns/version=7", false, MARK_OWNED, "o", NULL },
	{ HEAD OWNER, false, MARK_OWNED, "", NULL },
	{ HEAD ",nonsense" OWNER "o", false, MARK_OWNED, "o", NULL },
	{ HEAD ",mine=1" OWNER "o", false, MARK_OWNED, "o", NULL },
	{ "external-dns/owner=o," HEAD, false, MARK_OWNED, "o", NULL },
	{ HEAD OWNER "a=b", false, MARK_OWNED, "a=b", NULL },
	{ "heritage=mate,mate/owner=o", false, MARK_HERITAGE },
	{ "heritage=mate," HEAD OWNER "o", false, MARK_HERITAGE },
	{ "heritage=", false, MARK_HERITAGE },
	{ HEAD, false, MARK_BAD },
	{ HEAD RESOURCE "service/a/b", false, MARK_BAD },
	{ HEAD OWNER "a" OWNER "b", false, MARK_BAD },
	{ HEAD OWNER "a" OWNER "a", false, MARK_BAD },
	{ HEAD OWNER "a" ",external-dns/=b", false, MARK_BAD },
	{ "", false, MARK_DATA },
	{ "\"", false, MARK_DATA },
	{ "v=spf1 -all", false, MARK_DATA },
	{ "external-dns/owner=o", false, MARK_DATA },
	{ "external-dns-1", false, MARK_DATA },
	{ "external-dns-1", true, MARK_OWNED, "external-dns-1", NULL },
	{ HEAD OWNER "o", true, MARK_OWNED, "o", NULL },
	{ "v=spf1 -all", true, MARK_DATA },
};

static void check_text(const char *got, const char *want)
{
	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
}

static void what_a_text_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(readings); i++) {
		struct mark mark;

		print_message("  %s\n", readings[i].text);
		assert_int_equal(read_text(readings[i].text, 255, readings[i].is_bare,
		                           &mark), readings[i].want);
		if (readings[i].want != MARK_OWNED)
			continue;
		check_text(mark_get(&mark, "owner"), readings[i].owner);
		check_text(mark_get(&mark, "resource"), readings[i].resource);
	}
}

static void a_text_in_two_strings_is_one(void **state)
{
	static const char text[] = HEAD OWNER "owner" RESOURCE "service/default/web";
	struct mark mark;

	(void)state;
	for (size_t split = 0; split < sizeof(text); split++) {
		assert_int_equal(read_text(text, split, false, &mark), MARK_OWNED);
		assert_string_equal(mark_get(&mark, "owner"), "owner");
		assert_string_equal(mark_get(&mark, "resource"), "service/default/web");
	}
}

static void rdata_that_is_none_is_data(void **state)
{
	static const uint8_t cut[] = { 5, 'h', 'e' }, zero[] = { 3, 'a', 0, 'b' };
	struct mark mark;

	(void)state;
	assert_int_equal(mark_read(cut, sizeof(cut), true, arena, &mark), MARK_DATA);
	assert_int_equal(mark_read(zero, sizeof(zero), true, arena, &mark), MARK_DATA);
	assert_int_equal(mark_read(NULL, 0, true, arena, &mark), MARK_DATA);
}

static void text_of_any_length_is_read(void **state)
{
	struct buf rdata = { 0 };
	struct mark mark;

	(void)state;
	for (int i = 0; i < 250; i++) {
		for (int j = 0; j < 256; j++)
			buf_u8(&rdata, j ? ',' : 255);
		assert_int_equal(mark_read(rdata.data, rdata.len, false, arena, &mark),
		                 MARK_DATA);
	}
	buf_clear(&rdata);
}

static void more_labels_than_there_is_room_for_are_bad(void **state)
{
	struct buf text = { 0 };
	struct mark mark;

	(void)state;
	buf_text(&text, HEAD OWNER "o");
	for (int i = 0; i < MARK_LABELS_READ; i++)
		buf_printf(&text, ",external-dns/%d=", i);

	struct buf rdata = { 0 };
	for (size_t at = 0; at < text.len; at += 100) {
		size_t part = text.len - at < 100 ? text.len - at : 100;

		buf_u8(&rdata, (uint8_t)part);
		buf_append(&rdata, text.data + at, part);
	}
	assert_int_equal(mark_read(rdata.data, rdata.len, false, arena, &mark), MARK_BAD);
	buf_clear(&rdata);
	buf_clear(&text);
}

static void check_written(const struct mark *mark, bool is_bare, const char *want)
{
	struct buf rdata = { 0 }, text = { 0 };

	mark_write(mark, is_bare, &rdata);
	for (size_t at = 0; at < rdata.len; at += 1u + rdata.data[at]) {
		size_t len = rdata.data[at];

		assert_true(len == 255 || at + 1 + len == rdata.len);
		buf_append(&text, &rdata.data[at + 1], len);
	}
	assert_string_equal(buf_string(&text), want);
	buf_clear(&rdata);
	buf_clear(&text);
}

static void labels_are_written_in_order_and_those_unknown_again(void **state)
{
	struct mark mark;

	(void)state;
	read_text(HEAD ",external-dns/zeal=1" RESOURCE "r" OWNER "o"
	          ",external-dns/aws=2", 255, false, &mark);
	check_written(&mark, false, HEAD ",external-dns/aws=2" OWNER "o" RESOURCE "r"
	              ",external-dns/zeal=1");
	assert_true(mark_set(&mark, "owner", "other"));
	assert_true(mark_set(&mark, "resource", NULL));
	assert_true(mark_set(&mark, "unheard-of", NULL));
	check_written(&mark, false, HEAD ",external-dns/aws=2" OWNER "other"
	              ",external-dns/zeal=1");
	check_written(&mark, true, "other");
}

static void a_long_text_is_written_in_strings(void **state)
{
	struct mark mark = { 0 };
	char resource[MARK_RESOURCE_MAX + 1], version[MARK_RESOURCE_MAX + 1];
	struct buf want = { 0 };

	(void)state;
	memset(resource, 'r', sizeof(resource) - 1);
	memset(version, '1', sizeof(version) - 1);
	resource[MARK_RESOURCE_MAX] = version[MARK_RESOURCE_MAX] = '\0';
	mark_set(&mark, "owner", "o");
	mark_set(&mark, "resource", resource);
	mark_set(&mark, "version", version);
	buf_printf(&want, HEAD OWNER "o" RESOURCE "%s,external-dns/version=%s", resource,
	           version);
	check_written(&mark, false, buf_string(&want));
	buf_clear(&want);
}

static const char *random_text(size_t len)
{
	static const char letters[] = "abcXYZ019._:/@-";
	char *text = arena_alloc(arena, len + 1);

	while (len--)
		text[len] = letters[(size_t)random() % strlen(letters)];
	return text;
}

/* What was written says what it was written from. */
static void what_is_written_is_read(void **state)
{
	(void)state;
	srandom(1);
	for (int round = 0; round < 2000; round++) {
		struct mark mark = { 0 }, again;
		struct buf rdata = { 0 };

		mark_set(&mark, "owner", "owner");
		for (long labels = random() % 8; labels; labels--) {
			const char *key = random_text(3);
			const char *value = random_text((size_t)random() % 90);

			mark_set(&mark, key, value);
		}
		mark_write(&mark, false, &rdata);
		assert_int_equal(mark_read(rdata.data, rdata.len, false, arena, &again),
		                 MARK_OWNED);
		assert_int_equal(again.count, mark.count);
		for (size_t i = 0; i < mark.count; i++) {
			assert_string_equal(again.labels[i].key, mark.labels[i].key);
			assert_string_equal(again.labels[i].value, mark.labels[i].value);
		}
		buf_clear(&rdata);
	}
}

static void which_words_are_owners(void **state)
{
	char long_one[MARK_OWNER_MAX + 2];

	(void)state;
	memset(long_one, 'a', sizeof(long_one) - 1);
	long_one[MARK_OWNER_MAX + 1] = '\0';
	assert_true(mark_owner_is_valid("external-dns-1"));
	assert_true(mark_owner_is_valid("a.b_c:d/e@f-9"));
	assert_false(mark_owner_is_valid(""));
	assert_false(mark_owner_is_valid("a,b"));
	assert_false(mark_owner_is_valid("a b"));
	assert_false(mark_owner_is_valid("a=b"));
	assert_false(mark_owner_is_valid("a\"b"));
	assert_false(mark_owner_is_valid("\xc3\xa4"));
	assert_false(mark_owner_is_valid(long_one));
	assert_true(mark_owner_is_valid(long_one + 1));
	assert_true(mark_resource_is_valid(long_one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_text_says),
		cmocka_unit_test(a_text_in_two_strings_is_one),
		cmocka_unit_test(rdata_that_is_none_is_data),
		cmocka_unit_test(text_of_any_length_is_read),
		cmocka_unit_test(more_labels_than_there_is_room_for_are_bad),
		cmocka_unit_test(labels_are_written_in_order_and_those_unknown_again),
		cmocka_unit_test(a_long_text_is_written_in_strings),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(which_words_are_owners),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
