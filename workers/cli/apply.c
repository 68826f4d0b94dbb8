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

/* "-" means the domain's TTL. */
static bool apply_put_ttl(const char *word, json_t *change)
{
	int64_t ttl;

	if (!strcmp(word, "-"))
		return true;
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
static void apply_append(json_t *changes, json_t *change)
{
	json_t *last = json_array_get(changes, json_array_size(changes) - 1);
	json_t *records = json_object_get(last, "records");

	if (records && json_object_get(change, "records") &&
	    apply_same(last, change, "op") && apply_same(last, change, "name") &&
	    apply_same(last, change, "type") && apply_same(last, change, "ttl")) {
		json_array_extend(records, json_object_get(change, "records"));
		json_decref(change);
		return;
	}
	json_array_append_new(changes, change);
}

static enum err apply_put_data(const char *type, const char *data, json_t *change,
                               struct quotes *quotes, struct why *why)
{
	json_t *record = quote_data(type, data, quotes);

	if (!record)	/* without records, `delete` deletes the whole set */
		return fail(why, ERR_INVALID, "DATA: must be UTF-8");
	json_object_set_new(change, "records", json_pack("[o]", record));
	return OK;
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
	if (!apply_put_ttl(ttl, change))
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

static enum err apply_parse_lines(char *text, const char *domain, json_t *changes,
                                  struct quotes *quotes, struct why *why)
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
		if (apply_parse_line(line, domain, change, quotes, &words)) {
			json_decref(change);
			return fail(why, ERR_INVALID, "line %d: %s", number, words.text);
		}
		apply_append(changes, change);
	}
	return OK;
}

/* ---- JSON ---- */

/* Parses the form that central takes, except that names may be relative. */
static enum err apply_parse_json(const char *text, const char *domain, json_t *changes,
                                 struct why *why)
{
	json_error_t error;
	json_t *list = json_loads(text, JSON_REJECT_DUPLICATES, &error), *change;
	size_t i;
	enum err err = OK;

	if (!list)
		return fail(why, ERR_INVALID, "line %d: not valid JSON: %.200s",
		            error.line, error.text);
	json_array_foreach(list, i, change) {
		char name[NAME_MAX_TEXT + 1];

		if (!json_is_object(change))
			err = fail(why, ERR_INVALID, "changes[%zu]: must be an object",
			           i);
		else
			err = names_record(answer_text(change, "name"), domain, name,
			                   why);
		if (err)
			break;
		json_object_set_new(change, "name", json_string(name));
		json_array_append(changes, change);
	}
	json_decref(list);
	return err;
}

enum err apply_parse(char *text, const char *domain, json_t *changes,
                     struct quotes *quotes, struct why *why)
{
	const char *first = text + strspn(text, " \t\r\n");
	enum err err = *first == '[' ? apply_parse_json(first, domain, changes, why)
	                             : apply_parse_lines(text, domain, changes, quotes,
	                                                 why);

	if (err)
		return err;
	if (!json_array_size(changes))
		return fail(why, ERR_INVALID, "must contain at least one change");
	if (json_array_size(changes) > CHANGES_MAX)
		return fail(why, ERR_TOO_LARGE,
		            "contains %zu changes, but one call can contain at most %d: "
		            "use several files, or 'zonefleet domain import'",
		            json_array_size(changes), CHANGES_MAX);
	return OK;
}

/* ---- the command ---- */

static enum err apply_read_changes(struct cli *cli, const char *domain, json_t *changes,
                                   struct quotes *quotes)
{
	struct buf text = { 0 };
	char empty[1] = "";
	struct why words;
	enum err err = input_read(cli->argv[1], &text, &cli->why);

	if (!err) {
		err = apply_parse(text.data ? (char *)text.data : empty, domain, changes,
		                  quotes, &words);
		if (err)
			fail(&cli->why, err, "%.200s: %s", cli->argv[1], words.text);
	}
	buf_clear(&text);
	return err;
}

enum err record_apply(struct cli *cli)
{
	json_t *changes = json_array();
	struct quotes quotes = { 0 };
	struct zone_ref zone;
	enum err err = record_zone(cli, &zone);

	if (!err)
		err = apply_read_changes(cli, zone.name, changes, &quotes);
	if (err)
		json_decref(changes);
	else
		err = record_change(cli, &zone, changes, &quotes);
	quotes_clear(&quotes);
	return err;
}
