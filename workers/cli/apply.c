#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apply.h"
#include "handlers.h"
#include "input.h"
#include "names.h"
#include "record.h"

enum { CHANGES_MAX = 5000, TTL_MAX = INT32_MAX };

/* ---- lines ---- */

/* Cuts the next word off *at, in place; "" at the end. */
static char *apply_next_word(char **at)
{
	char *word = *at + strspn(*at, " \t");

	*at = word + strcspn(word, " \t");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

/* "-" means the domain's TTL. A deletion does not change the TTL of records that stay. */
static bool apply_put_ttl(const char *op, const char *word, json_t *change)
{
	int64_t ttl;

	if (!strcmp(word, "-"))
		return !strcmp(op, "delete") ||
		       !json_object_set_new(change, "ttl", json_null());
	if (!names_seconds(word, TTL_MAX, &ttl))
		return false;
	json_object_set_new(change, "ttl", json_integer(ttl));
	return true;
}

static bool apply_same(const json_t *a, const json_t *b, const char *key)
{
	const json_t *left = json_object_get(a, key), *right = json_object_get(b, key);

	return left ? json_equal(left, right) : !right;
}

/* Consecutive lines of one record set become one change. */
static void apply_append(struct apply *apply, json_t *change, int line)
{
	size_t count = json_array_size(apply->changes);
	json_t *last = json_array_get(apply->changes, count - 1);
	json_t *records = json_object_get(last, "records");

	if (records && json_object_get(change, "records") &&
	    apply_same(last, change, "op") && apply_same(last, change, "name") &&
	    apply_same(last, change, "type") && apply_same(last, change, "ttl")) {
		json_array_extend(records, json_object_get(change, "records"));
		json_array_append_new(json_array_get(apply->lines, count - 1),
		                      json_integer(line));
		json_decref(change);
		return;
	}
	json_array_append_new(apply->changes, change);
	json_array_append_new(apply->lines, json_pack("[i]", line));
}

/* TTLS: the last TTL and its line, by name and type. */
static void apply_check_ttl(const struct apply *apply, const json_t *change, int line,
                            json_t *ttls)
{
	char key[NAME_MAX_TEXT + 64];
	struct why words;
	int64_t ttl = answer_number(change, "ttl"), before, before_line;

	if (!json_is_integer(json_object_get(change, "ttl")) ||
	    !strcmp(answer_text(change, "op"), "delete"))
		return;
	snprintf(key, sizeof key, "%.50s %s", answer_text(change, "type"),
	         answer_text(change, "name"));
	if (!json_unpack(json_object_get(ttls, key), "[I, I]", &before, &before_line) &&
	    before != ttl && apply->warn) {
		fail(&words, OK, "%.250s:%d: the TTL is %" PRId64 ", but line %" PRId64
		     " gives this record set the TTL %" PRId64 ": the record set gets "
		     "the TTL %" PRId64, apply->file, line, ttl, before_line, before,
		     ttl);
		apply->warn(apply->self, words.text);
	}
	json_object_set_new(ttls, key, json_pack("[I, i]", ttl, line));
}

static enum err apply_put_data(const char *type, const char *data, json_t *change,
                               struct quotes *quotes, struct why *why)
{
	json_t *records = json_array();

	json_object_set_new(change, "records", records);
	return quote_append(records, type, data, quotes, why);
}

static enum err apply_parse_line(char *line, const char *domain, json_t *change,
                                 struct quotes *quotes, struct why *why)
{
	char name[NAME_MAX_TEXT + 1];
	const char *op = apply_next_word(&line), *owner = apply_next_word(&line),
		   *ttl = apply_next_word(&line);
	const char *type = apply_next_word(&line), *data = line + strspn(line, " \t");

	if (!*type)
		return fail(why, ERR_INVALID, "the line must have the form: "
		            "add|set|delete NAME TTL TYPE DATA");
	if (strcmp(op, "add") && strcmp(op, "set") && strcmp(op, "delete"))
		return fail(why, ERR_INVALID,
		            "operation: must be add, set or delete, not '%.40s'", op);
	if (names_record(owner, domain, name, why))
		return ERR_INVALID;
	if (!apply_put_ttl(op, ttl, change))
		return fail(why, ERR_INVALID,
		            "TTL: must be a time like 300 or 5m, or - for the TTL of the "
		            "domain, not '%.40s'", ttl);
	if (!*data && strcmp(op, "delete"))
		return fail(why, ERR_INVALID, "DATA: must not be empty if the operation "
		            "is %s", op);
	json_object_set_new(change, "op", json_string(op));
	json_object_set_new(change, "name", json_string(name));
	json_object_set_new(change, "type", json_string(type));
	return *data ? apply_put_data(type, data, change, quotes, why) : OK;
}

static enum err apply_parse_lines(struct apply *apply, char *text, json_t *ttls,
                                  struct why *why)
{
	int number = 1;

	for (char *line = text, *next; line; line = next, number++) {
		struct why words;
		json_t *change;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		line += strspn(line, " \t");
		if (!*line || *line == '#' || *line == ';')
			continue;
		change = json_object();
		apply->quotes.line = number;
		if (apply_parse_line(line, apply->domain, change, &apply->quotes,
		                     &words)) {
			json_decref(change);
			return fail(why, ERR_INVALID, "%.250s:%d: %s", apply->file,
			            number, words.text);
		}
		apply_check_ttl(apply, change, number, ttls);
		apply_append(apply, change, number);
	}
	return OK;
}

/* ---- JSON ---- */

/* Central reads each word of TXT data without quotes as a string. */
static void apply_check_strings(const struct apply *apply, const json_t *change,
                                size_t number)
{
	const char *type = answer_text(change, "type");
	json_t *records = json_object_get(change, "records"), *data;
	size_t i;

	json_array_foreach(records, i, data) {
		const char *value = json_string_value(data);
		struct buf text = { 0 };
		size_t strings = value ? quote_unquoted_strings(type, value, &text) : 0;
		struct why words;

		if (strings && apply->warn) {
			fail(&words, OK, "%.250s: changes[%zu].records[%zu]: %.10s data "
			     "without quotes: %zu strings, which clients join without a "
			     "blank: %.300s: one value needs quotes", apply->file, number,
			     i, type, strings, buf_string(&text));
			apply->warn(apply->self, words.text);
		}
		buf_clear(&text);
	}
}

/* Parses the form that central takes, except that names may be relative. */
static enum err apply_parse_json(struct apply *apply, const char *text, struct why *why)
{
	json_error_t error;
	json_t *list = json_loads(text, JSON_REJECT_DUPLICATES, &error), *change;
	struct why words;
	size_t i;
	enum err err = OK;

	if (!list)
		return fail(why, ERR_INVALID, "%.250s:%d: not valid JSON: %.200s",
		            apply->file, error.line, error.text);
	json_array_foreach(list, i, change) {
		char name[NAME_MAX_TEXT + 1];

		if (!json_is_object(change))
			err = fail(&words, ERR_INVALID, "must be a JSON object");
		else
			err = names_record(answer_text(change, "name"), apply->domain,
			                   name, &words);
		if (err) {
			fail(why, err, "%.200s: changes[%zu]: %s", apply->file, i,
			     words.text);
			break;
		}
		json_object_set_new(change, "name", json_string(name));
		json_array_append(apply->changes, change);
		apply_check_strings(apply, change, i);
	}
	json_decref(list);
	return err;
}

enum err apply_parse(struct apply *apply, char *text, struct why *why)
{
	char *first = text + strspn(text, " \t\r\n");
	json_t *ttls = json_object();
	size_t count;
	enum err err;

	apply->changes = json_array();
	apply->lines = json_array();
	err = *first == '[' ? apply_parse_json(apply, text, why)
	                    : apply_parse_lines(apply, text, ttls, why);
	json_decref(ttls);
	if (err)
		return err;
	count = json_array_size(apply->changes);
	if (!count)
		return fail(why, ERR_INVALID, "%.200s: must contain at least one change",
		            apply->file);
	if (count > CHANGES_MAX)
		return fail(why, ERR_TOO_LARGE,
		            "%.200s: contains %zu changes, but one call can contain at "
		            "most %d: use several files, or 'zonefleet domain import'",
		            apply->file, count, CHANGES_MAX);
	return OK;
}

void apply_show_line(const struct apply *apply, struct why *why)
{
	struct why before = *why;
	unsigned change, record = 0;
	const json_t *line;
	const char *rest;
	int len = 0, more = 0;

	sscanf(before.text, "changes[%9u]%n.records[%9u]%n", &change, &len, &record,
	       &more);
	line = len ? json_array_get(json_array_get(apply->lines, change), record) : NULL;
	if (len && !line)
		fail(why, OK, "%.250s: %s", apply->file, before.text);
	if (!line)
		return;
	rest = before.text + (more ? more : len);
	snprintf(why->text, sizeof why->text, "%.250s:%d%s%s", apply->file,
	         (int)json_integer_value(line), *rest == '.' ? ": " : "",
	         *rest == '.' ? rest + 1 : rest);
}

void apply_clear(struct apply *apply)
{
	json_decref(apply->changes);
	json_decref(apply->lines);
	quotes_clear(&apply->quotes);
	apply->quotes = (struct quotes){ 0 };
	apply->changes = apply->lines = NULL;
}

/* ---- the command ---- */

static void apply_warn(void *self, const char *text)
{
	struct cli *cli = self;

	output_warn(&cli->out, text);
}

static enum err apply_read_changes(struct cli *cli, struct apply *apply)
{
	struct buf text = { 0 };
	char empty[1] = "";
	enum err err = input_read(cli->argv[1], &text, &cli->why);

	if (!err)
		err = apply_parse(apply, text.data ? (char *)text.data : empty,
		                  &cli->why);
	buf_clear(&text);
	return err;
}

enum err record_apply(struct cli *cli)
{
	const char *file = strcmp(cli->argv[1], "-") ? cli->argv[1] : "standard input";
	struct zone_ref zone;
	struct apply apply = {
		.file = file, .domain = zone.name, .warn = apply_warn, .self = cli,
	};
	enum err err = record_zone(cli, &zone);

	if (!err)
		err = apply_read_changes(cli, &apply);
	if (!err) {
		err = record_change(cli, &zone, json_incref(apply.changes),
		                    &apply.quotes);
		if (err)
			apply_show_line(&apply, &cli->why);
	}
	apply_clear(&apply);
	return err;
}
