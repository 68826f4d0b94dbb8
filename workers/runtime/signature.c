#include "runtime/signature.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/hex.h"
#include "base/hmac.h"
#include "base/log.h"

#define FORMAT "1"
#define PREFIX FORMAT ":"
#define BLANKS " \t\r\n"

enum {
	MAC_LEN = 32,
	HEX_LEN = 2 * MAC_LEN,
	MS_DIGITS_MAX = 15,		/* until the year 33658 */
	WORD_MAX = SIGNATURE_ID_MAX + 1 + BASE64_LEN(SIGNATURE_SECRET_MAX),
};

_Static_assert(sizeof FORMAT + SIGNATURE_ID_MAX + 1 + MS_DIGITS_MAX + 1 + HEX_LEN + 1 <=
               SIGNATURE_SIZE, "the longest signature has room");

/* ---- keys ---- */

/* Letters, digits, and the characters of dates and names. */
static size_t signature_id_len(const char *text)
{
	return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	                    "0123456789._-");
}

static const struct signature_key *signature_find_key(const struct signature_keys *keys,
                                                      const char *id, size_t len)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strlen(keys->key[i].id) == len && !memcmp(keys->key[i].id, id, len))
			return &keys->key[i];
	return NULL;
}

/* WORD is "ID:BASE64". */
static enum err signature_key_parse(const char *word, const struct signature_keys *others,
                                    struct signature_key *key, struct why *why)
{
	size_t len = signature_id_len(word);
	ssize_t octets;

	if (!len || len > SIGNATURE_ID_MAX || word[len] != ':')
		return fail(why, ERR_INVALID, "key %zu must be ID:BASE64, with an ID of "
		            "1 to %d letters, digits, \".\", \"_\" or \"-\"",
		            others->count + 1, SIGNATURE_ID_MAX);
	if (signature_find_key(others, word, len))
		return fail(why, ERR_INVALID, "two keys have the id %.*s: use each id "
		            "once", (int)len, word);
	octets = base64_decode(word + len + 1, key->secret, sizeof key->secret);
	if (octets < SIGNATURE_SECRET_MIN)
		return fail(why, ERR_INVALID, "key %.*s must be %d to %d random octets "
		            "in base64: `openssl rand -base64 32` generates them",
		            (int)len, word,
		            SIGNATURE_SECRET_MIN, SIGNATURE_SECRET_MAX);
	memcpy(key->id, word, len);
	key->id[len] = '\0';
	key->len = (size_t)octets;
	return OK;
}

static enum err signature_keys_add(struct signature_keys *keys, const char *text,
                                   size_t len, struct why *why)
{
	char word[WORD_MAX + 1];
	enum err err;

	if (keys->count == SIGNATURE_KEYS_MAX)
		return fail(why, ERR_INVALID, "must list at most %d keys",
		            SIGNATURE_KEYS_MAX);
	if (len > WORD_MAX)
		return fail(why, ERR_INVALID,
		            "key %zu must have at most %d characters, not %zu",
		            keys->count + 1, WORD_MAX, len);
	memcpy(word, text, len);
	word[len] = '\0';
	err = signature_key_parse(word, keys, &keys->key[keys->count], why);
	explicit_bzero(word, sizeof word);
	keys->count += !err;
	return err;
}

enum err signature_keys_parse(const char *text, struct signature_keys *keys,
                              struct why *why)
{
	struct signature_keys parsed = { .count = 0 };
	enum err err = OK;

	for (text += strspn(text, BLANKS); *text && !err; text += strspn(text, BLANKS)) {
		size_t len = strcspn(text, BLANKS);

		err = signature_keys_add(&parsed, text, len, why);
		text += len;
	}
	if (!err)
		*keys = parsed;
	explicit_bzero(&parsed, sizeof parsed);
	return err;
}

/* ---- sign ---- */

static void signature_mac(const struct signature_key *key, const struct signed_text *what,
                          const char *milliseconds, uint8_t mac[HMAC_MAX])
{
	const struct hmac_part parts[] = {
		{ FORMAT "\n", sizeof FORMAT "\n" - 1 },
		{ what->topic, strlen(what->topic) }, { "\n", 1 },
		{ key->id, strlen(key->id) }, { "\n", 1 },
		{ milliseconds, strlen(milliseconds) }, { "\n", 1 },
		{ what->text, what->len },
	};

	hmac(HMAC_SHA256, key->secret, key->len, parts, sizeof parts / sizeof parts[0],
	     mac);
}

