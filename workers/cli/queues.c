#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "handlers.h"
#include "names.h"
#include "queues.h"

/* ---- names of queues ---- */

/* The topics with one service in a fleet. Each pool manager has a topic of its own. */
static const struct {
	const char *topic;
	bool has_recovery;
} topics[] = {
	{ "central",   true },
	{ "minidns",   true },
	{ "ownership", false },
	{ "ports",     false },
	{ "routes",    false },
};
enum { TOPICS = sizeof(topics) / sizeof(topics[0]) };

#define POOL_MANAGER "pool_manager."

static void queue_names_add(struct queue_names *names, char *queue)
{
	names->item = xrealloc(names->item, (names->count + 1) * sizeof(*names->item));
	names->item[names->count++] = queue;
}

static void queue_names_add_topic(struct queue_names *names, const char *topic,
                                  bool has_recovery)
{
	queue_names_add(names, xstrdup(topic));
	if (has_recovery)
		queue_names_add(names, xprintf("%s.recovery", topic));
}

static bool queue_is_listed(const json_t *workers, const char *topic)
{
	size_t i;
	json_t *worker;

	json_array_foreach((json_t *)workers, i, worker)
		if (!strcmp(answer_text(worker, "service"), topic))
			return true;
	return false;
}

/* POOL: the only pool to add; NULL: all pools. The list is sorted by service. */
static void queue_names_add_pools(struct queue_names *names, const json_t *workers,
                                  const char *pool)
{
	const char *last = "";
	size_t i;
	json_t *worker;

	json_array_foreach((json_t *)workers, i, worker) {
		const char *topic = answer_text(worker, "service");

		if (strncmp(topic, POOL_MANAGER, strlen(POOL_MANAGER)) ||
		    !strcmp(topic, last) ||
		    (pool && strcmp(topic + strlen(POOL_MANAGER), pool)))
			continue;
		last = topic;
		queue_names_add_topic(names, topic, true);
	}
}

/* Central does not answer: these queues may exist. */
static void queue_names_guess(struct queue_names *names, const char *pool)
{
	char *topic = xprintf(POOL_MANAGER "%s", pool ? pool : "default");

	for (size_t i = 0; i < TOPICS; i++)
		queue_names_add_topic(names, topics[i].topic, topics[i].has_recovery);
	queue_names_add_topic(names, topic, true);
	free(topic);
}

/* A deleted pool can still have queues, if its pool managers are among the WORKERS. */
static enum err queue_names_check_pool(struct cli *cli, const json_t *workers,
                                       const char *pool)
{
	char *topic = xprintf(POOL_MANAGER "%s", pool ? pool : "");
	bool is_known = !pool || queue_is_listed(workers, topic);
	json_t *status;
	enum err err = OK;

	free(topic);
	if (!is_known)
		err = cli_call(cli, "get_status", json_pack("{s:s}", "pool", pool),
		               &status);
	if (!is_known && !err)
		json_decref(status);
	return err;
}

/*
 * RabbitMQ logs an error each time a program asks for a queue that does not exist. So the
 * client asks only for the queues of services that have run in this fleet.
 */
enum err queue_names_find(struct cli *cli, struct queue_names *names)
{
	const char *pool = cli->option[OPT_POOL];
	json_t *answer;
	const json_t *workers;
	enum err err;

	*names = (struct queue_names){ NULL, 0 };
	if (cli_call(cli, "find_workers", json_object(), &answer)) {
		fprintf(stderr, "zonefleet: central does not list the services, so the "
		        "output contains no pool except '%s': %s\n",
		        pool ? pool : "default", cli->why.text);
		queue_names_guess(names, pool);
		return OK;
	}
	workers = json_object_get(answer, "workers");
	for (size_t i = 0; i < TOPICS; i++)
		if (queue_is_listed(workers, topics[i].topic))
			queue_names_add_topic(names, topics[i].topic,
			                      topics[i].has_recovery);
	queue_names_add_pools(names, workers, pool);
	err = queue_names_check_pool(cli, workers, pool);
	json_decref(answer);
	return err;
}

void queue_names_clear(struct queue_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->item[i]);
	free(names->item);
}

/* ---- queues ---- */

static const struct column columns[] = {
	{ "QUEUE",            COLUMN_LEFT },
	{ "CONSUMERS",        COLUMN_RIGHT },
	{ "MESSAGES READY",   COLUMN_RIGHT },
	{ "MESSAGES DELAYED", COLUMN_RIGHT },
	{ "DEAD LETTERS",     COLUMN_RIGHT },
	{ 0 }
};

static void queues_show_row(struct table *table, const char *queue,
                            const struct broker_admin_depth *counts)
{
	table_text(table, queue);
	table_number(table, counts->work.consumers);
	table_number(table, counts->work.messages);
	table_number(table, counts->delayed);
	table_number(table, counts->dead.messages);
}

static json_t *queues_row_json(const char *queue, const struct broker_admin_depth *counts)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I}", "queue", queue, "consumers",
	                 (json_int_t)counts->work.consumers, "ready",
	                 (json_int_t)counts->work.messages, "delayed",
	                 (json_int_t)counts->delayed, "dead",
	                 (json_int_t)counts->dead.messages);
}

static enum err queues_show_counts(struct cli *cli, struct broker_admin *broker,
                                   const struct queue_names *names, struct table *table)
{
	json_t *list = json_array();
	enum err err = OK;

	for (size_t i = 0; !err && i < names->count; i++) {
		struct broker_admin_depth counts;

		err = broker_admin_depth(broker, names->item[i], &counts, &cli->why);
		if (err || !counts.work.exists)
			continue;
		queues_show_row(table, names->item[i], &counts);
		json_array_append_new(list, queues_row_json(names->item[i], &counts));
	}
	cli_answer(cli, json_pack("{s:o}", "queues", list));
	return err;
}

enum err queues_show(struct cli *cli)
{
	struct queue_names names;
	struct broker_admin *broker;
	struct table table;
	enum err err = broker_admin_open(&cli->common.broker, &broker, &cli->why);

	if (err)
		return err;
	err = queue_names_find(cli, &names);
	table_begin(&table, &cli->out, columns);
	if (!err)
		err = queues_show_counts(cli, broker, &names, &table);
	if (!err && !cli->out.json)
		table_flush(&table, stdout);
	table_clear(&table);
	queue_names_clear(&names);
	broker_admin_close(&broker);
	return err;
}
