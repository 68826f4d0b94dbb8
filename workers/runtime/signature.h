/*
 * signature -- proof that a message comes from the fleet: an HMAC-SHA256 by a key that
 * only the fleet's programs have, over the topic, the time of sending and the message.
 * Pure: the caller says what time it is.
 *
 *	1:KEY:MILLISECONDS:HEX		with HEX of the HMAC over
 *	1 <LF> TOPIC <LF> KEY <LF> MILLISECONDS <LF> TEXT
 *
 * KEY is the key's id, MILLISECONDS the sender's clock since 1970, TEXT the inner message
 * as it travels (envelope.h), with its unique id, method, arguments and context.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	SIGNATURE_KEYS_MAX = 8,
	SIGNATURE_ID_MAX = 32,
	SIGNATURE_SECRET_MIN = 16,	/* octets */
	SIGNATURE_SECRET_MAX = 64,
	SIGNATURE_SIZE = 160,		/* of the text, with its NUL */
};

struct signature_key {
	char id[SIGNATURE_ID_MAX + 1];
	uint8_t secret[SIGNATURE_SECRET_MAX];
	size_t len;
};

/* All verify, the first signs. */
struct signature_keys {
	struct signature_key key[SIGNATURE_KEYS_MAX];
	size_t count;
};

/*
 * "ID:BASE64", several with blanks or line ends between them; "" has none. The words of
 * ERR_INVALID never quote a secret.
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

enum signature_verdict {
	SIGNATURE_GOOD,
	SIGNATURE_MISSING,
	SIGNATURE_MALFORMED,
	SIGNATURE_UNKNOWN_KEY,
	SIGNATURE_WRONG,	/* another key, topic, time or text was signed */
	SIGNATURE_OLD,
	SIGNATURE_AHEAD,	/* the sender's clock is ahead of ours */
	SIGNATURE_VERDICTS
};

struct signature_time {
	int64_t now_unix_ms;
	int max_age_ms;		/* the limit for the future, too: a clock may be wrong */
};

/* SIGNATURE may be NULL: the message has none. */
enum signature_verdict signature_verify(const struct signature_keys *keys,
                                        const struct signed_text *what,
                                        const char *signature,
                                        const struct signature_time *when);
const char *signature_verdict_name(enum signature_verdict verdict);	/* "unknown_key" */
const char *signature_verdict_words(enum signature_verdict verdict);
