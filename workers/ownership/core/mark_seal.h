/*
 * mark_seal -- a mark's text as external-dns encrypts it (--txt-encrypt-enabled):
 *
 *	base64( nonce, AES-256-GCM( gzip(text) ), tag )		12, n and 16 octets
 *
 * One nonce for two different octet strings gives the key of GCM's tags away, and zones
 * are public. A text that another program sealed has another gzip, so it is not sealed
 * again with the nonce it came with: what is unchanged is sent as it was read, and what
 * is new gets a nonce of its own. Text, key and nonce make the same sealed text always,
 * as long as zlib is the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { MARK_KEY = 32, MARK_NONCE = 12 };	/* octets */

/*
 * A key as external-dns takes it: 32 octets as they are, or the base64 of 32, in the
 * standard alphabet or that for URLs. ERR_INVALID, with FIELD before the words, which do
 * not quote the key.
 */
enum err mark_key_parse(const char *text, const char *field, uint8_t key[MARK_KEY],
                        struct why *why);

/*
 * Appends TEXT, sealed: 64 octets if it is empty, some 150 of a usual mark; of noise a
 * third more than it was, so that it may be more than a mark may have (MARK_TEXT_MAX).
 */
void mark_seal(const uint8_t key[MARK_KEY], const uint8_t nonce[MARK_NONCE],
               const char *text, struct buf *sealed);
/*
 * Appends what SEALED says. False: it is not sealed with this key, or what it says has
 * more than MARK_TEXT_MAX octets, or a zero. *nonce: what it was sealed with.
 */
bool mark_open(const uint8_t key[MARK_KEY], const char *sealed, struct buf *plain,
               uint8_t nonce[MARK_NONCE]);
/*
 * A nonce for the mark of that text at PLACE, of LEN octets: the same for the same, and
 * for any other another, as nobody without the key can tell.
 */
void mark_nonce(const uint8_t key[MARK_KEY], const uint8_t *place, size_t len,
                const char *text, uint8_t nonce[MARK_NONCE]);
