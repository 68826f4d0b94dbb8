/*
 * option_json -- writes the settings of a program as JSON, for docs/generate. Each group
 * of options is one item of the JSON. The rows of a group are in the order of --help.
 */
#pragma once

#include <jansson.h>

#include "base/option.h"

/*
 * Returns [{"group", "elements", "help", "rows": [{"key", "values", "default",
 * "required", "reloadable", "help"}]}]. "elements" is the key of a list in the group.
 * "elements" is null for a group without a list. "values" is the type with its bounds.
 * For a required row, "default" is an example. The caller frees the result.
 */
json_t *option_json(const struct option_schema *schema);
