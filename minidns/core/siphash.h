/*
 * siphash -- SipHash-2-4 with a result of 64 bits (Aumasson and Bernstein, "SipHash: a
 * fast short-input PRF", 2012). Without the key, the result looks like a random number.
 * zonefleet uses SipHash to make DNS cookies (RFC 9018 4.4), and to hash the keys of
 * tables that clients can fill. libcrypto also contains SipHash. But the setup of a hash
 * in libcrypto takes longer than the hash of a few octets.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY_LEN = 16 };

struct siphash_key {
	uint8_t octets[SIPHASH_KEY_LEN];
};

/* Returns the hash of DATA: the octets of the hash as a little-endian number. */
uint64_t siphash(const struct siphash_key *key, const void *data, size_t len);
