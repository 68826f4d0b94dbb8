#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <string.h>

#include "core/rules.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HASH "2t7b4g4vsa5smi47k61mv5bv1a22bojr"

enum { SETS_MAX = 6, CHILDREN_MAX = 3 };

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

/* The outcome of a change at one set: how many records it had and has now. */
struct outcome {
	const char *owner;
	uint16_t type;
	size_t was, wanted;
	const char *field;		/* NULL: the change did not touch it */
};

static void fill(struct rrsets *sets, const struct outcome *outcomes)
{
	for (size_t i = 0; i < SETS_MAX && outcomes[i].owner; i++) {
		struct name name = name_of(outcomes[i].owner);
		struct rrset *set = rrsets_get(sets, &name, outcomes[i].owner,
		                               outcomes[i].type);

		set->was_count = outcomes[i].was;
		set->wanted_count = outcomes[i].wanted;
		set->field = outcomes[i].field;
	}
	rrsets_sort(sets);
}

/* WORDS of what was refused; NULL: it was not. */
static void check(const char *name, enum err got, enum err want, const struct why *why,
                  const char *words)
{
	print_message("  %s\n", name);
	assert_int_equal(got, want);
	if (!want)
		return;
	print_message("    %s\n", why->text);
	assert_non_null(strstr(why->text, words));
}

static const struct {
	const char *name;
	bool is_admin;
	enum err want;
	const char *words;
} domain_names[] = {
	{ "example.org.", false, OK, NULL },
	{ ".", false, ERR_DENIED, "only an administrator may create '.'" },
	{ ".", true, OK, NULL },
	{ "com.", false, ERR_DENIED, "only an administrator may create 'com.'" },
	{ "com.", true, OK, NULL },
	{ "arpa.", false, ERR_DENIED, "domain.name" },
	{ "arpa.", true, OK, NULL },
	{ "In-Addr.ARPA.", false, ERR_DENIED, "domain.name" },
	{ "in-addr.arpa.", true, OK, NULL },
	{ "ip6.arpa.", false, ERR_DENIED, "domain.name" },
	{ "ip6.arpa.", true, OK, NULL },
	{ "ip4.arpa.", false, OK, NULL },
	{ "in-addr.example.", false, OK, NULL },
	{ "10.in-addr.arpa.", false, OK, NULL },
	{ "d.f.ip6.arpa.", false, OK, NULL },
	{ "*.example.org.", false, ERR_INVALID, "wildcard" },
	{ "*.example.org.", true, ERR_INVALID, "wildcard" },
	{ "*.", true, ERR_INVALID, "wildcard" },
	{ "*a.example.org.", false, OK, NULL },
	{ "a.*.example.org.", false, OK, NULL },
	{ "0/25.2.0.192.in-addr.arpa.", false, OK, NULL },
	{ "a/b/c.example.org.", false, OK, NULL },
	{ "a.b/c.", false, OK, NULL },
	{ "/tmp.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "/.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "tmp/.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "www.tmp/.", false, ERR_INVALID, "'/' must be between" },
	{ "a//b.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "a/-b.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "_/b.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "a/\\.\\./b.example.org.", false, ERR_INVALID, "'/' must be between" },
	{ "/srv/evil.example.org.", true, ERR_INVALID, "'/' must be between" },
};

static void a_domain_has_a_name_that_will_do(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(domain_names); i++) {
		struct name name = name_of(domain_names[i].name);
		struct why why;

		check(domain_names[i].name,
		      rules_domain_name(&name, domain_names[i].is_admin, &why),
		      domain_names[i].want, &why, domain_names[i].words);
	}
}

static struct zone zone_of(const char *name)
{
	return (struct zone){ .is.name = name, .apex = name_of(name) };
}

static const struct {
	const char *zone, *owner;
	uint16_t type;
	enum err want;
	const char *words;
} owners[] = {
	{ "example.org.", "www.example.org.", RR_A, OK, NULL },
	{ "example.org.", "example.org.", RR_MX, OK, NULL },
	{ "example.org.", "a.b.c.example.org.", RR_A, OK, NULL },
	{ "example.org.", "*.example.org.", RR_A, OK, NULL },
	{ "example.org.", "org.", RR_A, ERR_INVALID, "f.name: 'org.' must be inside" },
	{ "example.org.", ".", RR_A, ERR_INVALID, "f.name" },
	{ "example.org.", "badexample.org.", RR_A, ERR_INVALID, "f.name" },
	{ "example.org.", "example.org.net.", RR_A, ERR_INVALID, "f.name" },
	{ "example.org.", "example.org.", RR_SOA, ERR_INVALID, "f.type" },
	{ "example.org.", "www.example.org.", RR_SOA, ERR_INVALID, "f.type" },
	{ ".", "www.example.org.", RR_A, OK, NULL },
	{ ".", ".", RR_SOA, ERR_INVALID, "f.type" },
};

static void a_record_stands_in_its_zone(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(owners); i++) {
		struct zone zone = zone_of(owners[i].zone);
		struct change change = { .field = "f", .name = name_of(owners[i].owner),
		                         .owner = owners[i].owner,
		                         .type = owners[i].type };
		struct why why;

		check(owners[i].owner, rules_owner(&zone, &change, &why), owners[i].want,
		      &why, owners[i].words);
	}
}

