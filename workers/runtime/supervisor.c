/*
 * supervisor -- the parent process: starts and watches the processes, and forwards
 * signals.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <syslog.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pause.h"
#include "base/version.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/metrics_http.h"
#include "runtime/poison.h"
#include "runtime/sd_notify.h"
#include "runtime/worker_private.h"

enum {
	TICK_MS = 1000,
	STARTING_TICK_MS = 50,		/* until all are ready for the first time */
	HEALTHY_MS = 60 * 1000,		/* after this time the backoff starts again */
	LATE_MS = 10 * 1000,		/* a tick later than this counts as late */
	ABORT_GRACE_MS = 10 * 1000,	/* time to write a core dump, before SIGKILL */
};

static const struct backoff respawn = { .first_ms = 200, .max_ms = 10 * 1000 };

struct child {
	struct supervisor *supervisor;
	struct loop_timer *again;
	int index;
	pid_t pid;			/* 0: it does not run */
	int64_t started_ms;
	int failures;			/* in a row */
	int hung_signal;		/* the last signal to the hung process */
};

struct descriptors {
	int *fd;			/* ascending */
	size_t count;
};

struct supervisor {
	struct program *program;
	struct loop *loop;
	struct metrics_http *http;
	struct loop_timer *tick, *deadline;
	struct reread reread;
	struct child *children;
	int count, ready;
	struct descriptors inherited;
	struct metric *starts, *alive, *lacks;
	int64_t ticked_ms, watchdog_ms, watchdog_next_ms;
	/* a child that checks changed settings; 0: no such child */
	pid_t reader;
	bool read_again;		/* SIGHUP came again meanwhile */
	bool was_ready, stopping;
	int status;
};

/*
 * ---- descriptors: a child keeps those opened before the loop and the HTTP server ----
 */

static int descriptors_compare(const void *a, const void *b)
{
	int left = *(const int *)a, right = *(const int *)b;

	return (left > right) - (left < right);
}

static enum err descriptors_note(struct descriptors *noted, struct why *why)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (!dir)
		return fail(why, descriptors_lack("/proc/self/fd") ? ERR_BUSY
		                                                   : ERR_INVALID,
		            "cannot read /proc/self/fd: %s", strerror(errno));
	while ((entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(dir))
			continue;
		noted->fd = xrealloc(noted->fd, (noted->count + 1) * sizeof *noted->fd);
		noted->fd[noted->count++] = fd;
	}
	closedir(dir);
	qsort(noted->fd, noted->count, sizeof *noted->fd, descriptors_compare);
	return OK;
}

static void descriptors_close_others(const struct descriptors *noted)
{
	unsigned from = 0;

	for (size_t i = 0; i < noted->count; from = noted->fd[i++] + 1)
		if ((unsigned)noted->fd[i] > from)
			close_range(from, noted->fd[i] - 1, 0);
	close_range(from, ~0u, 0);
}

/* ---- starting ---- */

/*
 * In the child, with all signals blocked: removes all objects of the supervisor.
 * metrics_http_close() would also shut down the client connections of the parent, so the
 * child only closes the descriptors. libc opens its own descriptor for syslog again.
 */
static void child_init(struct supervisor *supervisor, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EX_OK);
	loop_free(&supervisor->loop);
	closelog();
	descriptors_close_others(&supervisor->inherited);
	program_log_open(supervisor->program);
}

/*
 * Forks from the supervisor's loop. The child may call pause_ms() until its own loop
 * runs.
 */
static pid_t supervisor_fork(sigset_t *before)
{
	sigset_t all;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, before);
	pid = fork();
	if (pid)
		sigprocmask(SIG_SETMASK, before, NULL);
	else
		pause_forbid(false);
	return pid;
}

static void child_start_later(struct child *child);

static void child_start(void *self)
{
	struct child *child = self;
	struct supervisor *supervisor = child->supervisor;
	pid_t parent = getpid();
	sigset_t before;

	metrics_reset_process(child->index);
	child->hung_signal = 0;
	child->started_ms = clock_ms();
	child->pid = supervisor_fork(&before);
	if (child->pid == 0) {
		child_init(supervisor, parent);
		exit(process_run(supervisor->program, child->index));
	}
	if (child->pid < 0) {
		log_warn("process not started: process=%d reason=\"%s\"", child->index,
			 strerror(errno));
		child->pid = 0;
		child_start_later(child);
		return;
	}
	metric_add(supervisor->starts, 1);
	log_debug("process started: process=%d pid=%d", child->index, (int)child->pid);
}

static void child_start_later(struct child *child)
{
	int delay_ms;

	if (clock_ms() - child->started_ms > HEALTHY_MS)
		child->failures = 0;
	delay_ms = backoff_ms(&respawn, child->failures++, random_u32());
	loop_timer_set(child->again, delay_ms);
}

