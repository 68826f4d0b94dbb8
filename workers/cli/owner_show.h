/* owner_show -- what zonefleet-ownership tells of a shared zone, for people. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "names.h"
#include "output.h"

/* The time of KEY, like "planned_at": "3 s ago", "never". */
void owner_ago(const json_t *json, const char *key, char text[MOMENT_TEXT]);
/* The counts, and the items below them; only these with --quiet. */
void owner_show_plan(const struct output *out, const json_t *status);

bool owner_is_held(const json_t *item);
void owner_show_items(const struct output *out, const json_t *items);

/* What came of an order: the counts, and the names below; only these with --quiet. */
void owner_show_order(const struct output *out, const json_t *result);
/* {"FOREIGN": 2}: how many were refused, and why, in words that say what to do. */
void owner_refusals(const json_t *refused, struct buf *words);
