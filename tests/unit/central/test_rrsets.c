#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/rrsets.h"
#include "model/rr.h"

/* Enough to make the table grow several times. */
enum { NAMES = 700 };

static const uint16_t types[] = { RR_AAAA, RR_A, RR_TXT };

enum { TYPES = sizeof(types) / sizeof(types[0]), SETS = NAMES * TYPES };

struct fixture {
	struct arena *arena;
	struct rrsets sets;
	struct rrset *got[SETS];
};

static struct rrset *get(struct fixture *f, int i)
{
	const char *owner = arena_printf(f->arena, "w%d.example.org.", i / TYPES);
	struct name name;
	struct why why;

	assert_int_equal(name_parse(owner, "name", &name, &why), OK);
	return rrsets_get(&f->sets, &name, owner, types[i % TYPES]);
}

static void begin(struct fixture *f)
{
	f->arena = arena_new();
	rrsets_init(&f->sets, f->arena);
	for (int i = 0; i < SETS; i++)
		f->got[i] = get(f, i);
}

static void each_name_and_type_has_one_set(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f);
	assert_int_equal(f.sets.count, SETS);
	for (int i = 0; i < SETS; i++) {
		assert_ptr_equal(get(&f, i), f.got[i]);
		assert_ptr_equal(f.sets.items[i], f.got[i]);
		assert_int_equal(f.got[i]->type, types[i % TYPES]);
	}
	assert_int_equal(f.sets.count, SETS);
	arena_free(&f.arena);
}

static void the_table_is_at_most_half_full(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f);
	assert_true(f.sets.count * 2 <= f.sets.slot_count);
	assert_int_equal(f.sets.slot_count & (f.sets.slot_count - 1), 0);
	arena_free(&f.arena);
}

static void sorted_by_owner_then_type(void **unused)
{
	struct fixture f;

	(void)unused;
	begin(&f);
	rrsets_sort(&f.sets);
	for (size_t i = 1; i < f.sets.count; i++) {
		const struct rrset *a = f.sets.items[i - 1], *b = f.sets.items[i];
		int order = strcmp(a->owner, b->owner);

		assert_true(order < 0 || (order == 0 && a->type < b->type));
	}
	for (int i = 0; i < SETS; i++)
		assert_ptr_equal(get(&f, i), f.got[i]);
	arena_free(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_name_and_type_has_one_set),
		cmocka_unit_test(the_table_is_at_most_half_full),
		cmocka_unit_test(sorted_by_owner_then_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
