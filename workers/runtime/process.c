/* process -- one process of a program, from the fork to its exit status. */
#include <signal.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/db_probe.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/poison.h"
#include "runtime/worker_private.h"

enum {
	BEAT_MS = 1000,
	STARTING_BEAT_MS = 50,		/* until it is ready for the first time */
	DRAIN_POLL_MS = 20,
	PERIOD_OFF_MS = 60 * 1000,	/* a period of 0 is read again after this time */
};

/* A row of worker->timers on the loop. */
struct period {
	const struct timer *row;
	void *self;
	struct loop_timer *timer;
	struct metric *seconds;
	int64_t armed_ms;		/* length of the period when the timer was set */
};

struct process {
	struct program *program;
	struct runtime runtime;
	void *part;			/* the object of worker->part; NULL: no part */
	struct trust *trust;
	struct rpc_server *server;	/* NULL for a program without methods */
	char *recovery;
	struct db_probe *probe;		/* NULL for a program without a database */
	struct loop_timer *beat, *drain;
	struct reread reread;
	int64_t beat_due_us;
	struct metric *lateness, *lacks;
	struct metric *locked;		/* NULL: the loop waits for locked rows */
	struct period *periods;
	size_t period_count;
	bool serving;			/* the server and the periods are open */
	bool ready, was_ready;
	int64_t drain_until_ms;		/* 0: not draining */
};

/*
 * ---- timers: the first turn is at a random time in the period, to spread a fleet ----
 */

static int64_t period_ms(const struct period *period)
{
	return *period->row->period_ms;
}

/* Adds or subtracts up to a tenth. */
static int64_t period_jittered(int64_t ms)
{
	return ms * 9 / 10 + random_u32() % (ms / 5 + 1);
}

static void period_arm(struct period *period)
{
	int64_t ms = period_ms(period);

	period->armed_ms = ms;
	loop_timer_set(period->timer, period_jittered(ms > 0 ? ms : PERIOD_OFF_MS));
}

/*
 * Starts at a random time in the first period, so that the processes of a fleet are
 * spread.
 */
static void period_begin(struct period *period)
{
	int64_t ms = period_ms(period);

	period->armed_ms = ms;
	loop_timer_set(period->timer, random_u32() % ((ms > 0 ? ms : PERIOD_OFF_MS) + 1));
}

static void period_fire(void *self)
{
	struct period *period = self;
	int64_t begin_us = clock_us();

	if (period_ms(period) > 0) {
		period->row->fire(period->self);
		metric_observe_us(period->seconds, clock_us() - begin_us);
	}
	period_arm(period);
}

static void period_init(struct period *period, const struct timer *row, void *self,
                        const struct process *process)
{
	period->row = row;
	period->self = self;
	period->timer = loop_timer_new(process->runtime.loop, period_fire, period);
	period->seconds = timer_metric(row);
	period_begin(period);
}

/* A timer whose period has changed is set again, because the old period may be hours. */
static void periods_follow(struct process *process)
{
	for (size_t i = 0; i < process->period_count; i++)
		if (process->periods[i].armed_ms != period_ms(&process->periods[i]))
			period_begin(&process->periods[i]);
}

static void periods_add(struct process *process, const struct timer *row, void *self)
{
	for (; row && row->name; row++)
		period_init(&process->periods[process->period_count++], row, self,
		            process);
}

static void periods_open(struct process *process)
{
	const struct worker *worker = process->program->worker;
	const struct timer *part = worker->part ? worker->part->timers : NULL;

	process->periods = xcalloc(timers_count(part) + timers_count(worker->timers),
	                           sizeof *process->periods);
	periods_add(process, part, process->part);
	periods_add(process, worker->timers, worker->self);
}

static void periods_close(struct process *process)
{
	for (size_t i = 0; i < process->period_count; i++)
		loop_timer_free(&process->periods[i].timer);
	free(process->periods);
	process->periods = NULL;
	process->period_count = 0;
}

/* ---- readiness ---- */

static const char *process_broker_reason(const struct process *process)
{
	const struct runtime *runtime = &process->runtime;
	const char *words = broker_down_reason(runtime->out);

	if (!words && process->server)
		words = rpc_server_down_reason(process->server);
	return words ? words : rpc_client_down_reason(runtime->rpc);
}

static const char *process_database_reason(const struct process *process)
{
	const char *words = process->probe ? db_probe_down_reason(process->probe) : NULL;

	return words || !process->runtime.db ? words : db_refusal(process->runtime.db);
}

