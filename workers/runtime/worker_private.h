/*
 * worker_private -- declarations that only four files use: worker.c (the command line),
 * supervisor.c (the parent), process.c (a child) and program.c (the functions that the
 * other three files use). worker.c fills in the struct program before the fork, so each
 * process has its own copy.
 */
#pragma once

#include <stdbool.h>

#include "base/log.h"
#include "runtime/worker.h"

struct metric;

/*
 * If a process has sent no heartbeat for this time, the supervisor sends SIGABRT to the
 * process, and SIGKILL 10 s later.
 */
enum { HUNG_MS = 60 * 1000 };
/*
 * Time limits after SIGTERM. Within DRAIN_MAX_MS, a process must finish the current work.
 * After STOP_MAX_MS, the supervisor kills all processes that have not ended.
 */
enum { DRAIN_MAX_MS = 8 * 1000, STOP_MAX_MS = 10 * 1000 };
/*
 * The timer with which a process reads the settings again later. The process starts this
 * timer if no file descriptor was free.
 */
struct reread {
	struct loop_timer *timer;
	int count;			/* number of consecutive failed attempts */
	struct log_limit log_limit;
};

struct program {
	const struct worker *worker;
	struct worker_common common;
	struct option_schema schema;
	char *name;		/* name for the log: "zonefleet-central" */
	/* the name, followed by --agent if the program runs as an agent */
	char *command;
	const char *path;	/* path of the settings file */
	bool debug;		/* true: SIGUSR1 has turned debug lines on */
	bool connect;		/* true: the command line contains --connect */
};

/*
 * Returns EX_TEMPFAIL if a later start of the program can succeed. Otherwise returns
 * EX_CONFIG, which tells the service manager not to start the program again.
 */
int program_exit_status(enum err err);

/* Reads and checks the settings at the start. */
enum err program_load(struct program *program, struct why *why);
/*
 * Reads and checks the settings again. QUIET: the function does not log the changed
 * options that need a restart, because another process logs these options.
 */
enum err program_reload(struct program *program, bool quiet, struct why *why);
/*
 * Starts the timer of REREAD. The pause grows with each failed attempt, from about 0.5
 * to about 10 s.
 */
void program_reread(struct reread *reread);
/*
 * Logs why the program keeps the old settings after program_reload() has returned ERR.
 * Logs a lack of file descriptors (ERR_BUSY) at most once every 10 s, and each other
 * error every time.
 */
void program_log_kept(struct reread *reread, enum err err, const struct why *why);
void program_log_open(const struct program *program);
void program_toggle_debug(struct program *program);

/*
 * Returns the metric for the duration of the function fire() of TIMER. For each timer,
 * the first call must be before the fork.
 */
struct metric *timer_metric(const struct timer *timer);
size_t timers_count(const struct timer *timers);	/* NULL: no timers */
struct metric *lacks_metric(void);
struct metric *locked_metric(void);
struct metric *lateness_metric(void);

/* Creates the metrics of the supervisor. */
void supervisor_metrics(int processes);
/* Runs the supervisor until the program ends. Returns the exit status. */
int supervisor_run(struct program *program);
/*
 * Runs the process number INDEX after the fork. Returns the exit status of the process.
 */
int process_run(struct program *program, int index);
