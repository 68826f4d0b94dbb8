#include "base/hex.h"

void hex_encode(const uint8_t *octets, size_t len, char *text)
{
	for (size_t i = 0; i < len; i++) {
		*text++ = HEX_DIGITS[octets[i] >> 4];
		*text++ = HEX_DIGITS[octets[i] & 15];
	}
	*text = '\0';
}
