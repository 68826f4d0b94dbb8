#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/fnv.h"

/* From the authors' test vectors of FNV-1a with 64 bits. */
static const struct {
	const char *text;
	uint64_t hash;
} vectors[] = {
	{ "",       UINT64_C(0xcbf29ce484222325) },
	{ "a",      UINT64_C(0xaf63dc4c8601ec8c) },
	{ "foobar", UINT64_C(0x85944171f73967e8) },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		const char *text = vectors[i].text;

		assert_true(fnv_add(FNV_START, text, strlen(text)) == vectors[i].hash);
	}
}

static void test_parts(void **state)
{
	(void)state;
	assert_true(fnv_add(fnv_add(FNV_START, "foo", 3), "bar", 3) ==
	            fnv_add(FNV_START, "foobar", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
