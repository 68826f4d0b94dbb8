/*
 * rpc_digest -- distinguishes a repeated message from a different call that has the same
 * message id.
 *
 * The sender of a message chooses the id of the message. So a program that stores answers
 * by `_unique_id` also stores the digest of the call. If a call has the id of a stored
 * answer, the program repeats the stored answer only if the tenant, rights, method and
 * arguments of the call are the same.
 *
 * An account that reads a signed call could send another call with the same id, to make
 * the signed call fail. So the program stores the answer to a signed call under an id
 * that no other account can choose.
 */
#pragma once

#include <stdint.h>

#include "base/id.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"

enum { RPC_DIGEST_LEN = 32 };

/*
 * Computes the SHA-256 digest of the tenant, rights, method and arguments of a call. The
 * order of keys and the white space of the JSON have no effect.
 */
void rpc_digest(const struct request *req, uint8_t digest[RPC_DIGEST_LEN]);
/*
 * Writes the id under which the program stores the answer. For a signed call, the first
 * character of the id is a letter from g to v instead of a hexadecimal digit.
 */
void rpc_stored_id(const struct request *req, char id[ID_LEN + 1]);
/*
 * Makes TX fail with ERR_CONFLICT. Call this function if a different call has used the
 * message id.
 */
void rpc_digest_conflict(struct tx *tx, const struct request *req);
