#include "runtime/worker.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "base/backoff.h"
#include "base/buf.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/option_json.h"
#include "runtime/suspects.h"
#include "runtime/worker_private.h"

#define DEFAULT_CONFIG "/etc/zonefleet/zonefleet.cfg"
#define AT(field) offsetof(struct worker_common, field)

enum { SHARED_MAX = 6 };		/* groups */
enum { KEPT_QUIET_MS = 10 * 1000 };

static const struct option log_options[] = {
	{ "level",  OPTION_WORD, AT(log_level),  "info",  .words = log_level_words,
	  .help = "log events of this level or worse", .reloadable = true },
	{ "syslog", OPTION_BOOL, AT(log_syslog), "false", 0, 0,
	  "log to syslog. false: log to standard error, which journald reads" },
	{ "core_dumps", OPTION_BOOL, AT(core_dumps), "false", 0, 0,
	  "allow core dumps of a process that fails, and debuggers. Both show the keys "
	  "of the process" },
	{ 0 }
};

static const struct option process_options[] = {
	{ "processes", OPTION_INT,  AT(processes), "1",  1, 64,
	  "number of processes that share the work. Each one serves one request at a "
	  "time" },
	/* from here on also for those of one process */
	{ "prefetch",  OPTION_INT,  AT(prefetch),  "64", 1, 10000,
	  "number of messages that the broker hands to a process in advance" },
	{ "metrics",   OPTION_TEXT, AT(metrics),   "",   0, 64,
	  "address and port of /metrics and /healthz, as \"127.0.0.1:9153\". \"\": no "
	  "such page" },
	{ 0 }
};

/* ---- options ---- */

static const char *group_of(const struct worker *worker)
{
	return worker->group ? worker->group : worker->name;
}

static size_t sections_count(const struct option_section *sections)
{
	size_t count = 0;

	while (sections && sections[count].group)
		count++;
	return count;
}

struct option_section *worker_sections(struct worker_common *common, const char *group,
                                       const struct option_section *own)
{
	const struct option_section broker = {
		"broker", "RabbitMQ, which carries the messages of the programs",
		broker_options, &common->broker };
	const struct option_section accounts = {
		"broker", "rights of the accounts at RabbitMQ", trust_broker_options,
		&common->trust };
	const struct option_section fleet = {
		"fleet", "signatures of the fleet's messages", trust_fleet_options,
		&common->trust };
	const struct option_section database = {
		"database", "MySQL or MariaDB, which stores all state", db_options,
		&common->db };
	const struct option_section log = { "log", "the log", log_options, common };
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
	if (err || !worker->check)
		return err;
	return worker->check(worker->self, why);
}

static enum err program_load(struct program *program, struct why *why)
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

/* A reader has logged in its own process: what it wrote counts here, too. */
void program_reread(struct reread *reread)
{
	static const struct backoff again = { .first_ms = 500, .max_ms = 10 * 1000 };

	loop_timer_set(reread->timer, backoff_ms(&again, reread->count++, random_u32()));
	log_is_due(&reread->log_limit, KEPT_QUIET_MS);
}

void program_log_kept(struct reread *reread, enum err err, const struct why *why)
{
	if (err != ERR_BUSY || log_is_due(&reread->log_limit, KEPT_QUIET_MS))
		log_warn("settings kept: reason=\"%s\"", why->text);
	else
		log_debug("settings still kept: reason=\"%s\"", why->text);
}

void program_toggle_debug(struct program *program)
{
	program->debug = !program->debug;
	program_log_level(program);
}

/* ---- the command line ---- */

static int complain(const struct program *program, int status, const char *words)
{
	log_complaint(program->name, words);
	return status;
}

static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * No other user may read the files that we make, and no other process our memory, which
 * has passwords and keys. Runs before the settings are read, because these have some.
 * Child processes inherit it.
 */
static void harden(void)
{
	umask(077);
	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGPIPE, SIG_IGN);
	raise_file_limit();
}

struct metric *timer_metric(const struct timer *timer)
{
	return metric_new(METRIC_HISTOGRAM, "timer_seconds",
			  "time of one turn of periodic work, by the name of the work",
			  "timer", timer->name);
}

struct metric *lacks_metric(void)
{
	return metric_new(METRIC_COUNTER, "descriptor_lacks_total",
			  "calls of the system that found no free file descriptor",
			  NULL, NULL);
}

struct metric *lateness_metric(void)
{
	return metric_new(METRIC_HISTOGRAM, "loop_late_seconds",
			  "how late the loop came to a timer, once a second: how busy "
			  "the process is", NULL, NULL);
}

/* Before the fork: what the processes share. */
static enum err program_prepare(struct program *program, struct why *why)
{
	const struct worker *worker = program->worker;

	metrics_init(program->common.processes);
	suspects_init(program->common.processes);
	rpc_metrics_init(worker->methods);
	trust_metrics();
	lateness_metric();
	lacks_metric();
	for (const struct timer *timer = worker->timers; timer && timer->name; timer++)
		timer_metric(timer);
	if (!worker->prepare)
		return OK;
	return worker->prepare(worker->self, program->common.processes, why);
}

int program_exit_status(enum err err)
{
	return err_fate(err) == FATE_RETRY ? EX_TEMPFAIL : EX_CONFIG;
}

static int act_run(struct program *program)
{
	struct why why;
	enum err err;

	harden();
	err = program_load(program, &why);
	if (err)
		return complain(program, program_exit_status(err), why.text);
	if (program->common.core_dumps)
		prctl(PR_SET_DUMPABLE, 1);
	program_log_open(program);
	err = program_prepare(program, &why);
	if (err) {
		log_warn("program cannot start: reason=\"%s\"", why.text);
		return program_exit_status(err);
	}
	return supervisor_run(program);
}

