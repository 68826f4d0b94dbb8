/*
 * program -- the settings that all programs have, and functions for the supervisor and
 * its processes.
 */
#include <stddef.h>
#include <string.h>
#include <sysexits.h>

#include "base/backoff.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/worker_private.h"

#define AT(field) offsetof(struct worker_common, field)

enum { SHARED_MAX = 7 };		/* number of groups */
enum { KEPT_QUIET_MS = 10 * 1000 };

static const struct option log_options[] = {
	{ "level",  OPTION_WORD, AT(log_level),  "info",  .words = log_level_words,
	  .help = "lowest severity of the log lines that the program writes",
	  .reloadable = true },
	{ "syslog", OPTION_BOOL, AT(log_syslog), "false", 0, 0,
	  "log to syslog. false: log to standard error, which journald reads" },
	{ "core_dumps", OPTION_BOOL, AT(core_dumps), "false", 0, 0,
	  "allow core dumps when a process crashes, and allow debuggers to attach. Core "
	  "dumps and debuggers can reveal the keys of the process" },
	{ 0 }
};

static const struct option process_options[] = {
	{ "processes", OPTION_INT,  AT(processes), "1",  1, 64,
	  "number of processes that share the work. Each process serves one request at a "
	  "time" },
	/* the following rows also apply to programs with one process */
	{ "prefetch",  OPTION_INT,  AT(prefetch),  "64", 1, 10000,
	  "largest number of messages that RabbitMQ sends to a process in advance" },
	{ "metrics",   OPTION_TEXT, AT(metrics),   "",   0, 64,
	  "address and port of the pages /metrics and /healthz, for example "
	  "\"127.0.0.1:9153\". \"\": no pages" },
	{ 0 }
};

static size_t sections_count(const struct option_section *sections)
{
	size_t count = 0;

	while (sections && sections[count].group)
		count++;
	return count;
}

struct option_section *worker_sections(struct worker_common *common, const char *group,
                                       const struct option_section *own,
                                       const struct worker_part *part)
{
	const struct option_section broker = {
		"broker", "RabbitMQ, which carries the messages of the programs",
		broker_options, &common->broker };
	const struct option_section accounts = {
		"broker", "rights of RabbitMQ accounts", trust_broker_options,
		&common->trust };
	const struct option_section fleet = {
		"fleet", "signatures of the fleet's messages", trust_fleet_options,
		&common->trust };
	const struct option_section database = {
		"database", "MySQL or MariaDB, which stores all state", db_options,
		&common->db };
	const struct option_section log = {
		"log", "log lines and core dumps", log_options, common };
	const struct option_section process = {
		group, common->one_process ? "the metrics page"
		                           : "processes and the metrics page",
		process_options + common->one_process, common };
	size_t own_count = sections_count(own), count = 0;
	struct option_section *all = xcalloc(SHARED_MAX + own_count + 1, sizeof *all);

	all[count++] = broker;
	all[count++] = accounts;
	if (!common->no_database)
		all[count++] = database;
	all[count++] = log;
	if (group) {
		all[count++] = fleet;
		all[count++] = process;
	}
	if (own_count)
		memcpy(all + count, own, own_count * sizeof *all);
	if (part)
		all[count + own_count] = part->section;
	return all;
}

enum err worker_common_check(const struct worker_common *common, struct why *why)
{
	enum err err = broker_check(&common->broker, why);

	return err || common->no_database ? err : db_check(&common->db, why);
}

static enum err program_check(const struct program *program, struct why *why)
{
	const struct worker *worker = program->worker;
	enum err err = worker_common_check(&program->common, why);

	if (!err)
		err = trust_check(&program->common.trust, worker->fleet, worker->is_agent,
		                  why);
	if (!err && worker->part)
		err = worker->part->check(why);
	if (!err && worker->check)
		err = worker->check(worker->self, why);
	return err;
}

enum err program_load(struct program *program, struct why *why)
{
	struct why rule;
	enum err err = option_load(&program->schema, program->path, why);

	if (err)
		return err;
	err = program_check(program, &rule);
	return err ? fail(why, err, "%s: %s", program->path, rule.text) : OK;
}

static void program_log_level(const struct program *program)
{
	log_level_set(program->debug ? LOG_LEVEL_DEBUG
			             : (enum log_level)program->common.log_level);
}

void program_log_open(const struct program *program)
{
	log_open(program->name, program->common.log_syslog);
	program_log_level(program);
}

enum err program_reload(struct program *program, bool quiet, struct why *why)
{
	enum err err;

	if (quiet)
		log_level_set(LOG_LEVEL_ERROR);
	err = option_reload(&program->schema, program->path, why);
	if (!err)
		err = program_check(program, why);
	program_log_level(program);
	return err;
}

/*
 * The process that read the file has logged the errors in its own copy, so its count is
 * taken over here.
 */
void program_reread(struct reread *reread)
{
	static const struct backoff again = { .first_ms = 500, .max_ms = 10 * 1000 };

	loop_timer_set(reread->timer, backoff_ms(&again, reread->count++, random_u32()));
	log_is_due(&reread->log_limit, KEPT_QUIET_MS);
}

void program_log_kept(struct reread *reread, enum err err, const struct why *why)
{
	if (err != ERR_BUSY || log_is_due(&reread->log_limit, KEPT_QUIET_MS))
		log_warn("old settings kept: reason=\"%s\"", why->text);
	else
		log_debug("old settings still kept: reason=\"%s\"", why->text);
}

void program_toggle_debug(struct program *program)
{
	program->debug = !program->debug;
	program_log_level(program);
}

int program_exit_status(enum err err)
{
	return err_retry(err) == RETRY_LATER ? EX_TEMPFAIL : EX_CONFIG;
}

size_t timers_count(const struct timer *timers)
{
	size_t count = 0;

	while (timers && timers[count].name)
		count++;
	return count;
}

struct metric *timer_metric(const struct timer *timer)
{
	return metric_new(METRIC_HISTOGRAM, "timer_seconds",
			  "duration of one run of periodic work, by the name of the work",
			  "timer", timer->name);
}

struct metric *lacks_metric(void)
{
	return metric_new(METRIC_COUNTER, "descriptor_lacks_total",
			  "system calls that failed because no file descriptor was free",
			  NULL, NULL);
}

struct metric *locked_metric(void)
{
	return metric_new(METRIC_COUNTER, "database_locked_total",
			  "database statements in the event loop that found a locked "
			  "row. The program does not wait for the lock. The program "
			  "repeats the transaction soon",
			  NULL, NULL);
}

struct metric *lateness_metric(void)
{
	return metric_new(METRIC_HISTOGRAM, "loop_late_seconds",
			  "delay of the event loop. A long delay shows that the process "
			  "is busy. The process measures the delay once a second",
			  NULL, NULL);
}
