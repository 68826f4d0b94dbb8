#include <inttypes.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/rfc3339.h"
#include "handlers.h"
#include "names.h"
#include "queues.h"
#include "runtime/envelope.h"

enum { LETTERS_MAX = 100000, BODY_MAX = 16 << 20, LETTER_ID_LEN = 32 };

/* A dead letter, as the commands show it. */
struct dead_letter {
	const char *queue;		/* the queue where the message failed */
	char id[LETTER_ID_LEN + 1];
	const struct broker_admin_message *message;
	const char *message_id, *method;	/* "": cannot be read */
};

/*
 * Visits the dead letters of all queues one by one. A letter that VISIT does not drop
 * goes back to its queue at the end.
 */
struct scan {
	struct cli *cli;
	struct broker_admin *broker;
	struct arena *arena;
	size_t limit, seen, done;
	enum err (*visit)(struct scan *scan, const struct dead_letter *letter);
	const char *wanted;		/* an id; NULL: all letters */
	struct table table;
	json_t *list;
};

/*
 * The id is a digest of the queue and the body. The id in the message is not safe: its
 * sender chooses it. It could name another letter that an operator is about to retry.
 */
static void dead_letter_set_id(struct dead_letter *letter)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct buf buf = { 0 };

	buf_append(&buf, letter->queue, strlen(letter->queue) + 1);
	buf_append(&buf, letter->message->body, letter->message->len);
	SHA256(buf.data, buf.len, digest);
	hex_encode(digest, LETTER_ID_LEN / 2, letter->id);
	buf_clear(&buf);
}

static enum err dead_letter_visit(struct scan *scan, struct dead_letter *letter)
{
	const struct broker_admin_message *message = letter->message;
	struct envelope_request request;
	struct why why;
	bool is_readable = message->is_json &&
	                   !envelope_request_decode(message->body, message->len, BODY_MAX,
	                                            &request, &why);
	enum err err;

	if (is_readable) {
		letter->message_id = request.unique_id ? request.unique_id : "";
		letter->method = request.method;
	}
	err = scan->visit(scan, letter);
	if (is_readable)
		envelope_request_clear(&request);
	return err;
}

static enum err scan_letter(struct scan *scan, const char *queue,
                            const struct broker_admin_message *message)
{
	struct dead_letter letter = {
		.queue = queue, .message = message, .message_id = "", .method = "",
	};

	dead_letter_set_id(&letter);
	if (scan->wanted && strcmp(scan->wanted, letter.id))
		return OK;
	return dead_letter_visit(scan, &letter);
}

static enum err scan_queue(struct scan *scan, const char *queue)
{
	char *dead = xprintf("%s.dead", queue);
	struct broker_admin_queue count;
	bool found = true;
	enum err err = broker_admin_count(scan->broker, dead, &count, &scan->cli->why);

	/* skip letters that arrive later: a retried letter may fail again */
	for (uint32_t i = 0; !err && found && i < count.messages; i++) {
		struct broker_admin_message message;

		if (scan->seen == scan->limit)
			break;
		arena_reset(scan->arena);
		err = broker_admin_take(scan->broker, dead, scan->arena, &message, &found,
		                        &scan->cli->why);
		if (err || !found)
			break;
		scan->seen++;
		err = scan_letter(scan, queue, &message);
	}
	free(dead);
	return err;
}

static enum err scan_all(struct scan *scan)
{
	struct queue_names names;
	enum err err = broker_admin_open(&scan->cli->common.broker, &scan->broker,
	                                 &scan->cli->why);

	if (err)
		return err;
	scan->arena = arena_new();
	err = queue_names_find(scan->cli, &names);
	for (size_t i = 0; !err && i < names.count; i++)
		err = scan_queue(scan, names.item[i]);
	queue_names_clear(&names);
	arena_free(&scan->arena);
	broker_admin_close(&scan->broker);
	return err;
}

/* ---- list ---- */

static const struct column columns[] = {
	{ "QUEUE",  COLUMN_LEFT },
	{ "ID",     COLUMN_LEFT },
	{ "METHOD", COLUMN_LEFT },
	{ "BURIED", COLUMN_LEFT },
	{ "REASON", COLUMN_LEFT },
	{ 0 }
};

/* Makes the members that list and show have in common. A time of 0 is unknown. */
static json_t *dead_letter_json(const struct dead_letter *letter)
{
	int64_t dead_unix = letter->message->dead_unix;
	char buried_at[RFC3339_TEXT];
	bool has_time = dead_unix && rfc3339_format(dead_unix * 1000, buried_at);

	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s}", "queue", letter->queue, "id",
	                 letter->id, "message_id", letter->message_id, "method",
	                 letter->method, "buried_at", has_time ? buried_at : NULL,
	                 "reason", letter->message->reason);
}

static enum err dead_letter_list(struct scan *scan, const struct dead_letter *letter)
{
	int64_t dead_unix = letter->message->dead_unix;
	char ago[DURATION_TEXT] = "-";

