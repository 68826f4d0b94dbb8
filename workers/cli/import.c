#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "handlers.h"
#include "input.h"
#include "model/master_file.h"
#include "model/presentation.h"
#include "places.h"
#include "progress.h"
#include "wait.h"

enum {
	PART_BYTES = 512 * 1024,
	PART_RECORDS = 4000,
	RECORD_BYTES = 64,  /* per record: quotes, commas and numbers on the wire */
	COMMIT_MAX_S = 3600,
};

#define CENTRAL "central"

struct import {
	struct cli *cli;
	char name[NAME_MAX_TEXT + 1];
	char id[ID_LEN + 1];
	struct name apex;
	struct input input;
	int folder;			/* of the file; -1: standard input */
	struct master_file *master;
	struct progress progress;
	struct buf data;
	json_t *part;			/* its records so far */
	size_t part_bytes;
	int parts;
	int64_t records;		/* without the SOA record, as central counts */
	struct places places;		/* of the records that were sent */
};

/* ---- parts ---- */

static void import_show_reading(struct import *import)
{
	char detail[64];

	snprintf(detail, sizeof detail, "%" PRId64 " records", import->records);
	progress_bar(&import->progress, "reading", input_position(&import->input),
	             import->input.size, detail);
}

static enum err import_send_part(struct import *import)
{
	json_t *args;

	if (!json_array_size(import->part))
		return OK;
	args = json_pack("{s:s, s:i, s:o}", "import", import->id, "part", import->parts++,
	                 "records", import->part);
	import->part = json_array();
	import->part_bytes = 0;
	places_end_part(&import->places);
	import_show_reading(import);
	return client_window_call(import->cli->client, CENTRAL, "add_to_import", args,
	                          &import->cli->why);
}

/* In JSON within JSON a quote is four bytes, and so is a backslash. */
static size_t import_size(const char *text)
{
	size_t bytes = strlen(text);

	for (const char *at = text; (at = strpbrk(at, "\"\\")); at++)
		bytes += 3;
	return bytes;
}

/* Puts the place of the record before WORDS. */
static enum err import_place(const struct import *import, const char *words,
                             struct why *why)
{
	return fail(why, ERR_INVALID, "%.250s:%d: %s", master_file_path(import->master),
	            master_file_line(import->master), words);
}

static void import_warn(void *self, const char *text)
{
	struct import *import = self;

	output_warn(&import->cli->out, text);
}

static enum err import_add_record(struct import *import, const struct rr *rr)
{
	struct why words;
	char name[NAME_MAX_TEXT + 1], type[16];
	size_t bytes;
	enum err err;

	name_format_wire(rr->name, name);
	rrtype_format(rr->type, type);
	buf_reset(&import->data);
	err = rdata_format(rr->type, rr->rdata, rr->rdata_len, &import->data, &words);
	if (err)
		return import_place(import, words.text, &import->cli->why);
	bytes = import_size(name) + import_size(buf_string(&import->data)) + RECORD_BYTES;
	if (import->part_bytes + bytes > PART_BYTES ||
	    json_array_size(import->part) == PART_RECORDS)
		err = import_send_part(import);
	json_array_append_new(import->part,
	                      json_pack("[s, I, s, s]", name, (json_int_t)rr->ttl, type,
	                                buf_string(&import->data)));
	places_add(&import->places, master_file_path(import->master),
	           master_file_line(import->master));
	import->part_bytes += bytes;
	import->records += rr->type != RR_SOA;
	return err;
}

static bool import_is_inside(const struct import *import, const struct rr *rr)
{
	struct name owner = { .len = (uint8_t)name_wire_len(rr->name, NAME_MAX_WIRE) };

	memcpy(owner.wire, rr->name, owner.len);
	return name_is_below(&owner, &import->apex);
}

/* Refuses a record outside the domain, or warns that the client skips it. */
static enum err import_leave_out(struct import *import, const struct rr *rr)
{
	bool skips = cli_has(import->cli, OPT_IGNORE_OUT_OF_ZONE);
	char name[NAME_MAX_TEXT + 1];
	struct why words, text;

	name_format_wire(rr->name, name);
	fail(&words, ERR_INVALID, "'%.100s' is outside the domain '%.100s'%s", name,
	     import->name, skips ? ": the client skips this record"
	                         : ": use --ignore-out-of-zone to skip such records");
	if (!skips)
		return import_place(import, words.text, &import->cli->why);
	import_place(import, words.text, &text);
	import_warn(import, text.text);
	return OK;
}

static enum err import_send_records(struct import *import)
{
	struct rr rr;
	bool found = true;
	enum err err = OK;

