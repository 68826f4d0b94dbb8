#include "base/hmac.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"

static const struct {
	const char *name;		/* in libcrypto */
	size_t len;
} hashes[HMAC_HASHES] = {
	[HMAC_SHA1] = { "SHA1", 20 },
	[HMAC_SHA224] = { "SHA224", 28 },
	[HMAC_SHA256] = { "SHA256", 32 },
	[HMAC_SHA384] = { "SHA384", 48 },
	[HMAC_SHA512] = { "SHA512", 64 },
};

size_t hmac_len(enum hmac_hash hash)
{
	return hashes[hash].len;
}

/* Looks each algorithm up once: a lookup costs more than a short message. */
static EVP_MAC_CTX *hmac_context(enum hmac_hash hash)
{
	static EVP_MAC_CTX *contexts[HMAC_HASHES];
	EVP_MAC *algorithm;
	OSSL_PARAM params[2] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
		                                 (char *)hashes[hash].name, 0),
		OSSL_PARAM_construct_end(),
	};

	if (contexts[hash])
		return contexts[hash];
	algorithm = EVP_MAC_fetch(NULL, OSSL_MAC_NAME_HMAC, NULL);
	bug_if(!algorithm);
	contexts[hash] = EVP_MAC_CTX_new(algorithm);
	bug_if(!contexts[hash] || !EVP_MAC_CTX_set_params(contexts[hash], params));
	EVP_MAC_free(algorithm);
	return contexts[hash];
}

static void hmac_finish(EVP_MAC_CTX *context, const struct hmac_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bug_if(!EVP_MAC_update(context, parts[i].data, parts[i].len));
}

void hmac(enum hmac_hash hash, const uint8_t *key, size_t key_len,
          const struct hmac_part *parts, size_t count, uint8_t mac[HMAC_MAX])
{
	EVP_MAC_CTX *context = hmac_context(hash);
	size_t len;

	bug_if(!EVP_MAC_init(context, key, key_len, NULL));
	hmac_finish(context, parts, count);
	bug_if(!EVP_MAC_final(context, mac, &len, HMAC_MAX) || len != hashes[hash].len);
}

/* ---- streams ---- */

struct hmac_stream {
	EVP_MAC_CTX *context;
};

struct hmac_stream *hmac_stream_new(enum hmac_hash hash, const uint8_t *key,
                                    size_t key_len, const struct hmac_part *parts,
                                    size_t count)
{
	struct hmac_stream *stream = xcalloc(1, sizeof(*stream));

	stream->context = EVP_MAC_CTX_dup(hmac_context(hash));
	bug_if(!stream->context || !EVP_MAC_init(stream->context, key, key_len, NULL));
	hmac_finish(stream->context, parts, count);
	return stream;
}

void hmac_stream_add(struct hmac_stream *stream, const struct hmac_part *part)
{
	hmac_finish(stream->context, part, 1);
}

void hmac_stream_end(struct hmac_stream **stream, const struct hmac_part *parts,
                     size_t count, uint8_t mac[HMAC_MAX])
{
	size_t len;

	hmac_finish((*stream)->context, parts, count);
	bug_if(!EVP_MAC_final((*stream)->context, mac, &len, HMAC_MAX));
	hmac_stream_free(stream);
}

void hmac_stream_free(struct hmac_stream **stream)
{
	if (*stream)
		EVP_MAC_CTX_free((*stream)->context);
	free(*stream);
	*stream = NULL;
}
