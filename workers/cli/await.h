/*
 * await -- polls until a condition is met, with growing pauses. On a terminal a line
 * shows the progress. After an error that may pass, it polls again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

enum { AWAIT_DEFAULT_S = 60, AWAIT_MAX_S = 24 * 3600 };

struct await {
	struct cli *cli;
	int64_t seconds;
	const char *subject, *what;	/* "example.org." and "is read and planned" */
	enum err (*poll)(void *self, bool *is_over);
	void *self;
};
/* OK with *is_over false: the time has run out. */
enum err await_end(const struct await *await, bool *is_over);
/* await_end() with the seconds of --wait-timeout. Flushes standard output before. */
enum err await_in_time(struct await *await, bool *is_over);