static const struct {
	const char *name;
	struct outcome sets[SETS_MAX];
	enum err want;
	const char *words;
} outcomes[] = {
	{ "no set at all", { { 0 } }, OK, NULL },
	{ "two types at a name",
	  { { "a.o.", RR_A, 0, 2, "f" }, { "a.o.", RR_MX, 1, 1, NULL } }, OK, NULL },
	{ "a CNAME alone", { { "a.o.", RR_CNAME, 0, 1, "f" } }, OK, NULL },
	{ "a CNAME beside another type",
	  { { "a.o.", RR_A, 1, 1, NULL }, { "a.o.", RR_CNAME, 0, 1, "f" } },
	  ERR_INVALID,
	  "f: 'a.o.' cannot have both CNAME and A records" },
	{ "another type beside a CNAME",
	  { { "a.o.", RR_CNAME, 1, 1, NULL }, { "a.o.", RR_AAAA, 0, 1, "f" } },
	  ERR_INVALID,
	  "f: 'a.o.' cannot have both CNAME and AAAA records" },
	{ "a CNAME in place of another type",
	  { { "a.o.", RR_A, 2, 0, "f" }, { "a.o.", RR_CNAME, 0, 1, "f" } }, OK, NULL },
	{ "another type in place of a CNAME",
	  { { "a.o.", RR_CNAME, 1, 0, "f" }, { "a.o.", RR_A, 0, 1, "f" } }, OK, NULL },
	{ "a CNAME with what RFC 2181 lets stand beside it",
	  { { "a.o.", RR_CNAME, 0, 1, "f" }, { "a.o.", RR_RRSIG, 1, 1, NULL },
	    { "a.o.", RR_NSEC, 1, 1, NULL }, { "a.o.", RR_KEY, 1, 1, NULL } }, OK, NULL },
	{ "a CNAME beside a DNAME",
	  { { "a.o.", RR_CNAME, 0, 1, "f" }, { "a.o.", RR_DNAME, 1, 1, NULL } },
	  ERR_INVALID, "both CNAME and DNAME" },
	{ "other types at other names",
	  { { "a.o.", RR_CNAME, 0, 1, "f" }, { "b.a.o.", RR_A, 0, 1, "f" },
	    { "b.o.", RR_A, 0, 1, "f" } }, OK, NULL },
	{ "the second name breaks the rule",
	  { { "a.o.", RR_A, 0, 1, "f" }, { "b.o.", RR_A, 0, 1, "g" },
	    { "b.o.", RR_CNAME, 1, 1, NULL } }, ERR_INVALID, "g: 'b.o.' cannot" },
	{ "a CNAME at the apex", { { "o.", RR_CNAME, 0, 1, "f" } },
	  ERR_INVALID, "f: the apex" },
	{ "two CNAMEs at a name", { { "a.o.", RR_CNAME, 1, 2, "f" } },
	  ERR_INVALID, "f: 'a.o.' cannot have more than one CNAME" },
	{ "a DNAME", { { "a.o.", RR_DNAME, 0, 1, "f" } }, OK, NULL },
	{ "a DNAME at the apex, beside its NS",
	  { { "o.", RR_DNAME, 0, 1, "f" }, { "o.", RR_NS, 1, 1, NULL } }, OK, NULL },
	{ "a DS at the apex", { { "o.", RR_DS, 0, 1, "f" } },
	  ERR_INVALID, "f: the apex of a domain cannot have a DS record (RFC 4035 2.4)" },
	{ "a DS at a delegation", { { "a.o.", RR_DS, 0, 1, "f" } }, OK, NULL },
	{ "a DS at the apex from before, and another change",
	  { { "o.", RR_DS, 1, 1, NULL }, { "o.", RR_A, 0, 1, "f" } }, OK, NULL },
	{ "a DNAME beside NS", { { "a.o.", RR_DNAME, 0, 1, "f" },
	                         { "a.o.", RR_NS, 1, 1, NULL } },
	  ERR_INVALID, "f: 'a.o.' cannot have both NS and DNAME" },
	{ "NS beside a DNAME", { { "a.o.", RR_DNAME, 1, 1, NULL },
	                         { "a.o.", RR_NS, 0, 1, "f" } },
	  ERR_INVALID, "(RFC 6672 2.3)" },
	{ "a DNAME in place of NS", { { "a.o.", RR_DNAME, 0, 1, "f" },
	                              { "a.o.", RR_NS, 1, 0, "f" } }, OK, NULL },
	{ "both from before, and another change",
	  { { "a.o.", RR_DNAME, 1, 1, NULL }, { "a.o.", RR_NS, 1, 1, NULL },
	    { "a.o.", RR_A, 0, 1, "f" } }, OK, NULL },
	{ "NSEC3 at a hash", { { HASH ".o.", RR_NSEC3, 0, 1, "f" } }, OK, NULL },
	{ "NSEC3 at another name", { { "foo.o.", RR_NSEC3, 0, 1, "f" } },
	  ERR_INVALID, "f: 'foo.o.' cannot have NSEC3 records, because its first "
	               "label is not a hash in base32hex (RFC 5155 3)" },
	{ "more NSEC3 at another name", { { "foo.o.", RR_NSEC3, 1, 2, "f" } },
	  ERR_INVALID, "(RFC 5155 3)" },
	{ "NSEC3 at another name from before, and another change",
	  { { "foo.o.", RR_NSEC3, 1, 1, NULL }, { "foo.o.", RR_A, 0, 1, "f" } },
	  OK, NULL },
	{ "fewer NSEC3 at another name", { { "foo.o.", RR_NSEC3, 2, 1, "f" } },
	  OK, NULL },
	{ "the last NSEC3 at another name goes", { { "foo.o.", RR_NSEC3, 1, 0, "f" } },
	  OK, NULL },
	{ "two DNAMEs at a name", { { "a.o.", RR_DNAME, 1, 2, "f" } },
	  ERR_INVALID, "f: 'a.o.' cannot have more than one DNAME" },
	{ "the last NS of the apex", { { "o.", RR_NS, 2, 0, "f" } },
	  ERR_INVALID, "f: the domain must keep an NS record" },
	{ "the last but one NS of the apex", { { "o.", RR_NS, 2, 1, "f" } }, OK, NULL },
	{ "an apex without NS, of which nothing was asked",
	  { { "o.", RR_A, 0, 1, "f" }, { "o.", RR_NS, 0, 0, NULL } }, OK, NULL },
	{ "the last NS of a delegation", { { "a.o.", RR_NS, 2, 0, "f" } }, OK, NULL },
};