	if (dead_unix)
		names_duration(clock_unix() - dead_unix, ago);
	table_text(&scan->table, letter->queue);
	table_text(&scan->table, letter->id);
	table_text(&scan->table, *letter->method ? letter->method : "-");
	table_printf(&scan->table, dead_unix ? "%s ago" : "%s", ago);
	table_text(&scan->table, letter->message->reason);
	json_array_append_new(scan->list, dead_letter_json(letter));
	return OK;
}

enum err dead_letters_list(struct cli *cli)
{
	int64_t limit = 100;
	enum err err = cli_number(cli, OPT_LIMIT, 1, LETTERS_MAX, &limit);
	struct scan scan = { .cli = cli, .limit = (size_t)limit,
	                    .visit = dead_letter_list };

	if (err)
		return err;
	scan.list = json_array();
	table_begin(&scan.table, &cli->out, columns);
	err = scan_all(&scan);
	if (!err && !cli->out.json && json_array_size(scan.list))
		table_flush(&scan.table, stdout);
	else if (!err && !cli->out.json && !cli->out.quiet)
		puts("there are no dead letters");
	table_clear(&scan.table);
	cli_answer(cli, json_pack("{s:o}", "dead_letters", scan.list));
	return err;
}

/* ---- one letter, or all ---- */

static enum err dead_letter_show(struct scan *scan, const struct dead_letter *letter)
{
	const struct broker_admin_message *message = letter->message;
	json_t *body = json_loadb((const char *)message->body, message->len,
	                          JSON_REJECT_DUPLICATES, NULL);
	json_t *shown = dead_letter_json(letter);

	scan->done++;
	if (!body)
		body = json_sprintf("%zu bytes that are not JSON", message->len);
	json_object_set_new(shown, "body", body);
	if (!scan->cli->out.json)
		output_json(shown);
	else if (scan->list)
		json_array_append_new(scan->list, shown);
	else
		cli_answer(scan->cli, shown);
	return OK;
}

static enum err dead_letter_retry(struct scan *scan, const struct dead_letter *letter)
{
	enum err err = broker_admin_send(scan->broker, letter->queue, letter->message,
	                                 cli_has(scan->cli, OPT_VOUCH), &scan->cli->why);

	if (!err)
		err = broker_admin_drop(scan->broker, letter->message, &scan->cli->why);
	scan->done += !err;
	return err;
}

static enum err dead_letter_drop(struct scan *scan, const struct dead_letter *letter)
{
	enum err err = broker_admin_drop(scan->broker, letter->message, &scan->cli->why);

	scan->done += !err;
	return err;
}

/* WORDS: for example "sent again". NULL prints no count. */
static enum err scan_and_report(struct cli *cli, struct scan *scan, const char *words)
{
	const char *which = cli->argv[0];
	bool all = !strcmp(which, "all");
	enum err err;

	scan->cli = cli;
	scan->limit = LETTERS_MAX;
	scan->wanted = all ? NULL : which;
	err = scan_all(scan);
	if (!err && !scan->done && !all)
		err = fail(&cli->why, ERR_NOT_FOUND, "there is no dead letter '%s' "
		           "(see 'zonefleet dead-letters list')", which);
	if (!err && !words && !scan->done && !cli->out.json && !cli->out.quiet)
		fputs("zonefleet: there are no dead letters\n", stderr);
	if (words && !cli->out.json && !cli->out.quiet && (scan->done || !err))
		printf("dead letters %s: %zu\n", words, scan->done);
	if (words)
		cli_answer(cli, json_pack("{s:I}", "count", (json_int_t)scan->done));
	return err;
}

/* All letters are one document, as those of 'dead-letters list'. */
enum err dead_letters_show(struct cli *cli)
{
	struct scan scan = { .visit = dead_letter_show };

	if (cli->out.json && !strcmp(cli->argv[0], "all")) {
		scan.list = json_array();
		cli_answer(cli, json_pack("{s:o}", "dead_letters", scan.list));
	}
	return scan_and_report(cli, &scan, NULL);
}

/*
 * --vouch needs the id of one letter, which the operator must have read; "all" is
 * refused.
 */
static enum err dead_letters_check_vouch(struct cli *cli)
{
	if (!strcmp(cli->argv[0], "all"))
		return fail(&cli->why, ERR_INVALID, "--vouch sends one dead letter: give "
		            "its ID instead of 'all' (see 'zonefleet dead-letters "
		            "list')");
	if (!cli->common.broker.send_user_id)
		return fail(&cli->why, ERR_INVALID, "--vouch sends the message under "
		            "your account, but broker.send_user_id is false: set "
		            "broker.send_user_id to true");
	return OK;
}

enum err dead_letters_retry(struct cli *cli)
{
	enum err err = cli_has(cli, OPT_VOUCH) ? dead_letters_check_vouch(cli) : OK;

	if (err)
		return err;
	return scan_and_report(cli, &(struct scan){ .visit = dead_letter_retry },
	                       "sent to their queues again");
}

enum err dead_letters_drop(struct cli *cli)
{
	return scan_and_report(cli, &(struct scan){ .visit = dead_letter_drop },
	                       "dropped");
}
