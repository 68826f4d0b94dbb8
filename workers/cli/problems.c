#include "problems.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "consistency/drift.h"
#include "names.h"
#include "queues.h"

static void problems_add(json_t *problems, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void problems_add(json_t *problems, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	json_array_append_new(problems, json_vsprintf(fmt, args));
	va_end(args);
}

/* ---- workers ---- */

#define POOL_MANAGER "pool_manager."

static void problems_add_worker(json_t *problems, const char *topic)
{
	size_t prefix = strlen(POOL_MANAGER);

	if (!strncmp(topic, POOL_MANAGER, prefix))
		problems_add(problems, "no pool manager of pool '%s' is running",
		             topic + prefix);
	else if (!strcmp(topic, "minidns"))
		problems_add(problems, "no mini-DNS is running");
	else
		problems_add(problems, "no zonefleet-%s is running, but a process of "
		             "this worker was running in the last 30 days", topic);
}

static void problems_add_workers(json_t *problems, const json_t *status)
{
	size_t i;
	json_t *topic;

	json_array_foreach(json_object_get(status, "missing_workers"), i, topic)
		if (json_is_string(topic))
			problems_add_worker(problems, json_string_value(topic));
}

/* ---- servers ---- */

static void problems_add_pools(json_t *problems, const json_t *status)
{
	size_t i;
	json_t *pool;

	json_array_foreach(json_object_get(status, "pools_out_of_service"), i, pool)
		if (json_is_string(pool))
			problems_add(problems, "no name server of pool '%s' is in "
			             "service", json_string_value(pool));
}

/* A missing worker is a problem of its own. */
static bool problems_is_known_health(const char *health)
{
	return strcmp(health, "OK") && strcmp(health, "NO_POOL_MANAGER") &&
	       strcmp(health, "NO_MINIDNS");
}

static void problems_add_servers(json_t *problems, const json_t *status)
{
	size_t i;
	json_t *server;

	json_array_foreach(json_object_get(status, "servers"), i, server) {
		const char *health = answer_text(server, "health");

		if (strcmp(answer_text(server, "state"), "ACTIVE") ||
		    !problems_is_known_health(health))
			continue;
		problems_add(problems, "server %s of pool '%s' does not work: %s: %s",
		             answer_text(server, "id"), answer_text(server, "pool"),
		             *health ? health : "the server has no address",
		             answer_text(server, "last_error"));
	}
}

/* A domain can be ACTIVE although one of its servers has a failure. */
static void problems_add_failed(json_t *problems, const json_t *status)
{
	size_t i;
	json_t *server;

	json_array_foreach(json_object_get(status, "servers"), i, server) {
		int64_t failed = answer_number(server, "domains_failed");

		if (failed && !strcmp(answer_text(server, "state"), "ACTIVE") &&
		    !strcmp(answer_text(server, "health"), "OK"))
			problems_add(problems, "server %s of pool '%s' has a failure "
			             "on %" PRId64 " %s: %s",
			             answer_text(server, "id"),
			             answer_text(server, "pool"), failed,
			             failed == 1 ? "domain" : "domains",
			             answer_text(server, "last_error"));
	}
}

/* ---- domains ---- */

static size_t problems_count_status(const json_t *troubled, const char *status)
{
	size_t i, count = 0;
	json_t *domain;

	json_array_foreach((json_t *)troubled, i, domain)
		count += !strcmp(answer_text(domain, "status"), status);
	return count;
}

static void problems_add_errors(json_t *problems, const json_t *troubled,
                                size_t shown_max)
{
	size_t count = problems_count_status(troubled, "ERROR");

	if (count)
		problems_add(problems, "%zu%s %s in ERROR ('zonefleet domain list "
		             "--status ERROR --admin --all-tenants')", count,
		             count == shown_max ? " or more" : "",
		             count == 1 ? "domain is" : "domains are");
}

/* The first PENDING domain is the oldest. The list of domains shows its reason. */
static void problems_add_pending(json_t *problems, const json_t *troubled)
{
	char text[DURATION_TEXT];
	int64_t age;
	size_t i;
	json_t *domain;

	json_array_foreach((json_t *)troubled, i, domain) {
		if (strcmp(answer_text(domain, "status"), "PENDING"))
			continue;
		if (!names_age(answer_text(domain, "updated_at"), clock_unix(), &age) ||
		    age <= PENDING_LONG_S)
			return;
		names_duration(age, text);
		problems_add(problems, "the domain %.200s has been PENDING for %s",
		             answer_text(domain, "name"), text);
		return;
	}
}

/* ---- repairs ---- */

/*
 * A row with done_at is a finished repair. A difference that transfers do not change is
 * known, and needs no action.
 */
static bool problems_is_parked(const struct cli *cli, const json_t *repair)
{
	const char *pool = cli->option[OPT_POOL];

	return !strcmp(answer_text(repair, "state"), "PARKED") &&
	       !*answer_text(repair, "done_at") &&
	       strncmp(answer_text(repair, "detail"), DRIFT_DIFFERS_WORDS,
	               strlen(DRIFT_DIFFERS_WORDS)) != 0 &&
	       (!pool || !strcmp(answer_text(repair, "pool"), pool));
}

static enum err problems_add_repairs(struct cli *cli, json_t *problems)
{
	size_t i, count = 0;
	json_t *answer, *repair;
	enum err err = cli_call(cli, "find_repairs", json_object(), &answer);

	if (err)
		return err;
	json_array_foreach(json_object_get(answer, "repairs"), i, repair)
		count += problems_is_parked(cli, repair);
	json_decref(answer);
	if (count)
		problems_add(problems, "%zu %s PARKED ('zonefleet repairs --admin')",
		             count, count == 1 ? "repair is" : "repairs are");
	return OK;
}

/* ---- dead letters ---- */

static enum err problems_count_dead(struct cli *cli, struct broker_admin *broker,
                                    const struct queue_names *names, json_t *problems)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < names->count; i++) {
		char *dead = xprintf("%s.dead", names->item[i]);
		struct broker_admin_queue queue = { 0 };

		err = broker_admin_count(broker, dead, &queue, &cli->why);
		free(dead);
		if (!err && queue.messages)
			problems_add(problems, "%" PRIu32 " dead %s in the queue %s "
			             "('zonefleet dead-letters list --admin')",
			             queue.messages,
			             queue.messages == 1 ? "letter is" : "letters are",
			             names->item[i]);
	}
	return err;
}