static void the_outcome_is_a_zone(void **unused)
{
	struct zone zone = zone_of("o.");

	(void)unused;
	for (size_t i = 0; i < COUNT(outcomes); i++) {
		struct arena *arena = arena_new();
		struct rrsets sets;
		struct why why;

		rrsets_init(&sets, arena);
		fill(&sets, outcomes[i].sets);
		check(outcomes[i].name, rules_outcome(&zone, &sets, &why),
		      outcomes[i].want, &why, outcomes[i].words);
		arena_free(&arena);
	}
}

/* What named-checkzone says of an NSEC3 record at this name. */
static const struct {
	const char *name;
	bool want;
} nsec3_owners[] = {
	{ HASH ".o.", true }, { "CO.o.", true }, { "c\\111.o.", true }, { "0.o.", false },
	{ "00.o.", true }, { "000.o.", false }, { "0000.o.", true }, { "00000.o.", true },
	{ "000000.o.", false }, { "0000000.o.", true }, { "00000000.o.", true },
	{ "000000000.o.", false }, { "0000000000.o.", true },
	/* bits after the last octet */
	{ "co.o.", true }, { "cp.o.", false }, { "0008.o.", false }, { "000g.o.", true },
	{ "00001.o.", false }, { "00002.o.", true }, { "0000004.o.", false },
	{ "0000008.o.", true }, { "0000000v.o.", true },
	/* other octets */
	{ "0000000w.o.", false }, { "co======.o.", false }, { "c\\000.o.", false },
	{ "*.o.", false }, { "0/.o.", false }, { "0:.o.", false }, { "0`.o.", false },
	/* only the first label counts, even if it belongs to the apex */
	{ "co.a-b.o.", true }, { "a-b.co.o.", false }, { "o.", false }, { ".", true },
};

