/*
 * await -- until something that takes its time is over: looked at often at first and less
 * often later; on a terminal a line says meanwhile what it is that goes on.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

enum { AWAIT_DEFAULT_S = 60, AWAIT_MAX_S = 24 * 3600 };

struct await {
	struct cli *cli;
	int64_t seconds;
	const char *subject, *what;	/* "example.org." "is read and planned" */
	enum err (*look)(void *self, bool *is_over);
	void *self;
};
/* OK, and not *is_over: the time is. */
enum err await_end(const struct await *await, bool *is_over);
/* The same, for the seconds of --wait-timeout; what was printed is to be seen meanwhile. */
enum err await_in_time(struct await *await, bool *is_over);
