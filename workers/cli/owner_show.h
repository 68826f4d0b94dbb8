/* owner_show -- prints the answers of zonefleet-ownership as text for people. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "names.h"
#include "output.h"

/*
 * Formats the time in the member KEY, for example "planned_at", as "3 s ago" or "never".
 */
void owner_ago(const json_t *json, const char *key, char text[MOMENT_TEXT]);
/*
 * Prints the counts and the items of a plan. If --quiet is given, prints only the items.
 */
void owner_show_plan(const struct output *out, const json_t *status);

bool owner_is_held(const json_t *item);
void owner_show_items(const struct output *out, const json_t *items);

/*
 * Prints the counts of an order, followed by the names. If --quiet is given, prints only
 * the names.
 */
void owner_show_order(const struct output *out, const json_t *result);
/*
 * Appends each reason, the number of record sets that zonefleet-ownership has refused
 * for this reason, and an explanation.
 */
void owner_refusals(const json_t *refused, struct buf *words);
