/*
 * codec_recordset -- converts record sets and records from and to JSON. The input of
 * the decoder is a record set, new values of a record set, a list of changes, or a line
 * of an import. The decoder converts each input to struct change (core/changes.h).
 *
 * The data of a record may have any presentation form of RFC 1035 and RFC 3597. The
 * decoder converts the data to the wire form and the canonical text.
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "store.h"

enum {
	CHANGES_MAX = 5000,		/* maximum in one request */
	RECORDS_MAX = 20000,		/* maximum in one change */
};

extern const struct json_field codec_change_fields[], codec_recordset_fields[];
extern const struct json_field codec_recordset_shown[], codec_member_shown[];
extern const struct json_field codec_record_shown[];

/*
 * Reads the `changes` of apply_changes, each {"op", "name", "type", "ttl", "records"}.
 * "expect" is a condition that central checks before all changes. The record set must
 * contain exactly these records; otherwise central makes no change (ERR_CONFLICT). If
 * "expect" has no records, the record set must not exist. If the type is "ANY", the name
 * must have no record set at all. "expect" and "delete" ignore the case of names in the
 * data.
 */
enum err codec_changes(const json_t *array, struct arena *arena, struct change **changes,
                       size_t *count, struct why *why);
/* Reads {"name", "type", "ttl", "records"} as a CHANGE_SET. */
enum err codec_recordset(const json_t *json, struct arena *arena, struct change *change,
                         struct why *why);
/* Reads {"ttl", "records"} for the record set NOW; an absent field is unchanged. */
enum err codec_recordset_values(const json_t *json, const struct recordset *now,
                                struct arena *arena, struct change *change,
                                struct why *why);
/* Reads one [name, ttl, type, data] of an import as a CHANGE_ADD. */
enum err codec_record_import(const json_t *json, const char *field, struct arena *arena,
                             struct change *change, struct why *why);

/* The status of a record set is the worst status of its records. */
json_t *codec_recordset_encode(const struct recordset *set);
json_t *codec_record_encode(const struct found_record *found);
