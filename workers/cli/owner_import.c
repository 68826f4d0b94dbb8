#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "handlers.h"
#include "input.h"
#include "owner.h"
#include "progress.h"

enum { PIECE_RECORDS = 5000, PIECE_BYTES = 4 * 1024 * 1024 };

/* One record, borrowed from the document. */
struct entry {
	json_t *json;
	const char *name, *type;
	size_t name_len;		/* without the final dot */
	size_t bytes;			/* approximate size of the record */
};

struct import {
	struct cli *cli;
	struct shared_zone zone;
	json_t *list;
	/* sorted, so that records of a set follow each other */
	struct entry *entries;
	size_t count, sent;
	json_t *sums;
	struct progress progress;
};

/* ---- reading ---- */

static enum err entries_no_json(struct cli *cli, const char *where,
                                const json_error_t *error)
{
	return fail(&cli->why, ERR_INVALID, "%.200s: line %d: not valid JSON: %.200s",
	            where, error->line, error->text);
}

static enum err entries_load(struct cli *cli, const char *path, json_t **document)
{
	struct input input;
	json_error_t error;
	enum err err = input_open(&input, path, &cli->why), closed;

	if (err)
		return err;
	*document = json_loadf(input.file, JSON_REJECT_DUPLICATES, &error);
	if (!*document)
		err = entries_no_json(cli, input.path, &error);
	/* the text may be bad because the file is cut off */
	closed = input_close(&input, err ? &(struct why){ 0 } : &cli->why);
	return err ? err : closed;
}

/* Takes a list, or the document with a list as its text. The caller frees *list. */
static enum err entries_find_list(struct cli *cli, json_t *document, json_t **list)
{
	const json_t *data = json_object_get(document, "data");
	const char *text = json_string_value(json_object_get(data, "records"));
	json_error_t error;

	*list = json_is_array(document) ? json_incref(document) : NULL;
	if (!*list && !text)
		return fail(&cli->why, ERR_INVALID, "%.200s: must be a list of records, "
		            "or an object whose string data.records contains such a list "
		            "(see 'zonefleet owner export')", cli->argv[2]);
	if (!*list)
		*list = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!*list)
		return entries_no_json(cli, "data.records", &error);
	if (!json_is_array(*list))
		return fail(&cli->why, ERR_INVALID, "data.records: the string must "
		            "contain a list");
	return OK;
}

static enum err entries_read_list(struct import *import)
{
	json_t *document = NULL;
	enum err err = entries_load(import->cli, import->cli->argv[2], &document);

	if (!err)
		err = entries_find_list(import->cli, document, &import->list);
	json_decref(document);
	return err;
}

/* ---- sets ---- */

static size_t entry_field(const json_t *json, const char *key, const char **text)
{
	const json_t *value = json_object_get(json, key);

	*text = json_string_value(value);
	return json_string_length(value);
}

static bool entry_take(json_t *json, struct entry *entry)
{
	const char *owner, *target;

	*entry = (struct entry){ .json = json };
	entry->name_len = entry_field(json, "dnsname", &entry->name);
	entry->bytes = entry->name_len + entry_field(json, "owner", &owner) +
	               entry_field(json, "target", &target) +
	               entry_field(json, "type", &entry->type);
	if (entry->name_len && entry->name[entry->name_len - 1] == '.')
		entry->name_len--;
	return entry->name && owner && target && entry->type &&
	       json_object_size(json) == 4;
}

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	size_t len = x->name_len < y->name_len ? x->name_len : y->name_len;
	int order = strncasecmp(x->name, y->name, len);

	if (!order)
		order = (x->name_len > y->name_len) - (x->name_len < y->name_len);
	return order ? order : strcasecmp(x->type, y->type);
}

