/*
 * hex -- converts octets to lower-case hexadecimal digits.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HEX_DIGITS "0123456789abcdef"

/* Writes 2 * LEN digits and a final NUL to TEXT. */
void hex_encode(const uint8_t *octets, size_t len, char *text);
