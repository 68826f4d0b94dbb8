/*
 * mac -- hardware addresses as text.
 */
#pragma once

#include "base/err.h"

/* ERR_INVALID unless six pairs of hexadecimal digits in lower case, with colons. */
enum err mac_check(const char *text, struct why *why);
