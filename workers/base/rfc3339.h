/* rfc3339 -- writes a time as RFC 3339 defines: UTC, with milliseconds. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RFC3339_TEXT = 32 };

/*
 * Writes the time to TEXT: "2026-11-21T12:00:00.123Z". UNIX_MS: milliseconds since 1970.
 * False: RFC 3339 cannot express the time, because the year is not from 0 to 9999. In
 * this case, TEXT is "".
 */
bool rfc3339_format(int64_t unix_ms, char text[static RFC3339_TEXT]);
