#define ZLIB_CONST		/* next_in borrows its input */
#include "core/mark_seal.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base64.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/mark.h"

enum {
	TAG = 16,
	GZIP = 16 + MAX_WBITS,		/* zlib: with the header and trailer of gzip */
	GZIP_FRAME = 18,		/* octets of the header and trailer */
	MEM_LEVEL = 8,			/* zlib's default */
};

enum err mark_key_parse(const char *text, const char *field, uint8_t key[MARK_KEY],
                        struct why *why)
{
	uint8_t octets[MARK_KEY];
	bool is_bare = strlen(text) == MARK_KEY;

	if (!is_bare && base64_decode(text, octets, MARK_KEY) != MARK_KEY &&
	    base64_decode_url(text, octets, MARK_KEY) != MARK_KEY)
		return fail(why, ERR_INVALID, "%s: must be a key of %d octets, or the "
		            "base64 form of %d octets without white space",
		            field, MARK_KEY, MARK_KEY);
	memcpy(key, is_bare ? (const void *)text : octets, MARK_KEY);
	explicit_bzero(octets, sizeof(octets));
	return OK;
}

/* ---- gzip ---- */

/* Compresses without a file name and a time. */
static size_t mark_zip(const char *text, size_t len, uint8_t *zipped, size_t size)
{
	z_stream stream = {
		.next_in = (const Bytef *)text, .avail_in = (uInt)len,
		.next_out = zipped, .avail_out = (uInt)size,
	};

	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEM_LEVEL,
	                 Z_DEFAULT_STRATEGY))
		fatal("cannot compress an ownership mark: %s",
		      stream.msg ? stream.msg : "out of memory");
	bug_if(deflate(&stream, Z_FINISH) != Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

/*
 * Decompresses. Stops at the largest allowed size, so that the output cannot grow without
 * limit.
 */
static bool mark_unzip(const uint8_t *zipped, size_t len, struct buf *plain)
{
	uint8_t text[MARK_TEXT_MAX];
	z_stream stream = {
		.next_in = zipped, .avail_in = (uInt)len,
		.next_out = text, .avail_out = sizeof(text),
	};

	if (inflateInit2(&stream, GZIP))
		fatal("cannot decompress an ownership mark: %s",
		      stream.msg ? stream.msg : "out of memory");

	bool is_whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && !stream.avail_in &&
	                !memchr(text, 0, stream.total_out);

	inflateEnd(&stream);
	if (is_whole)
		buf_append(plain, text, stream.total_out);
	return is_whole;
}

/* ---- AES-256-GCM, in place, the tag after DATA ---- */

static EVP_CIPHER_CTX *mark_cipher_new(const uint8_t *key, const uint8_t *nonce,
                                       bool seals)
{
	EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();

	bug_if(!cipher || !EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce,
	                                     seals));
	return cipher;
}

static void mark_encrypt(const uint8_t *key, const uint8_t *nonce, uint8_t *data,
                         size_t len)
{
	EVP_CIPHER_CTX *cipher = mark_cipher_new(key, nonce, true);
	int done;

	bug_if(!EVP_CipherUpdate(cipher, data, &done, data, (int)len));
	bug_if(!EVP_CipherFinal_ex(cipher, data + len, &done));
	bug_if(!EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG, data + len));
	EVP_CIPHER_CTX_free(cipher);
}

static bool mark_decrypt(const uint8_t *key, const uint8_t *nonce, uint8_t *data,
                         size_t len)
{
	EVP_CIPHER_CTX *cipher = mark_cipher_new(key, nonce, false);
	int done;
	bool is_true;

	bug_if(!EVP_CipherUpdate(cipher, data, &done, data, (int)len));
	bug_if(!EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG, data + len));
	is_true = EVP_CipherFinal_ex(cipher, data + len, &done) > 0;
	EVP_CIPHER_CTX_free(cipher);
	return is_true;
}

/* ---- compress, then encrypt ---- */

void mark_seal(const uint8_t key[MARK_KEY], const uint8_t nonce[MARK_NONCE],
               const char *text, struct buf *sealed)
{
	size_t len = strlen(text), room = compressBound(len) + GZIP_FRAME;
	uint8_t *octets = xmalloc(MARK_NONCE + room + TAG);
	size_t zipped = mark_zip(text, len, octets + MARK_NONCE, room);
	size_t filled = MARK_NONCE + zipped + TAG;
	char *base64 = xmalloc(BASE64_LEN(filled) + 1);

	bug_if(filled > INT_MAX);
	memcpy(octets, nonce, MARK_NONCE);
	mark_encrypt(key, nonce, octets + MARK_NONCE, zipped);
	base64_encode(octets, filled, base64);
	buf_text(sealed, base64);
	free(base64);
	free(octets);
}

bool mark_open(const uint8_t key[MARK_KEY], const char *sealed, struct buf *plain,
               uint8_t nonce[MARK_NONCE])
{
	size_t size = strlen(sealed) / 4 * 3;
	uint8_t *octets = xmalloc(size);
	ssize_t filled = base64_decode(sealed, octets, size);
	bool opens = false;

	if (filled > MARK_NONCE + TAG && filled <= INT_MAX) {
		size_t len = (size_t)filled - MARK_NONCE - TAG;
		uint8_t *zipped = octets + MARK_NONCE;

		opens = mark_decrypt(key, octets, zipped, len) &&
		        mark_unzip(zipped, len, plain);
	}
	if (opens)
		memcpy(nonce, octets, MARK_NONCE);
	free(octets);
	return opens;
}

/* The nonce is a MAC of both, so only equal input has an equal nonce. */
void mark_nonce(const uint8_t key[MARK_KEY], const uint8_t *place, size_t len,
                const char *text, uint8_t nonce[MARK_NONCE])
{
	static const char use[] = "nonce of a mark";
	uint8_t mac[EVP_MAX_MD_SIZE];
	struct buf both = { 0 };
	unsigned mac_len;

	buf_append(&both, use, sizeof(use));
	buf_u8(&both, (uint8_t)len);
	buf_append(&both, place, len);
	buf_text(&both, text);
	bug_if(!HMAC(EVP_sha256(), key, MARK_KEY, both.data, both.len, mac, &mac_len));
	memcpy(nonce, mac, MARK_NONCE);
	buf_clear(&both);
}
