#include "agent/signaller.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/kept_file.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/err.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	PID_TEXT_MAX = 32, COMMAND_LINE_MAX = 64 * 1024, STAT_MAX = 4096,
	CHILDREN_MAX = 1024, LOOK_MS = 100,
	/* files wait this long for a reader that reads the old ones */
	HOLD_MS = 10000,
	/* number of the field in stat, after the name and the state */
	BEGAN_AT = 20,
};

/* Pauses until a signal could be sent and a worker has started. */
static const struct backoff later = { .first_ms = 1000, .max_ms = 15000 };

struct signaller {
	struct signaller_config config;
	struct loop_timer *timer;
	int64_t next_ms;		/* no signal before this time */
	bool is_told;			/* the log says that no signal could be sent */
	bool is_wanted;			/* a signal was requested since the last one */
	/* files are being written; remove the mark afterwards */
	bool is_writing, is_to_unmark;
	/* the reader that got a signal; 0: no reaction is expected */
	pid_t told;
	int64_t told_ms;		/* time of the signal since boot */
	int times;			/* signals in a row without effect */
	/* time of the first of them; time of the next one */
	int64_t first_ms, again_ms;
	/* the reader does not have the files, or this is not known */
	bool is_unread;
	/* of the files; at the last signal; of the reader */
	uint64_t version, told_version, heard_version;
};

static struct metric *sent;

void signaller_metrics(void)
{
	sent = metric_new(METRIC_COUNTER, "agent_signals_total",
	    "signals from the agent to dnsmasq or HAProxy. After a signal, dnsmasq or "
	    "HAProxy reads the files again",
	    NULL, NULL);
}

/* ---- the reader ---- */

pid_t signaller_pid(const char *text, size_t len)
{
	long pid = 0;

	if (len > 0 && text[len - 1] == '\n')
		len--;
	if (len == 0 || len > 9)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		pid = 10 * pid + (text[i] - '0');
	}
	return pid > 1 ? (pid_t)pid : 0;
}

static bool signaller_is_program(const char *path, const char *program)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, program) == 0;
}

/*
 * True: a value begins here. It is at the start of an argument, after "=", or after the
 * letter of an option: "-H/run".
 */
static bool signaller_is_value(const char *argument, const char *at)
{
	return at == argument || at[-1] == '=' ||
	       (at == argument + 2 && argument[0] == '-');
}

/* True: FOLDER is a value in the argument, followed by its end or "/". */
static bool signaller_has_folder(const char *argument, const char *folder)
{
	size_t len = strlen(folder);

	for (const char *at = argument; (at = strstr(at, folder)); at++)
		if (signaller_is_value(argument, at) &&
		    (at[len] == '/' || at[len] == '\0'))
			return true;
	return false;
}

bool signaller_is_of(const char *command_line, size_t len, const char *program,
                     const char *folder)
{
	const char *end = command_line + len;
	const char *argument = command_line;

	if (len == 0 || end[-1] != '\0' || !signaller_is_program(argument, program))
		return false;
	while ((argument += strlen(argument) + 1) < end)
		if (signaller_has_folder(argument, folder))
			return true;
	return false;
}

/* Reads at most SIZE octets of a regular file; -1: no such file. */
static ssize_t signaller_read_file(const char *path, int flags, char *into, size_t size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags);
	struct stat stat;
	size_t len = 0;
	ssize_t n = -1;

	if (fd < 0) {
		descriptors_lack("the process that gets a signal");
		return -1;
	}
	errno = EINVAL;			/* for something that is not a regular file */
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
		while (len < size && (n = read(fd, into + len, size - len)) > 0)
			len += (size_t)n;
	close(fd);
	return n < 0 ? -1 : (ssize_t)len;
}

/* OK with pid 0: the file does not exist. ERR_NOT_FOUND: it has no valid pid. */
static enum err signaller_read_pid(const struct signaller *signaller, pid_t *pid,
                                   struct why *why)
{
	char text[PID_TEXT_MAX];
	char *path = xprintf("%s/%s", signaller->config.folder,
	                     signaller->config.pid_file);
	ssize_t len = signaller_read_file(path, O_NOFOLLOW, text, sizeof text);
	enum err err = OK;

