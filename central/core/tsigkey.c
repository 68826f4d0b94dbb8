#include "core/tsigkey.h"

#include <string.h>
#include <sys/types.h>

#include "base/base64.h"

/* RFC 8945 6, without MD5 and truncated hashes. The table has the same CHECK. */
static const struct {
	const char *name;
	size_t octets;
} algorithms[] = {
	{ "hmac-sha1",   20 },
	{ "hmac-sha224", 28 },
	{ "hmac-sha256", 32 },
	{ "hmac-sha384", 48 },
	{ "hmac-sha512", 64 },
};

size_t tsigkey_hash_octets(const char *algorithm)
{
	for (size_t i = 0; i < sizeof algorithms / sizeof algorithms[0]; i++)
		if (!strcmp(algorithms[i].name, algorithm))
			return algorithms[i].octets;
	return 0;
}

enum err tsigkey_check_name(const struct name *name, struct why *why)
{
	if (name->len == 1)
		return fail(why, ERR_INVALID, "name: must not be the root, '.'");
	if (name->wire[0] == 1 && name->wire[1] == '*')
		return fail(why, ERR_INVALID, "name: must not begin with the "
		            "label '*'");
	return OK;
}

enum err tsigkey_check_algorithm(const char *algorithm, struct why *why)
{
	if (tsigkey_hash_octets(algorithm))
		return OK;
	return fail(why, ERR_INVALID, "algorithm: must be hmac-sha1, hmac-sha224, "
	            "hmac-sha256, hmac-sha384 or hmac-sha512, not '%s'",
	            err_quote(algorithm, (char[33]){ 0 }, 33));
}

enum err tsigkey_check_secret(const char *secret, struct why *why)
{
	uint8_t octets[TSIGKEY_OCTETS_MAX];
	ssize_t len = base64_decode(secret, octets, sizeof octets);

	explicit_bzero(octets, sizeof octets);
	if (len >= TSIGKEY_OCTETS_MIN)
		return OK;
	return fail(why, ERR_INVALID,
	            "secret: must be the base64 form of %d to %d octets, without white "
	            "space",
	            TSIGKEY_OCTETS_MIN, TSIGKEY_OCTETS_MAX);
}
