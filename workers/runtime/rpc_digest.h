/*
 * rpc_digest -- tells a message that comes again from another call with the same message id.
 * A program that keeps its answers by `_unique_id` keeps this digest beside them: an answer
 * is for the tenant, the rights, the method and the arguments that it was given to, for
 * whoever writes a message also chooses its id.
 */
#pragma once

#include <stdint.h>

#include "runtime/rpc.h"
#include "runtime/tx.h"

enum { RPC_DIGEST_LEN = 32 };

/* SHA-256; the order of keys and the blanks of the JSON do not matter. */
void rpc_digest(const struct request *req, uint8_t digest[RPC_DIGEST_LEN]);
/* Fails TX with ERR_CONFLICT: another call has used the message id. */
void rpc_digest_conflict(struct tx *tx, const struct request *req);
