#include "codec_recordset.h"

#include <string.h>
#include <time.h>

#include "base/rfc3339.h"
#include "codec.h"
#include "model/json.h"
#include "model/presentation.h"

#define RECORDS(fallback) { "records", "list of strings", "the data of each record, in " \
	"the form of a master file, with full names. Put the strings of a TXT record " \
	"in double quotes. Without quotes, each word becomes a string. central splits " \
	"a string of more than 255 octets in a TXT record. Equal records count as one", \
	fallback, RECORDS_MAX }

#define DESCRIPTION(fallback) { "description", "string", "a text about the record set. " \
	"zonefleet does not use this text. A new text leaves the zone unchanged", \
	fallback, DESCRIPTION_MAX }

const struct json_field codec_change_fields[] = {
	{ "op", "string", "`add` adds these records. `delete` deletes these records, or "
	  "the whole record set. `set` replaces all records of the record set with these "
	  "records. `expect` is a condition: the call fails with `Conflict` unless the "
	  "record set contains exactly these records before the call" },
	{ "name", "name", "the name of the record set" },
	{ "type", "string", "the record type. If `op` is `expect` and `records` is `[]`, "
	  "the type may be `ANY`. With `ANY`, the condition is that the name has no "
	  "records" },
	{ "ttl", "number or null", "the TTL in seconds; null: the TTL of the domain. All "
	  "records of a record set have the same TTL, so `add` also changes the TTL of "
	  "the existing records. `delete` ignores the TTL. `expect` must not have `ttl`",
	  "the current TTL; for a new record set, the TTL of the domain", RR_TTL_MAX },
	{ "managed_by", "string", "the producer that makes the change, for example "
	  "`ports`. `add`: the producer manages the new records. Existing records keep "
	  "their value. `set`: the producer manages the new records and the records that "
	  "had no producer. `delete`: the change deletes only records that this producer "
	  "manages. `expect` must not have `managed_by`",
	  "none: new records have no producer, and `delete` deletes all records of the "
	  "change", WORD_MAX },
	DESCRIPTION("the current description; for a new record set, empty. `delete` and "
	            "`expect` must not have `description`"),
	RECORDS("required, except for `delete`. If `records` is absent, `delete` "
		"deletes the whole record set. If `records` is `[]`, `set` deletes the "
		"record set, `expect` expects that the record set does not exist, and "
		"`add` and `delete` fail with `Invalid`"),
	{ 0 }
};

const struct json_field codec_recordset_fields[] = {
	{ "name", "name", "the name of the record set", .is_fixed = true },
	{ "type", "string", "the record type", .is_fixed = true },
	{ "ttl", "number or null", "the TTL in seconds; null: the TTL of the domain",
	  "null", RR_TTL_MAX },
	DESCRIPTION("empty"),
	RECORDS(NULL),
	{ 0 }
};

#define MEMBER \
	{ "id", "id", "the id of the record" }, \
	{ "data", "string", "the [data](#data-of-records) of the record" }, \
	{ "task", "string", "ADD, UPDATE, DELETE or NONE" }, \
	{ "status", "string", "PENDING, ACTIVE or ERROR" }, \
	{ "serial_number", "number", "the serial of the last change to the record" }, \
	{ "managed_by", "string or null", "the producer that manages the record: " \
	  "`ports`, `routes`, `ownership` or the `managed_by` of another program's " \
	  "change. null: no producer. Only a change of this producer, or a call with " \
	  "`force`, deletes the record" }

const struct json_field codec_member_shown[] = { MEMBER, { 0 } };

const struct json_field codec_record_shown[] = {
	MEMBER,
	{ "recordset_id", "id", "the id of the record set" },
	{ "domain_id", "id", "the id of the domain of the record" },
	{ "name", "name", "the name of the record" },
	{ "type", "string", "the record type" },
	{ "ttl", "number or null", "the TTL in seconds; null: the TTL of the domain" },
	{ 0 }
};

const struct json_field codec_recordset_shown[] = {
	{ "id", "id", "the id of the record set" },
	{ "domain_id", "id", "the id of the domain of the record set" },
	{ "tenant", "string", "the tenant that created the record set by a [share]; "
	  "otherwise the tenant of the domain" },
	{ "name", "name", "the name of the record set" },
	{ "type", "string", "the record type" },
	{ "ttl", "number or null", "the TTL in seconds; null: the TTL of the domain" },
	{ "description", "string", "a text about the record set. zonefleet does not use "
	  "this text" },
	{ "records", "list of strings", "the data of the records, without records whose "
	  "task is DELETE" },
	{ "members", "list of [member]", "the records with their states" },
	{ "status", "string", "ERROR if at least one record is in ERROR; otherwise "
	  "PENDING if at least one record is PENDING; otherwise ACTIVE" },
	{ "task", "string", "the task of the record that determines `status`" },
	{ "created_at", "time", "when the record set was created" },
	{ "updated_at", "time", "when the record set last changed" },
	{ 0 }
};

