#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail		/* that of base/err.h is meant */

#include <stdlib.h>
#include <string.h>

#include "core/zone.h"
#include "model/presentation.h"
#include "model/rr.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define TEN "aaaaaaaaaa"
#define SIXTY TEN TEN TEN TEN TEN TEN

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert_int_equal(name_parse(text, "name", &name, &why), OK);
	return name;
}

/* ---- the address of who is responsible ---- */

static const struct {
	const char *email;
	const char *name;		/* NULL: refused */
	const char *back;		/* NULL: as it was */
} emails[] = {
	{ "hostmaster@example.org", "hostmaster.example.org.", NULL },
	{ "john.doe@example.org", "john\\.doe.example.org.", NULL },
	{ "a.b.c@example.org", "a\\.b\\.c.example.org.", NULL },
	{ "host+dns@example.org", "host+dns.example.org.", NULL },
	{ "a\\b@example.org", "a\\\\b.example.org.", NULL },
	{ "hostmaster@example.org.", "hostmaster.example.org.",
	  "hostmaster@example.org" },
	{ "Hostmaster@Example.ORG", "hostmaster.example.org.", "hostmaster@example.org" },
	{ "hostmaster@org", "hostmaster.org.", NULL },
	{ SIXTY "aaa@example.org", SIXTY "aaa.example.org.", NULL },
	{ SIXTY "aaaa@example.org", NULL, NULL },
	{ "", NULL, NULL },
	{ "@", NULL, NULL },
	{ "hostmaster", NULL, NULL },
	{ "hostmaster.example.org.", NULL, NULL },
	{ "hostmaster@", NULL, NULL },
	{ "hostmaster@.", NULL, NULL },
	{ "@example.org", NULL, NULL },
	{ "a@b@example.org", NULL, NULL },
	{ "host master@example.org", NULL, NULL },
	{ "host\tmaster@example.org", NULL, NULL },
	{ "h\303\266st@example.org", NULL, NULL },
	{ "hostmaster@exam ple.org", NULL, NULL },
	{ "hostmaster@example..org", NULL, NULL },
	{ "hostmaster@.example.org", NULL, NULL },
	{ "hostmaster@" SIXTY "aaaa.org", NULL, NULL },
	/* names of 255 octets, of 256 and of more */
	{ "aaaaaaaaa@" SIXTY "." SIXTY "." SIXTY "." SIXTY,
	  "aaaaaaaaa." SIXTY "." SIXTY "." SIXTY "." SIXTY ".", NULL },
	{ TEN "@" SIXTY "." SIXTY "." SIXTY "." SIXTY, NULL, NULL },
	{ SIXTY "@" SIXTY "." SIXTY "." SIXTY "." SIXTY, NULL, NULL },
};

static void check_back(const struct name *name, const char *want)
{
	struct arena *arena = arena_new();

	assert_string_equal(email_from_name(name, arena), want);
	arena_free(&arena);
}

static void an_email_is_a_name_and_back(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(emails); i++) {
		struct name name = { .len = 77 }, want;
		struct why why;
		enum err err = email_to_name(emails[i].email, "domain.email", &name,
		                             &why);

		print_message("  %s\n", emails[i].email);
		assert_int_equal(err, emails[i].name ? OK : ERR_INVALID);
		if (err) {
			assert_int_equal(name.len, 77);
			assert_non_null(strstr(why.text, "domain.email: must be"));
			continue;
		}
		want = name_of(emails[i].name);
		assert_true(name_equal(&name, &want));
		check_back(&name, emails[i].back ? emails[i].back : emails[i].email);
	}
}

static const struct {
	const char *name, *want;
} rnames[] = {
	{ "hostmaster.example.org.", "hostmaster@example.org" },
	{ "john\\.doe.example.org.", "john.doe@example.org" },
	{ ".", "." },
	{ "org.", "org." },		/* there is no host behind the @ */
	{ "a\\032b.example.org.", "?@example.org" },
	{ "a\\000b.example.org.", "?@example.org" },
	{ "a\\255b.example.org.", "?@example.org" },
};

static void any_rname_is_shown(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(rnames); i++) {
		struct name name = name_of(rnames[i].name);

		print_message("  %s\n", rnames[i].name);
		check_back(&name, rnames[i].want);
	}
}