	while (!err) {
		err = master_file_next(import->master, &rr, &found, &import->cli->why);
		if (err || !found)
			break;
		err = import_is_inside(import, &rr) ? import_add_record(import, &rr)
		                                    : import_leave_out(import, &rr);
	}
	return err ? err : import_send_part(import);
}

/* Reports the first failure, and waits for all answers before it returns. */
static enum err import_stage(struct import *import)
{
	struct why words;
	enum err err = import_send_records(import);
	enum err later = client_window_close(import->cli->client, &words);

	if (!err && later)
		import->cli->why = words;
	return err ? err : later;
}

/* ---- the stages ---- */

static enum err import_begin(struct import *import)
{
	struct cli *cli = import->cli;
	json_t *wish = json_pack("{s:s}", "name", import->name), *begun;
	json_t *args = json_pack("{s:o}", "domain", wish);
	enum err err = cli_put_pairs(cli, OPT_ATTRIBUTES, wish, "attributes");

	cli_put_text(cli, OPT_POOL, wish, "pool");
	cli_put_force(cli, args);
	if (!err)
		err = cli_call(cli, "begin_import", args, &begun);
	else
		json_decref(args);
	if (err)
		return err;
	snprintf(import->id, sizeof import->id, "%s", answer_text(begun, "id"));
	json_decref(begun);
	return OK;
}

/*
 * Cancels the import, so that central does not keep its records until later. The first
 * failure stays the reason.
 */
static void import_cancel(struct import *import)
{
	struct why kept = import->cli->why;

	cli_call(import->cli, "cancel_import", json_pack("{s:s}", "import", import->id),
	         NULL);
	import->cli->why = kept;
}

static bool import_is_state(const json_t *state, const char *name)
{
	return !strcmp(answer_text(state, "state"), name);
}

/*
 * Shows which worker commits, and whether another one began before. ERR: the last check
 * failed.
 */
static void import_show_commit(struct import *import, const json_t *state, enum err err)
{
	const char *worker = answer_text(state, "worker");
	int64_t attempts = answer_number(state, "attempts");
	char note[64] = "";

	if (err) {
		progress_line(&import->progress, "committing  %.0f s  central does not "
		              "answer: %s", cli_elapsed(import->cli),
		              import->cli->why.text);
		return;
	}
	if (!*worker)
		snprintf(note, sizeof note, "waiting for a free process of central");
	else if (attempts > 1)
		snprintf(note, sizeof note, "attempt %" PRId64 ", by ", attempts);
	else
		snprintf(note, sizeof note, "by ");
	progress_line(&import->progress, "committing  %" PRId64 " records  %.0f s  %s%s",
	              import->records, cli_elapsed(import->cli), note, worker);
}

/* After a failure *state is unchanged. */
static enum err import_poll(struct import *import, json_t **state)
{
	json_t *now;
	enum err err = cli_call(import->cli, "get_import",
	                        json_pack("{s:s}", "import", import->id), &now);

	if (err)
		return err;
	json_decref(*state);
	*state = now;
	return OK;
}

static enum err import_await_commit(struct import *import, json_t **state)
{
	struct cli *cli = import->cli;
	int64_t until_ms = clock_ms() + COMMIT_MAX_S * INT64_C(1000);
	int pause_ms = 0;
	enum err err = OK;

	while (!import_is_state(*state, "DONE") && !import_is_state(*state, "ERROR")) {
		if (clock_ms() >= until_ms)
			return err ? err : fail(&cli->why, ERR_TIMEOUT,
			                        "import %s is still %s after %d s",
			                        import->id, answer_text(*state, "state"),
			                        COMMIT_MAX_S);
		import_show_commit(import, *state, err);
		client_pause(cli->client, &pause_ms);
		err = import_poll(import, state);
		if (err && !client_may_recover(err))
			return err;
	}
	return OK;
}

/* A central of an older version does not send the class of the error. */
static enum err import_fail(struct import *import, const json_t *state)
{
	const char *class = answer_text(state, "error");

	return fail(&import->cli->why, *class ? err_from_class(class) : ERR_INVALID, "%s",
	            answer_text(state, "reason"));
}

/* Central's reason has no place if it is about no single record: names the file only. */
static void import_show_place(struct import *import)
{
	static const char all[] = "records: ";
	struct why *why = &import->cli->why, words = *why;

	places_show(&import->places, why);
	if (!strncmp(words.text, all, strlen(all)))
		fail(why, ERR_INVALID, "%.250s: %s", master_file_path(import->master),
		     words.text + strlen(all));
}

