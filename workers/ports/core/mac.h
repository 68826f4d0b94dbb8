/*
 * mac -- hardware addresses as text.
 */
#pragma once

#include "base/err.h"

/* Six pairs of hexadecimal digits in lower case, with colons: else ERR_INVALID. */
enum err mac_check(const char *text, struct why *why);