/* ---- the SOA ---- */

static struct zone any_zone(void)
{
	return (struct zone){
		.is = { .name = "example.org.", .primary = "ns.example.net.",
		        .email = "john\\.doe.example.org.", .refresh = 3601, .retry = 602,
		        .expire = 86403, .minimum = 304, .state.serial = UINT32_MAX },
		.apex = name_of("example.org."),
		.mname = name_of("ns.example.net."),
		.rname = name_of("john\\.doe.example.org."),
		.soa_ttl = 905,
	};
}

static void the_soa_has_each_field_in_its_place(void **unused)
{
	struct zone zone = any_zone();
	struct buf buf = { 0 };
	struct soa soa;
	struct rr rr;
	size_t at = 0;

	(void)unused;
	zone_append_soa(&buf, &zone, 7);
	assert_true(rr_next(buf.data, buf.len, &at, &rr));
	assert_int_equal(at, buf.len);
	assert_memory_equal(rr.name, zone.apex.wire, zone.apex.len);
	assert_int_equal(rr.type, RR_SOA);
	assert_int_equal(rr.ttl, 905);
	assert_true(soa_parse(rr.rdata, rr.rdata_len, &soa));
	assert_memory_equal(soa.mname, zone.mname.wire, zone.mname.len);
	assert_memory_equal(soa.rname, zone.rname.wire, zone.rname.len);
	assert_int_equal(soa.serial, 7);
	assert_int_equal(soa.refresh, 3601);
	assert_int_equal(soa.retry, 602);
	assert_int_equal(soa.expire, 86403);
	assert_int_equal(soa.minimum, 304);
	buf_clear(&buf);
}

/* Read back by who reads master files, the text is the rdata of the wire. */
static void the_text_of_the_soa_is_its_wire(void **unused)
{
	struct zone zone = any_zone();
	struct arena *arena = arena_new();
	struct buf wire = { 0 }, text = { 0 };
	const uint8_t *rdata;
	struct why why;
	struct rr rr;
	uint16_t len;
	size_t at = 0;

	(void)unused;
	zone_append_soa(&wire, &zone, zone.is.state.serial);
	zone_format_soa(&text, &zone);
	assert_true(rr_next(wire.data, wire.len, &at, &rr));
	assert_int_equal(rdata_parse(RR_SOA, buf_string(&text), "data", arena, &rdata,
	                             &len, &why), OK);
	assert_int_equal(len, rr.rdata_len);
	assert_memory_equal(rdata, rr.rdata, len);
	buf_clear(&wire);
	buf_clear(&text);
	arena_free(&arena);
}

enum soa_field { MNAME, RNAME, REFRESH, RETRY, EXPIRE, MINIMUM, TTL, NOTHING };

static const struct {
	const char *name;
	struct soa_spec spec;		/* its names are filled in from the texts */
	enum soa_field changed;
} specs[] = {
	{ "nothing", { 0 }, NOTHING },
	{ "values without their bits",
	  { .refresh = 1, .retry = 1, .expire = 1, .minimum = 1,
	                                 .ttl = 1 }, NOTHING },
	{ "all as it is",
	  { .mname = "ns.example.net.", .rname = "john\\.doe.example.org.",
	                    .has_refresh = true, .refresh = 3601,
	                    .has_retry = true, .retry = 602,
	                    .has_expire = true, .expire = 86403,
	                    .has_minimum = true, .minimum = 304,
	                    .has_ttl = true, .ttl = 905 }, NOTHING },
	{ "mname", { .mname = "ns2.example.net." }, MNAME },
	{ "rname", { .rname = "jane.example.org." }, RNAME },
	{ "refresh", { .has_refresh = true, .refresh = 1 }, REFRESH },
	{ "retry", { .has_retry = true, .retry = 1 }, RETRY },
	{ "expire", { .has_expire = true, .expire = 1 }, EXPIRE },
	{ "minimum of zero", { .has_minimum = true }, MINIMUM },
	{ "ttl", { .has_ttl = true, .ttl = 1 }, TTL },
	{ "one new among old ones", { .mname = "ns.example.net.", .has_refresh = true,
	                              .refresh = 3601, .has_ttl = true, .ttl = 1 }, TTL },
};

