/*
 * mac -- hardware addresses as text.
 */
#pragma once

#include "base/err.h"

/*
 * ERR_INVALID unless TEXT is six pairs of lower-case hexadecimal digits, separated by
 * colons.
 */
enum err mac_check(const char *text, struct why *why);
