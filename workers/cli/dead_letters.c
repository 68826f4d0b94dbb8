#include <inttypes.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/hex.h"
#include "base/mem.h"
#include "handlers.h"
#include "names.h"
#include "queues.h"
#include "runtime/envelope.h"

enum { LETTERS_MAX = 100000, BODY_MAX = 16 << 20, LETTER_ID_LEN = 32 };

/* A dead letter, as the commands show it. */
struct letter {
	const char *queue;		/* from which it came */
	char id[LETTER_ID_LEN + 1];
	const struct desk_letter *message;
	const char *message_id, *method;	/* "": not readable */
};

/*
 * Visits the dead letters of all queues one by one. A letter that VISIT does not drop
 * goes back to its queue at the end.
 */
struct tour {
	struct cli *cli;
	struct broker_desk *desk;
	struct arena *arena;
	size_t limit, seen, done;
	enum err (*visit)(struct tour *tour, const struct letter *letter);
	const char *wanted;		/* an id; NULL: all */
	struct table table;
	json_t *list;
};

/*
 * The id is a digest of the queue and the body. The id in the message is not safe: its
 * sender chooses it. It could name another letter that an operator is about to retry.
 */
static void letter_set_id(struct letter *letter)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct buf buf = { 0 };

	buf_append(&buf, letter->queue, strlen(letter->queue) + 1);
	buf_append(&buf, letter->message->body, letter->message->len);
	SHA256(buf.data, buf.len, digest);
	hex_encode(digest, LETTER_ID_LEN / 2, letter->id);
	buf_clear(&buf);
}

static enum err letter_visit(struct tour *tour, struct letter *letter)
{
	const struct desk_letter *message = letter->message;
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
	err = tour->visit(tour, letter);
	if (is_readable)
		envelope_request_clear(&request);
	return err;
}

static enum err tour_letter(struct tour *tour, const char *queue,
                            const struct desk_letter *message)
{
	struct letter letter = {
		.queue = queue, .message = message, .message_id = "", .method = "",
	};

	letter_set_id(&letter);
	if (tour->wanted && strcmp(tour->wanted, letter.id))
		return OK;
	return letter_visit(tour, &letter);
}

static enum err tour_queue(struct tour *tour, const char *queue)
{
	char *dead = xprintf("%s.dead", queue);
	struct desk_queue count;
	bool found = true;
	enum err err = broker_desk_count(tour->desk, dead, &count, &tour->cli->why);

	/* skip letters that arrive meanwhile: a retried one may die again */
	for (uint32_t i = 0; !err && found && i < count.messages; i++) {
		struct desk_letter message;

		if (tour->seen == tour->limit)
			break;
		arena_reset(tour->arena);
		err = broker_desk_take(tour->desk, dead, tour->arena, &message, &found,
		                       &tour->cli->why);
		if (err || !found)
			break;
		tour->seen++;
		err = tour_letter(tour, queue, &message);
	}
	free(dead);
	return err;
}

static enum err tour_all(struct tour *tour)
{
	struct queue_names names;
	enum err err = broker_desk_open(&tour->cli->common.broker, &tour->desk,
	                                &tour->cli->why);

	if (err)
		return err;
	tour->arena = arena_new();
	queue_names_find(tour->cli, &names);
	for (size_t i = 0; !err && i < names.count; i++)
		err = tour_queue(tour, names.item[i]);
	queue_names_clear(&names);
	arena_free(&tour->arena);
	broker_desk_close(&tour->desk);
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

/* The part that list and show share. */
static json_t *letter_json(const struct letter *letter)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:s}", "queue", letter->queue, "id",
	                 letter->id, "message_id", letter->message_id, "method",
	                 letter->method, "buried_at",
	                 (json_int_t)letter->message->buried_unix, "reason",
	                 letter->message->reason);
}

static enum err visit_list(struct tour *tour, const struct letter *letter)
{
	int64_t buried_unix = letter->message->buried_unix;
	char ago[DURATION_TEXT] = "-";