void signature_make(const struct signature_key *key, const struct signed_text *what,
                    int64_t unix_ms, char signature[SIGNATURE_SIZE])
{
	char milliseconds[24];
	uint8_t mac[HMAC_MAX];
	char *end;

	snprintf(milliseconds, sizeof milliseconds, "%" PRId64, unix_ms);
	signature_mac(key, what, milliseconds, mac);
	end = signature + snprintf(signature, SIGNATURE_SIZE, PREFIX "%s:%s:", key->id,
	                           milliseconds);
	hex_encode(mac, MAC_LEN, end);
}

/* ---- verify ---- */

struct parts {
	const char *id;
	size_t id_len;
	char milliseconds[MS_DIGITS_MAX + 1];
	uint8_t mac[MAC_LEN];
};

static bool signature_mac_parse(const char *hex, uint8_t mac[MAC_LEN])
{
	if (strspn(hex, HEX_DIGITS) != HEX_LEN || hex[HEX_LEN])
		return false;
	for (size_t i = 0; i < MAC_LEN; i++) {
		const char *high = strchr(HEX_DIGITS, hex[2 * i]);
		const char *low = strchr(HEX_DIGITS, hex[2 * i + 1]);

		mac[i] = (uint8_t)((high - HEX_DIGITS) << 4 | (low - HEX_DIGITS));
	}
	return true;
}

static bool signature_parts_parse(const char *text, struct parts *parts)
{
	size_t digits;

	if (strncmp(text, PREFIX, sizeof PREFIX - 1))
		return false;
	parts->id = text + sizeof PREFIX - 1;
	parts->id_len = signature_id_len(parts->id);
	text = parts->id + parts->id_len;
	if (!parts->id_len || parts->id_len > SIGNATURE_ID_MAX || *text++ != ':')
		return false;
	digits = strspn(text, "0123456789");
	if (!digits || digits > MS_DIGITS_MAX || text[digits] != ':')
		return false;
	memcpy(parts->milliseconds, text, digits);
	parts->milliseconds[digits] = '\0';
	return signature_mac_parse(text + digits + 1, parts->mac);
}

static enum signature_result signature_check_time(const struct parts *parts,
                                                  const struct signature_time *when)
{
	int64_t age_ms = when->now_unix_ms - strtoll(parts->milliseconds, NULL, 10);

	if (age_ms > when->max_age_ms)
		return SIGNATURE_OLD;
	return -age_ms > when->max_age_ms ? SIGNATURE_AHEAD : SIGNATURE_GOOD;
}

enum signature_result signature_verify(const struct signature_keys *keys,
                                       const struct signed_text *what,
                                       const char *signature,
                                       const struct signature_time *when)
{
	const struct signature_key *key;
	uint8_t mac[HMAC_MAX];
	struct parts parts;

	if (!signature)
		return SIGNATURE_MISSING;
	if (!signature_parts_parse(signature, &parts))
		return SIGNATURE_MALFORMED;
	key = signature_find_key(keys, parts.id, parts.id_len);
	if (!key)
		return SIGNATURE_UNKNOWN_KEY;
	signature_mac(key, what, parts.milliseconds, mac);
	if (CRYPTO_memcmp(mac, parts.mac, MAC_LEN))
		return SIGNATURE_WRONG;
	return when ? signature_check_time(&parts, when) : SIGNATURE_GOOD;
}

bool signature_is_genuine(enum signature_result result)
{
	return result == SIGNATURE_GOOD || result == SIGNATURE_OLD ||
	       result == SIGNATURE_AHEAD;
}

/* ---- texts ---- */

static const struct {
	const char *name, *words;
} results[SIGNATURE_RESULTS] = {
	[SIGNATURE_GOOD]        = { "good", "the signature is good" },
	[SIGNATURE_MISSING]     = { "unsigned", "the message has no signature" },
	[SIGNATURE_MALFORMED]   = { "malformed", "the signature cannot be read" },
	[SIGNATURE_UNKNOWN_KEY] = { "unknown_key", "this program does not have the key "
	                                           "of the signature" },
	[SIGNATURE_WRONG]       = { "wrong", "the signature is wrong" },
	[SIGNATURE_OLD]         = { "old", "the signature is older than fleet.max_age" },
	[SIGNATURE_AHEAD]       = { "ahead", "the time of the signature is in the "
	                                     "future: check the clocks" },
};

const char *signature_result_name(enum signature_result result)
{
	bug_if((unsigned)result >= SIGNATURE_RESULTS);
	return results[result].name;
}

const char *signature_result_words(enum signature_result result)
{
	bug_if((unsigned)result >= SIGNATURE_RESULTS);
	return results[result].words;
}
