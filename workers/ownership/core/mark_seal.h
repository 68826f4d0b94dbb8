/*
 * mark_seal -- encrypts the text of an ownership mark as external-dns does
 * (--txt-encrypt-enabled):
 *
 *	base64( nonce, AES-256-GCM( gzip(text) ), tag )		12, n and 16 octets
 *
 * Zones are public. If a program seals two different octet strings with one nonce, an
 * attacker can compute the key of GCM's tags. Different programs compress the same text
 * to different octets. So zonefleet never reuses the nonce of another program. If an
 * ownership mark stays the same, zonefleet does not seal the mark again. Each new
 * ownership mark gets a new nonce. The same text, key and nonce give the same sealed
 * text, if the version of zlib is the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { MARK_KEY = 32, MARK_NONCE = 12 };	/* lengths in octets */

/*
 * Reads a key in the forms of external-dns: 32 octets, or the base64 of 32 octets in the
 * standard or the URL alphabet. ERR_INVALID: *why begins with FIELD and does not quote
 * the key.
 */
enum err mark_key_parse(const char *text, const char *field, uint8_t key[MARK_KEY],
                        struct why *why);

/*
 * Seals TEXT and appends the result. The result has 64 octets for an empty text, and
 * about 150 octets for a usual mark. The result of random text is a third longer than
 * the text, so the result can be longer than MARK_TEXT_MAX octets.
 */
void mark_seal(const uint8_t key[MARK_KEY], const uint8_t nonce[MARK_NONCE],
               const char *text, struct buf *sealed);
/*
 * Opens SEALED and appends the text. Sets *nonce to the nonce of SEALED. False: SEALED is
 * not sealed with this key, or the text has more than MARK_TEXT_MAX octets or contains a
 * zero octet.
 */
bool mark_open(const uint8_t key[MARK_KEY], const char *sealed, struct buf *plain,
               uint8_t nonce[MARK_NONCE]);
/*
 * Makes the nonce for the mark with the text TEXT at the name PLACE, which has LEN
 * octets. The same mark always gets the same nonce. Different marks get different
 * nonces. An attacker who does not have the key cannot predict the nonce.
 */
void mark_nonce(const uint8_t key[MARK_KEY], const uint8_t *place, size_t len,
                const char *text, uint8_t nonce[MARK_NONCE]);
