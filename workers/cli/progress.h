/*
 * progress -- shows the progress of a command in one line on the terminal. The line
 * disappears when the command ends. The client writes the line to standard error. If
 * standard error is not a terminal, the client writes a new line every 10 s, unless
 * --json is given. If --quiet is given, the client shows no progress.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

struct progress {
	bool is_live, is_drawn;
	/* true: standard error is not a terminal, and gets a new line every 10 s */
	bool is_noted;
	int64_t drawn_ms;
};

void progress_begin(struct progress *progress, const struct output *out);
/*
 * Writes the new text of the line, escaped, but at most once in 50 ms (once in 10 s if
 * is_noted is set). If the line is wider than the terminal, the client cuts the line
 * after a word and adds "...".
 */
void progress_line(struct progress *progress, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Writes "reading [##### ] 51 % 10 000 records". If TOTAL is 0 (unknown), the line has no
 * bar.
 */
void progress_bar(struct progress *progress, const char *what, int64_t done,
                  int64_t total, const char *detail);
void progress_end(struct progress *progress);
