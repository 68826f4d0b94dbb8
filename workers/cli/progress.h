/*
 * progress -- shows the progress of a command in one line on the terminal. The line
 * disappears when the command ends. The client writes the line to standard error. If
 * standard error is not a terminal, the client compares the text every 10 s, and writes a
 * new line if the text has changed, unless --json is given. If --quiet is given, the
 * client shows no progress.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

struct progress {
	bool is_live, is_drawn;
	bool is_noted;			/* standard error is not a terminal */
	char *noted;			/* the last line that is noted; may be NULL */
	int64_t drawn_ms;
};

void progress_begin(struct progress *progress, const struct output *out);
/*
 * Writes the new text of the line, escaped, but at most once in 50 ms (once in 10 s if
 * is_noted is set, and not the last line again). If the line is wider than the terminal,
 * the client cuts the line after a word and adds "...".
 */
void progress_line(struct progress *progress, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Writes a line such as "reading [##### ] 51 % 10 000 records". If TOTAL is 0 (unknown),
 * the line has no bar.
 */
void progress_bar(struct progress *progress, const char *what, int64_t done,
                  int64_t total, const char *detail);
/* Frees the memory of PROGRESS. */
void progress_end(struct progress *progress);
