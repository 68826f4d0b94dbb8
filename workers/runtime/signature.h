/*
 * signature -- proves that a program with a key of the fleet or of the agents sent a
 * message. The signature is an HMAC-SHA256 of the topic, the time of sending and the
 * message. The topic of an answer is the name of the reply queue. This module reads no
 * clock: the caller passes the time.
 *
 *	1:KEY:MILLISECONDS:HEX		where HEX is the HMAC of
 *	1 <LF> TOPIC <LF> KEY <LF> MILLISECONDS <LF> TEXT
 *
 * KEY is the id of the key. MILLISECONDS is the time since 1970 by the sender's clock.
 * TEXT is the inner message in its wire form (envelope.h). The inner message of a request
 * contains the unique id, method, arguments and context. The inner message of an answer
 * contains the id of the call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	SIGNATURE_KEYS_MAX = 8,
	SIGNATURE_ID_MAX = 32,
	SIGNATURE_SECRET_MIN = 16,	/* minimum length in octets */
	SIGNATURE_SECRET_MAX = 64,
	SIGNATURE_SIZE = 160,		/* size of a signature with its NUL */
};

struct signature_key {
	char id[SIGNATURE_ID_MAX + 1];
	uint8_t secret[SIGNATURE_SECRET_MAX];
	size_t len;
};

/*
 * A program signs messages with the first key, and accepts signatures with any of the
 * keys.
 */
struct signature_keys {
	struct signature_key key[SIGNATURE_KEYS_MAX];
	size_t count;
};

/*
 * Parses a list of at most SIGNATURE_KEYS_MAX keys "ID:BASE64", separated by white space.
 * ERR_INVALID: a key is malformed, or two keys have the same id. WHY never quotes a
 * secret.
 */
enum err signature_keys_parse(const char *text, struct signature_keys *keys,
                              struct why *why);

struct signed_text {
	const char *topic;
	const void *text;
	size_t len;
};

void signature_make(const struct signature_key *key, const struct signed_text *what,
                    int64_t unix_ms, char signature[SIGNATURE_SIZE]);

enum signature_result {
	SIGNATURE_GOOD,
	SIGNATURE_MISSING,
	SIGNATURE_MALFORMED,
	SIGNATURE_UNKNOWN_KEY,
	/*
	 * the sender signed a different topic, time, key id or text, or used a different
	 * secret
	 */
	SIGNATURE_WRONG,
	SIGNATURE_OLD,
	SIGNATURE_AHEAD,	/* the time of the signature is too far in the future */
	SIGNATURE_RESULTS
};

struct signature_time {
	int64_t now_unix_ms;
	/*
	 * maximum age of a signature; a signature can also be at most this time in the
	 * future
	 */
	int max_age_ms;
};

/*
 * Checks SIGNATURE with the key of KEYS that the signature names. SIGNATURE is NULL if
 * the message has no signature. If WHEN is NULL, the signature may have any time.
 */
enum signature_result signature_verify(const struct signature_keys *keys,
                                       const struct signed_text *what,
                                       const char *signature,
                                       const struct signature_time *when);
/* True: a program with the key made the signature. The signature can have any time. */
bool signature_is_genuine(enum signature_result result);
/* for example "unknown_key" */
const char *signature_result_name(enum signature_result result);
const char *signature_result_words(enum signature_result result);
