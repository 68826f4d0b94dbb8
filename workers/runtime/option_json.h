/*
 * option_json -- the settings of a program as JSON, for docs/generate: one item for each
 * group, with its rows in the order of --help.
 */
#pragma once

#include <jansson.h>

#include "base/option.h"

/*
 * [{"group", "elements", "help", "rows": [{"key", "values", "default", "required",
 * "reloadable", "help"}]}]. "elements" names the items of a list, or is null. "values" is
 * the type with its bounds. The default of a required row is an example. The caller frees
 * the result.
 */
json_t *option_json(const struct option_schema *schema);