	*pid = len > 0 ? signaller_pid(text, (size_t)len) : 0;
	if (len < 0 && errno != ENOENT)
		err = fail(why, ERR_DENIED, "cannot read %s: %s", path, strerror(errno));
	else if (len > 0 && !*pid)
		err = fail(why, ERR_NOT_FOUND, "%s: must contain a process id", path);
	free(path);
	return err;
}

/* ERR_NOT_FOUND: the process has ended, or (with a reason) is not our reader. */
static enum err signaller_check(const struct signaller *signaller, pid_t pid,
                                struct why *why)
{
	const struct signaller_config *config = &signaller->config;
	char path[32];
	char *line = xmalloc(COMMAND_LINE_MAX);
	enum err err = OK;
	ssize_t len;

	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	len = signaller_read_file(path, 0, line, COMMAND_LINE_MAX);
	if (len < 0)
		err = errno == ENOENT || errno == ESRCH
		      ? ERR_NOT_FOUND : fail(why, ERR_DENIED, "cannot read %s: %s", path,
		                             strerror(errno));
	else if (!signaller_is_of(line, (size_t)len, config->program, config->folder))
		err = fail(why, ERR_NOT_FOUND,
		           "process %d: the command line must contain %s and %s",
		           (int)pid, config->program, config->folder);
	free(line);
	return err;
}

/* ---- the workers of the reader ---- */

int64_t signaller_began_ms(const char *stat)
{
	const char *at = strrchr(stat, ')');	/* the name may contain any characters */
	long long ticks;

	if (!at || at[1] != ' ' || !at[2])
		return -1;
	at += 3;
	for (int i = 1; at && i < BEGAN_AT; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (!at || sscanf(at, "%lld", &ticks) != 1 || ticks < 0)
		return -1;
	return ticks * 1000 / sysconf(_SC_CLK_TCK);
}

static int64_t worker_began_ms(pid_t pid)
{
	char path[32], stat[STAT_MAX + 1];
	ssize_t len;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	len = signaller_read_file(path, 0, stat, STAT_MAX);
	stat[len > 0 ? len : 0] = '\0';
	return signaller_began_ms(stat);
}

/* The set of signals after NAME, one bit each; bit 0 is signal 1. */
static uint64_t signal_set(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, 16) : 0;
}

bool signaller_is_awaiting(const char *status)
{
	return signal_set(status, "\nSigPnd:") | signal_set(status, "\nShdPnd:");
}

bool signaller_has_taken(const char *status, int signum)
{
	uint64_t held = signal_set(status, "\nSigPnd:") |
	                signal_set(status, "\nShdPnd:") |
	                signal_set(status, "\nSigBlk:");

	return !(held >> (signum - 1) & 1);
}

static void signaller_read_status(pid_t pid, char status[STAT_MAX + 1])
{
	char path[32];
	ssize_t len;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	len = signaller_read_file(path, 0, status, STAT_MAX);
	status[len > 0 ? len : 0] = '\0';
}

enum worker { WORKER_NONE, WORKER_OLD, WORKER_ENDING, WORKER_YOUNG };

/*
 * Young: it began at SINCE_MS or later, with the precision of a tick. Ending: it was told
 * to end, but has not run since.
 */
static enum worker signaller_worker(pid_t pid, int64_t since_ms)
{
	char status[STAT_MAX + 1];

	if (worker_began_ms(pid) + 1000 / sysconf(_SC_CLK_TCK) > since_ms)
		return WORKER_YOUNG;
	signaller_read_status(pid, status);
	return signaller_is_awaiting(status) ? WORKER_ENDING : WORKER_OLD;
}

enum hearing {
	/* there is no sign that the reader has read the files */
	HEARING_NOT,
	HEARING_YET,			/* the reader is about to read the files */
	HEARING_DONE,
};

/* Judges by the workers of PID. */
static enum hearing signaller_workers_hearing(pid_t pid, int64_t since_ms)
{
	char path[48], children[CHILDREN_MAX + 1], *at = children;
	size_t count[WORKER_YOUNG + 1] = { 0 };
	ssize_t len;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	len = signaller_read_file(path, 0, children, CHILDREN_MAX);
	children[len > 0 ? len : 0] = '\0';
	for (char *end; ; at = end) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		count[signaller_worker((pid_t)child, since_ms)]++;
	}
	if (!count[WORKER_YOUNG])
		return HEARING_NOT;
	return count[WORKER_ENDING] ? HEARING_YET : HEARING_DONE;
}

