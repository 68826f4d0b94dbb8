#include "dns/tsig_reason.h"
#include "base/rfc3339.h"

#include <stdio.h>
#include <time.h>

const char *tsig_reason_refused(uint16_t error)
{
	switch (error) {
	case TSIG_BADSIG: return "answers with BADSIG: compare the secrets of the key";
	case TSIG_BADKEY: return "answers with BADKEY: check that the server has the key";
	case TSIG_BADTIME: return "answers with BADTIME: compare the clocks";
	case TSIG_BADTRUNC: return "answers with BADTRUNC: the server requires a longer "
	        "MAC";
	default: return "answers with an unknown TSIG error";
	}
}

const char *tsig_reason_invalid(enum tsig_error error)
{
	switch (error) {
	case TSIG_NO_ERROR: return NULL;
	case TSIG_BADKEY: return "signs its answer with another key";
	case TSIG_BADTIME: return "signs its answer with a wrong time: compare the "
	        "clocks";
	default: return "sends an answer with an invalid MAC";
	}
}

static const char *tsig_time_text(uint64_t unix_s, char text[static RFC3339_TEXT])
{
	return unix_s <= INT64_MAX / 1000 && rfc3339_format((int64_t)unix_s * 1000, text)
	       ? text : "an invalid time";
}

void tsig_reason_clocks(uint64_t theirs, uint64_t ours, char text[static TSIG_CLOCKS])
{
	char it[RFC3339_TEXT], we[RFC3339_TEXT];

	snprintf(text, TSIG_CLOCKS, "the server's clock shows %s, and the local clock "
	         "shows %s",
	         tsig_time_text(theirs, it), tsig_time_text(ours, we));
}
