/*
 * fnv -- FNV-1a, a fast hash of 64 bits.
 *
 * An attacker who chooses the octets can find two strings with the same hash. So use
 * FNV-1a only where a collision does little harm.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(14695981039346656037)

/*
 * Returns the hash of the preceding octets and these octets. HASH is the hash of the
 * preceding octets, or FNV_START.
 */
static inline uint64_t fnv_add(uint64_t hash, const void *octets, size_t len)
{
	const uint8_t *octet = octets;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ octet[i]) * UINT64_C(1099511628211);
	return hash;
}
