/*
 * option_scan -- finds errors in the text that libconfig 1.5 would not report: it wraps
 * integers (it reads 4294967296 as 0), and it follows @include to unchecked files.
 */
#pragma once

/* NULL: no error. Otherwise the error; *line has its line (from 1). */
const char *option_scan(const char *text, int *line);
