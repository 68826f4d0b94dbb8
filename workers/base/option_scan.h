/*
 * option_scan -- finds errors in the settings file that libconfig 1.5 would not report.
 * In libconfig, large integers overflow (for example, 4294967296 becomes 0). libconfig
 * also includes the files that @include names, although zonefleet has not checked these
 * files.
 */
#pragma once

/*
 * Returns a description of the first error, and writes the number of its line to LINE.
 * The first line is 1. NULL: TEXT has no such error.
 */
const char *option_scan(const char *text, int *line);
