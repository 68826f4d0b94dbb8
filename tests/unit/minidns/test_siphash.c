#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <endian.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/siphash.h"

enum { RESULT = 8 };

static void to_octets(uint64_t hash, uint8_t octets[RESULT])
{
	hash = htole64(hash);
	memcpy(octets, &hash, RESULT);
}

/* Key and text are 0, 1, 2...: as in appendix A of the paper, there with 15 octets. */
static struct siphash_key counting_key(void)
{
	struct siphash_key key;

	for (int i = 0; i < SIPHASH_KEY_LEN; i++)
		key.octets[i] = i;
	return key;
}

/* The reference implementation's results for texts of 0 to 63 octets. */
static const char *const vectors[64] = {
	"310e0edd47db6f72", "fd67dc93c539f874", "5a4fa9d909806c0d", "2d7efbd796666785",
	"b7877127e09427cf", "8da699cd64557618", "cee3fe586e46c9cb", "37d1018bf50002ab",
	"6224939a79f5f593", "b0e4a90bdf82009e", "f3b9dd94c5bb5d7a", "a7ad6b22462fb3f4",
	"fbe50e86bc8f1e75", "903d84c02756ea14", "eef27a8e90ca23f7", "e545be4961ca29a1",
	"db9bc2577fcc2a3f", "9447be2cf5e99a69", "9cd38d96f0b3c14b", "bd6179a71dc96dbb",
	"98eea21af25cd6be", "c7673b2eb0cbf2d0", "883ea3e395675393", "c8ce5ccd8c030ca8",
	"94af49f6c650adb8", "eab8858ade92e1bc", "f315bb5bb835d817", "adcf6b0763612e2f",
	"a5c91da7acaa4dde", "716595876650a2a6", "28ef495c53a387ad", "42c341d8fa92d832",
	"ce7cf2722f512771", "e37859f94623f3a7", "381205bb1ab0e012", "ae97a10fd434e015",
	"b4a31508beff4d31", "81396229f0907902", "4d0cf49ee5d4dcca", "5c73336a76d8bf9a",
	"d0a704536ba93e0e", "925958fcd6420cad", "a915c29bc8067318", "952b79f3bc0aa6d4",
	"f21df2e41d4535f9", "87577519048f53a9", "10a56cf5dfcd9adb", "eb75095ccd986cd0",
	"51a9cb9ecba312e6", "96afadfc2ce666c7", "72fe52975a4364ee", "5a1645b276d592a1",
	"b274cb8ebf87870a", "6f9bb4203de7b381", "eaecb2a30b22a87f", "9924a43cc1315724",
	"bd838d3aafbf8db7", "0b1a2a3265d51aea", "135079a3231ce660", "932b2846e4d70666",
	"e1915f5cb1eca46c", "f325965ca16d629f", "575ff28e60381be5", "724506eb4c328a95",
};

static void the_paper_s_vectors_come_out(void **state)
{
	struct siphash_key key = counting_key();
	uint8_t text[64], octets[RESULT];
	char digits[2 * RESULT + 1];

	(void)state;
	for (size_t len = 0; len < 64; len++) {
		to_octets(siphash(&key, text, len), octets);
		for (int i = 0; i < RESULT; i++)
			sprintf(digits + 2 * i, "%02x", octets[i]);
		assert_string_equal(digits, vectors[len]);
		text[len] = len;
	}
	assert_true(siphash(&key, text, 15) == 0xa129ca6149be45e5);
}

static void hash_by_libcrypto(EVP_MAC *mac, const struct siphash_key *key,
                              const uint8_t *text, size_t len, uint8_t octets[RESULT])
{
	size_t size = RESULT;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_size_t("size", &size),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);

	assert_true(EVP_MAC_init(context, key->octets, SIPHASH_KEY_LEN, params));
	assert_true(EVP_MAC_update(context, text, len));
	assert_true(EVP_MAC_final(context, octets, &size, RESULT));
	EVP_MAC_CTX_free(context);
}

static void fill(void *into, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((uint8_t *)into)[i] = rand();
}

/* Beyond 255 octets, too, of which the length takes the lowest eight bits. */
static void libcrypto_says_the_same(void **state)
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
	struct siphash_key key;
	uint8_t text[600], ours[RESULT], theirs[RESULT];

	(void)state;
	srand(1);
	assert_non_null(mac);
	for (size_t len = 0; len < sizeof(text); len++) {
		fill(&key, sizeof(key));
		fill(text, len);
		to_octets(siphash(&key, text, len), ours);
		hash_by_libcrypto(mac, &key, text, len, theirs);
		assert_memory_equal(ours, theirs, RESULT);
	}
	EVP_MAC_free(mac);
}

/* A text may begin anywhere. */
static void alignment_does_not_matter(void **state)
{
	struct siphash_key key = counting_key();
	uint8_t text[48];

	(void)state;
	for (int shift = 0; shift < 8; shift++) {
		memset(text, 0xee, sizeof(text));
		for (int i = 0; i < 15; i++)
			text[shift + i] = i;
		assert_true(siphash(&key, text + shift, 15) == 0xa129ca6149be45e5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_paper_s_vectors_come_out),
		cmocka_unit_test(libcrypto_says_the_same),
		cmocka_unit_test(alignment_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