static void an_nsec3_record_is_at_a_hash(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(nsec3_owners); i++) {
		struct name name = name_of(nsec3_owners[i].name);

		print_message("  %s\n", nsec3_owners[i].name);
		assert_int_equal(rules_is_nsec3_owner(&name), nsec3_owners[i].want);
	}
}

static const struct {
	const char *name;
	const char *children[CHILDREN_MAX];
	struct outcome sets[SETS_MAX];
	enum err want;
	const char *words;
} families[] = {
	{ "no domain below", { NULL }, { { "w.a.o.", RR_TXT, 0, 1, "f" } }, OK, NULL },
	{ "beside the child", { "a.o." }, { { "b.o.", RR_TXT, 0, 1, "f" } }, OK, NULL },
	{ "above the child", { "b.a.o." }, { { "a.o.", RR_TXT, 0, 1, "f" } }, OK, NULL },
	{ "its delegation", { "a.o." },
	  { { "a.o.", RR_NS, 0, 2, "f" }, { "a.o.", RR_DS, 0, 1, "f" } }, OK, NULL },
	{ "its glue", { "a.o." },
	  { { "ns.a.o.", RR_A, 0, 1, "f" }, { "ns.a.o.", RR_AAAA, 0, 1, "f" },
	    { "a.o.", RR_A, 0, 1, "f" } }, OK, NULL },
	{ "more at its name", { "a.o." }, { { "a.o.", RR_TXT, 0, 1, "f" } },
	  ERR_INVALID, "f: 'a.o.' belongs to the domain 'a.o.'" },
	{ "more below its name", { "a.o." }, { { "w.a.o.", RR_MX, 0, 1, "f" } },
	  ERR_INVALID, "f: 'w.a.o.' belongs to the domain 'a.o.'" },
	{ "a delegation below it", { "a.o." }, { { "w.a.o.", RR_NS, 0, 1, "f" } },
	  ERR_INVALID, "'w.a.o.' belongs" },
	{ "a DS below it", { "a.o." }, { { "w.a.o.", RR_DS, 0, 1, "f" } },
	  ERR_INVALID, "'w.a.o.' belongs" },
	{ "what stands there from before", { "a.o." },
	  { { "w.a.o.", RR_TXT, 1, 1, NULL } }, OK, NULL },
	{ "what goes from there", { "a.o." }, { { "w.a.o.", RR_TXT, 1, 0, "f" } },
	  OK, NULL },
	{ "the second of two children", { "b.o.", "a.o." },
	  { { "w.a.o.", RR_TXT, 0, 1, "f" } }, ERR_INVALID, "the domain 'a.o.'" },
	{ "the second of two sets", { "a.o." },
	  { { "b.o.", RR_TXT, 0, 1, "f" }, { "w.a.o.", RR_TXT, 0, 1, "g" } },
	  ERR_INVALID, "g: 'w.a.o.'" },
	{ "a delegation from a domain between", { "a.o.", "w.a.o." },
	  { { "w.a.o.", RR_NS, 0, 1, "f" } }, ERR_INVALID, "the domain 'a.o.'" },
};

static enum err check_family(const char *const *texts, const struct rrsets *sets,
                             struct why *why)
{
	struct name children[CHILDREN_MAX];
	size_t count = 0;

	while (count < CHILDREN_MAX && texts[count]) {
		children[count] = name_of(texts[count]);
		count++;
	}
	return rules_children(sets, children, count, why);
}

