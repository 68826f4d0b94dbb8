#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/keyring.h"
#include "../dns/records.h"

static void keyrings_are_read(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *fault;
	} cases[] = {
		{ NULL, 0, NULL },
		{ "", 0, NULL },
		{ "k. hmac-sha256 aGlkZGVu", 1, NULL },
		{ " \n\tK.  hmac-sha1\taGlkZGVu ;b. hmac-sha512 aGlkZGVu\n\n", 2, NULL },
		{ "k. hmac-sha256", 0, "NAME ALGORITHM SECRET" },
		{ "k. hmac-sha256 aGlkZGVu more", 0, "NAME ALGORITHM SECRET" },
		{ "k. hmac-md5 aGlkZGVu", 0, "hmac-md5" },
		{ "k. hmac-sha256 c2VjcmV", 0, "base64" },
		{ "k hmac-sha256 aGlkZGVu", 0, "name" },
	};
	struct keyring keyring = { .keys = NULL };
	struct name name = name_of("k.");
	struct why why;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum err err = keyring_parse(&keyring, cases[i].text, &why);

		assert_int_equal(err, cases[i].fault ? ERR_INVALID : OK);
		if (err) {
			assert_non_null(strstr(why.text, cases[i].fault));
			assert_null(strstr(why.text, "aGlk"));
			assert_int_equal(keyring.count, 2);	/* as it was */
			continue;
		}
		assert_int_equal(keyring.count, cases[i].count);
		assert_int_equal(!keyring_find(&keyring, &name), !cases[i].count);
	}
	keyring_clear(&keyring);
}

static struct known_key known_key_of(int number)
{
	struct known_key known = { .domain = "" };
	char text[32];

	snprintf(text, sizeof(text), "k%d.", number);
	known.key.name = name_of(text);
	known.key.secret_len = number;
	return known;
}

static void each_of_many_keys_is_found(void **state)
{
	enum { KEYS = 100 };
	struct keyring keyring = { .keys = NULL }, taken = { .keys = NULL };

	(void)state;
	for (int i = KEYS; i-- > 0; ) {
		struct known_key known = known_key_of(i);

		keyring_add(&keyring, &known);
	}
	keyring_sort(&keyring);
	keyring_replace(&taken, &keyring);
	assert_null(keyring.keys);
	for (int i = 0; i <= KEYS; i++) {
		struct name name = known_key_of(i).key.name;
		const struct known_key *known = keyring_find(&taken, &name);

		assert_int_equal(!known, i == KEYS);
		if (known)
			assert_int_equal(known->key.secret_len, i);
	}
	keyring_clear(&taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keyrings_are_read),
		cmocka_unit_test(each_of_many_keys_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
