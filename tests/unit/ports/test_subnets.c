#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/subnets.h"

enum { MANY = 64, ROUNDS = 500 };

static struct prefix cidr_of(const char *text)
{
	struct prefix cidr;
	struct why why;

	assert_int_equal(cidr_parse_strict(text, &cidr, &why), OK);
	return cidr;
}

/* ---- what is a cidr ---- */

static const struct {
	const char *text, *want;	/* NULL: none */
} texts[] = {
	{ "10.1.0.0/16",          "10.1.0.0/16"     },
	{ "0.0.0.0/0",            "0.0.0.0/0"       },
	{ "10.1.2.3/32",          "10.1.2.3/32"     },
	{ "10.1.2.128/25",        "10.1.2.128/25"   },
	{ "FD00:0::/64",          "fd00::/64"       },
	{ "fd00::8000:0/97",      "fd00::8000:0/97" },
	{ "::/0",                 "::/0"            },
	{ "fd00::1/128",          "fd00::1/128"     },
	{ "",                     NULL              },
	{ "10.1.0.0",             NULL              },
	{ "10.1.0.0/",            NULL              },
	{ "10.1.0.0/33",          NULL              },
	{ "10.1.0.0/-1",          NULL              },
	{ "10.1.0.0/16/16",       NULL              },
	{ "10.1.0/16",            NULL              },
	{ "fd00::/129",           NULL              },
	{ "::ffff:10.0.0.0/104",  NULL              },
	{ "fe80::%lo/64",         NULL              },
	{ "net/16",               NULL              },
};

static void each_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[CIDR_TEXT];
		struct prefix cidr;
		struct why why;
		enum err err = cidr_parse_strict(texts[i].text, &cidr, &why);

		assert_int_equal(err, texts[i].want ? OK : ERR_INVALID);
		if (err) {
			assert_ptr_equal(strstr(why.text, "cidr: "), why.text);
			continue;
		}
		cidr_format(&cidr, text);
		assert_string_equal(text, texts[i].want);
	}
}

/* A source that we cannot refuse may have them. */
static void bits_of_hosts(void **state)
{
	static const char *const rows[][2] = {
		{ "10.1.2.3/16",   "10.1.0.0/16"   },
		{ "10.1.2.255/25", "10.1.2.128/25" },
		{ "10.1.2.3/0",    "0.0.0.0/0"     },
		{ "fd00::1/64",    "fd00::/64"     },
		{ "fd00::ffff/125", "fd00::fff8/125" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[CIDR_TEXT];
		struct prefix cidr;
		struct why why;

		assert_int_equal(cidr_parse_strict(rows[i][0], &cidr, &why), ERR_INVALID);
		assert_non_null(strstr(why.text, rows[i][1]));
		assert_int_equal(cidr_parse(rows[i][0], &cidr, &why), OK);
		cidr_format(&cidr, text);
		assert_string_equal(text, rows[i][1]);
	}
}

static void overlaps(void **state)
{
	static const struct {
		const char *a, *b;
		bool want;
	} rows[] = {
		{ "10.0.0.0/24", "10.0.0.0/24",   true  },
		{ "10.0.0.0/24", "10.0.0.128/25", true  },
		{ "10.0.0.0/25", "10.0.0.128/25", false },
		{ "10.0.0.0/24", "10.0.1.0/24",   false },
		{ "0.0.0.0/0",   "10.0.1.0/24",   true  },
		{ "0.0.0.0/0",   "fd00::/64",     false },
		{ "::/0",        "fd00::/64",     true  },
		{ "fd00::/64",   "fd00:0:0:1::/64", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct prefix a = cidr_of(rows[i].a), b = cidr_of(rows[i].b);

		assert_int_equal(cidr_overlaps(&a, &b), rows[i].want);
		assert_int_equal(cidr_overlaps(&b, &a), rows[i].want);
	}
}

/* ---- which of them has an address ---- */

/* "10.0.0.0/24+ 10.0.0.0/25-": published or not. */
static size_t parse(const char *text, struct subnet *list)
{
	size_t count = 0;

	while (*text) {
		char one[CIDR_TEXT];
		size_t len = strcspn(text, "+-");

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		list[count++] = (struct subnet){ cidr_of(one), text[len] == '+' };
		text += len + 1;
		text += *text == ' ';
	}
	return count;
}

static const struct {
	const char *subnets, *address;
	bool is_published;		/* "all": if none of them has it, it is */
	bool if_flagged;		/* "flagged": it is not */
} rows[] = {
	{ "",                            "10.0.0.1",   true,  false },
	{ "10.0.0.0/24+",                "10.0.0.1",   true,  true  },
	{ "10.0.0.0/24-",                "10.0.0.1",   false, false },
	{ "10.0.0.0/24-",                "10.0.1.1",   true,  false },
	{ "10.0.0.0/24-",                "fd00::1",    true,  false },
	{ "10.0.0.0/24+ fd00::/64-",     "fd00::1",    false, false },
	{ "10.0.0.0/24+ fd00::/64-",     "10.0.0.1",   true,  true  },
	{ "fd00::/64-",                  "fd00:0:0:1::1", true, false },
	/* of several the narrowest, whatever their order */
	{ "10.0.0.0/24+ 10.0.0.0/25-",   "10.0.0.1",   false, false },
	{ "10.0.0.0/25- 10.0.0.0/24+",   "10.0.0.1",   false, false },
	{ "10.0.0.0/24+ 10.0.0.0/25-",   "10.0.0.129", true,  true  },
	/* of two that are the same the first */
	{ "10.0.0.0/24+ 10.0.0.0/24-",   "10.0.0.1",   true,  true  },
	{ "10.0.0.0/24- 10.0.0.0/24+",   "10.0.0.1",   false, false },
	{ "10.0.0.1/32- 0.0.0.0/0+",     "10.0.0.1",   false, false },
	{ "10.0.0.1/32- 0.0.0.0/0+",     "10.0.0.2",   true,  true  },
};

static void each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct subnet list[8];
		struct subnets subnets = { list, parse(rows[i].subnets, list), false };
		struct address address;

		assert_true(address_parse(rows[i].address, 0, &address));
		assert_int_equal(subnets_publish(&subnets, &address),
		                 rows[i].is_published);
		subnets.hides_others = true;
		assert_int_equal(subnets_publish(&subnets, &address), rows[i].if_flagged);
	}
}

static uint32_t next_random(uint32_t *seed)
{
	return *seed = *seed * 1664525u + 1013904223u;
}

/* Those that do not overlap: by the bits of the address, in whatever order they are. */
static void as_by_its_bits(void **state)
{
	static struct subnet list[MANY];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct subnets subnets = { list, 0, false };
		bool of[MANY] = { false };
		uint8_t last = (uint8_t)(next_random(&seed) >> 24);
		struct address address;
		char text[CIDR_TEXT];

		for (int i = 0; i < MANY; i++) {
			int at = (i * 37 + round) % MANY;	/* once each */

			snprintf(text, sizeof(text), "10.0.0.%d/30", 4 * at);
			of[at] = next_random(&seed) >> 31;
			list[subnets.count++] = (struct subnet){ cidr_of(text), of[at] };
		}
		snprintf(text, sizeof(text), "10.0.0.%d", last);
		assert_true(address_parse(text, 0, &address));
		assert_int_equal(subnets_publish(&subnets, &address), of[last / 4]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_text),
		cmocka_unit_test(bits_of_hosts),
		cmocka_unit_test(overlaps),
		cmocka_unit_test(each_row),
		cmocka_unit_test(as_by_its_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
