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
		NOT_AUTHORITATIVE, "no zone of this server has the name" } },
	[REFUSAL_NOT_AN_APEX] = { RCODE_NOTAUTH, {
		NOT_AUTHORITATIVE, "ask for a transfer by the name of the zone" } },
	[REFUSAL_NOT_ALLOWED] = { RCODE_REFUSED, {
		PROHIBITED, "add the server, with its TSIG key if it has one, to the "
		            "zone's pool, or its address to allow_transfer" } },
	[REFUSAL_UNREACHABLE] = { RCODE_SERVFAIL, {
		NETWORK_ERROR, "the database is away: ask again, or another primary" } },
	[REFUSAL_BUSY] = { RCODE_SERVFAIL, {
		NOT_READY, "the primary is too busy: ask again, or another primary" } },
	[REFUSAL_NOT_READ] = { RCODE_SERVFAIL, {
		NOT_READY, "the primary has not yet read its servers and keys: ask "
		           "again, or another primary" } },
	[REFUSAL_BROKEN] = { RCODE_SERVFAIL, {
		OTHER, "the zone cannot be served: the log of the primary says why" } },
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
