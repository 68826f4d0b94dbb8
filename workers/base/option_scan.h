/*
 * option_scan -- finds errors in the settings file that libconfig 1.5 would not report.
 * In libconfig, large integers overflow (for example, 4294967296 becomes 0). libconfig
 * also includes the files that @include names, although zonefleet has not checked these
 * files.
 */
#pragma once

/* Returns the error, or NULL. *line: the line of the error; the first line is 1. */
const char *option_scan(const char *text, int *line);
