/*
 * siphash -- SipHash-2-4 with a result of 64 bits (Aumasson and Bernstein,
 * "SipHash: a fast short-input PRF", 2012): to who does not know the key, a
 * number at random for each text. Cookies are signed with it (RFC 9018 4.4),
 * and tables that strangers fill are hashed with it. libcrypto has it too, but
 * takes longer to set it up than a text of a few octets takes to hash.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY_LEN = 16 };

struct siphash_key {
	uint8_t octets[SIPHASH_KEY_LEN];
};

/* As a number; where its octets are wanted they are those of little endian. */
uint64_t siphash(const struct siphash_key *key, const void *data, size_t len);
