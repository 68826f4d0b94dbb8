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

static void queue_names_add_topic(struct queue_names *names, const char *topic)
{
	names->item = xrealloc(names->item,
	                       (names->count + 2) * sizeof(*names->item));
	names->item[names->count++] = xstrdup(topic);
	names->item[names->count++] = xprintf("%s.recovery", topic);
}

static void queue_names_add_pool(struct queue_names *names, const char *pool)
{
	char *topic = xprintf("pool_manager.%s", pool);

	queue_names_add_topic(names, topic);
	free(topic);
}

/* If central does not answer, the list still has the default pool. */
void queue_names_find(struct cli *cli, struct queue_names *names)
{
	json_t *answer = NULL, *pool;
	size_t i;

	*names = (struct queue_names){ NULL, 0 };
	queue_names_add_topic(names, "central");
	queue_names_add_topic(names, "minidns");
	queue_names_add_topic(names, "ownership");
	queue_names_add_topic(names, "ports");
	queue_names_add_topic(names, "routes");
	if (cli_has(cli, OPT_POOL)) {
		queue_names_add_pool(names, cli->option[OPT_POOL]);
	} else if (cli_call(cli, "find_pools", json_object(), &answer)) {
		fprintf(stderr, "zonefleet: central does not list the pools, so the "
		        "output contains no pool except 'default': %s\n", cli->why.text);
		queue_names_add_pool(names, "default");
	}
	json_array_foreach(json_object_get(answer, "pools"), i, pool)
		queue_names_add_pool(names, answer_text(pool, "name"));
	json_decref(answer);
}

void queue_names_clear(struct queue_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->item[i]);
	free(names->item);
}

/* ---- queues ---- */

static const struct column columns[] = {
	{ "QUEUE",     COLUMN_LEFT },
	{ "CONSUMERS", COLUMN_RIGHT },
	{ "READY",     COLUMN_RIGHT },
	{ "DELAYED",   COLUMN_RIGHT },
	{ "DEAD",      COLUMN_RIGHT },
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
	queue_names_find(cli, &names);
	table_begin(&table, &cli->out, columns);
	err = queues_show_counts(cli, broker, &names, &table);
	if (!err && !cli->out.json)
		table_flush(&table, stdout);
	table_clear(&table);
	queue_names_clear(&names);
	broker_admin_close(&broker);
	return err;
}
