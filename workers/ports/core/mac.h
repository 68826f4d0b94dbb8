/* mac -- checks hardware addresses in text form. */
#pragma once

#include "base/err.h"

/*
 * ERR_INVALID: TEXT is not six pairs of lower-case hexadecimal digits, separated by
 * colons.
 */
enum err mac_check(const char *text, struct why *why);