/* Judges whether the reader has read the files since the last signal. */
static enum hearing signaller_hearing(const struct signaller *signaller)
{
	char status[STAT_MAX + 1];

	if (!signaller->told)
		return HEARING_NOT;
	signaller_read_status(signaller->told, status);
	if (!signaller_has_taken(status, signaller->config.signum))
		return HEARING_YET;
	return signaller_workers_hearing(signaller->told, signaller->told_ms);
}

/* ---- the signal ---- */

/* Opens the reader's process by descriptor. *fd is -1 if there is no such process. */
static enum err signaller_open_reader(const struct signaller *signaller, pid_t *pid,
                                      int *fd, struct why *why)
{
	enum err err = signaller_read_pid(signaller, pid, why);

	*fd = -1;
	if (err || !*pid)
		return err ? err : ERR_NOT_FOUND;
	*fd = pidfd_open(*pid, 0);
	if (*fd < 0)
		return errno == ESRCH ? ERR_NOT_FOUND
		                      : fail(why, ERR_DENIED, "cannot open process %d: "
		                             "%s", (int)*pid, strerror(errno));
	return signaller_check(signaller, *pid, why);
}

/*
 * OK: the signal was sent. ERR_NOT_FOUND: no reader runs, or (with a reason) the process
 * is not our reader. ERR_DENIED: there may be a reader, but the signal is not allowed.
 */
static enum err signaller_send(const struct signaller *signaller, int signum, pid_t *to,
                               struct why *why)
{
	int fd;
	enum err err;