/* ---- ending ---- */

static void supervisor_signal_all(const struct supervisor *supervisor, int signum)
{
	for (int i = 0; i < supervisor->count; i++)
		if (supervisor->children[i].pid)
			kill(supervisor->children[i].pid, signum);
}

static int supervisor_count_alive(const struct supervisor *supervisor)
{
	int alive = 0;

	for (int i = 0; i < supervisor->count; i++)
		alive += supervisor->children[i].pid != 0;
	return alive;
}

static void supervisor_stop_if_alone(struct supervisor *supervisor)
{
	if (supervisor->stopping && supervisor_count_alive(supervisor) == 0)
		loop_stop(supervisor->loop);
}

static void supervisor_stop(struct supervisor *supervisor, int status)
{
	if (supervisor->stopping)
		return;
	supervisor->stopping = true;
	supervisor->status = status;
	log_info("program stopping: processes=%d", supervisor_count_alive(supervisor));
	sd_notify_send("STOPPING=1\nSTATUS=stopping");
	for (int i = 0; i < supervisor->count; i++)
		loop_timer_cancel(supervisor->children[i].again);
	supervisor_signal_all(supervisor, SIGTERM);
	loop_timer_set(supervisor->deadline, STOP_MAX_MS);
	supervisor_stop_if_alone(supervisor);
}

static void supervisor_on_terminate(void *self)
{
	supervisor_stop(self, EX_OK);
}

static void supervisor_on_deadline(void *self)
{
	struct supervisor *supervisor = self;

	log_warn("processes killed: reason=\"the processes did not stop within %d s\" "
	         "processes=%d",
		 STOP_MAX_MS / 1000, supervisor_count_alive(supervisor));
	supervisor_signal_all(supervisor, SIGKILL);
}

/* ---- the end of a child ---- */

static void child_describe_status(int status, char *text, size_t size)
{
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (name)
		snprintf(text, size, "SIG%s%s", name,
			 WCOREDUMP(status) ? ", core dumped" : "");
	else if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d", WTERMSIG(status));
	else
		snprintf(text, size, "exit %d", WEXITSTATUS(status));
}

/* True: a bug of the process ended it, not a signal from an operator or the kernel. */
static bool child_is_fault(int status)
{
	static const int faults[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS };

	for (size_t i = 0; WIFSIGNALED(status) &&
	     i < sizeof faults / sizeof faults[0]; i++)
		if (WTERMSIG(status) == faults[i])
			return true;
	return false;
}

static bool supervisor_is_misconfigured(const struct supervisor *supervisor, int status)
{
	return !supervisor->was_ready && WIFEXITED(status) &&
	       WEXITSTATUS(status) == EX_CONFIG;
}

static void child_ended(struct child *child, int status)
{
	struct supervisor *supervisor = child->supervisor;
	pid_t pid = child->pid;
	char reason[64];

	child->pid = 0;
	metrics_reset_process(child->index);
	/* a hang mostly has an external cause */
	poison_process_died(child->index, child_is_fault(status) && !child->hung_signal);
	child_describe_status(status, reason, sizeof reason);
	if (supervisor->stopping && status == 0)
		return;
	log_warn("process ended: process=%d pid=%d reason=\"%s\"", child->index,
		 (int)pid, reason);
	if (supervisor_is_misconfigured(supervisor, status))
		supervisor_stop(supervisor, EX_CONFIG);
	else if (!supervisor->stopping)
		child_start_later(child);
}

/* ---- SIGHUP: a child checks the file first, so that a change is complete ---- */

static _Noreturn void reader_run(struct supervisor *supervisor)
{
	struct why why;
	enum err err = program_reload(supervisor->program, true, &why);

	if (err)
		program_log_kept(&supervisor->reread, err, &why);
	_exit(err ? program_exit_status(err) : EX_OK);
}

static void supervisor_on_hangup(void *self)
{
	struct supervisor *supervisor = self;
	sigset_t before;

	if (supervisor->stopping)
		return;
	supervisor->read_again = supervisor->reader != 0;
	if (supervisor->reader)
		return;
	supervisor->reader = supervisor_fork(&before);
	if (supervisor->reader == 0)
		reader_run(supervisor);
	if (supervisor->reader < 0) {
		log_warn("old settings kept: reason=\"%s\"", strerror(errno));
		supervisor->reader = 0;
	}
}

/*
 * Loads the settings for processes that start later. Running processes read the file
 * themselves.
 */
