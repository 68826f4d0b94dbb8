#include "core/siphash.h"

#include <endian.h>
#include <string.h>

enum { WORD = 8, ROUNDS = 2, LAST_ROUNDS = 4 };

/* Loads up to 8 octets; missing ones are zero. */
static uint64_t siphash_load(const uint8_t *octets, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, octets, len);
	return le64toh(word);
}

static uint64_t siphash_rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

/* Figure 2.1 of the paper: two equal steps, on swapped pairs. */
static void siphash_mix(uint64_t v[4], int rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = siphash_rotate(v[1], 13) ^ v[0];
		v[3] = siphash_rotate(v[3], 16) ^ v[2];
		v[0] = siphash_rotate(v[0], 32);

		v[2] += v[1];
		v[0] += v[3];
		v[1] = siphash_rotate(v[1], 17) ^ v[2];
		v[3] = siphash_rotate(v[3], 21) ^ v[0];
		v[2] = siphash_rotate(v[2], 32);
	}
}

static void siphash_take(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	siphash_mix(v, ROUNDS);
	v[0] ^= word;
}

uint64_t siphash(const struct siphash_key *key, const void *data, size_t len)
{
	uint64_t k0 = siphash_load(key->octets,
	                           WORD), k1 = siphash_load(key->octets + WORD, WORD);
	/* the constant "somepseudorandomlygeneratedbytes" */
	uint64_t v[4] = {
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	};
	const uint8_t *at = data, *tail = at + len / WORD * WORD;

	for (; at < tail; at += WORD)
		siphash_take(v, siphash_load(at, WORD));
	siphash_take(v, siphash_load(tail, len % WORD) | (uint64_t)len << 56);
	v[2] ^= 0xff;
	siphash_mix(v, LAST_ROUNDS);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
