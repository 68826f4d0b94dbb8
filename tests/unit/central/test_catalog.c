#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <string.h>

#include "core/catalog.h"
#include "model/rr.h"

#define ID "0123456789abcdef0123456789abcdef"
#define LABEL "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"

static struct arena *arena;
static struct why why;

static struct name name_of(const char *text)
{
	struct name name;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

static struct change change_of(const char *catalog, const char *member, bool is_listed)
{
	const struct catalog_member of = { ID, member, is_listed };
	struct name name = name_of(catalog);
	struct change change;

	assert_int_equal(catalog_change(&name, &of, arena, &change, &why), OK);
	return change;
}

static void a_member_is_a_pointer_to_its_name(void **state)
{
	static const char wire[] = "\3www\7example\3org";
	struct change change = change_of("cat.example.", "www.example.org.", true);

	(void)state;
	assert_int_equal(change.op, CHANGE_SET);
	assert_int_equal(change.type, RR_PTR);
	assert_string_equal(change.owner, ID ".zones.cat.example.");
	assert_int_equal(change.count, 1);
	assert_string_equal(change.records->data, "www.example.org.");
	assert_int_equal(change.records->len, sizeof wire);
	assert_memory_equal(change.records->rdata, wire, sizeof wire);
}

/* Whatever it points to by now goes. */
static void what_is_no_member_is_deleted_whole(void **state)
{
	struct change change = change_of("cat.example.", "www.example.org.", false);

	(void)state;
	assert_int_equal(change.op, CHANGE_DELETE);
	assert_int_equal(change.type, RR_PTR);
	assert_string_equal(change.owner, ID ".zones.cat.example.");
	assert_int_equal(change.count, 0);
}

static void the_root_can_be_either(void **state)
{
	(void)state;
	assert_string_equal(change_of(".", "example.", true).owner, ID ".zones.");
	assert_string_equal(change_of("cat.", ".", true).records->data, ".");
	assert_int_equal(change_of("cat.", ".", true).records->len, 1);
}

static void the_version_is_two(void **state)
{
	struct name catalog = name_of("cat.example.");
	struct change change;

	(void)state;
	assert_int_equal(catalog_version(&catalog, arena, &change, &why), OK);
	assert_int_equal(change.op, CHANGE_SET);
	assert_int_equal(change.type, RR_TXT);
	assert_string_equal(change.owner, "version.cat.example.");
	assert_string_equal(change.records->data, "\"2\"");
	assert_int_equal(change.records->len, 2);
	assert_memory_equal(change.records->rdata, "\1" "2", 2);
}

/* 255 octets are a name's, 39 those of "." ID ".zones". */
static void a_name_leaves_room_for_its_members(void **state)
{
	char text[NAME_MAX_TEXT + 1];

	(void)state;
	for (int last = 1; last <= 61; last++) {
		struct name name;
		bool fits;
		enum err err;

		snprintf(text, sizeof text, LABEL "." LABEL "." LABEL ".%.*s.", last,
		         LABEL);
		name = name_of(text);
		fits = name.len + 39 <= NAME_MAX_WIRE;
		err = catalog_name(&name, "catalog_zone", &why);
		assert_int_equal(err, fits ? OK : ERR_INVALID);
		if (fits)
			change_of(text, "example.", true);
		else
			assert_non_null(strstr(why.text,
			    "catalog_zone: the name of a catalog zone must have at "
			    "most"));
	}
}

static int set_up(void **state)
{
	(void)state;
	arena = arena_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_is_a_pointer_to_its_name),
		cmocka_unit_test(what_is_no_member_is_deleted_whole),
		cmocka_unit_test(the_root_can_be_either),
		cmocka_unit_test(the_version_is_two),
		cmocka_unit_test(a_name_leaves_room_for_its_members),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