static void supervisor_reload(struct supervisor *supervisor)
{
	struct why why;
	enum err err = program_reload(supervisor->program, false, &why);

	if (err)
		program_log_kept(&supervisor->reread, err, &why);
	if (err == ERR_BUSY)
		program_reread(&supervisor->reread);
	else
		supervisor->reread.count = 0;
	if (err)
		return;
	supervisor_signal_all(supervisor, SIGHUP);
	log_info("settings applied: file=%s", supervisor->program->path);
	if (supervisor->was_ready) {
		sd_notify_send("RELOADING=1\nMONOTONIC_USEC=%lld", (long long)clock_us());
		sd_notify_send("READY=1");
	}
}

static void reader_ended(struct supervisor *supervisor, int status)
{
	supervisor->reader = 0;
	if (supervisor->read_again)
		supervisor_on_hangup(supervisor);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == EX_TEMPFAIL)
		program_reread(&supervisor->reread);
	else if (status == 0 && !supervisor->stopping)
		supervisor_reload(supervisor);
	else
		supervisor->reread.count = 0;
}

static void supervisor_on_child(void *self)
{
	struct supervisor *supervisor = self;
	int status;

	for (int i = 0; i < supervisor->count; i++) {
		struct child *child = &supervisor->children[i];

		if (child->pid && waitpid(child->pid, &status, WNOHANG) == child->pid)
			child_ended(child, status);
	}
	if (supervisor->reader &&
	    waitpid(supervisor->reader, &status, WNOHANG) == supervisor->reader)
		reader_ended(supervisor, status);
	supervisor_stop_if_alone(supervisor);
}

static void supervisor_on_user(void *self)
{
	struct supervisor *supervisor = self;

	program_toggle_debug(supervisor->program);
	supervisor_signal_all(supervisor, SIGUSR1);
}

/* ---- watching the processes ---- */

static void child_end_hung(struct child *child, int signum, int64_t silent_ms)
{
	if (child->hung_signal == signum)
		return;
	child->hung_signal = signum;
	log_warn("process hung: process=%d pid=%d silent_s=%lld signal=SIG%s",
		 child->index, (int)child->pid, (long long)(silent_ms / 1000),
		 sigabbrev_np(signum));
	kill(child->pid, signum);
}

static void child_watch(struct child *child, int64_t now_ms)
{
	int64_t beat_ms = metrics_last_heartbeat(child->index);
	int64_t silent_ms;

	if (!child->pid)
		return;
	silent_ms = now_ms - (beat_ms > child->started_ms ? beat_ms : child->started_ms);
	if (silent_ms > HUNG_MS + ABORT_GRACE_MS)
		child_end_hung(child, SIGKILL, silent_ms);
	else if (silent_ms > HUNG_MS)
		child_end_hung(child, SIGABRT, silent_ms);
}

static bool supervisor_is_any_hung(const struct supervisor *supervisor)
{
	for (int i = 0; i < supervisor->count; i++)
		if (supervisor->children[i].hung_signal)
			return true;
	return false;
}

static int supervisor_count_ready(const struct supervisor *supervisor)
{
	char words[METRICS_WORDS];
	int ready = 0;

	for (int i = 0; i < supervisor->count; i++)
		ready += !metrics_down_reason(i, words);
	return ready;
}

static void supervisor_report_ready(struct supervisor *supervisor)
{
	int ready = supervisor_count_ready(supervisor);

	metric_set(supervisor->alive, supervisor_count_alive(supervisor));
	if (ready == supervisor->ready || supervisor->stopping)
		return;
	supervisor->ready = ready;
	sd_notify_send("STATUS=%d of %d processes ready", ready, supervisor->count);
	if (supervisor->was_ready || ready < supervisor->count)
		return;
	supervisor->was_ready = true;
	log_info("program ready: processes=%d", supervisor->count);
	sd_notify_send("READY=1");
}

static void supervisor_notify_watchdog(struct supervisor *supervisor, int64_t now_ms)
{
	if (!supervisor->watchdog_ms || now_ms < supervisor->watchdog_next_ms)
		return;
	if (supervisor_is_any_hung(supervisor))
		return;
	sd_notify_send("WATCHDOG=1");
	supervisor->watchdog_next_ms = now_ms + supervisor->watchdog_ms / 2;
}

static int64_t supervisor_tick_ms(const struct supervisor *supervisor)
{
	int64_t ms = supervisor->was_ready ? TICK_MS : STARTING_TICK_MS;

	if (supervisor->watchdog_ms && supervisor->watchdog_ms / 4 < ms)
		ms = supervisor->watchdog_ms / 4;
	return ms;
}

/*
 * If the tick is late, the processes may have been stopped, too, so they are not checked.
 */
