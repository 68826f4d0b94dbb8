/*
 * base64 -- converts octets to and from the strict form of base64 (RFC 4648 4): no white
 * space, correct padding, and zeroes in unused bits. So each sequence of octets has
 * exactly one string. The secrets of TSIG keys are in base64.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The length of the base64 text for OCTETS octets, without the final NUL. */
#define BASE64_LEN(octets) (((octets) + 2) / 3 * 4)

/*
 * Writes the octets of TEXT to DATA and returns their number. -1: TEXT is not strict
 * base64, or encodes more than SIZE octets. In this case, DATA possibly contains some of
 * the octets.
 */
ssize_t base64_decode(const char *text, uint8_t *data, size_t size);
/*
 * Like base64_decode(), but uses the alphabet for URLs and file names (RFC 4648 5): "-"
 * and "_" instead of "+" and "/".
 */
ssize_t base64_decode_url(const char *text, uint8_t *data, size_t size);
/*
 * Writes LEN octets to TEXT as base64, and returns the length of the text. TEXT must
 * have room for BASE64_LEN(len) + 1 bytes.
 */
size_t base64_encode(const uint8_t *data, size_t len, char *text);
