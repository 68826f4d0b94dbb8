/*
 * presentation_svcb_key -- the keys of SvcParams, for presentation_svcb*.c only. Each key
 * with a name has a row. The text of a value is the content of a character-string,
 * without quotes and escapes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { KEY_MANDATORY, KEY_ALPN, KEY_NO_DEFAULT_ALPN };

struct value {
	const uint8_t *at;
	size_t len;
};

struct svcb_key {
	const char *name;
	/* Appends the wire form of TEXT. Returns NULL, or the rule that TEXT violates. */
	const char *(*read)(struct value text, struct buf *wire);
	bool (*is_valid)(struct value value);	/* VALUE is in wire form */
	void (*print)(struct value value, struct buf *text);
	/* text of the rule that is_valid() checks */
	const char *words;
};

/* Returns the row of KEY; NULL: the key has no name. */
const struct svcb_key *svcb_key(uint16_t key);
/* Reads the name of a key, or "keyN" (RFC 9460 2.1). */
bool svcb_find_key(const char *name, size_t len, uint16_t *key);
void svcb_print_key(uint16_t key, struct buf *text);
const char *svcb_read_octets(struct value text, struct buf *wire);	/* for "keyN" */
void svcb_print_octets(struct value value, struct buf *text);
uint16_t svcb_u16(const uint8_t *at);