/* *result: the result of the commit. */
static enum err import_commit(struct import *import, json_t **result)
{
	struct cli *cli = import->cli;
	json_t *state = NULL;
	enum err err = cli_call(cli, "commit_import",
	                        json_pack("{s:s}", "import", import->id), &state);

	if (!err)
		err = import_await_commit(import, &state);
	if (!err && import_is_state(state, "ERROR")) {
		err = import_fail(import, state);
		import_show_place(import);
	}
	if (!err) {
		*result = json_deep_copy(json_object_get(state, "result"));
		if (!json_is_object(*result))
			err = fail(&cli->why, ERR_REMOTE,
			           "import %s is DONE, but central sent no result",
			           import->id);
	}
	json_decref(state);
	return err;
}

/* Names the places of records in central's warnings. */
static void import_place_warnings(const struct import *import, json_t *result)
{
	json_t *warnings = json_object_get(result, "warnings"), *text;
	size_t i;

	json_array_foreach(warnings, i, text) {
		struct why words;

		fail(&words, OK, "%s", json_string_value(text));
		places_show(&import->places, &words);
		json_array_set_new(warnings, i, json_string(words.text));
	}
}

/* Adds the members that other commands also show: here "domain" is the name. */
static void import_complete(struct import *import, json_t *result)
{
	int64_t touched =
		answer_number(result, "added") + answer_number(result, "updated");

	json_object_set(result, "id", json_object_get(result, "domain"));
	json_object_set_new(result, "domain", json_string(import->name));
	json_object_set_new(result, "unchanged",
	                    json_integer(answer_number(result, "records") - touched));
	json_object_set_new(result, "read", json_integer(import->records));
	json_object_set_new(result, "import_seconds",
	                    json_real(cli_elapsed(import->cli)));
}

static enum err import_finish(struct import *import, json_t *result)
{
	struct cli *cli = import->cli;
	const struct goal goal = {
		.domain = import->name,
		.serial = (uint32_t)answer_number(result, "serial"),
	};
	char *line;
	enum err err;

	import_complete(import, result);
	import_place_warnings(import, result);
	line = xprintf("%s serial %" PRIu32 ": read %" PRId64 ", added %" PRId64
	               ", updated %" PRId64 ", deleted %" PRId64 ", unchanged %" PRId64
	               " in %.3f s",
	               import->name, goal.serial, import->records,
	               answer_number(result, "added"), answer_number(result, "updated"),
	               answer_number(result, "deleted"),
	               answer_number(result, "unchanged"), cli_elapsed(cli));
	err = wait_finish(cli, result, &goal, line);
	free(line);
	return err;
}

/* ---- the command ---- */

static enum err import_run(struct import *import, json_t **result)
{
	struct why words;
	enum err err = import_begin(import), closed;

	if (err)
		return err;
	err = import_stage(import);
	places_show(&import->places, &import->cli->why);
	closed = input_close(&import->input, &words);
	if (closed) {
		/* the last record is bad because the file is cut off */
		import->cli->why = words;
		err = closed;
	}
	if (err) {
		import_cancel(import);
		return err;
	}
	return import_commit(import, result);
}

static enum err import_open(struct import *import)
{
	struct cli *cli = import->cli;
	const char *path = cli->argv[1], *slash = strrchr(path, '/');
	struct master_options options = {
		.origin = import->name, .warn = import_warn, .self = import,
	};
	char *folder;
	enum err err = name_parse(import->name, "domain", &import->apex, &cli->why);

	if (!err)
		err = input_open(&import->input, path, &cli->why);
	if (err)
		return err;
	if (strcmp(path, "-")) {
		folder = xprintf("%.*s.", slash ? (int)(slash + 1 - path) : 0, path);
		import->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
		free(folder);
	}
	options.folder = import->folder;
	import->master = master_file_open(import->input.file, import->input.path,
	                                  &options);
	return OK;
}

static void import_close(struct import *import)
{
	master_file_close(&import->master);
	input_close(&import->input, &(struct why){ 0 });
	if (import->folder >= 0)
		close(import->folder);
	json_decref(import->part);
	buf_clear(&import->data);
	places_clear(&import->places);
}

enum err domain_import(struct cli *cli)
{
	struct import import = {
		.cli = cli, .part = json_array(), .input.fd = -1, .folder = -1,
	};
	json_t *result = NULL;
	enum err err = cli_domain(cli, 0, import.name);

	if (!err)
		err = import_open(&import);
	if (!err) {
		progress_begin(&import.progress, &cli->out);
		err = import_run(&import, &result);
		progress_end(&import.progress);
	}
	if (!err)
		err = import_finish(&import, result);
	import_close(&import);
	return err;
}
