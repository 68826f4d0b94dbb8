#include "mac.h"

#include <stdbool.h>
#include <string.h>

enum { MAC_TEXT = 17 };

static bool mac_is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

enum err mac_check(const char *text, struct why *why)
{
	bool is_valid = strlen(text) == MAC_TEXT;

	for (size_t i = 0; is_valid && i < MAC_TEXT; i++)
		is_valid = i % 3 == 2 ? text[i] == ':' : mac_is_hex(text[i]);
	return is_valid ? OK : fail(why, ERR_INVALID, "mac_address: must be six pairs of "
	                            "hexadecimal digits in lower case, with colons, not "
	                            "'%.32s'", text);
}