/* Checks all records before it sends the first one. */
static enum err entries_take(struct import *import)
{
	import->count = json_array_size(import->list);
	import->entries = xcalloc(import->count + 1, sizeof *import->entries);
	for (size_t i = 0; i < import->count; i++)
		if (!entry_take(json_array_get(import->list, i), &import->entries[i]))
			return fail(&import->cli->why, ERR_INVALID,
			            "%.200s: records[%zu]: must be an object with the "
			            "strings dnsname, owner, target and type, and no "
			            "other field", import->cli->argv[2], i);
	qsort(import->entries, import->count, sizeof *import->entries, entry_compare);
	return OK;
}

/* ---- pieces ---- */

static size_t entries_set_end(const struct import *import, size_t first, size_t *bytes)
{
	size_t end = first;

	do
		*bytes += import->entries[end++].bytes;
	while (end < import->count &&
	       !entry_compare(&import->entries[first], &import->entries[end]));
	return end;
}

/* A piece has whole sets up to the limits, and always at least one set. */
static size_t entries_piece_end(const struct import *import, size_t first)
{
	size_t bytes = 0, end = first;

	while (end < import->count) {
		size_t next = entries_set_end(import, end, &bytes);

		if (end > first && (next - first > PIECE_RECORDS || bytes > PIECE_BYTES))
			break;
		end = next;
	}
	return end;
}

static void owner_import_add_sums(json_t *sums, const json_t *answer)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)answer, key, value)
		json_object_set_new(sums, key,
		                    json_integer(answer_number(sums, key) +
		                                 json_integer_value(value)));
}

static enum err entries_send_piece(struct import *import, size_t end)
{
	json_t *records = json_array(), *answer;
	enum err err;

	for (size_t i = import->sent; i < end; i++)
		json_array_append(records, import->entries[i].json);
	err = owner_ask(import->cli, "storage_import",
	                owner_arguments(&import->zone, "records", records), &answer);
	if (err)
		return err;
	owner_import_add_sums(import->sums, answer);
	json_decref(answer);
	import->sent = end;
	return OK;
}

static void owner_import_show_sending(struct import *import)
{
	char detail[64];

	snprintf(detail, sizeof detail, "%zu records", import->sent);
	progress_bar(&import->progress, "importing", (int64_t)import->sent,
	             (int64_t)import->count, detail);
}

static enum err owner_import_cut_short(struct import *import, enum err err)
{
	struct why *why = &import->cli->why, said = *why;

	return fail(why, err,
	            "%.350s (%zu of %zu records are imported; you can repeat the import)",
	            said.text, import->sent, import->count);
}

static enum err entries_send_all(struct import *import)
{
	enum err err = OK;

	progress_begin(&import->progress, &import->cli->out);
	do {
		owner_import_show_sending(import);
		err = entries_send_piece(import, entries_piece_end(import, import->sent));
	} while (!err && import->sent < import->count);
	progress_end(&import->progress);
	return err && import->sent ? owner_import_cut_short(import, err) : err;
}

/* ---- the command ---- */

static void owner_import_print(const struct import *import)
{
	static const struct field fields[] = {
		{ "claimed",    "record sets of this owner" },
		{ "others",     "records of other owners" },
		{ "unmanaged",  "records without an owner" },
		{ "outside",    "records of other zones" },
		{ "unreadable", "unreadable records" },
		{ 0 }
	};
	const struct output *out = &import->cli->out;

	if (out->json || out->quiet)
		return;
	output_fields(out, import->sums, fields);
	puts("in the next round, STORAGE_ID becomes the owner of the record sets that "
	     "are still unchanged in the zone (see 'zonefleet owner plan')");
}

static enum err owner_import_run(struct import *import)
{
	enum err err = owner_zone(import->cli, &import->zone);

	if (!err)
		err = entries_read_list(import);
	if (!err)
		err = entries_take(import);
	if (err)
		return err;
	cli_answer(import->cli, json_incref(import->sums));
	err = entries_send_all(import);
	if (!err)
		owner_import_print(import);
	return err;
}

enum err owner_import(struct cli *cli)
{
	struct import import = { .cli = cli, .sums = json_object() };
	enum err err = owner_import_run(&import);

	free(import.entries);
	json_decref(import.list);
	json_decref(import.sums);
	return err;
}
