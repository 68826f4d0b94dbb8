#include "runtime/rpc_digest.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hex.h"

/* The final zero is included, so that different sequences of texts differ. */
static void digest_add_text(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text) + 1);
}

void rpc_digest(const struct request *req, uint8_t digest[RPC_DIGEST_LEN])
{
	char *args = json_dumps(req->args,
	                        JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	struct buf buf = { 0 };

	digest_add_text(&buf, req->context.tenant);
	buf_u8(&buf, req->context.is_admin | req->context.own_tenant_only << 1);
	digest_add_text(&buf, req->method);
	digest_add_text(&buf, args ? args : "");
	SHA256((const unsigned char *)buf_string(&buf), buf.len, digest);
	buf_clear(&buf);
	free(args);
}

void rpc_stored_id(const struct request *req, char id[ID_LEN + 1])
{
	const char *digit = strchr(HEX_DIGITS, *req->unique_id);

	snprintf(id, ID_LEN + 1, "%s", req->unique_id);
	if (req->is_signed && digit)
		id[0] = (char)('g' + (digit - HEX_DIGITS));
}

void rpc_digest_conflict(struct tx *tx, const struct request *req)
{
	tx_fail(tx, ERR_CONFLICT, "another call has used the message id %.32s, so the "
	        "worker did not run %s: give each call a different id", req->unique_id,
	        req->method);
}