static void a_child_has_its_own_records(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(families); i++) {
		struct arena *arena = arena_new();
		struct rrsets sets;
		struct why why;

		rrsets_init(&sets, arena);
		fill(&sets, families[i].sets);
		check(families[i].name, check_family(families[i].children, &sets, &why),
		      families[i].want, &why, families[i].words);
		arena_free(&arena);
	}
}

/* NS and DS at the name of the child, addresses there and below. */
static void of_all_types_four_delegate(void **unused)
{
	(void)unused;
	for (int type = 0; type <= UINT16_MAX; type++) {
		bool is_glue = type == RR_A || type == RR_AAAA;

		assert_int_equal(rules_is_delegation((uint16_t)type, true),
		                 is_glue || type == RR_NS || type == RR_DS);
		assert_int_equal(rules_is_delegation((uint16_t)type, false), is_glue);
	}
}

static const struct {
	size_t was, wanted;
	int64_t max;
	enum err want;
} quotas[] = {
	{ 0, 2, 2, OK }, { 0, 3, 2, ERR_QUOTA }, { 0, 1, 0, ERR_QUOTA }, { 0, 0, 0, OK },
	{ 0, 100000, -1, OK },
	/* a quota that was lowered lets the set stay and shrink, not grow */
	{ 5, 5, 2, OK }, { 5, 4, 2, OK }, { 5, 6, 2, ERR_QUOTA },
	{ 0, 5, INT64_MAX, OK }, { 0, SIZE_MAX, INT64_MAX, ERR_QUOTA },
};

static void a_set_keeps_to_its_quota(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(quotas); i++) {
		struct outcome outcome[SETS_MAX] = {
			{ "a.o.", RR_A, 1, 1, "e" },
			{ "b.o.", RR_A, quotas[i].was, quotas[i].wanted, "f" },
		};
		struct arena *arena = arena_new();
		struct rrsets sets;
		struct why why;

		rrsets_init(&sets, arena);
		fill(&sets, outcome);
		check("quota", rules_quota_records(&sets, quotas[i].max, &why),
		      quotas[i].want, &why, "f: a record set of 'b.o.' would have");
		arena_free(&arena);
	}
}

static const struct {
	size_t was, wanted;		/* records with 1000 octets */
	const char *field;
	enum err want;
} sizes[] = {
	{ 0, 64, "f", OK }, { 0, 65, "f", ERR_INVALID }, { 64, 65, "f", ERR_INVALID },
	{ 0, 0, "f", OK }, { 70, 70, "f", OK }, { 70, 69, "f", OK },
	{ 70, 71, "f", ERR_INVALID }, { 70, 70, NULL, OK },
};

static void a_set_fits_into_a_message(void **unused)
{
	enum { MOST = 80, OCTETS = 1000 - 12 };
	static const uint8_t octets[OCTETS];
	struct record was[MOST];
	struct rdata wanted[MOST];

	(void)unused;
	for (size_t i = 0; i < MOST; i++) {
		was[i] = (struct record){ .rdata = octets, .rdata_len = OCTETS };
		wanted[i] = (struct rdata){ .rdata = octets, .len = OCTETS };
	}
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct outcome outcome[SETS_MAX] = {
			{ "b.o.", RR_TXT, sizes[i].was, sizes[i].wanted, sizes[i].field },
		};
		struct arena *arena = arena_new();
		struct rrsets sets;
		struct why why;

		rrsets_init(&sets, arena);
		fill(&sets, outcome);
		sets.items[0]->was = was;
		sets.items[0]->wanted = wanted;
		check("size", rules_sizes(&sets, &why), sizes[i].want, &why,
		      "f: the records of one type at 'b.o.' must fit into one DNS "
		      "message");
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_domain_has_a_name_that_will_do),
		cmocka_unit_test(a_record_stands_in_its_zone),
		cmocka_unit_test(the_outcome_is_a_zone),
		cmocka_unit_test(an_nsec3_record_is_at_a_hash),
		cmocka_unit_test(a_child_has_its_own_records),
		cmocka_unit_test(of_all_types_four_delegate),
		cmocka_unit_test(a_set_keeps_to_its_quota),
		cmocka_unit_test(a_set_fits_into_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