/* A record to delete or to expect may be older than a rule about its data. */
static enum err change_parse_rdata(const struct change *change, const char *text,
                                   const char *field, struct arena *arena,
                                   struct rdata *record, struct why *why)
{
	bool is_new = change->op == CHANGE_ADD || change->op == CHANGE_SET;

	return (is_new ? rdata_parse : rdata_parse_stored)(change->type, text, field,
	                                                   arena, &record->rdata,
	                                                   &record->len, why);
}

static enum err change_get_rdata(const struct change *change, const char *text,
                                 const char *field, struct arena *arena,
                                 struct rdata *record, struct why *why)
{
	struct buf canonical = { 0 };
	enum err err = change_parse_rdata(change, text, field, arena, record, why);

	if (!err)
		err = rdata_format(change->type, record->rdata, record->len, &canonical,
		                   why);
	if (!err)
		record->data = arena_strdup(arena, buf_string(&canonical));
	buf_clear(&canonical);
	return err;
}

static enum err change_get_records(const json_t *json, int flags, struct arena *arena,
                                   struct change *change, struct why *why)
{
	const json_t *array = NULL;
	enum err err = json_get_array(json, "records", flags, RECORDS_MAX, &array, why);

	if (err)
		return codec_within(change->field, err, why);
	change->count = json_array_size(array);
	change->records = arena_alloc(arena,
	                              (change->count + 1) * sizeof(*change->records));
	for (size_t i = 0; !err && i < change->count; i++) {
		const char *field = arena_printf(arena, "%s.records[%zu]", change->field,
		                                 i);
		const char *text = json_string_value(json_array_get(array, i));

		if (!text)
			return fail(why, ERR_INVALID, "%s: must be a string", field);
		err = change_get_rdata(change, text, field, arena, &change->records[i],
		                       why);
	}
	return err;
}

/* null: the TTL of the domain. Absent: unchanged. */
static enum err change_get_ttl(const json_t *json, struct change *change, struct why *why)
{
	const json_t *ttl = json_object_get(json, "ttl");

	if (ttl && change->op == CHANGE_EXPECT)
		return fail(why, ERR_INVALID, "ttl: is allowed only if op is add, set or "
		            "delete. A change with the op 'expect' does not compare the "
		            "TTL");
	if (ttl)
		change->ttl_op = json_is_null(ttl) ? TTL_DEFAULT : TTL_GIVEN;
	return json_get_u32(json, "ttl", 0, RR_TTL_MAX, &change->ttl, why);
}

static enum err change_get_description(const json_t *json, struct change *change,
                                       struct why *why)
{
	enum err err = json_get_text(json, "description", 0, DESCRIPTION_MAX,
	                             &change->description, why);

	if (!err && change->description && change->op != CHANGE_ADD &&
	    change->op != CHANGE_SET)
		return fail(why, ERR_INVALID, "description: must be absent if op is "
		            "delete or expect");
	return err;
}

/* "ANY" is allowed only with "expect": the name must have no set. */
static enum err change_get_type(const json_t *json, struct change *change,
                                struct why *why)
{
	const char *text = json_string_value(json_object_get(json, "type"));

	if (change->op != CHANGE_EXPECT || !text || strcasecmp(text, "ANY"))
		return codec_type(json, &change->type, why);
	change->type = RR_ANY;
	if (json_array_size(json_object_get(json, "records")))
		return fail(why, ERR_INVALID, "records: must be empty if the type is "
		            "ANY");
	return OK;
}

/* The owner of records may have any octets (RFC 2181 11), unlike the name of a domain. */
static enum err change_set_owner(const char *text, const char *field, struct arena *arena,
                                 struct change *change, struct why *why)
{
	enum err err = name_parse(text, field, &change->name, why);

	if (!err)
		change->owner = codec_name_text(&change->name, arena);
	return err;
}

static enum err change_get_place(const json_t *json, struct arena *arena,
                                 struct change *change, struct why *why)
{
	const char *owner;
	enum err err = json_get_text(json, "name", JSON_REQUIRED, NAME_MAX_TEXT, &owner,
	                             why);

	if (!err)
		err = change_set_owner(owner, "name", arena, change, why);
	if (!err)
		err = change_get_type(json, change, why);
	if (!err)
		err = change_get_ttl(json, change, why);
	if (!err)
		err = change_get_description(json, change, why);
	return codec_within(change->field, err, why);
}

