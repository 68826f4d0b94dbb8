/* mac -- checks hardware addresses in text form. */
#pragma once

#include "base/err.h"

/*
 * TEXT must be six pairs of lower-case hexadecimal digits, separated by colons. Otherwise
 * ERR_INVALID.
 */
enum err mac_check(const char *text, struct why *why);
