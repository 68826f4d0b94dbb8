#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "model/presentation.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * A record is a digit, the last octet of its address, and the first letter of its
 * producer: "1 2p 3r".
 */
enum { CHANGES = 3, RECORDS = 5 };

static const char *manager_of(char letter)
{
	return letter == 'p' ? "ports" : letter == 'r' ? "routes" : NULL;
}

static const struct {
	const char *was;
	struct { char op; const char *by, *records; } changes[CHANGES];
	const char *left, *taken;	/* TAKEN: the record of the refusal */
	size_t marked;
	const char *kept;	/* the record of the refusal if `replace` is false */
} cases[] = {
	/* a producer deletes its own records, and no others */
	{ "1p", { { '-', "ports", "1" } }, "", NULL, 0 },
	{ "1p 2", { { '-', "ports", "1 2" } }, "2", NULL, 0 },
	{ "1p 2", { { '-', "ports", NULL } }, "2", NULL, 0 },
	{ "1p 2r", { { '-', "routes", NULL } }, "1p", NULL, 0 },
	/* a record without a producer is everybody's */
	{ "1p 2", { { '-', NULL, "2" } }, "1p", NULL, 0 },
	{ "1 2", { { '-', NULL, NULL } }, "", NULL, 0 },
	{ "1 2", { { '=', NULL, "3" } }, "3", NULL, 0 },
	{ "1 2", { { '=', "routes", "3" } }, "3r", NULL, 0, "192.0.2.1" },
	{ "1 2", { { '=', "routes", "1 3" } }, "1r 3r", NULL, 1, "192.0.2.2" },
	{ "1 2", { { '=', "routes", "" } }, "", NULL, 0, "192.0.2.1" },
	{ "1r", { { '=', "routes", "3" } }, "3r", NULL, 0, NULL },
	/* all others want force */
	{ "1p 2", { { '-', NULL, "1" } }, "2", "192.0.2.1", 0 },
	{ "1 2p", { { '-', NULL, NULL } }, "", "192.0.2.2", 0 },
	{ "1p 2", { { '=', NULL, "2 3" } }, "2 3", "192.0.2.1", 0 },
	{ "1p", { { '=', "routes", "2" } }, "2r", "192.0.2.1", 0 },
	{ "1p", { { '=', NULL, "" } }, "", "192.0.2.1", 0 },
	/* what stays is not taken */
	{ "1p", { { '=', NULL, "1 2" } }, "1p 2", NULL, 0 },
	{ "1p", { { '+', NULL, "2" } }, "1p 2", NULL, 0 },
	{ "1p", { { '-', NULL, "1" }, { '+', NULL, "1" } }, "1p", NULL, 0 },
	{ "1p 2p", { { '-', NULL, NULL }, { '+', NULL, "1" } }, "1p", "192.0.2.2", 0 },
	/* first the producer's part, then the rest */
	{ "1p 2", { { '-', "ports", NULL }, { '-', NULL, NULL } }, "", NULL, 0 },
	{ "1p 2r", { { '-', "ports", NULL }, { '-', NULL, NULL } }, "", "192.0.2.2", 0 },
	/* only `set` gives a manager to a record that has none */
	{ "1", { { '+', "ports", "1" } }, "1", NULL, 0 },
	{ "1", { { '=', "ports", "1" } }, "1p", NULL, 1 },
	{ "1 2p", { { '=', "routes", "1 2" } }, "1r 2p", NULL, 1 },
	{ "1p", { { '=', "ports", "1" } }, "1p", NULL, 0 },
	{ "1", { { '=', "ports", "1 2" } }, "1p 2p", NULL, 1 },
};

static struct rdata rdata_of(char digit, struct arena *arena)
{
	uint8_t wire[] = { 192, 0, 2, (uint8_t)(digit - '0') };

	return (struct rdata){ arena_printf(arena, "192.0.2.%c", digit),
	                       arena_dup(arena, wire, sizeof(wire)), sizeof(wire),
	                       .managed_by = NULL };
}