static bool change_op_parse(const char *text, enum change_op *op)
{
	static const char *const names[] = {
		[CHANGE_ADD] = "add", [CHANGE_DELETE] = "delete", [CHANGE_SET] = "set",
		[CHANGE_EXPECT] = "expect",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(text, names[i])) {
			*op = i;
			return true;
		}
	}
	return false;
}

static enum err change_get_op(const json_t *json, struct change *change, struct why *why)
{
	const char *text;
	enum err err = json_get_text(json, "op", JSON_REQUIRED, WORD_MAX, &text, why);

	if (!err && !change_op_parse(text, &change->op))
		err = fail(why, ERR_INVALID, "op: must be add, delete, set or expect, "
		           "not '%s'", err_quote(text, (char[33]){ 0 }, 33));
	return codec_within(change->field, err, why);
}

static enum err change_get_manager(const json_t *json, struct change *change,
                                   struct why *why)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	enum err err = json_get_text(json, "managed_by", 0, WORD_MAX,
	                             &change->managed_by, why);
	const char *text = change->managed_by;

	if (err || !text)
		return codec_within(change->field, err, why);
	if (!*text || text[strspn(text, letters)])
		err = fail(why, ERR_INVALID, "managed_by: must consist of a-z, 0-9 and "
		           "'-', not '%s'", err_quote(text, (char[33]){ 0 }, 33));
	else if (change->op == CHANGE_EXPECT)
		err = fail(why, ERR_INVALID, "managed_by: is allowed only if op is add, "
		           "set or delete");
	return codec_within(change->field, err, why);
}

/* If a caller has filtered all its records out, central must not delete all. */
static enum err change_check_count(const json_t *json, const struct change *change,
                                   struct why *why)
{
	if (change->count || change->op == CHANGE_SET || change->op == CHANGE_EXPECT)
		return OK;
	if (change->op == CHANGE_ADD)
		return fail(why, ERR_INVALID, "%s.records: must not be empty",
		            change->field);
	if (json_is_array(json_object_get(json, "records")))
		return fail(why, ERR_INVALID, "%s.records: must not be empty: leave out "
		            "`records` to delete the whole record set", change->field);
	return OK;
}

static enum err change_get(const json_t *json, struct arena *arena, struct change *change,
                           struct why *why)
{
	enum err err;

	if (!json_is_object(json))
		return fail(why, ERR_INVALID, "%s: must be an object", change->field);
	err = json_only_fields(json, codec_change_fields, change->field, why);
	if (!err)
		err = change_get_op(json, change, why);
	if (!err)
		err = change_get_place(json, arena, change, why);
	if (!err)
		err = change_get_records(json,
		                         change->op == CHANGE_DELETE ? 0 : JSON_REQUIRED,
		                         arena, change, why);
	if (!err)
		err = change_get_manager(json, change, why);
	return err ? err : change_check_count(json, change, why);
}

enum err codec_changes(const json_t *array, struct arena *arena, struct change **changes,
                       size_t *count, struct why *why)
{
	size_t n = json_array_size(array);
	struct change *got = arena_alloc(arena, (n + 1) * sizeof(*got));
	enum err err = OK;

	for (size_t i = 0; !err && i < n; i++) {
		got[i].field = arena_printf(arena, "changes[%zu]", i);
		err = change_get(json_array_get(array, i), arena, &got[i], why);
	}
	if (!err) {
		*changes = got;
		*count = n;
	}
	return err;
}

enum err codec_recordset(const json_t *json, struct arena *arena, struct change *change,
                         struct why *why)
{
	enum err err;

	*change = (struct change){ .op = CHANGE_SET, .field = "recordset" };
	err = json_only_fields(json, codec_recordset_fields, change->field, why);
	if (!err)
		err = change_get_place(json, arena, change, why);
	if (!err)
		err = change_get_records(json, JSON_REQUIRED, arena, change, why);
	if (!err && !change->count)
		return fail(why, ERR_INVALID, "recordset.records: must not be empty");
	return err;
}

/* Copies the present records into the change. */
static void change_keep_records(const struct recordset *now, struct arena *arena,
                                struct change *change)
{
	change->records = arena_alloc(arena,
	                              (now->record_count + 1) * sizeof(*change->records));
	for (size_t i = 0; i < now->record_count; i++) {
		const struct record *record = &now->records[i];

		if (record->state.task != TASK_DELETE)
			change->records[change->count++] = (struct rdata){
				record->data, record->rdata, record->rdata_len };
	}
}

