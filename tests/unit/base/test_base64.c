#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/id.h"

/* RFC 4648 10, and the digits that its vectors lack. */
static const struct {
	const char *data, *text;
} vectors[] = {
	{ "",             ""         },
	{ "f",            "Zg=="     },
	{ "fo",           "Zm8="     },
	{ "foo",          "Zm9v"     },
	{ "foob",         "Zm9vYg==" },
	{ "fooba",        "Zm9vYmE=" },
	{ "foobar",       "Zm9vYmFy" },
	{ "\xff\xff\xff", "////"     },
	{ "\xfb\xef\xbe", "++++"     },
};

static void test_vectors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		size_t len = strlen(vectors[i].data);
		uint8_t data[16];
		char text[16];

		assert_int_equal(base64_encode((const uint8_t *)vectors[i].data, len,
		                               text), strlen(vectors[i].text));
		assert_string_equal(text, vectors[i].text);
		assert_int_equal(base64_decode(text, data, len), len);
		assert_memory_equal(data, vectors[i].data, len);
	}
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"Z", "Zg", "Zg=", "Zm9", "Zm9vY", "Zm9vYg", "Zm9vYg=",	/* cut off */
		"=", "==", "===", "====", "Z===", "Zm9v=", "Zm9v==", "Zm9v====",
		"=Zg=", "Z=g=", "Zg=v", "Zg==Zg==", "Zm8=Zm9v",	/* padding in the midst */
		"Zh==", "Zv==", "Zm9=", "Zm+=",			/* bits left over */
		" Zg==", "Zg== ", "Zg==\n", "Zm9v\n", "Zm 9v", "Zm9\tYmFy", "\nZg=",
		"Zm9-", "Zm9_", "Zm9.", "Zm9,", "Zm9\x80", "Zm9\xff", "Zm9@", "Zm9[",
		"Zm9`", "Zm9{", "Zm9:",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		uint8_t data[16];

		assert_int_equal(base64_decode(texts[i], data, sizeof data), -1);
	}
}

/* What does not fit is refused, and nothing is written behind SIZE. */
static void test_size(void **state)
{
	uint8_t data[8];

	(void)state;
	for (size_t size = 0; size < 6; size++) {
		memset(data, 0xaa, sizeof data);
		assert_int_equal(base64_decode("Zm9vYmFy", data, size), -1);
		assert_int_equal(data[size], 0xaa);
	}
	assert_int_equal(base64_decode("Zm9vYmFy", data, 6), 6);
	assert_int_equal(base64_decode("Zm9vYmE=", data, 5), 5);
	assert_int_equal(base64_decode("Zm9vYmE=", data, 4), -1);
	assert_int_equal(base64_decode("", data, 0), 0);
}

/* An alphabet has its own two digits and not those of the other; all else is the same. */
static void test_url(void **state)
{
	static const char *const refused[] = {
		"++++", "////", "-/_+", "Zm9vYg", "Zh==", "Zm9v\n", "=Zg=",
	};
	uint8_t data[16];

	(void)state;
	assert_int_equal(base64_decode_url("-_-_", data, 3), 3);
	assert_memory_equal(data, "\xfb\xff\xbf", 3);
	assert_int_equal(base64_decode_url("-_8=", data, 2), 2);
	assert_memory_equal(data, "\xfb\xff", 2);
	assert_int_equal(base64_decode_url("Zm9vYmFy", data, 6), 6);
	assert_memory_equal(data, "foobar", 6);
	assert_int_equal(base64_decode_url("Zm9vYmFy", data, 5), -1);
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_int_equal(base64_decode_url(refused[i], data, sizeof data), -1);
}

static void test_there_and_back(void **state)
{
	enum { LEN = 200 };
	uint8_t data[LEN], again[LEN];
	char text[BASE64_LEN(LEN) + 1];

	(void)state;
	for (size_t len = 0; len <= LEN; len++) {
		random_fill(data, len);
		assert_int_equal(base64_encode(data, len, text), BASE64_LEN(len));
		assert_int_equal(strlen(text), BASE64_LEN(len));
		assert_int_equal(base64_decode(text, again, len), len);
		assert_memory_equal(again, data, len);
	}
}

/* Octets have one text: whatever is read is written in the same way. */
static void test_one_text(void **state)
{
	static const char alphabet[] = "AQgwZm9v+/==";
	char text[5] = "", back[9];
	uint8_t data[3];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		for (int at = 0; at < 4; at++)
			text[at] = alphabet[random_u32() % (sizeof alphabet - 1)];

		ssize_t len = base64_decode(text, data, sizeof data);

		if (len < 0)
			continue;
		base64_encode(data, (size_t)len, back);
		assert_string_equal(back, text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_url),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
