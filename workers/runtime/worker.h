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

/* The runtime's parts for a program, after the fork. */
struct runtime {
	struct loop *loop;
	struct broker *out;
	struct rpc_client *rpc;
	/* for the loop's thread; lanes make their own with db_new(). NULL: no_database */
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

/* A part of a program from a library. It starts before the program and stops after it. */
struct worker_part {
	struct option_section section;
	const struct timer *timers;	/* they get the result of start() */
	enum err (*check)(struct why *why);
	void (*metrics)(void);		/* before the fork */
	void *(*start)(struct runtime *runtime, const char *topic);
	void (*stop)(void *part);
};

struct worker {
	const char *name;		/* "central": zonefleet-central */
	const char *group;		/* of its settings; its topic; NULL: the name */
	const char *summary;		/* one line for --help */
	const struct option_section *sections;	/* the program's own; NULL: no sections */
	const struct option_list *lists;
	const struct rpc_method *methods;
	const struct timer *timers;	/* end with a row of zeroes */
	const struct worker_part *part;	/* NULL: no part */
	bool fanout;			/* handles fanout casts to its topic */
	/* handles only fanout casts: it has no work queue */
	bool fanout_only;
	/* The fanout queue is new, so earlier casts may be lost. */
	void (*fanout_is_new)(void *self);
	bool recovery;			/* has a second queue, `topic.recovery` */
	/* sends or answers messages that only the fleet may send: trust.h */
	bool fleet;
	bool is_agent;			/* a key of fleet.agent_keys is enough */
	/* accepts no message until the schema is up to date */
	bool schema;
	/* needs no database; ready when the broker is reachable */
	bool no_database;
	bool one_process;		/* has no option `processes` */
	/* the loop does not wait for locked rows: db_set_no_lock_wait() */
	bool no_lock_wait;
	/* the program that --agent starts; NULL: no agent */
	const struct worker *agent;
	/* Returns the topic, once the options are read. NULL: the topic is the group. */
	const char *(*topic)(const void *self);
	/*
	 * Checks rules between options; runs before the fork, and with --check. All of
	 * these functions may be NULL.
	 */
	enum err (*check)(void *self, struct why *why);
	/* Before the fork: sockets, metrics. */
	enum err (*prepare)(void *self, int processes, struct why *why);
	/*
	 * Runs after the fork, in each process, in less than a minute. ERR_INVALID: the
	 * program ends with EX_CONFIG, if it was never ready. After other errors the
	 * process starts again. RUNTIME is valid until stop().
	 */
	enum err (*start)(void *self, const struct runtime *runtime, struct why *why);
	/*
	 * Until this returns true once, the process accepts no message and is not ready.
	 */
	bool (*can_serve)(const void *self);
	void (*reload)(void *self);
	void (*drain)(void *self);	/* SIGTERM: finish only the current work */
	bool (*idle)(const void *self);	/* while draining: true if all work is finished */
	void (*stop)(void *self);	/* the connections are still open */
	void *self;
};

/*
 * Handles --config, --check, --sample, --settings, --metrics, --help, --version, and
 * --agent if the program has an agent. Returns a status of sysexits.h.
 */
int worker_main(int argc, char **argv, const struct worker *worker);

/* The groups of settings that all programs share, including the client. */
struct worker_common {
	struct broker_config broker;
	struct db_config db;
	struct trust_config trust;
	int log_level;			/* enum log_level */
	bool log_syslog;
	bool core_dumps;
	/* in the group of each worker, so that one file serves all programs */
	int processes, prefetch;
	char *metrics;		/* listen address of the page; "": no page */
	/* set by the program, not by its settings */
	bool no_database, one_process;
};

/*
 * Returns one array of sections, which the caller frees: broker, database, log, OWN, and
 * the section of PART (NULL: none). Unless GROUP is NULL, it also has the rows above in
 * the group GROUP and the section with the fleet's keys.
 */
struct option_section *worker_sections(struct worker_common *common, const char *group,
                                       const struct option_section *own,
                                       const struct worker_part *part);
/* Checks rules between the options of the shared groups. */
enum err worker_common_check(const struct worker_common *common, struct why *why);
