/*
 * worker -- runs a program: options, log, fork, signals, drain.
 *
 * main() fills in a struct worker and calls worker_main(), which returns the exit status.
 * The supervisor (supervisor.c) forks `processes` processes, restarts a process that dies
 * (with backoff), forwards SIGTERM and SIGHUP, serves /metrics and speaks sd_notify. Each
 * process (process.c) has its own loop, broker connections and database connection,
 * opened after the fork. One process serves one request at a time; more processes serve
 * more.
 *
 * A program may also have an agent, which runs on other machines. `--agent` starts it,
 * with its own settings and log name.
 *
 * SIGTERM: takes no further requests, finishes the current ones, exits with 0 within 10
 * s. SIGHUP: reads the file again. Reloadable rows change if the whole file is valid.
 * SIGUSR1: turns the log level debug on and off.
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

struct membership;

/* What the runtime hands to a program after the fork. */
struct runtime {
	struct loop *loop;
	struct broker *out;
	struct rpc_client *rpc;
	/* of the loop's thread; lanes make their own by db_new. NULL: no_database */
	struct db *db;
	const struct broker_config *broker_config;
	const struct db_config *db_config;
	struct membership *membership;	/* consistency/member.h; NULL: not a member */
	int process;			/* 0 to processes - 1 */
	int processes;
};

struct timer {
	const char *name;
	const int *period_ms;		/* read again at each turn; jittered by a tenth */
	void (*fire)(void *self);
};

/* What a library adds to programs. It starts before the program and stops after it. */
struct worker_part {
	struct option_section section;
	const struct timer *timers;	/* of what start() returns */
	enum err (*check)(struct why *why);
	void (*metrics)(void);		/* before the fork */
	void *(*start)(struct runtime *runtime, const char *topic);
	void (*stop)(void *part);
};

struct worker {
	const char *name;		/* "central": zonefleet-central */
	const char *group;		/* of its settings; its topic; NULL: the name */
	const char *summary;		/* one line for --help */
	const struct option_section *sections;	/* the program's own; NULL: none */
	const struct option_list *lists;
	const struct rpc_method *methods;
	const struct timer *timers;	/* end with a row of zeroes */
	const struct worker_part *part;	/* NULL: none */
	bool fanout;			/* answers fanout casts to its topic */
	bool fanout_only;		/* and nothing else: it has no queue to share */
	/* What was cast so before now may have been missed: its queue is new. */
	void (*fanout_is_new)(void *self);
	bool recovery;			/* has a second queue, `topic.recovery` */
	bool fleet;			/* sends or answers what only the fleet may: trust.h */
	bool is_agent;			/* fleet.agent_keys are enough for that */
	bool schema;			/* no message until the schema is up to date */
	bool no_database;		/* needs none; ready when the broker is there */
	bool one_process;		/* has no option `processes` */
	const struct worker *agent;	/* what --agent makes of it; NULL: nothing */
	/* The topic, after the options were read (NULL: the group). */
	const char *(*topic)(const void *self);
	/* Rules between options; before the fork, and in --check. All may be NULL. */
	enum err (*check)(void *self, struct why *why);
	/* Before the fork: sockets, metrics. */
	enum err (*prepare)(void *self, int processes, struct why *why);
	/*
	 * After the fork, in each process, in less than a minute. ERR_INVALID: the
	 * program ends with EX_CONFIG, if it was never ready. After other errors the
	 * process starts again. The runtime exists until stop().
	 */
	enum err (*start)(void *self, const struct runtime *runtime, struct why *why);
	/* Until this is true once, the process takes no message and is not ready. */
	bool (*can_serve)(const void *self);
	void (*reload)(void *self);
	void (*drain)(void *self);	/* SIGTERM: finish the current work only */
	bool (*idle)(const void *self);	/* while draining: is all work finished? */
	void (*stop)(void *self);	/* the connections are still open */
	void *self;
};

/*
 * Takes --config, --check, --sample, --settings, --metrics, --help, --version, and
 * --agent if there is one; statuses of sysexits.h.
 */
int worker_main(int argc, char **argv, const struct worker *worker);

/* The groups that all programs share: also for those that are no workers (the client). */
struct worker_common {
	struct broker_config broker;
	struct db_config db;
	struct trust_config trust;
	int log_level;			/* enum log_level */
	bool log_syslog;
	bool core_dumps;
	/* in the group of a worker itself, so that one file serves all programs */
	int processes, prefetch;
	char *metrics;		/* where the page listens; "" for none */
	/* of the program, not of its settings: there are no such rows */
	bool no_database, one_process;
};

/*
 * broker, database, log, OWN, that of PART (NULL: none), and, unless GROUP is NULL, the
 * rows above in the group GROUP and those of the fleet's keys: in one array that the
 * caller frees.
 */
struct option_section *worker_sections(struct worker_common *common, const char *group,
                                       const struct option_section *own,
                                       const struct worker_part *part);
/* Rules between the options of the shared groups. */
enum err worker_common_check(const struct worker_common *common, struct why *why);
