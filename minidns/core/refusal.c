#include "core/refusal.h"

#include "base/log.h"

/* RFC 8914 4 */
enum {
	OTHER = 0, NOT_READY = 14, PROHIBITED = 18, NOT_AUTHORITATIVE = 20,
	NETWORK_ERROR = 23,
};

static const struct row {
	enum rcode rcode;
	struct extended_error error;
} rows[REFUSAL_COUNT] = {
	[REFUSAL_NOT_OURS] = { RCODE_REFUSED, {
		NOT_AUTHORITATIVE, "this server has no zone that contains the name" } },
	[REFUSAL_NOT_AN_APEX] = { RCODE_NOTAUTH, {
		NOT_AUTHORITATIVE, "the name is not the apex of a zone: request the "
		                   "transfer with the name of the zone" } },
	[REFUSAL_NOT_ALLOWED] = { RCODE_REFUSED, {
		PROHIBITED, "the transfer is not allowed: add the server and its TSIG "
		            "key to the zone's pool, or add the address of the server "
		            "to minidns.allow_transfer" } },
	[REFUSAL_UNREACHABLE] = { RCODE_SERVFAIL, {
		NETWORK_ERROR, "the database does not answer: try again later, or ask "
		               "a different primary" } },
	[REFUSAL_BUSY] = { RCODE_SERVFAIL, {
		NOT_READY, "the primary is too busy: try again later, or ask a "
		           "different primary" } },
	[REFUSAL_NOT_READ] = { RCODE_SERVFAIL, {
		NOT_READY, "the primary has not yet read its servers and keys: try again "
		           "later, or ask a different primary" } },
	[REFUSAL_BROKEN] = { RCODE_SERVFAIL, {
		OTHER, "the primary cannot serve the zone: the log of the primary "
		       "says why" } },
};

enum refusal refusal_of(enum err err)
{
	switch (err) {
	case ERR_NOT_FOUND: return REFUSAL_NOT_OURS;
	case ERR_INVALID: return REFUSAL_BROKEN;
	case ERR_BUSY: return REFUSAL_BUSY;
	default: return REFUSAL_UNREACHABLE;
	}
}

enum rcode refusal_rcode(enum refusal refusal)
{
	bug_if(refusal >= REFUSAL_COUNT);
	return rows[refusal].rcode;
}

const struct extended_error *refusal_error(enum refusal refusal)
{
	bug_if(refusal >= REFUSAL_COUNT);
	return &rows[refusal].error;
}