/* Why the process is not ready. False: it is ready. */
static bool process_down_reason(const struct process *process, struct why *why)
{
	const char *database = process_database_reason(process);
	const char *broker = process_broker_reason(process);

	if (broker)
		fail(why, OK, "broker: %s", broker);
	else if (database)
		fail(why, OK, "%s", database);
	else if (!process->serving)
		fail(why, OK, "the process has not yet read the data that it serves");
	return broker || database || !process->serving;
}

static void process_set_ready(struct process *process)
{
	int index = process->runtime.process;
	struct why why;
	bool ready = !process_down_reason(process, &why);

	metrics_set_down_reason(ready ? NULL : why.text);
	if (ready == process->ready)
		return;
	process->ready = ready;
	if (ready)
		log_info("process ready: process=%d", index);
	else
		log_warn("process not ready: process=%d reason=\"%s\"", index, why.text);
	process->was_ready |= ready;
}

/* ---- the end ---- */

static bool process_is_drained(const struct process *process)
{
	const struct worker *worker = process->program->worker;

	if (process->server && rpc_server_waiting(process->server))
		return false;
	if (worker->idle && !worker->idle(worker->self))
		return false;
	return broker_unconfirmed(process->runtime.out) == 0;
}

static void process_poll_drain(void *self)
{
	struct process *process = self;
	const struct runtime *runtime = &process->runtime;
	bool drained = process_is_drained(process);

	if (!drained && clock_ms() < process->drain_until_ms) {
		loop_timer_set(process->drain, DRAIN_POLL_MS);
		return;
	}
	if (!drained)
		log_warn("process stops with unfinished work: process=%d unconfirmed=%zu",
			 runtime->process, broker_unconfirmed(runtime->out));
	loop_stop(runtime->loop);
}

/*
 * The supervisor kills a process that takes too long. If the supervisor is dead, the
 * alarm ends the process.
 */
static void process_on_terminate(void *self)
{
	struct process *process = self;
	const struct worker *worker = process->program->worker;

	if (process->drain_until_ms)
		return;
	alarm(STOP_MAX_MS / 1000);
	log_debug("process finishes its work: process=%d",
	          process->runtime.process);
	process->drain_until_ms = clock_ms() + DRAIN_MAX_MS;
	periods_close(process);
	if (process->server)
		rpc_server_pause(process->server);
	if (worker->drain)
		worker->drain(worker->self);
	loop_timer_set(process->drain, DRAIN_POLL_MS);
}

/*
 * The supervisor has read the file before, so an error here means that the file has
 * changed since.
 */
static void process_on_hangup(void *self)
{
	struct process *process = self;
	const struct worker *worker = process->program->worker;
	struct why why;
	enum err err = program_reload(process->program, true, &why);

	if (err)
		program_log_kept(&process->reread, err, &why);
	if (err == ERR_BUSY)
		program_reread(&process->reread);
	else
		process->reread.count = 0;
	if (err)
		return;
	trust_reload(process->trust);
	rpc_client_sign(process->runtime.rpc, process->trust);
	if (worker->reload)
		worker->reload(worker->self);
	periods_follow(process);
}

static void process_on_user(void *self)
{
	struct process *process = self;

	program_toggle_debug(process->program);
}

/* ---- open and close ---- */

