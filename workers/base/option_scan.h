/*
 * option_scan -- what libconfig 1.5 gets silently wrong, found in the text
 * before it sees it: it wraps integers (4294967296 is read as 0), and it
 * would follow @include to files that nobody checked.
 */
#pragma once

/* NULL when the text is fine; else what is wrong, and in which line (from 1). */
const char *option_scan(const char *text, int *line);