static void supervisor_on_tick(void *self)
{
	struct supervisor *supervisor = self;
	int64_t now_ms = clock_ms();

	if (now_ms - supervisor->ticked_ms < LATE_MS)
		for (int i = 0; i < supervisor->count; i++)
			child_watch(&supervisor->children[i], now_ms);
	supervisor->ticked_ms = now_ms;
	metric_add(supervisor->lacks, descriptors_lacks());
	supervisor_report_ready(supervisor);
	supervisor_notify_watchdog(supervisor, now_ms);
	loop_timer_set(supervisor->tick, supervisor_tick_ms(supervisor));
}

/* ---- open and close ---- */

static void supervisor_metrics_open(struct supervisor *supervisor)
{
	metric_set(metric_new(METRIC_GAUGE, "build_info",
			      "always 1. The label names the release and the commit of "
			      "the program", "version", version_text), 1);
	metric_set(metric_new(METRIC_GAUGE, "processes", "processes that should run",
			      NULL, NULL), supervisor->count);
	supervisor->alive = metric_new(METRIC_GAUGE, "processes_alive",
				       "processes that are running", NULL, NULL);
	supervisor->starts = metric_new(METRIC_COUNTER, "process_starts_total",
					"starts of processes, including restarts",
					NULL, NULL);
	supervisor->lacks = lacks_metric();
}

void supervisor_metrics(int processes)
{
	supervisor_metrics_open(&(struct supervisor){ .count = processes });
}

static void supervisor_signals_open(struct supervisor *supervisor)
{
	struct loop *loop = supervisor->loop;

	loop_signal(loop, SIGTERM, supervisor_on_terminate, supervisor);
	loop_signal(loop, SIGINT, supervisor_on_terminate, supervisor);
	loop_signal(loop, SIGHUP, supervisor_on_hangup, supervisor);
	loop_signal(loop, SIGUSR1, supervisor_on_user, supervisor);
	loop_signal(loop, SIGCHLD, supervisor_on_child, supervisor);
}

static void supervisor_children_open(struct supervisor *supervisor)
{
	supervisor->children = xcalloc(supervisor->count, sizeof *supervisor->children);
	for (int i = 0; i < supervisor->count; i++) {
		struct child *child = &supervisor->children[i];

		child->supervisor = supervisor;
		child->index = i;
		child->again = loop_timer_new(supervisor->loop, child_start, child);
		loop_timer_set(child->again, 0);
	}
}

static enum err supervisor_open(struct supervisor *supervisor, struct why *why)
{
	const struct worker_common *common = &supervisor->program->common;
	enum err err = descriptors_note(&supervisor->inherited, why);

	if (err)
		return err;
	supervisor_metrics_open(supervisor);
	supervisor->loop = loop_new();
	if (common->metrics[0])
		return metrics_http_open(supervisor->loop, common->metrics,
					 supervisor->count, &supervisor->http, why);
	return OK;
}

static void supervisor_start(struct supervisor *supervisor)
{
	supervisor->ticked_ms = clock_ms();
	supervisor->watchdog_ms = sd_notify_watchdog_ms();
	supervisor->tick =
	    loop_timer_new(supervisor->loop, supervisor_on_tick, supervisor);
	supervisor->deadline =
	    loop_timer_new(supervisor->loop, supervisor_on_deadline, supervisor);
	supervisor->reread.timer =
	    loop_timer_new(supervisor->loop, supervisor_on_hangup, supervisor);
	supervisor_signals_open(supervisor);
	supervisor_children_open(supervisor);
	loop_timer_set(supervisor->tick, STARTING_TICK_MS);
	log_info("program started: version=%s processes=%d page_port=%d",
		 version_text, supervisor->count,
		 supervisor->http ? metrics_http_port(supervisor->http) : 0);
}

static void supervisor_close(struct supervisor *supervisor)
{
	for (int i = 0; supervisor->children && i < supervisor->count; i++)
		loop_timer_free(&supervisor->children[i].again);
	free(supervisor->children);
	loop_timer_free(&supervisor->tick);
	loop_timer_free(&supervisor->deadline);
	loop_timer_free(&supervisor->reread.timer);
	metrics_http_close(&supervisor->http);
	loop_free(&supervisor->loop);
	free(supervisor->inherited.fd);
}

int supervisor_run(struct program *program)
{
	struct supervisor supervisor = {
		.program = program,
		.count = program->common.processes,
	};
	struct why why;
	enum err err = supervisor_open(&supervisor, &why);

	if (err) {
		log_warn("program cannot start: reason=\"%s\"", why.text);
		supervisor.status = program_exit_status(err);
	} else {
		supervisor_start(&supervisor);
		loop_run(supervisor.loop);
		log_info("program stopped: status=%d", supervisor.status);
	}
	supervisor_close(&supervisor);
	return supervisor.status;
}
