/*
 * hmac -- computes keyed hashes (RFC 2104) with libcrypto. The caller passes all parts
 * of the message in one call, or one part after the other (a stream).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum hmac_hash {
	HMAC_SHA1,
	HMAC_SHA224,
	HMAC_SHA256,
	HMAC_SHA384,
	HMAC_SHA512,
	HMAC_HASHES
};

enum { HMAC_MAX = 64 };

struct hmac_part {
	const void *data;
	size_t len;
};

size_t hmac_len(enum hmac_hash hash);	/* length of the MAC in octets, 20 to 64 */
/*
 * Writes the MAC of the parts, hmac_len() octets, to MAC. Only one thread may call
 * hmac() and hmac_stream_new().
 */
void hmac(enum hmac_hash hash, const uint8_t *key, size_t key_len,
          const struct hmac_part *parts, size_t count, uint8_t mac[HMAC_MAX]);

/*
 * Computes the MAC of a message that arrives in parts. Several streams may be open at
 * the same time.
 */
struct hmac_stream;
struct hmac_stream *hmac_stream_new(enum hmac_hash hash, const uint8_t *key,
                                    size_t key_len, const struct hmac_part *parts,
                                    size_t count);
void hmac_stream_add(struct hmac_stream *stream, const struct hmac_part *part);
/* Adds the last parts, writes the MAC of the whole message and frees the stream. */
void hmac_stream_end(struct hmac_stream **stream, const struct hmac_part *parts,
                     size_t count, uint8_t mac[HMAC_MAX]);
void hmac_stream_free(struct hmac_stream **stream);
