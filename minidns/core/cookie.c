#include "core/cookie.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum {
	/* offsets in the option's data */
	VERSION_AT = 8, TIME_AT = 12, HASH_AT = 16,
	VERSION = 1,
	MIN_WITH_SERVER = COOKIE_CLIENT_LEN + 8,
	/* RFC 9018 4.3, in seconds */
	MAX_AGE = 3600, MAX_AHEAD = 300, RENEWAL_AGE = 1800,
	SECRET_DIGITS = 2 * SIPHASH_KEY_LEN,
};

/* ---- secrets ---- */

static bool cookie_is_set(const char *text)
{
	return text && *text;
}

static bool cookie_parse_key(const char *text, struct siphash_key *key)
{
	if (strlen(text) != SECRET_DIGITS ||
	    strspn(text, "0123456789abcdefABCDEF") != SECRET_DIGITS)
		return false;
	for (int i = 0; i < SIPHASH_KEY_LEN; i++)
		sscanf(text + 2 * i, "%2hhx", &key->octets[i]);
	return true;
}

enum err cookie_secrets_parse(const struct cookie_texts *texts,
                              const struct siphash_key *unset,
                              struct cookie_secrets *secrets, struct why *why)
{
	struct cookie_secrets got = { .key = { *unset }, .count = 1 };

	if (cookie_is_set(texts->current) &&
	    !cookie_parse_key(texts->current, &got.key[0]))
		return fail(why, ERR_INVALID,
		            "minidns.cookie_secret: must be 32 hexadecimal digits");
	if (cookie_is_set(texts->other)) {
		if (!cookie_is_set(texts->current))
			return fail(why, ERR_INVALID, "minidns.cookie_secret_other: "
			            "requires minidns.cookie_secret, which is not set");
		if (!cookie_parse_key(texts->other, &got.key[got.count++]))
			return fail(why, ERR_INVALID,
			            "minidns.cookie_secret_other: must be 32 hexadecimal "
			            "digits");
	}
	*secrets = got;
	return OK;
}

/* ---- check ---- */

/*
 * The hash of the client cookie, the version, the reserved octets, the time and the
 * address.
 */
static uint64_t cookie_hash(const struct siphash_key *key, const uint8_t *data,
                            const struct address *client)
{
	uint8_t text[HASH_AT + sizeof(client->octets)];
	size_t len = client->bits / 8;

	memcpy(text, data, HASH_AT);
	memcpy(text + HASH_AT, client->octets, len);
	return siphash(key, text, HASH_AT + len);
}

/* The index of the secret that made the server cookie; `count`: no secret made it. */
static size_t cookie_maker(const struct cookie_secrets *secrets,
                           const struct cookie_request *request)
{
	const uint8_t *data = request->option;
	uint64_t hash;
	size_t i = 0;

	/* the comparison of two numbers takes constant time */
	memcpy(&hash, data + HASH_AT, sizeof(hash));
	hash = le64toh(hash);
	while (i < secrets->count &&
	       cookie_hash(&secrets->key[i], data, request->client) != hash)
		i++;
	return i;
}

/* Age in seconds, negative for a time in the future, in serial arithmetic (RFC 1982). */
static int32_t cookie_age(const struct cookie_request *request)
{
	uint32_t time;

	memcpy(&time, request->option + TIME_AT, sizeof(time));
	return (int32_t)(request->now - be32toh(time));
}

const char *cookie_result_name(enum cookie_result result)
{
	static const char *const names[COOKIE_RESULTS] = {
		[COOKIE_MALFORMED] = "malformed",
		[COOKIE_CLIENT_ONLY] = "client_only",
		[COOKIE_BAD] = "bad",
		[COOKIE_VALID] = "valid",
	};

	bug_if(result >= COOKIE_RESULTS);
	return names[result];
}

bool cookie_len_is_good(size_t len)
{
	return len == COOKIE_CLIENT_LEN ||
	       (len >= MIN_WITH_SERVER && len <= COOKIE_MAX_LEN);
}

static enum cookie_result cookie_check_option(const struct cookie_secrets *secrets,
                                              const struct cookie_request *request,
                                              bool *fresh)
{
	size_t maker;
	int32_t age;

	*fresh = true;
	if (!cookie_len_is_good(request->len))
		return COOKIE_MALFORMED;
	if (request->len == COOKIE_CLIENT_LEN)
		return COOKIE_CLIENT_ONLY;
	if (request->len != COOKIE_LEN || request->option[VERSION_AT] != VERSION)
		return COOKIE_BAD;
	age = cookie_age(request);
	if (age > MAX_AGE || age < -MAX_AHEAD)
		return COOKIE_BAD;
	maker = cookie_maker(secrets, request);
	if (maker == secrets->count)
		return COOKIE_BAD;
	*fresh = maker > 0 || age > RENEWAL_AGE;
	return COOKIE_VALID;
}

static void cookie_make(const struct cookie_secrets *secrets,
                        const struct cookie_request *request, uint8_t answer[COOKIE_LEN])
{
	uint32_t time = htobe32(request->now);
	uint64_t hash;

	memcpy(answer, request->option, COOKIE_CLIENT_LEN);
	answer[VERSION_AT] = VERSION;
	memcpy(answer + TIME_AT, &time, sizeof(time));
	hash = htole64(cookie_hash(&secrets->key[0], answer, request->client));
	memcpy(answer + HASH_AT, &hash, sizeof(hash));
}

struct cookie cookie_check(const struct cookie_secrets *secrets,
                           const struct cookie_request *request)
{
	struct cookie cookie = { 0 };

	bug_if(!secrets->count);
	cookie.result = cookie_check_option(secrets, request, &cookie.fresh);
	if (cookie.result == COOKIE_MALFORMED)
		cookie.fresh = false;
	else if (cookie.fresh)
		cookie_make(secrets, request, cookie.answer);
	else
		memcpy(cookie.answer, request->option, COOKIE_LEN);
	return cookie;
}
