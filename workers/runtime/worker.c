#include "runtime/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/suggest.h"
#include "base/version.h"
#include "runtime/connect_check.h"
#include "runtime/metrics.h"
#include "runtime/option_json.h"
#include "runtime/poison.h"
#include "runtime/worker_private.h"

#define DEFAULT_CONFIG "/etc/zonefleet/zonefleet.cfg"
#define ARGUMENT_CONFIG "--config"

static int worker_fail(const struct program *program, int status, const char *words)
{
	log_startup_error(program->name, words);
	return status;
}

static void worker_raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* No other user may read files that this program makes. Child processes inherit it. */
static void worker_harden(void)
{
	umask(077);
	secret_hide_process(true);
	signal(SIGPIPE, SIG_IGN);
	worker_raise_file_limit();
}

static void timers_metrics(const struct timer *timers)
{
	for (size_t i = 0; i < timers_count(timers); i++)
		timer_metric(&timers[i]);
}

/* Makes the objects that the processes share, before the fork. */
static enum err program_prepare(struct program *program, struct why *why)
{
	const struct worker *worker = program->worker;

	metrics_init(program->common.processes);
	poison_init(program->common.processes);
	rpc_metrics_init(worker->methods);
	trust_metrics();
	lateness_metric();
	lacks_metric();
	if (worker->no_lock_wait)
		locked_metric();
	if (worker->part) {
		timers_metrics(worker->part->timers);
		worker->part->metrics();
	}
	timers_metrics(worker->timers);
	if (!worker->prepare)
		return OK;
	return worker->prepare(worker->self, program->common.processes, why);
}

static int act_run(struct program *program)
{
	struct why why;
	enum err err;

	worker_harden();
	err = program_load(program, &why);
	if (err)
		return worker_fail(program, program_exit_status(err), why.text);
	secret_hide_process(!program->common.core_dumps);
	program_log_open(program);
	err = program_prepare(program, &why);
	if (err) {
		log_warn("program cannot start: reason=\"%s\"", why.text);
		return program_exit_status(err);
	}
	return supervisor_run(program);
}

/*
 * A placeholder can be the password of a program that runs, and a program that runs can
 * do without a file, so only this refuses them.
 */
static int check_settings(struct program *program, bool with_files)
{
	struct why why, rule;
	enum err err;

	if (program_load(program, &why))
		return worker_fail(program, EX_CONFIG, why.text);
	err = option_check_placeholders(&program->schema, &rule);
	if (!err && with_files)
		err = option_check_files(&program->schema, &rule);
	if (err) {
		fail(&why, err, "%s: %s", program->path, rule.text);
		return worker_fail(program, EX_CONFIG, why.text);
	}
	printf("%s: %s: good\n", program->name, program->path);
	return EX_OK;
}

static int act_check(struct program *program)
{
	int status = check_settings(program, true);

	if (status || !program->connect)
		return status;
	signal(SIGPIPE, SIG_IGN);
	log_open(program->name, false);
	log_level_set(LOG_LEVEL_ERROR);		/* the table has the reasons */
	return connect_check_run(program) ? EX_OK : EXIT_FAILURE;
}

/* For a reload: a program that runs does without a file that is missing. */
static int act_check_settings(struct program *program)
{
	return check_settings(program, false);
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
		return worker_fail(program, program_exit_status(err), why.text);
	supervisor_metrics(program->common.processes);
	metrics_format(&text);
	fputs(buf_string(&text), stdout);
	buf_clear(&text);
	return EX_OK;
}

static int act_version(struct program *program)
{
	printf("%s %s\n", program->name, version_text);
	return EX_OK;
}

typedef int action(struct program *program);

static action act_help;

#define CONNECT "--connect"
#define AGENT   "--agent"

/* `act` NULL: CONNECT, or AGENT, which only programs with an agent have. */
static const struct argument {
	const char *name;
	action *act;
	const char *help;
} arguments[] = {
	{ "--check",   act_check,
	  "check the settings and the files that they name, and exit" },
	{ CONNECT, NULL,
	  "with --check: also connect to the servers, and print a table" },
	{ "--check-settings", act_check_settings,
	  "like --check, without the files; a reload runs it" },
	{ "--sample",  act_sample,  "print a settings file with all defaults, and exit" },
	{ "--settings", act_settings, "print the settings as JSON, and exit" },
	{ "--metrics", act_metrics, "print the metrics without a start, and exit" },
	{ "--help",    act_help,    "print this help, and exit" },
	{ "--version", act_version, "print the version, and exit" },
	{ AGENT,       NULL,        "run as the agent (see --agent --help)" },
};

enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

static bool argument_is_known(const struct program *program,
			      const struct argument *argument)
{
	return strcmp(argument->name, AGENT) || program->worker->agent;
}

static int act_help(struct program *program)
{
	printf("%s: %s\n\nUsage: %s [ARGUMENT...]\n\n", program->name,
	       program->worker->summary, program->command);
	printf("  %-16s %s\n", "--config FILE",
	       "read the settings from FILE; default: " DEFAULT_CONFIG);
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (argument_is_known(program, &arguments[i]))
			printf("  %-16s %s\n", arguments[i].name, arguments[i].help);
	printf("\nThe program stays in the foreground. SIGTERM ends it. SIGHUP makes it\n"
	       "read its settings again. SIGUSR1 turns debug lines on or off.\n\n");
	option_help(&program->schema);
	return EX_OK;
}

static const struct argument *argument_find(const struct program *program,
                                            const char *name)
{
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (strcmp(arguments[i].name, name) == 0 &&
		    argument_is_known(program, &arguments[i]))
			return &arguments[i];
	return NULL;
}

/* Takes the path if argv[*at] is --config, perhaps with the next argument. */
static bool argument_take_config(char **argv, int *at, const char **path)
{
	if (strncmp(argv[*at], ARGUMENT_CONFIG "=", strlen(ARGUMENT_CONFIG "=")) == 0) {
		*path = argv[*at] + strlen(ARGUMENT_CONFIG "=");
		return true;
	}
	if (strcmp(argv[*at], ARGUMENT_CONFIG) != 0 || !argv[*at + 1])
		return false;
	*path = argv[++*at];
	return true;
}

static const char *worker_group(const struct worker *worker)
{
	return worker->group ? worker->group : worker->name;
}

/*
 * The program "ports-agent" is "zonefleet-ports --agent"; its settings are those of
 * ports_agent.
 */
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
		.sections = worker_sections(common, worker_group(worker),
		                            worker->sections, worker->part),
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

/* Call it before any setting is read. */
static void program_become_agent(struct program *program)
{
	const struct worker *agent = program->worker->agent;
	const char *path = program->path;
	bool connect = program->connect;
	char *command = xprintf("%s --agent", program->command);

	program_clear(program);
	program_init(program, agent, command);
	program->path = path;
	program->connect = connect;
	free(command);
}

static int worker_refuse_argument(struct program *program, const char *argument)
{
	struct suggest suggest = suggest_for(argument);
	char meant[SUGGEST_TEXT];
	struct why why;

	if (!strcmp(argument, ARGUMENT_CONFIG))
		return worker_fail(program, EX_USAGE,
		                   ARGUMENT_CONFIG " needs the path of the settings "
		                   "file");
	suggest_offer(&suggest, ARGUMENT_CONFIG, strlen(ARGUMENT_CONFIG));
	for (size_t i = 0; i < ARGUMENTS; i++)
		if (argument_is_known(program, &arguments[i]))
			suggest_offer(&suggest, arguments[i].name,
			              strlen(arguments[i].name));
	fail(&why, ERR_INVALID, "unknown argument '%.200s'%s", argument,
	     suggest_text(&suggest, ": see --help", meant));
	return worker_fail(program, EX_USAGE, why.text);
}

/* The last action wins. EX_USAGE after an error message. */
static int worker_parse(struct program *program, char **argv, action **act)
{
	for (int at = 1; argv[at]; at++) {
		const struct argument *argument = argument_find(program, argv[at]);

		if (argument && argument->act) {
			*act = argument->act;
		} else if (argument && !strcmp(argument->name, CONNECT)) {
			program->connect = true;
		} else if (argument) {
			program_become_agent(program);
		} else if (!argument_take_config(argv, &at, &program->path)) {
			return worker_refuse_argument(program, argv[at]);
		}
	}
	if (program->connect && *act != act_check)
		return worker_fail(program, EX_USAGE, CONNECT " needs --check");
	return EX_OK;
}

/*
 * The resolver of the C library has no deadline, and waits ten seconds or longer for a
 * silent name server. Call this before any thread starts.
 */
static void worker_shorten_lookups(void)
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
	worker_shorten_lookups();
	program_init(&program, worker, NULL);
	status = worker_parse(&program, argv, &act);
	if (!status)
		status = act(&program);
	program_clear(&program);
	return status;
}
