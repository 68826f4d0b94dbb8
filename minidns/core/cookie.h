/*
 * cookie -- makes and checks DNS cookies on the server side (RFC 7873; RFC 9018 for the
 * content of a server cookie). If a client sends a cookie that mini-DNS gave to the
 * client's address, the address is not forged. So the limits for unknown clients do not
 * apply to this client. mini-DNS stores no state for a client: a cookie contains a time
 * and a hash. The hash covers the time, the client's cookie and the client's address.
 * The key of the hash is a secret. Processes with the same secret accept each other's
 * cookies. If a query contains two COOKIE options, mini-DNS uses the first COOKIE option
 * (RFC 7873 5.2).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/siphash.h"
#include "dns/address.h"

enum {
	COOKIE_OPTION = 10,		/* the option's code in an OPT record */
	COOKIE_CLIENT_LEN = 8,
	COOKIE_LEN = 24,		/* length of the option's data in an answer */
	COOKIE_MAX_LEN = 40,		/* largest length of the data in a query */
};

/* ---- secrets ---- */

/*
 * mini-DNS makes new cookies with the first secret, and accepts cookies made with either
 * secret. So a fleet can change its secret without refusing a valid cookie (RFC 9018 5).
 * First set the new secret as cookie_secret_other on all machines. Then swap the two
 * secrets on all machines. An hour later, remove the old secret.
 */
struct cookie_secrets {
	struct siphash_key key[2];
	size_t count;			/* number of secrets: 1 or 2 */
};

/* The secrets in the configuration: 32 hexadecimal digits each; NULL or "": not set. */
struct cookie_texts {
	const char *current, *other;
};

/*
 * Reads the secrets from TEXTS. If neither text is set, the only secret is UNSET. Make
 * UNSET from random octets once, before the fork, because all processes of the program
 * answer the same clients. ERR_INVALID: a text is not 32 hexadecimal digits, or only the
 * other secret is set. The reason does not quote the text.
 */
enum err cookie_secrets_parse(const struct cookie_texts *texts,
                              const struct siphash_key *unset,
                              struct cookie_secrets *secrets, struct why *why);

/* ---- check ---- */

/*
 * The data of the COOKIE option in an answer, with the offset and length of each part:
 *
 *	 0	8	client cookie
 *	 8	1	version: 1
 *	 9	3	reserved: zero in an answer, any value in a query
 *	12	4	unix time, in network order
 *	16	8	SipHash of octets 0 to 15 and of the address (4 or 16 octets)
 */
enum cookie_result {
	/* the length of the data is neither 8 nor 16 to 40: FORMERR (RFC 7873 5.2.2) */
	COOKIE_MALFORMED,
	COOKIE_CLIENT_ONLY,	/* the data contains no server cookie (RFC 7873 5.2.3) */
	/*
	 * mini-DNS did not make the cookie, or the cookie has expired. Such a cookie does
	 * not prove the address of the client.
	 */
	COOKIE_BAD,
	COOKIE_VALID,
	COOKIE_RESULTS
};

/* True: the data of the option may have LEN octets: 8, or 16 to 40 (RFC 7873 5.2). */
bool cookie_len_is_good(size_t len);

const char *cookie_result_name(enum cookie_result result);	/* "client_only" */

struct cookie_request {
	const uint8_t *option;		/* the option's data, of any length */
	size_t len;
	/* address of the client; the port does not matter */
	const struct address *client;
	uint32_t now;			/* unix time in seconds, modulo 2^32 */
};

struct cookie {
	enum cookie_result result;
	/*
	 * True: the answer contains a new server cookie. A cookie is valid for an hour.
	 * mini-DNS replaces a cookie that is not valid, that is older than half an hour
	 * (RFC 9018 4.3), or that a process made with the other secret. False: the answer
	 * repeats the client's cookie, or the result is COOKIE_MALFORMED.
	 */
	bool fresh;
	/* data of the option in the answer; COOKIE_MALFORMED: zeroes */
	uint8_t answer[COOKIE_LEN];
};

struct cookie cookie_check(const struct cookie_secrets *secrets,
                           const struct cookie_request *request);