static int act_check(struct program *program)
{
	struct why why;

	if (program_load(program, &why))
		return complain(program, EX_CONFIG, why.text);
	printf("%s: good\n", program->path);
	return EX_OK;
}

static int act_sample(struct program *program)
{
	option_sample(&program->schema);
	return EX_OK;
}

static int act_settings(struct program *program)
{
	json_t *json = option_json(&program->schema);

	json_dumpf(json, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(json);
	return EX_OK;
}

static int act_metrics(struct program *program)
{
	struct buf text = { 0 };
	struct why why;
	enum err err = program_load(program, &why);

	if (!err)
		err = program_prepare(program, &why);
	if (err)
		return complain(program, program_exit_status(err), why.text);
	supervisor_metrics(program->common.processes);
	metrics_format(&text);
	fputs(buf_string(&text), stdout);
	buf_clear(&text);
	return EX_OK;
}

static int act_version(struct program *program)
{
	printf("%s %s\n", program->name, ZONEFLEET_VERSION);
	return EX_OK;
}

typedef int action(struct program *program);

static action act_help;

/* act NULL: --agent, of those that have one. */
static const struct argument {
	const char *name;
	action *act;
	const char *help;
} arguments[] = {
	{ "--check",   act_check,   "read the settings, say what is wrong, and end" },
	{ "--sample",  act_sample,  "print settings with all defaults, and end" },
	{ "--settings", act_settings, "print the settings as JSON, and end" },
	{ "--metrics", act_metrics, "print /metrics as at the start, and end" },
	{ "--help",    act_help,    "print this, and end" },
	{ "--version", act_version, "print the version, and end" },
	{ "--agent",   NULL,        "be its agent: see --agent --help" },
};

enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

static bool is_taken(const struct program *program, const struct argument *argument)
{
	return argument->act || program->worker->agent;
}

static int act_help(struct program *program)
{
	printf("%s: %s\n\nUsage: %s [ARGUMENT...]\n\n", program->name,
	       program->worker->summary, program->command);
	printf("  %-14s %s\n", "--config FILE", "the settings; default " DEFAULT_CONFIG);
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (is_taken(program, &arguments[i]))
			printf("  %-14s %s\n", arguments[i].name, arguments[i].help);
	printf("\nIt stays in the foreground. SIGTERM ends it, SIGHUP reads settings\n"
	       "again, SIGUSR1 turns debugging lines in the log on and off.\n\n");
	option_help(&program->schema);
	return EX_OK;
}

static const struct argument *argument_find(const struct program *program,
                                            const char *name)
{
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (strcmp(arguments[i].name, name) == 0 &&
		    is_taken(program, &arguments[i]))
			return &arguments[i];
	return NULL;
}

/* argv[*at] and perhaps the one behind it is --config: take the path. */
static bool take_config(char **argv, int *at, const char **path)
{
	if (strncmp(argv[*at], "--config=", strlen("--config=")) == 0) {
		*path = argv[*at] + strlen("--config=");
		return true;
	}
	if (strcmp(argv[*at], "--config") != 0 || !argv[*at + 1])
		return false;
	*path = argv[++*at];
	return true;
}

/* "ports-agent" of "zonefleet-ports --agent": its settings are those of ports_agent. */
static void program_init(struct program *program, const struct worker *worker,
                         const char *command)
{
	struct worker_common *common = &program->common;

	memset(program, 0, sizeof *program);
	program->worker = worker;
	program->path = DEFAULT_CONFIG;
	program->name = xprintf("zonefleet-%s", worker->name);
	program->command = xstrdup(command ? command : program->name);
	common->no_database = worker->no_database;
	common->one_process = worker->one_process;
	common->processes = 1;
	program->schema = (struct option_schema){
		.program = program->command,
		.sections = worker_sections(common, group_of(worker), worker->sections),
		.lists = worker->lists,
	};
}

static void program_clear(struct program *program)
{
	option_clear(&program->schema);
	free((void *)program->schema.sections);
	free(program->command);
	free(program->name);
}

/* Nothing of it was read yet. */
static void become_agent(struct program *program)
{
	const struct worker *agent = program->worker->agent;
	const char *path = program->path;
	char *command = xprintf("%s --agent", program->command);

	program_clear(program);
	program_init(program, agent, command);
	program->path = path;
	free(command);
}

/* The last action wins; EX_USAGE after a sentence on what cannot be understood. */
static int parse(struct program *program, char **argv, action **act)
{
	for (int at = 1; argv[at]; at++) {
		const struct argument *argument = argument_find(program, argv[at]);

		if (argument && argument->act) {
			*act = argument->act;
		} else if (argument) {
			become_agent(program);
		} else if (!take_config(argv, &at, &program->path)) {
			struct why why;

			fail(&why, ERR_INVALID, "cannot understand \"%s\": see --help",
			     argv[at]);
			return complain(program, EX_USAGE, why.text);
		}
	}
	return EX_OK;
}

/*
 * The resolver of the C library takes no deadline from whoever looks a name up, and waits for
 * a silent name server for ten seconds and longer. Before any thread is there.
 */
static void shorten_lookups(void)
{
	setenv("RES_OPTIONS", "timeout:1 attempts:2", false);
}

int worker_main(int argc, char **argv, const struct worker *worker)
{
	action *act = act_run;
	struct program program;
	int status;

	if (argc < 1)
		return EX_USAGE;
	shorten_lookups();
	program_init(&program, worker, NULL);
	status = parse(&program, argv, &act);
	if (!status)
		status = act(&program);
	program_clear(&program);
	return status;
}
