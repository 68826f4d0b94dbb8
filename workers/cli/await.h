/*
 * await -- checks a condition, with growing pauses, until the condition is true. On a
 * terminal, the client shows the progress in one line. After a temporary error, the
 * client checks again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

enum { AWAIT_DEFAULT_S = 60, AWAIT_MAX_S = 24 * 3600 };

struct await {
	struct cli *cli;
	int64_t seconds;
	/*
	 * two parts of the progress line, for example "example.org." and "is read and
	 * planned"
	 */
	const char *subject, *what;
	enum err (*poll)(void *self, bool *is_over);
	void *self;
};
/*
 * Calls poll() until poll() sets IS_OVER to true, poll() returns an error that is not
 * temporary (client_may_recover()), or the time limit is over. If the function returns
 * OK and IS_OVER is false, the time limit is over.
 */
enum err await_end(const struct await *await, bool *is_over);
/*
 * Flushes standard output. Then calls await_end() with the seconds of --wait-timeout, or
 * with AWAIT_DEFAULT_S.
 */
enum err await_in_time(struct await *await, bool *is_over);
