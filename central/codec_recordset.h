/*
 * codec_recordset -- converts record sets and records from and to JSON. The input of the
 * decoder is a record set, new values of a record set, a list of changes, or a line of an
 * import. The decoder converts each input to struct change (core/changes.h).
 *
 * The data of a record can be in any presentation form of RFC 1035 and RFC 3597. The
 * decoder converts the data to the wire form and the canonical text.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

enum {
	CHANGES_MAX = 5000,		/* maximum number of changes in one request */
	RECORDS_MAX = 20000,		/* maximum number of records in one change */
};

extern const struct json_field codec_change_fields[], codec_recordset_fields[];
extern const struct json_field codec_recordset_shown[], codec_member_shown[];
extern const struct json_field codec_record_shown[];

/*
 * Reads the argument `changes` of apply_changes. Each change has the form {"op", "name",
 * "type", "ttl", "managed_by", "records"}. The op "expect" is a condition that central
 * checks before all changes. The record set must contain exactly the records of "expect".
 * If the records differ, central makes no change (ERR_CONFLICT). If "expect" contains no
 * records, the record set must not exist. If the type of "expect" is "ANY", the name must
 * have no records. When central compares records for an op, it ignores the case of names
 * in the data.
 */
enum err codec_changes(const json_t *array, struct arena *arena, struct change **changes,
                       size_t *count, struct why *why);
/* Converts the record set {"name", "type", "ttl", "records"} to a change CHANGE_SET. */
enum err codec_recordset(const json_t *json, struct arena *arena, struct change *change,
                         struct why *why);
/*
 * Converts new values {"ttl", "records"} of a record set to a change CHANGE_SET. NOW: the
 * record set before the change. If a field is absent, its value stays unchanged.
 */
enum err codec_recordset_values(const json_t *json, const struct recordset *now,
                                struct arena *arena, struct change *change,
                                struct why *why);
/*
 * Converts one record of an import to a change CHANGE_ADD. The record has the form [name,
 * ttl, type, data]. FIELD: the place of the record, for reasons.
 */
enum err codec_record_import(const json_t *json, const char *field, struct arena *arena,
                             struct change *change, struct why *why);

/*
 * Makes the JSON object of a record set. The status of the record set is the worst status
 * of its records. ERROR is worse than PENDING, and PENDING is worse than ACTIVE.
 */
json_t *codec_recordset_encode(const struct recordset *set);
json_t *codec_record_encode(const struct found_record *found);
