/*
 * toy_worker -- a program of the least kind, for test_worker.py: what it does
 * is of no use, but it lives as all workers live.
 *
 *	ping()          the greeting of its settings, which process answered, and whether
 *	                that leaves a core
 *	sleep(seconds)  as ping, but later
 *	crash()         breaks an invariant
 */
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "runtime/metrics.h"
#include "runtime/tx.h"
#include "runtime/worker.h"

struct toy {
	char *greeting;
	int turn_ms;
	bool refuse, enters;
	int reloads;
	struct metric *turns;
	const struct runtime *runtime;
};

static const struct option toy_options[] = {
	{ "greeting", OPTION_TEXT, offsetof(struct toy, greeting), "hello", 1, 32,
	  "what ping answers; \"rude\" is not allowed", .reloadable = true },
	{ "turn_seconds", OPTION_DURATION, offsetof(struct toy, turn_ms), "1", 0,
	  3600 * 1000, "period of a timer that only counts", .reloadable = true },
	{ "refuse", OPTION_BOOL, offsetof(struct toy, refuse), "false", 0, 0,
	  "refuse to start, as for settings that only a process can judge" },
	{ "enters", OPTION_BOOL, offsetof(struct toy, enters), "false", 0, 0,
	  "count each start in the table toy_starts" },
	{ 0 }
};

static enum err answer(void *self, struct request *req)
{
	const struct toy *toy = self;

	req->result = json_pack("{s:s, s:i, s:i, s:i, s:i}", "greeting", toy->greeting,
				"process", toy->runtime->process, "pid", (int)getpid(),
				"reloads", toy->reloads, "dumpable",
				prctl(PR_GET_DUMPABLE));
	return OK;
}

static enum err answer_later(void *self, struct request *req)
{
	struct timespec left = { 0 };

	left.tv_sec = json_integer_value(json_object_get(req->args, "seconds"));
	log_info("toy sleeping: seconds=%lld", (long long)left.tv_sec);
	while (nanosleep(&left, &left))
		;
	return answer(self, req);
}

static enum err crash(void *self, struct request *req)
{
	(void)self;
	bug_if(req);
	return OK;
}

static const struct rpc_method methods[] = {
	{ "ping",  answer,       "" },
	{ "sleep", answer_later, "seconds" },
	{ "crash", crash,        "" },
	{ 0 }
};

static void turn(void *self)
{
	struct toy *toy = self;

	metric_add(toy->turns, 1);
}

static enum err check(void *self, struct why *why)
{
	const struct toy *toy = self;

	if (strcmp(toy->greeting, "rude") == 0)
		return fail(why, ERR_INVALID, "toy.greeting: must not be rude");
	return OK;
}

static enum err prepare(void *self, int processes, struct why *why)
{
	struct toy *toy = self;

	(void)processes, (void)why;
	toy->turns = metric_new(METRIC_COUNTER, "toy_turns_total", "turns of the timer",
				NULL, NULL);
	return OK;
}

static enum err enter(void *self, struct why *why)
{
	const struct toy *toy = self;
	struct tx tx = tx_begin(toy->runtime->db, why);

	tx_exec(&tx, "UPDATE toy_starts SET starts = starts + 1", TX_NONE);
	return tx_commit(&tx);
}

static enum err start(void *self, const struct runtime *runtime, struct why *why)
{
	struct toy *toy = self;

	toy->runtime = runtime;
	if (toy->refuse)
		return fail(why, ERR_INVALID, "toy.refuse: says so");
	return toy->enters ? tx_retry(enter, toy, why) : OK;
}

static void reload(void *self)
{
	struct toy *toy = self;

	toy->reloads++;
}

int main(int argc, char **argv)
{
	struct toy toy = { 0 };
	const struct option_section sections[] = {
		{ "toy", "a program for tests", toy_options, &toy },
		{ 0 }
	};
	const struct timer timers[] = {
		{ "turn", &toy.turn_ms, turn },
		{ 0 }
	};
	const struct worker worker = {
		.name = "toy",
		.summary = "answers pings",
		.sections = sections,
		.methods = methods,
		.timers = timers,
		.check = check,
		.prepare = prepare,
		.start = start,
		.reload = reload,
		.self = &toy,
	};

	return worker_main(argc, argv, &worker);
}