	why->text[0] = '\0';
	err = signaller_open_reader(signaller, to, &fd, why);
	if (!err && pidfd_send_signal(fd, signum, NULL, 0))
		err = errno == ESRCH ? ERR_NOT_FOUND
		                     : fail(why, ERR_DENIED, "cannot send a signal to "
		                            "process %d: %s", (int)*to,
		                            strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

/* Logs a failure once, until a signal was sent. */
static void signaller_log_unsent(struct signaller *signaller, const struct why *why)
{
	if (why->text[0] && !signaller->is_told)
		log_warn("signal not sent: to=%s folder=%s reason=\"%s\"",
		         signaller->config.program, signaller->config.folder, why->text);
	signaller->is_told |= why->text[0] != '\0';
}

static void signaller_remove_mark(struct signaller *signaller)
{
	char *path;

	if (signaller->is_writing) {
		signaller->is_to_unmark = true;
		return;
	}
	path = xprintf("%s/%s", signaller->config.folder, signaller->config.mark);
	unlink(path);
	free(path);
}

/* The reader has the files of the last signal. */
static void signaller_note_heard(struct signaller *signaller)
{
	bool is_another = signaller->heard_version != signaller->told_version;

	signaller->heard_version = signaller->told_version;
	if (is_another && signaller->config.heard)
		signaller->config.heard(signaller->config.self);
}

/* The reader has all files: the mark can be removed. */
static void signaller_finish(struct signaller *signaller)
{
	signaller->is_unread = false;
	signaller->times = 0;
	signaller_remove_mark(signaller);
	signaller_note_heard(signaller);
}

static void signaller_try_again(struct signaller *signaller)
{
	int64_t after_ms = backoff_ms(&later, signaller->times, random_u32());

	if (!signaller->times++)
		signaller->first_ms = clock_ms();
	signaller->again_ms = clock_ms() + after_ms;
	loop_timer_set(signaller->timer, signaller->told ? LOOK_MS : after_ms);
}

/* A reader with workers may ignore the signal now, so it is checked later. */
static void signaller_await(struct signaller *signaller, pid_t pid)
{
	signaller->told = pid;
	signaller_try_again(signaller);
	if (signaller->times == 5)
		log_warn("signals ignored: to=%s folder=%s pid=%d reason=\"the process "
		         "started no worker with the new files\"",
		         signaller->config.program, signaller->config.folder, (int)pid);
}

static void signaller_signal(struct signaller *signaller)
{
	int64_t now_ms = clock_boot_ms();
	struct why why;
	pid_t pid;
	enum err err = signaller_send(signaller, signaller->config.signum, &pid, &why);

	signaller->is_wanted = false;
	signaller->told = 0;
	signaller->told_version = signaller->version;
	signaller->next_ms = clock_ms() + *signaller->config.interval_ms;
	if (err) {
		signaller_log_unsent(signaller, &why);
	} else {
		signaller->is_told = false;
		if (!signaller->config.has_workers)
			signaller->times = 0;
		signaller->told_ms = now_ms;
		metric_add(sent, 1);
		log_debug("signal sent: to=%s folder=%s", signaller->config.program,
		          signaller->config.folder);
	}
	if (!err && signaller->config.has_workers)
		signaller_await(signaller, pid);
	else if (err == ERR_DENIED)
		signaller_try_again(signaller);
	else
		signaller_finish(signaller);
}

static bool signaller_is_held(const struct signaller *signaller)
{
	return signaller->told && clock_ms() - signaller->first_ms < HOLD_MS;
}

int64_t signaller_wait_ms(const struct signaller *signaller)
{
	int64_t left = signaller->next_ms - clock_ms();

	if (signaller_is_held(signaller) && left < LOOK_MS)
		return LOOK_MS;
	return left > 0 ? left : 0;
}

static void signaller_signal_in_time(struct signaller *signaller)
{
	int64_t wait_ms = signaller_wait_ms(signaller);

	if (wait_ms)
		loop_timer_set(signaller->timer, wait_ms);
	else
		signaller_signal(signaller);
}

static void signaller_on_heard(struct signaller *signaller)
{
	signaller->told = 0;
	signaller->times = 0;
	if (signaller->is_wanted) {
		signaller_note_heard(signaller);
		signaller_signal_in_time(signaller);
	} else {
		signaller_finish(signaller);
	}
}

/* A busy reader gets no further signal; it is checked again later. */
static void signaller_on_timer(void *self)
{
	struct signaller *signaller = self;
	enum hearing hearing = signaller_hearing(signaller);

	if (hearing == HEARING_DONE)
		signaller_on_heard(signaller);
	else if (signaller->is_wanted)
		signaller_signal_in_time(signaller);
	else if (signaller->told &&
	         (hearing == HEARING_YET || clock_ms() < signaller->again_ms))
		loop_timer_set(signaller->timer, LOOK_MS);
	else
		signaller_signal(signaller);
}

bool signaller_has_reader(const struct signaller *signaller)
{
	struct why why;
	pid_t pid;

	return !signaller_send(signaller, 0, &pid, &why);
}

/*
 * If a signal is allowed now, it is sent immediately, because the caller may end at any
 * moment.
 */
static void signaller_want(struct signaller *signaller)
{
	int64_t wait_ms = signaller_wait_ms(signaller);

	signaller->is_wanted = signaller->is_unread = true;
	if (!wait_ms)
		signaller_on_timer(signaller);
	else if (!loop_timer_armed(signaller->timer))
		loop_timer_set(signaller->timer, wait_ms);
}

void signaller_writing(struct signaller *signaller)
{
	signaller->is_writing = true;
}

void signaller_same(struct signaller *signaller, uint64_t version)
{
	signaller->version = version;
	if (!signaller->is_wanted)
		signaller->told_version = version;
	if (!signaller->is_unread)
		signaller_note_heard(signaller);
}

void signaller_written(struct signaller *signaller, bool is_new, uint64_t version)
{
	bool is_to_unmark = signaller->is_to_unmark;

	signaller->is_writing = signaller->is_to_unmark = false;
	if (is_new) {
		signaller->version = version;
		signaller_want(signaller);
		return;
	}
	if (is_to_unmark)
		signaller_remove_mark(signaller);
	signaller_same(signaller, version);
}

uint64_t signaller_heard(const struct signaller *signaller)
{
	return signaller->heard_version;
}

struct signaller *signaller_new(struct loop *loop, const struct signaller_config *config)
{
	struct signaller *signaller = xcalloc(1, sizeof *signaller);

	signaller->config = *config;
	signaller->timer = loop_timer_new(loop, signaller_on_timer, signaller);
	if (kept_file_is_there(config->folder, config->mark))
		signaller_want(signaller);
	return signaller;
}

void signaller_free(struct signaller **signaller)
{
	if (!*signaller)
		return;
	loop_timer_free(&(*signaller)->timer);
	free(*signaller);
	*signaller = NULL;
}
