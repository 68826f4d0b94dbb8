/*
 * mark_seal -- a mark's text as external-dns encrypts it (--txt-encrypt-enabled):
 *
 * 	base64( nonce, AES-256-GCM( gzip(text) ), tag )		12, n and 16 octets
 *
 * Zones are public. If a program seals two different octet strings with one nonce, an
 * attacker can compute the key of GCM's tags. Another program's gzip gives other octets
 * for the same text, so zonefleet never seals again with its nonce. An unchanged mark
 * keeps its octets. A new mark gets its own nonce. The same text, key and nonce give the
 * same sealed text, as long as zlib is the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { MARK_KEY = 32, MARK_NONCE = 12 };	/* octets */

/*
 * Reads a key in external-dns' forms: 32 octets, or base64 of 32 octets in the standard
 * or the URL alphabet. ERR_INVALID: the text begins with FIELD and does not quote the
 * key.
 */
enum err mark_key_parse(const char *text, const char *field, uint8_t key[MARK_KEY],
                        struct why *why);

/*
 * Appends TEXT, sealed: 64 octets for an empty text, some 150 for a usual mark. Random
 * text grows by a third, so the result may exceed the limit of a mark (MARK_TEXT_MAX).
 */
void mark_seal(const uint8_t key[MARK_KEY], const uint8_t nonce[MARK_NONCE],
               const char *text, struct buf *sealed);
/*
 * Appends the text in SEALED. False: it is not sealed with this key, or the text has more
 * than MARK_TEXT_MAX octets or a zero octet. *nonce: the nonce of the seal.
 */
bool mark_open(const uint8_t key[MARK_KEY], const char *sealed, struct buf *plain,
               uint8_t nonce[MARK_NONCE]);
/*
 * Makes the nonce for the mark with this text at PLACE, of LEN octets. The same mark
 * always gets the same nonce; another mark gets another nonce. An attacker without the
 * key cannot predict the nonce.
 */
void mark_nonce(const uint8_t key[MARK_KEY], const uint8_t *place, size_t len,
                const char *text, uint8_t nonce[MARK_NONCE]);
