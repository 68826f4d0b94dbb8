/*
 * What worker.c (the command line), supervisor.c (the parent) and process.c (a child)
 * share: program.c has the functions that all of them use. The program is filled in
 * once, before the fork; each process then has a copy of its own.
 */
#pragma once

#include <stdbool.h>

#include "base/log.h"
#include "runtime/worker.h"

struct metric;

/* How long a process may give no sign of life before the supervisor ends it. */
enum { HUNG_MS = 60 * 1000 };
/* At SIGTERM: the drain, and all of the end. What still runs then is killed. */
enum { DRAIN_MAX_MS = 8 * 1000, STOP_MAX_MS = 10 * 1000 };
/* Settings that could not be read for want of a descriptor are read again later. */
struct reread {
	struct loop_timer *timer;
	int count;			/* of tries in vain, one after the other */
	struct log_limit log_limit;
};

struct program {
	const struct worker *worker;
	struct worker_common common;
	struct option_schema schema;
	char *name;		/* "zonefleet-central": in the log */
	char *command;		/* the same, and --agent */
	const char *path;	/* of the settings */
	bool debug;		/* SIGUSR1 */
};

/* EX_CONFIG: the service manager does not start it again. */
int program_exit_status(enum err err);

/* The settings, and the rules over them. */
enum err program_load(struct program *program, struct why *why);
/* The file again, and the rules over it. QUIET: somebody else logs what was kept. */
enum err program_reload(struct program *program, bool quiet, struct why *why);
/* Sets the timer, less and less often. */
void program_reread(struct reread *reread);
/* What is wrong with the file, at once; want of a descriptor, once in a while. */
void program_log_kept(struct reread *reread, enum err err, const struct why *why);
void program_log_open(const struct program *program);
void program_toggle_debug(struct program *program);

/* How long a timer takes; made before the fork, found again behind it. */
struct metric *timer_metric(const struct timer *timer);
struct metric *lacks_metric(void);
struct metric *lateness_metric(void);

/* Makes the metrics of the supervisor. */
void supervisor_metrics(int processes);
/* Until SIGTERM; the exit status. */
int supervisor_run(struct program *program);
/* One process's life, from the fork to its exit status. */
int process_run(struct program *program, int index);