static void problems_add_dead_letters(struct cli *cli, json_t *problems)
{
	struct broker_admin *broker;
	struct queue_names names;
	enum err err = broker_admin_open(&cli->common.broker, &broker, &cli->why);

	if (!err) {
		err = queue_names_find(cli, &names);
		if (!err)
			err = problems_count_dead(cli, broker, &names, problems);
		queue_names_clear(&names);
		broker_admin_close(&broker);
	}
	if (err)
		problems_add(problems, "the client cannot count the dead letters: %s",
		             cli->why.text);
}

enum err problems_find(struct cli *cli, const json_t *status, const json_t *troubled,
                       size_t shown_max, json_t **problems)
{
	enum err err;

	*problems = json_array();
	problems_add_workers(*problems, status);
	problems_add_pools(*problems, status);
	problems_add_servers(*problems, status);
	problems_add_failed(*problems, status);
	problems_add_errors(*problems, troubled, shown_max);
	problems_add_pending(*problems, troubled);
	err = problems_add_repairs(cli, *problems);
	if (!err)
		problems_add_dead_letters(cli, *problems);
	return err;
}

void problems_show(const struct output *out, const json_t *problems)
{
	struct buf text = { 0 };
	size_t i;
	json_t *problem;

	if (!json_array_size(problems)) {
		if (!out->quiet)
			puts("\nthe fleet is well");
		return;
	}
	puts("\nthe fleet is not well:");
	json_array_foreach((json_t *)problems, i, problem) {
		buf_reset(&text);
		output_escape(json_string_value(problem), &text);
		printf("- %s\n", buf_string(&text));
	}
	buf_clear(&text);
}
