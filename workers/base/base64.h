/*
 * base64 -- RFC 4648 4, the strict way: no white space, padding where it
 * belongs, and zeroes in the bits that padding leaves over, so that octets
 * have one text and a text one meaning. Secrets of TSIG keys come in it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How long the text of so many octets is, without the zero behind it. */
#define BASE64_LEN(octets) (((octets) + 2) / 3 * 4)

/*
 * Strict base64 (RFC 4648 4). -1: not base64, or more than SIZE octets. Returns how many
 * octets there are; after -1 some of DATA may be written.
 */
ssize_t base64_decode(const char *text, uint8_t *data, size_t size);
/* The same in the alphabet for URLs and file names (5): "-" and "_" for "+" and "/". */
ssize_t base64_decode_url(const char *text, uint8_t *data, size_t size);
/* TEXT holds BASE64_LEN(len) + 1. Returns the length of the text. */
size_t base64_encode(const uint8_t *data, size_t len, char *text);
