#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "handlers.h"

enum { PING_TOPICS_MAX = 1000 };

struct round {
	struct cli *cli;
	char *topics[PING_TOPICS_MAX];
	size_t count;
	int timeout_s;
	int64_t started_us;
	json_t *answers;		/* for --json */
	enum err err;			/* of the first topic without an answer */
	struct buf silent;		/* these topics, separated by ", " */
};

/* ---- which topics ---- */

static void round_add(struct round *round, const char *topic)
{
	for (size_t i = 0; i < round->count; i++)
		if (!strcmp(round->topics[i], topic))
			return;
	if (round->count < PING_TOPICS_MAX)
		round->topics[round->count++] = xstrdup(topic);
}

/*
 * Adds the services that have sent heartbeats. Central lists them for administrators. If
 * central does not list them, the client calls the workers that each fleet has. If
 * central does not answer at all, the client does not call it again: *WHY is the reason.
 */
static enum err round_find_topics(struct round *round, struct why *why)
{
	struct cli *cli = round->cli;
	json_t *answer, *worker;
	size_t i;
	enum err err;

	if (!cli->settings.admin) {
		round_add(round, "central");
		return OK;
	}
	err = client_call(cli->client, "central", "find_workers", json_object(), &answer,
	                  why);
	if (err != ERR_TIMEOUT)
		round_add(round, "central");
	if (err) {
		fprintf(stderr, "zonefleet: central does not list the services, so the "
		        "client does not ping ports, routes, ownership and the pool "
		        "managers of pools except 'default': %s\n", why->text);
		round_add(round, "minidns");
		round_add(round, "pool_manager.default");
		return err;
	}
	json_array_foreach(json_object_get(answer, "workers"), i, worker)
		round_add(round, answer_text(worker, "service"));
	json_decref(answer);
	return OK;
}

/* ---- the answers ---- */

static double round_ms(const struct round *round)
{
	return (double)(clock_us() - round->started_us) / 1000;
}

static enum err round_fail_one(struct round *round, const char *topic, enum err err,
                               const struct why *why)
{
	const char *program = client_program(topic);

	if (err != ERR_TIMEOUT || !program)
		return fail(&round->cli->why, err, "%s", why->text);
	return fail(&round->cli->why, err, "%s: no answer in %d s: check that "
	            "zonefleet-%s is running ('systemctl start zonefleet-%s' starts it)",
	            topic, round->timeout_s, program, program);
}

static void round_on_answer(void *self, const char *topic, enum err err,
                            const struct why *why)
{
	struct round *round = self;
	const struct output *out = &round->cli->out;
	double ms = round_ms(round);

	if (err) {
		round_fail_one(round, topic, err, why);
		buf_printf(&round->silent, "%s%s", round->err ? ", " : "", topic);
		round->err = round->err ? round->err : err;
	}
	json_array_append_new(round->answers, err
		? json_pack("{s:s, s:n, s:s}", "topic", topic, "milliseconds", "reason",
	                    round->cli->why.text)
		: json_pack("{s:s, s:f}", "topic", topic, "milliseconds", ms));
	if (out->json || (out->quiet && !err))
		return;
	if (!err)
		printf("%s answered in %.1f ms\n", topic, ms);
	else if (round->count > 1)
		printf("%s\n", round->cli->why.text);
	fflush(stdout);
}

static enum err round_end(struct round *round)
{
	struct cli *cli = round->cli;

	if (cli->argc && !round->err)
		cli_answer(cli, json_incref(json_array_get(round->answers, 0)));
	else if (!cli->argc)
		cli_answer(cli, json_pack("{s:O}", "workers", round->answers));
	if (round->err && round->count > 1)
		fail(&cli->why, round->err, "no answer from %.400s",
		     buf_string(&round->silent));
	return round->err;
}

enum err ping_topic(struct cli *cli)
{
	struct round round = {
		.cli = cli, .timeout_s = cli->settings.timeout_s, .answers = json_array(),
	};
	struct why why;
	enum err err = OK;

	if (cli->argc)
		round_add(&round, cli->argv[0]);
	else
		err = round_find_topics(&round, &why);
	round.started_us = clock_us();
	if (err == ERR_TIMEOUT)
		round_on_answer(&round, "central", err, &why);
	client_ping(cli->client, round.topics, round.count, round_on_answer, &round);
	err = round_end(&round);
	for (size_t i = 0; i < round.count; i++)
		free(round.topics[i]);
	buf_clear(&round.silent);
	json_decref(round.answers);
	return err;
}
