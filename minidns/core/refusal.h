/*
 * refusal -- the reason why a query gets no records: the rcode, and the extended error
 * for a client with EDNS (RFC 8914). The operator of the name server that sent the query
 * reads the text of the error. The text describes what the operator can do, and is the
 * same for all names and tenants.
 *
 * "Network Error" means that mini-DNS cannot reach the database. mini-DNS does not send
 * the error "No Reachable Authority", because this error is only for resolvers. "Not
 * Ready" means that mini-DNS is too busy, or that mini-DNS has not read the servers and
 * keys since its start. "Other" means that mini-DNS cannot serve the rows of a zone: RFC
 * 8914 has no specific code for this case. An answer from memory does not have the error
 * "Stale Answer", because the content of this answer is current: the content is at most
 * one second old, or the process has a lease (cache_lease.h).
 */
#pragma once

#include "base/err.h"
#include "core/query.h"

enum refusal {
	REFUSAL_NOT_OURS,
	/* a transfer of a name that is not the apex of a zone */
	REFUSAL_NOT_AN_APEX,
	REFUSAL_NOT_ALLOWED,
	REFUSAL_UNREACHABLE,
	REFUSAL_BUSY,
	REFUSAL_NOT_READ,		/* mini-DNS has not read the access list yet */
	REFUSAL_BROKEN,
	REFUSAL_COUNT
};

/* Returns the refusal for an error that occurred while reading a zone. */
enum refusal refusal_of(enum err err);
enum rcode refusal_rcode(enum refusal refusal);
const struct extended_error *refusal_error(enum refusal refusal);
