/*
 * base64 -- converts octets to and from the strict form of base64 (RFC 4648 4): no white
 * space, correct padding, and zeroes in unused bits. So each sequence of octets has
 * exactly one string. Secrets of TSIG keys use base64.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The length of the text for this number of octets, without the final NUL. */
#define BASE64_LEN(octets) (((octets) + 2) / 3 * 4)

/*
 * Returns the number of octets. -1: not strict base64, or more than SIZE octets. Then
 * DATA may contain a part of the octets.
 */
ssize_t base64_decode(const char *text, uint8_t *data, size_t size);
/*
 * Like base64_decode(), but uses the alphabet for URLs and file names (RFC 4648 5): "-"
 * and "_" instead of "+" and "/".
 */
ssize_t base64_decode_url(const char *text, uint8_t *data, size_t size);
/* TEXT must have room for BASE64_LEN(len) + 1 bytes. Returns the length of the text. */
size_t base64_encode(const uint8_t *data, size_t len, char *text);
