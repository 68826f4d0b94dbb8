/*
 * codec_recordset -- record sets and records from and to JSON. Whatever a
 * caller sends of them, a set, a part of one, a list of changes or a line of
 * an import, is a struct change: core/changes.h knows nothing else.
 *
 * Data comes in any presentation that RFC 1035 and 3597 allow. From here on
 * it is wire, and canonical text that is made from the wire.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

enum {
	CHANGES_MAX = 5000,		/* of one request */
	RECORDS_MAX = 20000,		/* of one change */
};

extern const struct json_field codec_change_fields[], codec_recordset_fields[];
extern const struct json_field codec_recordset_shown[], codec_member_shown[];
extern const struct json_field codec_record_shown[];

/*
 * The `changes` of apply_changes: {"op", "name", "type", "ttl", "records"} each. Of op
 * "expect" the records are what the set must have before all changes, or nothing is done
 * (ERR_CONFLICT). Without records there must be no such set; of type "ANY", which has
 * none, there must be no set of any type at the name. "expect" and "delete" mean a record
 * whatever the case of the names in it.
 */
enum err codec_changes(const json_t *array, struct arena *arena, struct change **changes,
                       size_t *count, struct why *why);
/* {"name", "type", "ttl", "records"} as a `set`. */
enum err codec_recordset(const json_t *json, struct arena *arena, struct change *change,
                         struct why *why);
/* {"ttl", "records"} for the set NOW: what is absent stays. */
enum err codec_recordset_values(const json_t *json, const struct recordset *now,
                                struct arena *arena, struct change *change,
                                struct why *why);
/* One [name, ttl, type, data] of an import, as an `add`. */
enum err codec_record_import(const json_t *json, const char *field, struct arena *arena,
                             struct change *change, struct why *why);

/* With the worst state of its members as its own. */
json_t *codec_recordset_encode(const struct recordset *set);
json_t *codec_record_encode(const struct found_record *found);