	if (buried_unix)
		names_duration(clock_unix() - buried_unix, ago);
	table_text(&tour->table, letter->queue);
	table_text(&tour->table, letter->id);
	table_text(&tour->table, *letter->method ? letter->method : "-");
	table_printf(&tour->table, buried_unix ? "%s ago" : "%s", ago);
	table_text(&tour->table, letter->message->reason);
	json_array_append_new(tour->list, letter_json(letter));
	return OK;
}

enum err letters_list(struct cli *cli)
{
	int64_t limit = 100;
	enum err err = cli_number(cli, OPT_LIMIT, 1, LETTERS_MAX, &limit);
	struct tour tour = { .cli = cli, .limit = (size_t)limit, .visit = visit_list };

	if (err)
		return err;
	tour.list = json_array();
	table_begin(&tour.table, &cli->out, columns);
	err = tour_all(&tour);
	if (!err && !cli->out.json && json_array_size(tour.list))
		table_flush(&tour.table, stdout);
	else if (!err && !cli->out.json && !cli->out.quiet)
		puts("there are no dead letters");
	table_clear(&tour.table);
	cli_answer(cli, json_pack("{s:o}", "dead_letters", tour.list));
	return err;
}

/* ---- one, or all ---- */

static enum err visit_show(struct tour *tour, const struct letter *letter)
{
	const struct desk_letter *message = letter->message;
	json_t *body = json_loadb((const char *)message->body, message->len,
	                          JSON_REJECT_DUPLICATES, NULL);
	json_t *shown = letter_json(letter);

	tour->done++;
	if (!body)
		body = json_sprintf("%zu octets that are not JSON", message->len);
	json_object_set_new(shown, "body", body);
	if (tour->cli->out.json) {
		cli_answer(tour->cli, shown);
		return OK;
	}
	output_json(shown);
	return OK;
}

static enum err visit_retry(struct tour *tour, const struct letter *letter)
{
	enum err err = broker_desk_send(tour->desk, letter->queue, letter->message,
	                                cli_has(tour->cli, OPT_VOUCH), &tour->cli->why);

	if (!err)
		err = broker_desk_drop(tour->desk, letter->message, &tour->cli->why);
	tour->done += !err;
	return err;
}

static enum err visit_drop(struct tour *tour, const struct letter *letter)
{
	enum err err = broker_desk_drop(tour->desk, letter->message, &tour->cli->why);

	tour->done += !err;
	return err;
}

/* WORDS: "sent back". NULL prints no count. */
static enum err settle(struct cli *cli, struct tour *tour, const char *words)
{
	const char *which = cli->argv[0];
	bool all = !strcmp(which, "all");
	enum err err;

	tour->cli = cli;
	tour->limit = LETTERS_MAX;
	tour->wanted = all ? NULL : which;
	err = tour_all(tour);
	if (!err && !tour->done && !all)
		err = fail(&cli->why, ERR_NOT_FOUND, "there is no dead letter %s "
		           "(see 'zonefleet dead-letters list')", which);
	if (words && !cli->out.json && !cli->out.quiet && (tour->done || !err))
		printf("%zu %s\n", tour->done, words);
	if (words)
		cli_answer(cli, json_pack("{s:I}", "count", (json_int_t)tour->done));
	return err;
}

enum err letters_show(struct cli *cli)
{
	return settle(cli, &(struct tour){ .visit = visit_show }, NULL);
}

/* The operator must read a letter before vouching for it, so never "all". */
static enum err check_vouch(struct cli *cli)
{
	if (!strcmp(cli->argv[0], "all"))
		return fail(&cli->why, ERR_INVALID, "--vouch sends one dead letter: name "
		            "the ID that 'zonefleet dead-letters list' shows");
	if (!cli->common.broker.send_user_id)
		return fail(&cli->why, ERR_INVALID, "--vouch cannot name your account: "
		            "broker.send_user_id is false");
	return OK;
}

enum err letters_retry(struct cli *cli)
{
	enum err err = cli_has(cli, OPT_VOUCH) ? check_vouch(cli) : OK;

	if (err)
		return err;
	return settle(cli, &(struct tour){ .visit = visit_retry }, "sent back");
}

enum err letters_drop(struct cli *cli)
{
	return settle(cli, &(struct tour){ .visit = visit_drop }, "dropped");
}
