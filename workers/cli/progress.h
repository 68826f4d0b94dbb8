/*
 * progress -- one line on the terminal that changes while a command runs and disappears
 * at its end. The client writes it to standard error. If that is not a terminal, the
 * client writes a line each 10 s. It writes no line with --quiet, and without a terminal
 * no line with --json.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

struct progress {
	bool is_live, is_drawn;
	bool is_noted;			/* not a terminal: a line each 10 s */
	int64_t drawn_ms;
};

void progress_begin(struct progress *progress, const struct output *out);
/* Rewrites the line at most every 50 ms (10 s), escaped and cut to the terminal. */
void progress_line(struct progress *progress, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "reading  [#####     ]  51 %  10 000 records"; TOTAL 0: unknown, no bar. */
void progress_bar(struct progress *progress, const char *what, int64_t done,
                  int64_t total, const char *detail);
void progress_end(struct progress *progress);
