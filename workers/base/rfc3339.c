#include "base/rfc3339.h"

#include <stdio.h>
#include <time.h>

bool rfc3339_format(int64_t unix_ms, char text[static RFC3339_TEXT])
{
	int64_t ms = unix_ms % 1000;
	time_t when = (time_t)(unix_ms / 1000);
	struct tm tm;
	size_t len;

	if (ms < 0) {
		ms += 1000;
		when--;
	}
	*text = '\0';
	if (!gmtime_r(&when, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900)
		return false;
	len = (size_t)snprintf(text, RFC3339_TEXT, "%04d", tm.tm_year + 1900);
	len += strftime(text + len, RFC3339_TEXT - len, "-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, RFC3339_TEXT - len, ".%03dZ", (int)ms);
	return true;
}
