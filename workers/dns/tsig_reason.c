#include "dns/tsig_reason.h"

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

enum { TIME_TEXT = 32 };

static const char *tsig_time_text(uint64_t unix_s, char text[static TIME_TEXT])
{
	time_t when = (time_t)unix_s;
	struct tm tm;

	if (!gmtime_r(&when, &tm) ||
	    !strftime(text, TIME_TEXT, "%Y-%m-%d %H:%M:%S UTC", &tm))
		return "an impossible time";
	return text;
}

void tsig_reason_clocks(uint64_t theirs, uint64_t ours, char text[static TSIG_CLOCKS])
{
	char it[TIME_TEXT], we[TIME_TEXT];

	snprintf(text, TSIG_CLOCKS, "the server's clock shows %s, and the local clock "
	         "shows %s",
	         tsig_time_text(theirs, it), tsig_time_text(ours, we));
}
