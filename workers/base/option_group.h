/*
 * option_group -- finds the groups and keys that a settings file may contain, and
 * suggests names for a misspelled name. Only option.c uses this module. The group "" is
 * the whole file.
 */
#pragma once

#include "base/option.h"
#include "base/suggest.h"

bool option_has_row(const struct option *rows, const char *key);
/* True: PATH is a group of this program, or a parent of such a group. */
bool option_is_group_path(const struct option_schema *schema, const char *path);
bool option_is_key_of(const struct option_schema *schema, const char *group,
		      const char *key);
/* True: the list of the groups of all programs contains NAME. */
bool option_is_known_group(const char *name);

void option_suggest_rows(const struct option *rows, struct suggest *suggest);
/* Offers the names of all keys and groups in the group PATH to SUGGEST. */
void option_suggest_members(const struct option_schema *schema, const char *path,
			    struct suggest *suggest);