static struct soa_spec fill_names(struct soa_spec spec)
{
	if (spec.mname)
		spec.mname_wire = name_of(spec.mname);
	if (spec.rname)
		spec.rname_wire = name_of(spec.rname);
	return spec;
}

/* FIELD has the new value, all other fields are as before. */
static void check_field(const struct zone *zone, const struct soa_spec *spec,
                        enum soa_field field)
{
	struct zone was = any_zone();
	const struct domain *is = &zone->is;

	assert_string_equal(is->primary, field == MNAME ? spec->mname : was.is.primary);
	assert_true(name_equal(&zone->mname, field == MNAME ? &spec->mname_wire
	                                                    : &was.mname));
	assert_string_equal(is->email, field == RNAME ? spec->rname : was.is.email);
	assert_true(name_equal(&zone->rname, field == RNAME ? &spec->rname_wire
	                                                    : &was.rname));
	assert_int_equal(is->refresh, field == REFRESH ? spec->refresh : was.is.refresh);
	assert_int_equal(is->retry, field == RETRY ? spec->retry : was.is.retry);
	assert_int_equal(is->expire, field == EXPIRE ? spec->expire : was.is.expire);
	assert_int_equal(is->minimum, field == MINIMUM ? spec->minimum : was.is.minimum);
	assert_int_equal(zone->soa_ttl, field == TTL ? spec->ttl : was.soa_ttl);
}

static void a_spec_changes_what_it_names(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(specs); i++) {
		struct soa_spec spec = fill_names(specs[i].spec);
		struct zone zone = any_zone();

		print_message("  %s\n", specs[i].name);
		assert_int_equal(zone_set_soa(&zone, &spec),
		                 specs[i].changed != NOTHING);
		check_field(&zone, &spec, specs[i].changed);
		assert_false(zone_set_soa(&zone, &spec));
	}
}

/* ---- ancestry ---- */

#define LABELS(text) (const uint8_t *)(text), sizeof(text) - 1

static const struct {
	const char *name;
	const uint8_t *want;
	size_t len;
} ancestries[] = {
	{ ".", LABELS("") },
	{ "org.", LABELS("\3org") },
	{ "www.example.org.", LABELS("\3org\7example\3www") },
	{ "a.b.c.", LABELS("\1c\1b\1a") },
	{ "a\\.b.org.", LABELS("\3org\3a.b") },
};

static void ancestry_is_labels_from_the_root_down(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(ancestries); i++) {
		struct name name = name_of(ancestries[i].name);
		uint8_t got[NAME_MAX_WIRE];

		print_message("  %s\n", ancestries[i].name);
		assert_int_equal(zone_ancestry(&name, got), ancestries[i].len);
		if (ancestries[i].len)
			assert_memory_equal(got, ancestries[i].want, ancestries[i].len);
	}
}

static const char *const names[] = {
	".", "org.", "rg.", "example.org.", "xample.org.", "ample.org.",
	"www.example.org.",
	"example.org.net.", "net.", "b.org.", "a\\.b.org.", "a.b.org.", "*.example.org.",
	SIXTY "." SIXTY "." SIXTY "." SIXTY ".aaaaaaaaa.",
	SIXTY "." SIXTY "." SIXTY ".aaaaaaaaa.", "aaaaaaaaa.",
};

static bool is_prefix(const struct name *zone, const struct name *name)
{
	uint8_t a[NAME_MAX_WIRE], b[NAME_MAX_WIRE];
	size_t len = zone_ancestry(zone, a);

	return len <= zone_ancestry(name, b) && !memcmp(a, b, len);
}

/* What the store asks of the index: below a domain are those that begin as it does. */
static void below_is_a_prefix(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < COUNT(names); i++)
		for (size_t j = 0; j < COUNT(names); j++) {
			struct name zone = name_of(names[i]), name = name_of(names[j]);

			assert_int_equal(is_prefix(&zone, &name),
			                 name_is_below(&name, &zone));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_email_is_a_name_and_back),
		cmocka_unit_test(any_rname_is_shown),
		cmocka_unit_test(the_soa_has_each_field_in_its_place),
		cmocka_unit_test(the_text_of_the_soa_is_its_wire),
		cmocka_unit_test(a_spec_changes_what_it_names),
		cmocka_unit_test(ancestry_is_labels_from_the_root_down),
		cmocka_unit_test(below_is_a_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
