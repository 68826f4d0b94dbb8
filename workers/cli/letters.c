#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "handlers.h"
#include "names.h"
#include "queues.h"
#include "runtime/envelope.h"

enum { LETTERS_MAX = 100000, BODY_MAX = 16 << 20 };

/* The dead letters of all queues, one by one; what VISIT leaves goes back at the end. */
struct tour {
	struct cli *cli;
	struct broker_desk *desk;
	struct arena *arena;
	size_t limit, seen, done;
	enum err (*visit)(struct tour *tour, const char *queue,
	                  const struct desk_letter *letter, const char *id,
	                  const char *method);
	const char *wanted;		/* an id; NULL: all */
	struct table table;
	json_t *list;
};

static enum err visit(struct tour *tour, const char *queue,
                      const struct desk_letter *letter)
{
	struct envelope_request request;
	struct why why;
	const char *id = "", *method = "";
	bool readable = letter->is_json &&
	                !envelope_request_decode(letter->body, letter->len, BODY_MAX,
	                                         &request, &why);
	enum err err = OK;

	if (readable) {
		id = request.unique_id ? request.unique_id : "";
		method = request.method;
	}
	if (!tour->wanted || !strcmp(tour->wanted, id))
		err = tour->visit(tour, queue, letter, id, method);
	if (readable)
		envelope_request_clear(&request);
	return err;
}

static enum err tour_queue(struct tour *tour, const char *queue)
{
	char *dead = xprintf("%s.dead", queue);
	struct desk_queue count;
	bool found = true;
	enum err err = broker_desk_count(tour->desk, dead, &count, &tour->cli->why);

	/* not those that come meanwhile: what is sent back may die again */
	for (uint32_t i = 0; !err && found && i < count.messages; i++) {
		struct desk_letter letter;

		if (tour->seen == tour->limit)
			break;
		arena_reset(tour->arena);
		err = broker_desk_take(tour->desk, dead, tour->arena, &letter, &found,
		                       &tour->cli->why);
		if (err || !found)
			break;
		tour->seen++;
		err = visit(tour, queue, &letter);
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

static enum err visit_list(struct tour *tour, const char *queue,
                           const struct desk_letter *letter, const char *id,
                           const char *method)
{
	char ago[DURATION_TEXT] = "-";

	if (letter->buried_unix)
		names_duration(clock_unix() - letter->buried_unix, ago);
	table_text(&tour->table, queue);
	table_text(&tour->table, *id ? id : "-");
	table_text(&tour->table, *method ? method : "-");
	table_printf(&tour->table, letter->buried_unix ? "%s ago" : "%s", ago);
	table_text(&tour->table, letter->reason);
	json_array_append_new(tour->list, json_pack(
	    "{s:s, s:s, s:s, s:I, s:s}", "queue", queue, "id", id, "method", method,
	    "buried_at", (json_int_t)letter->buried_unix, "reason", letter->reason));
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

static enum err visit_show(struct tour *tour, const char *queue,
                           const struct desk_letter *letter, const char *id,
                           const char *method)
{
	json_t *body = json_loadb((const char *)letter->body, letter->len,
	                          JSON_REJECT_DUPLICATES, NULL);
	json_t *shown;

	tour->done++;
	if (!body)
		body = json_sprintf("%zu octets that are no JSON", letter->len);
	shown = json_pack("{s:s, s:s, s:s, s:I, s:s, s:o}", "queue", queue, "id", id,
	                  "method", method, "buried_at", (json_int_t)letter->buried_unix,
	                  "reason", letter->reason, "body", body);
	if (tour->cli->out.json) {
		cli_answer(tour->cli, shown);
		return OK;
	}
	output_json(shown);
	return OK;
}

static enum err visit_retry(struct tour *tour, const char *queue,
                            const struct desk_letter *letter, const char *id,
                            const char *method)
{
	enum err err = broker_desk_send(tour->desk, queue, letter,
	                                cli_has(tour->cli, OPT_VOUCH), &tour->cli->why);

	(void)id, (void)method;
	if (!err)
		err = broker_desk_drop(tour->desk, letter, &tour->cli->why);
	tour->done += !err;
	return err;
}

static enum err visit_drop(struct tour *tour, const char *queue,
                           const struct desk_letter *letter, const char *id,
                           const char *method)
{
	enum err err = broker_desk_drop(tour->desk, letter, &tour->cli->why);

	(void)queue, (void)id, (void)method;
	tour->done += !err;
	return err;
}

/* WORDS: "sent back". */
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
		err = fail(&cli->why, ERR_NOT_FOUND, "there is no dead letter %s", which);
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

enum err letters_retry(struct cli *cli)
{
	return settle(cli, &(struct tour){ .visit = visit_retry }, "sent back");
}

enum err letters_drop(struct cli *cli)
{
	return settle(cli, &(struct tour){ .visit = visit_drop }, "dropped");
}
