/*
 * apply -- many changes in one file: a JSON list, as central takes them, or
 * lines of `add|set|delete NAME TTL TYPE DATA`. Pure but for the command.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

/* Appends to CHANGES; cuts TEXT up. ERR_INVALID names the line; ERR_TOO_LARGE. */
enum err apply_parse(char *text, const char *domain, json_t *changes, struct why *why);
