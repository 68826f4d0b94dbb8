/*
 * worker -- runs a program. It reads the options, opens the log, forks the processes and
 * handles signals.
 *
 * main() fills in a struct worker and calls worker_main(). The supervisor (supervisor.c)
 * forks `processes` processes and replaces a process that dies. The pauses between
 * replacements grow from about 0.2 to 10 s. The supervisor also forwards SIGTERM and
 * SIGHUP, serves /metrics and notifies systemd. After the fork, each process (process.c)
 * opens its own loop, broker connections and database connection. A process runs one
 * handler at a time. The option --agent starts the agent of a program. The agent has its
 * own settings and log name.
 *
 * SIGTERM: the program accepts no more requests, finishes the current requests, and exits
 * with 0 within 10 s. SIGHUP: the program reads the settings file again. If the whole
 * file is valid, the program applies the new values of the reloadable options. SIGUSR1:
 * the program turns the log level debug on or off.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/option.h"
#include "runtime/broker.h"
#include "runtime/db.h"
#include "runtime/rpc.h"
#include "runtime/trust.h"

struct loop;

struct connect_check;
struct membership;

/* The parts of the runtime that a program uses after the fork. */
struct runtime {
	struct loop *loop;
	struct broker *out;
	struct rpc_client *rpc;
	/*
	 * Only the thread of the loop may use this struct db. A lane makes its own struct
	 * db with db_new(). NULL: the worker has no_database.
	 */
	struct db *db;
	const struct broker_config *broker_config;
	const struct db_config *db_config;
	/*
	 * membership of the process in its service (consistency/member.h); NULL: the
	 * process is not a member
	 */
	struct membership *membership;
	int process;			/* number of this process: 0 to processes - 1 */
	int processes;
};

struct timer {
	const char *name;
	/*
	 * period of the timer. The process reads the period before each use, and
	 * randomly adds or subtracts up to a tenth of the period. 0: fire() does not run
	 */
	const int *period_ms;
	void (*fire)(void *self);
};

/*
 * A part of a program that a library provides. The part starts before the program and
 * stops after the program.
 */
struct worker_part {
	struct option_section section;
	const struct timer *timers;	/* fire() gets the result of start() as SELF */
	enum err (*check)(struct why *why);
	void (*metrics)(void);		/* runs before the fork */
	void *(*start)(struct runtime *runtime, const char *topic);
	void (*stop)(void *part);
};

struct worker {
	const char *name;		/* "central" for zonefleet-central */
	/* name of the program's group of settings, and name of the topic; NULL: `name` */
	const char *group;
	/* description of the program, one line for --help */
	const char *summary;
	/* the program's own sections of the settings; NULL: no own sections */
	const struct option_section *sections;
	const struct option_list *lists;
	const struct rpc_method *methods;
	const struct timer *timers;	/* the last row is zero */
	const struct worker_part *part;	/* part that a library provides; NULL: no part */
	/* true: the program also handles fanout casts to the topic */
	bool fanout;
	/* true: the program handles only fanout casts, and has no work queue */
	bool fanout_only;
	/*
	 * Runs each time the process has a new fanout queue, because the process has
	 * possibly missed casts.
	 */
	void (*fanout_is_new)(void *self);
	/* true: the program has a second work queue, `topic.recovery` */
	bool recovery;
	/* true: the program needs a key of the fleet (trust.h) */
	bool fleet;
	bool is_agent;			/* true: a key of fleet.agent_keys is enough */
	/*
	 * Tables that the program reads or writes; NULL ends the list. With this list,
	 * each process accepts no message until the database answers and
	 * the schema is up to date. --check --connect reads the tables.
	 */
	const char *const *tables;
	/*
	 * true: the program needs no database. Its processes are ready when they are
	 * connected to the broker
	 */
	bool no_database;
	bool one_process;		/* true: the program has no option `processes` */
	/*
	 * true: the thread of the loop does not wait for locked rows
	 * (db_set_no_lock_wait())
	 */
	bool no_lock_wait;
	/* the program that --agent starts; NULL: no agent */
	const struct worker *agent;
	/*
	 * Returns the topic. The function runs after the program has read the options.
	 * NULL: the topic is `group`.
	 */
	const char *(*topic)(const void *self);
	/*
	 * Checks rules between options. The function runs each time the program reads
	 * the settings, also with --check. This function and each of the following
	 * functions can be NULL.
	 */
	enum err (*check)(void *self, struct why *why);
	/*
	 * Adds the program's own servers to the probes of --check --connect
	 * (connect_check.h). The function runs after check().
	 */
	void (*connect)(void *self, struct connect_check *check);
	/* Opens sockets and creates metrics before the fork. */
	enum err (*prepare)(void *self, int processes, struct why *why);
	/*
	 * Starts the program's own part of a process. The function runs in each process
	 * after the fork, and must return in less than a minute. If start() returns
	 * ERR_INVALID before all processes were ready for the first time, the program
	 * ends with EX_CONFIG. After any other failure of start(), the supervisor starts
	 * the process again. RUNTIME is valid until stop().
	 */
	enum err (*start)(void *self, const struct runtime *runtime, struct why *why);
	/*
	 * Only with `tables`: the process accepts no messages and is not ready
	 * until this function has returned true once.
	 */
	bool (*can_serve)(const void *self);
	void (*reload)(void *self);
	/*
	 * Runs after SIGTERM. After this call, the program should only finish its
	 * current work.
	 */
	void (*drain)(void *self);
	/* Runs every 20 ms after drain(). True: the program has finished all work. */
	bool (*idle)(const void *self);
	/* runs at the end of a process, while the connections are still open */
	void (*stop)(void *self);
	void *self;
};

/*
 * Runs the program. Handles the arguments --config, --check, --connect, --check-settings,
 * --sample, --settings, --metrics, --help and --version, and --agent if the program has
 * an agent. Returns an exit status of sysexits.h.
 */
int worker_main(int argc, char **argv, const struct worker *worker);

/* The settings that all programs have, including the client. */
struct worker_common {
	struct broker_config broker;
	struct db_config db;
	struct trust_config trust;
	/* lowest level of the log lines (enum log_level) */
	int log_level;
	bool log_syslog;
	bool core_dumps;
	/*
	 * These settings are in the worker's own group, so each worker has its own
	 * values in the same file.
	 */
	int processes, prefetch;
	/* address of the HTTP server for /metrics; "": no HTTP server */
	char *metrics;
	/* worker.c sets these members; they are not settings */
	bool no_database, one_process;
};

/*
 * Returns one array of sections, which the caller frees: broker, database (unless
 * common->no_database is set), log, the sections OWN, and the section of PART (NULL: no
 * part). If GROUP is not NULL, the array also contains the section `fleet` with the
 * keys, and the section GROUP with the options that every worker has, for example
 * `processes`.
 */
struct option_section *worker_sections(struct worker_common *common, const char *group,
                                       const struct option_section *own,
                                       const struct worker_part *part);
/* Checks rules between the options of the shared groups. */
enum err worker_common_check(const struct worker_common *common, struct why *why);
