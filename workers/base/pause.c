#include "base/pause.h"

#include <time.h>

#include "base/log.h"

static _Thread_local bool is_forbidden;

bool pause_forbid(bool forbidden)
{
	bool before = is_forbidden;

	is_forbidden = forbidden;
	return before;
}

void pause_ms(int64_t ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	bug_if(is_forbidden);
	while (nanosleep(&left, &left))
		;	/* after a signal: sleep for the rest */
}