/* ^C reaches all processes of a terminal: only the supervisor handles it. */
static void process_signals_open(struct process *process)
{
	struct loop *loop = process->runtime.loop;
	sigset_t none;

	signal(SIGINT, SIG_IGN);
	loop_signal(loop, SIGTERM, process_on_terminate, process);
	loop_signal(loop, SIGHUP, process_on_hangup, process);
	loop_signal(loop, SIGUSR1, process_on_user, process);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void process_runtime_open(struct process *process, int index)
{
	struct program *program = process->program;
	struct runtime *runtime = &process->runtime;
	char *name = xprintf("%s.out", program->worker->name);

	runtime->process = index;
	runtime->processes = program->common.processes;
	runtime->broker_config = &program->common.broker;
	runtime->db_config = &program->common.db;
	runtime->loop = loop_new();
	process->drain = loop_timer_new(runtime->loop, process_poll_drain, process);
	process->reread.timer = loop_timer_new(runtime->loop, process_on_hangup, process);
	process_signals_open(process);
	runtime->out = broker_open(runtime->loop, runtime->broker_config, name, NULL,
				   NULL);
	free(name);
	runtime->rpc = rpc_client_open(runtime->loop, runtime->broker_config,
				       runtime->out);
	process->trust = trust_new(&program->common.trust,
				   program->worker->is_agent);
	rpc_client_sign(runtime->rpc, process->trust);
	if (!program->worker->no_database)
		runtime->db = db_new(runtime->db_config);
	if (program->worker->no_lock_wait)
		db_set_no_lock_wait(runtime->db);
}

static void process_runtime_close(struct process *process)
{
	struct runtime *runtime = &process->runtime;

	loop_timer_free(&process->drain);
	loop_timer_free(&process->reread.timer);
	rpc_client_close(&runtime->rpc);
	trust_free(&process->trust);
	broker_close(&runtime->out);
	db_free(&runtime->db);
	loop_free(&runtime->loop);
}

static const char *process_topic(const struct worker *worker)
{
	if (worker->topic)
		return worker->topic(worker->self);
	return worker->group ? worker->group : worker->name;
}

static struct rpc_server *process_server_open(struct process *process)
{
	const struct worker *worker = process->program->worker;
	const struct runtime *runtime = &process->runtime;
	struct rpc_server_config config = {
		.topic = process_topic(worker),
		.methods = worker->methods,
		.version = "1.0",
		.prefetch = process->program->common.prefetch,
		.fanout = worker->fanout,
		.fanout_only = worker->fanout_only,
		.fanout_is_new = worker->fanout_is_new,
		.trust = process->trust,
		.self = worker->self,
	};

	if (worker->recovery)
		process->recovery = xprintf("%s.recovery", config.topic);
	config.recovery = process->recovery;
	return rpc_server_open(runtime->loop, runtime->broker_config, runtime->out,
			       &config);
}

static void process_serve(struct process *process)
{
	process->serving = true;
	if (process->program->worker->methods)
		process->server = process_server_open(process);
	periods_open(process);
}

static bool process_is_database_up(const struct process *process)
{
	return !process->probe || !db_probe_down_reason(process->probe);
}

/* True: the database can be used, and the program has read its data. */
static bool process_may_serve(const struct process *process)
{
	const struct worker *worker = process->program->worker;

	return process_is_database_up(process) &&
	       (!worker->can_serve || worker->can_serve(worker->self));
}

static void process_beat_later(struct process *process)
{
	int after_ms = process->was_ready ? BEAT_MS : STARTING_BEAT_MS;

	process->beat_due_us = clock_us() + after_ms * 1000;
	loop_timer_set(process->beat, after_ms);
}

static void process_observe_lateness(const struct process *process)
{
	int64_t late_us = clock_us() - process->beat_due_us;

	if (process->beat_due_us)	/* 0: the first beat has no timer */
		metric_observe_us(process->lateness, late_us > 0 ? late_us : 0);
}

static void process_beat(void *self)
{
	struct process *process = self;

	process_observe_lateness(process);
	if (!process->serving && !process->drain_until_ms && process_may_serve(process))
		process_serve(process);
	metric_add(process->lacks, descriptors_lacks());
	if (process->locked)
		metric_add(process->locked, db_take_locked(process->runtime.db));
	metrics_heartbeat(clock_ms());
	process_set_ready(process);
	process_beat_later(process);
}

static void process_open(struct process *process)
{
	struct loop *loop = process->runtime.loop;
	bool schema = process->program->worker->tables;

	if (process->runtime.db)
		process->probe = db_probe_new(loop, process->runtime.db_config, schema);
	process->beat = loop_timer_new(loop, process_beat, process);
	process->lateness = lateness_metric();
	process->lacks = lacks_metric();
	if (process->program->worker->no_lock_wait)
		process->locked = locked_metric();
	if (!schema)
		process_serve(process);
	process_beat(process);
}

static void process_close(struct process *process)
{
	const struct worker *worker = process->program->worker;

	metrics_set_down_reason("the process is stopping");
	periods_close(process);
	if (worker->stop)
		worker->stop(worker->self);
	if (process->server)
		rpc_server_close(&process->server);
	db_probe_free(&process->probe);
	loop_timer_free(&process->beat);
	free(process->recovery);
}

static void process_stop_part(struct process *process)
{
	if (process->part)
		process->program->worker->part->stop(process->part);
	process->part = NULL;
}

static int process_start(struct process *process)
{
	const struct worker *worker = process->program->worker;
	struct why why;
	enum err err;

	if (worker->part)
		process->part = worker->part->start(&process->runtime,
		                                    process_topic(worker));
	err = worker->start ? worker->start(worker->self, &process->runtime, &why) : OK;
	if (!err)
		return EX_OK;
	log_warn("process cannot start: process=%d reason=\"%s\"",
		 process->runtime.process, why.text);
	return err == ERR_INVALID ? EX_CONFIG : EX_TEMPFAIL;
}

int process_run(struct program *program, int index)
{
	struct process process = { .program = program };
	int status;

	metrics_process(index);
	poison_process(index);
	process_runtime_open(&process, index);
	status = process_start(&process);
	if (!status) {
		process_open(&process);
		loop_run(process.runtime.loop);
		process_close(&process);
	}
	process_stop_part(&process);
	process_runtime_close(&process);
	return status;
}