static void begin(struct rrsets *sets, const char *was)
{
	static struct record rows[RECORDS];
	struct name name;
	struct why why;
	struct rrset *set;

	assert_int_equal(name_parse("w.example.org.", "name", &name, &why), OK);
	set = rrsets_get(sets, &name, "w.example.org.", RR_A);
	set->stored = true;
	set->was = rows;
	for (const char *at = was; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
		struct rdata is = rdata_of(*at, sets->arena);

		rows[set->was_count++] = (struct record){
			.data = is.data, .rdata = is.rdata, .rdata_len = is.len,
			.managed_by = manager_of(at[1]) };
	}
	rrset_begin(set, sets->arena);
}

static void apply(struct rrset *set, char op, const char *by, const char *records,
                  struct arena *arena)
{
	struct rdata list[RECORDS];
	struct change change = { .op = op == '+' ? CHANGE_ADD : op == '-' ? CHANGE_DELETE
	                                                        : CHANGE_SET,
	                         .managed_by = by, .records = list,
	                         .field = "changes[0]" };

	for (; records && *records; records++)
		if (*records != ' ')
			list[change.count++] = rdata_of(*records, arena);
	rrset_apply(set, &change, arena);
}

static int rdata_compare(const void *a, const void *b)
{
	return strcmp(((const struct rdata *)a)->data, ((const struct rdata *)b)->data);
}

/* "1p 2": what the rows of the plan leave. */
static void show(const struct rrset *set, char text[64])
{
	size_t len = 0;

	*text = '\0';
	if (set->wanted_count)
		qsort(set->wanted, set->wanted_count, sizeof(*set->wanted),
		      rdata_compare);
	for (size_t i = 0; i < set->wanted_count; i++) {
		const struct rdata *one = &set->wanted[i];
		const char *by = one->managed_by;

		for (size_t w = 0; w < set->was_count; w++)
			if (!strcmp(set->was[w].data, one->data) &&
			    set->was[w].managed_by)
				by = set->was[w].managed_by;
		len += (size_t)snprintf(text + len, 64 - len, "%s%c%.1s", i ? " " : "",
		                        one->data[strlen(one->data) - 1], by ? by : "");
	}
}

/* RECORD: what the refusal names; NULL: there is no refusal. */
static void check_refusal(const struct rrsets *sets, struct rules_may may,
                          const char *record)
{
	struct why why;
	enum err err = rules_managed(sets, may, &why);

	assert_int_equal(err, record ? ERR_CONFLICT : OK);
	if (err) {
		print_message("    %s\n", why.text);
		assert_non_null(strstr(why.text, record));
		assert_non_null(strstr(why.text, "w.example.org. A"));
	}
}

static void a_record_belongs_to_its_producer(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena *arena = arena_new();
		struct rrsets sets;
		struct plan plan;
		char left[64];

		print_message("  case %zu: %s\n", i, cases[i].was);
		rrsets_init(&sets, arena);
		begin(&sets, cases[i].was);
		for (size_t c = 0; c < CHANGES && cases[i].changes[c].op; c++)
			apply(sets.items[0], cases[i].changes[c].op,
			      cases[i].changes[c].by, cases[i].changes[c].records, arena);
		check_refusal(&sets, (struct rules_may){ .replace_unmanaged = true },
		              cases[i].taken);
		check_refusal(&sets, (struct rules_may){ .take_managed = true },
		              cases[i].kept);
		check_refusal(&sets, (struct rules_may){ true, true }, NULL);
		plan_make(&plan, sets.items, sets.count, 300, 2, arena);
		assert_int_equal(plan.marked, cases[i].marked);
		assert_int_equal(plan.count, plan.marked + plan.inserted + plan.updated +
		                             plan.deleted);
		show(sets.items[0], left);
		assert_string_equal(left, cases[i].left);
		plan_clear(&plan);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_belongs_to_its_producer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
