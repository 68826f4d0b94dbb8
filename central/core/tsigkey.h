/*
 * tsigkey -- checks TSIG keys (RFC 8945). A reason never contains the secret, because
 * reasons appear in the log.
 */
#pragma once

#include "model/name.h"

enum {
	TSIGKEY_OCTETS_MIN = 16, TSIGKEY_OCTETS_MAX = 128,	/* octets of a secret */
	TSIGKEY_HASH_MAX = 64,
};

#define TSIGKEY_ALGORITHM "hmac-sha256"	/* the default algorithm */

/*
 * Returns the length of the hash of ALGORITHM in octets. 0: the algorithm is not allowed.
 */
size_t tsigkey_hash_octets(const char *algorithm);

/*
 * Each function checks one value of a key, and returns OK or ERR_INVALID. The reasons
 * begin with "name", "algorithm" or "secret".
 */
enum err tsigkey_check_name(const struct name *name, struct why *why);
enum err tsigkey_check_algorithm(const char *algorithm, struct why *why);
enum err tsigkey_check_secret(const char *secret, struct why *why);
