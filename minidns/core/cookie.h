/*
 * cookie -- DNS cookies, the server's side (RFC 7873; RFC 9018 for what is in
 * a server cookie). A client that shows a cookie which we gave to its address
 * is no stranger who writes that address on his packets: what strangers are
 * limited in need not concern it. No state is kept: a cookie is its time and
 * a hash of that time, the client's cookie and address under a secret. All
 * instances that have the same secret take each other's cookies.
 *
 * The COOKIE option's data as answered, where each begins and its octets:
 *
 *	 0	8	client cookie
 *	 8	1	version: 1
 *	 9	3	reserved: zero; in a question whatever was hashed
 *	12	4	unix time, in network order
 *	16	8	SipHash of all before it and the address (4 or 16 octets)
 *
 * Of two COOKIE options in a question the first one counts (RFC 7873 5.2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/siphash.h"
#include "dns/address.h"

enum {
	COOKIE_OPTION = 10,		/* its code in an OPT record */
	COOKIE_CLIENT_LEN = 8,
	COOKIE_LEN = 24,		/* of the option's data in an answer */
	COOKIE_MAX_LEN = 40,		/* of the same in a question */
};

/* ---- secrets ---- */

/*
 * Cookies are made with the first and taken if made with any. So a fleet changes its
 * secret without a cookie refused (RFC 9018 5): the new one is the other of all, then
 * the current one of all with the old one as the other, and an hour later the old goes.
 */
struct cookie_secrets {
	struct siphash_key key[2];
	size_t count;			/* 1 or 2 */
};

/* As configured: 32 hexadecimal digits each; NULL or "": not set. */
struct cookie_texts {
	const char *current, *other;
};

/*
 * UNSET is taken when no text is set: a key of random octets, made once and before the
 * fork, for all processes of an instance answer the same clients. ERR_INVALID: a text of
 * another form, or an other without a current one; the reason does not quote it.
 */
enum err cookie_secrets_parse(const struct cookie_texts *texts,
                              const struct siphash_key *unset,
                              struct cookie_secrets *secrets, struct why *why);

/* ---- check ---- */

enum cookie_result {
	/* neither 8 octets nor 16 to 40: FORMERR (RFC 7873 5.2.2) */
	COOKIE_MALFORMED,
	COOKIE_CLIENT_ONLY,	/* it is new here (5.2.3) */
	COOKIE_BAD,		/* not ours, or not of now: as if it were not there */
	COOKIE_VALID,
	COOKIE_RESULTS
};

/* 8, or 16 to 40 octets (RFC 7873 5.2). */
bool cookie_len_is_good(size_t len);

const char *cookie_result_name(enum cookie_result result);	/* "client_only" */

struct cookie_request {
	const uint8_t *option;		/* its data, of any length */
	size_t len;
	const struct address *client;	/* the port does not matter */
	uint32_t now;			/* unix time, in seconds; may wrap */
};

struct cookie {
	enum cookie_result result;
	/*
	 * The server cookie of the answer is a new one. A valid one is good for an hour
	 * and changed after half of it (RFC 9018 4.3), or if the other secret made it;
	 * else the client gets back its own.
	 */
	bool fresh;
	/* the data of the answer's option; zeroes when malformed */
	uint8_t answer[COOKIE_LEN];
};

struct cookie cookie_check(const struct cookie_secrets *secrets,
                           const struct cookie_request *request);
