/* A COOKIE option from anyone: judged by its length and its hash, and well answered. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/cookie.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct siphash_key unset = { "sixteen octets!" };

/* In front of the option; zeroes where there is less. */
struct front {
	uint32_t now;
	uint8_t is_v6;
	uint8_t octets[16];
};

static struct cookie_secrets secrets_of(const char *current, const char *other)
{
	struct cookie_secrets secrets;
	struct why why;
	enum err err = cookie_secrets_parse(&(struct cookie_texts){ current, other },
	                                    &unset, &secrets, &why);

	assert(!err);
	return secrets;
}

static void must_be_taken_back(const struct cookie_secrets *secrets,
                               const struct cookie_request *request,
                               const struct cookie *cookie)
{
	struct cookie_request again = {
		cookie->answer, COOKIE_LEN, request->client, request->now,
	};
	struct cookie back = cookie_check(secrets, &again);

	assert(!memcmp(cookie->answer, request->option, COOKIE_CLIENT_LEN));
	assert(back.result == COOKIE_VALID && !back.fresh);
	assert(!memcmp(back.answer, cookie->answer, COOKIE_LEN));
}

static void check(const struct cookie_secrets *secrets,
                  const struct cookie_request *request)
{
	struct cookie cookie = cookie_check(secrets, request);
	size_t len = request->len;
	bool good = len == 8 || (len >= 16 && len <= 40);

	assert((cookie.result == COOKIE_MALFORMED) == !good);
	assert((cookie.result == COOKIE_CLIENT_ONLY) == (len == 8));
	if (cookie.result == COOKIE_VALID)
		assert(len == COOKIE_LEN && request->option[8] == 1);
	else
		assert(cookie.fresh == good);
	if (good)
		must_be_taken_back(secrets, request, &cookie);
}

/* As a text of the settings, too: 32 digits are a secret, and nothing else is. */
static void parse(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct cookie_secrets secrets;
	struct why why;
	size_t len;
	bool good;

	memcpy(text, data, size);
	len = strlen(text);
	good = !len || (len == 32 && strspn(text, "0123456789abcdefABCDEF") == 32);
	assert(good == !cookie_secrets_parse(&(struct cookie_texts){ text, NULL },
	                                     &unset, &secrets, &why));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cookie_secrets secrets = secrets_of("445536bcd2513298075a5d379663c962",
	                                           "dd3bdf9344b678b185a6f5cb60fca715");
	struct front front = { 0 };
	size_t len = size < sizeof(front) ? size : sizeof(front);
	struct address client;

	memcpy(&front, data, len);
	client = (struct address){ .bits = front.is_v6 & 1 ? 128 : 32 };
	memcpy(client.octets, front.octets, client.bits / 8);
	check(&secrets, &(struct cookie_request){ data + len, size - len, &client,
	                                          front.now });
	parse(data, size);
	return 0;
}
