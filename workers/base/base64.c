#include "base/base64.h"

#include <stdbool.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static const char standard[] = LETTERS "+/", url_safe[] = LETTERS "-_";

/* Returns -1 if C is not a digit. */
static int base64_digit_value(const char *digits, char c)
{
	const char *digit = c ? strchr(digits, c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/*
 * Decodes four characters to 1 to 3 octets. The characters after octets + 1 digits are
 * padding.
 */
static bool base64_decode_group(const char *digits, const char *text, size_t octets,
                                uint8_t *data)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < 4; i++) {
		int value = i <= octets ? base64_digit_value(digits, text[i]) : 0;

		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
	}
	if (bits & (0xffffffu >> (8 * octets)))
		return false;
	for (size_t i = 0; i < octets; i++)
		data[i] = bits >> (16 - 8 * i);
	return true;
}

/* The number of '=' at the end, at most two. */
static size_t base64_padding(const char *text, size_t len)
{
	if (!len || text[len - 1] != '=')
		return 0;
	return text[len - 2] == '=' ? 2 : 1;
}

static ssize_t base64_decode_with(const char *digits, const char *text, uint8_t *data,
                                  size_t size)
{
	size_t len = strlen(text), n = 0;

	if (len % 4)
		return -1;

	size_t padding = base64_padding(text, len);

	if (len / 4 * 3 - padding > size)
		return -1;
	for (size_t at = 0; at < len; at += 4) {
		size_t octets = at + 4 < len ? 3 : 3 - padding;

		if (!base64_decode_group(digits, text + at, octets, data + n))
			return -1;
		n += octets;
	}
	return (ssize_t)n;
}

ssize_t base64_decode(const char *text, uint8_t *data, size_t size)
{
	return base64_decode_with(standard, text, data, size);
}

ssize_t base64_decode_url(const char *text, uint8_t *data, size_t size)
{
	return base64_decode_with(url_safe, text, data, size);
}

static void base64_encode_group(const uint8_t *data, size_t octets, char *text)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < 3; i++)
		bits = bits << 8 | (i < octets ? data[i] : 0);
	for (size_t i = 0; i < 4; i++)
		text[i] = i <= octets ? standard[bits >> (18 - 6 * i) & 63] : '=';
}

size_t base64_encode(const uint8_t *data, size_t len, char *text)
{
	size_t n = 0;

	for (size_t at = 0; at < len; at += 3) {
		base64_encode_group(data + at, len - at < 3 ? len - at : 3, text + n);
		n += 4;
	}
	text[n] = 0;
	return n;
}