enum err codec_recordset_values(const json_t *json, const struct recordset *now,
                                struct arena *arena, struct change *change,
                                struct why *why)
{
	enum err err = json_only_changes(json, codec_recordset_fields,
	                                 "a change to a record set", why);

	*change = (struct change){ .op = CHANGE_SET, .type = now->type,
	                           .owner = now->name,
	                           .field = "values" };
	if (!err)
		err = name_parse(now->name, "name", &change->name, why);
	if (!err)
		err = codec_within("values", change_get_ttl(json, change, why), why);
	if (!err)
		err = codec_within("values", change_get_description(json, change, why),
		                   why);
	if (err)
		return err;
	if (json_is_absent(json, "records")) {
		change_keep_records(now, arena, change);
		return OK;
	}
	err = change_get_records(json, JSON_REQUIRED, arena, change, why);
	if (!err && !change->count)
		return fail(why, ERR_INVALID,
		            "values.records: must not be empty: to delete the record "
		            "set, call delete_recordset");
	return err;
}

enum err codec_record_import(const json_t *json, const char *field, struct arena *arena,
                             struct change *change, struct why *why)
{
	const char *owner, *type, *data;
	json_int_t ttl;
	enum err err;

	*change = (struct change){ .op = CHANGE_ADD, .field = field,
	                           .ttl_op = TTL_GIVEN };
	if (json_unpack((json_t *)json, "[s, I, s, s!]", &owner, &ttl, &type, &data))
		return fail(why, ERR_INVALID, "%s: must be [name, ttl, type, data]",
		            field);
	if (ttl < 0 || ttl > RR_TTL_MAX)
		return fail(why, ERR_INVALID, "%s: the TTL must be from 0 to %d, not "
		            "%lld", field, RR_TTL_MAX, (long long)ttl);
	change->ttl = (uint32_t)ttl;
	err = change_set_owner(owner, field, arena, change, why);
	if (!err)
		err = rrtype_parse(type, field, &change->type, why);
	if (err)
		return err;
	change->count = 1;
	change->records = arena_alloc(arena, sizeof(*change->records));
	return change_get_rdata(change, data, field, arena, change->records, why);
}

static json_t *recordset_encode_time(int64_t unix_ms)
{
	char text[RFC3339_TEXT];

	rfc3339_format(unix_ms, text);
	return json_string(text);
}

static const struct state *recordset_worst_state(const struct recordset *set)
{
	static const struct state active = { TASK_NONE, STATUS_ACTIVE, 0 };
	const struct state *worst = &active;

	for (size_t i = 0; i < set->record_count; i++) {
		const struct state *state = &set->records[i].state;

		if (state->status == STATUS_ERROR)
			return state;
		if (state->status == STATUS_PENDING)
			worst = state;
	}
	return worst;
}

static json_t *member_encode(const struct record *record)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s?}", "id", record->id,
	                 "data", record->data, "task", task_name(record->state.task),
	                 "status", status_name(record->state.status),
	                 "serial_number", (json_int_t)record->state.serial,
	                 "managed_by", record->managed_by);
}

static json_t *recordset_encode_ttl(bool given, uint32_t ttl)
{
	return given ? json_integer(ttl) : json_null();
}

json_t *codec_recordset_encode(const struct recordset *set)
{
	const struct state *state = recordset_worst_state(set);
	json_t *records = json_array(), *members = json_array();
	char type[16];

	rrtype_format(set->type, type);
	for (size_t i = 0; i < set->record_count; i++) {
		json_array_append_new(members, member_encode(&set->records[i]));
		if (set->records[i].state.task != TASK_DELETE)
			json_array_append_new(records, json_string(set->records[i].data));
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, s:s, s:s, s:o, "
	                 "s:o}",
		"id", set->id, "domain_id", set->domain_id, "tenant", set->tenant,
		"name", set->name,
		"type", type,
		"ttl", recordset_encode_ttl(set->has_ttl, set->ttl),
		"description", set->description, "records", records, "members", members,
		"status", status_name(state->status), "task", task_name(state->task),
		"created_at", recordset_encode_time(set->created_at),
		"updated_at", recordset_encode_time(set->updated_at));
}

json_t *codec_record_encode(const struct found_record *found)
{
	json_t *json = member_encode(&found->record);
	char type[16];

	rrtype_format(found->type, type);
	json_object_set_new(json, "recordset_id", json_string(found->recordset_id));
	json_object_set_new(json, "domain_id", json_string(found->domain_id));
	json_object_set_new(json, "name", json_string(found->name));
	json_object_set_new(json, "type", json_string(type));
	json_object_set_new(json, "ttl", recordset_encode_ttl(found->has_ttl,
	                                                      found->ttl));
	return json;
}
