/*
 * tsigkey -- which TSIG keys there may be (RFC 8945). Pure. What is refused
 * is told without a word of the secret: reasons are logged.
 */
#pragma once

#include "model/name.h"

enum {
	TSIGKEY_OCTETS_MIN = 16, TSIGKEY_OCTETS_MAX = 128,	/* of a secret */
	TSIGKEY_HASH_MAX = 64,
};

#define TSIGKEY_ALGORITHM "hmac-sha256"	/* of a key that names none */

/* How many octets the hash of the algorithm has. 0: none of those that may be. */
size_t tsigkey_hash_octets(const char *algorithm);

/* All ERR_INVALID; the reasons begin with "name", "algorithm" and "secret". */
enum err tsigkey_check_name(const struct name *name, struct why *why);
enum err tsigkey_check_algorithm(const char *algorithm, struct why *why);
enum err tsigkey_check_secret(const char *secret, struct why *why);
