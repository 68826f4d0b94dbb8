/*
 * signaller -- sends the program that reads our files (kept_file.h) a signal when the
 * files are new. It sends the first signal at once, and later signals at most once in an
 * interval. The interval also applies without a reader, because it limits how often the
 * agent writes files.
 *
 * The reader's pid comes from its pid file. The agent does not trust this pid: the
 * process may have ended, and another process may have the same pid. So the signaller
 * opens a descriptor of the process first, and then checks its command line. The command
 * line of the process must have the right program and the folder of the files. Only then
 * it sends the signal, through the descriptor. Without such a process it sends no
 * signal, because a reader reads the files when it starts.
 *
 * HAProxy starts a new worker at each signal, and may ignore a signal while the worker
 * starts. So the signaller repeats the signal until the reader has a worker that is
 * younger than the signal. Then the reader has read the files, unless it is about to
 * start one more worker: our signal is pending or blocked, as while HAProxy reads its
 * files. An older worker accepts no more connections, unless it has not run since its
 * order to end.
 *
 * Files have versions. The signaller knows the reader's version and reports its changes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loop;
struct signaller;

struct signaller_config {
	const char *folder;		/* folder of the files */
	const char *pid_file, *mark;	/* names of files in the folder */
	const char *program;		/* "dnsmasq" */
	int signum;
	const int *interval_ms;		/* read at each use */
	/* the program starts a new worker at each signal */
	bool has_workers;
	/* the reader has another version; NULL: not used */
	void (*heard)(void *self);
	void *self;
};

void signaller_metrics(void);		/* before the fork */

/*
 * All that CONFIG points to must outlive the signaller. If the mark exists, a signal is
 * due.
 */
struct signaller *signaller_new(struct loop *loop, const struct signaller_config *config);
void signaller_free(struct signaller **signaller);
void signaller_want(struct signaller *signaller);
/*
 * The agent is about to replace files. The mark stays until the end, even if the reader
 * reads the old files meanwhile.
 */
void signaller_writing(struct signaller *signaller);
/* IS_NEW: some files have changed. The files have VERSION now. */
void signaller_written(struct signaller *signaller, bool is_new, uint64_t version);
/* The unchanged files are also the files of VERSION. */
void signaller_same(struct signaller *signaller, uint64_t version);
/* The reader's version, if there is a reader; 0: not known yet. */
uint64_t signaller_heard(const struct signaller *signaller);
/* True: a process reads the files now. */
bool signaller_has_reader(const struct signaller *signaller);
/*
 * Time until the agent may replace files and send a signal; 0: now. While the reader
 * reads the old files, or an old worker may look like a worker with the new files, it is
 * above 0, but only for a limited time.
 */
int64_t signaller_wait_ms(const struct signaller *signaller);

/* The pid in a pid file: a number above 1, and perhaps a newline. 0: any other text. */
pid_t signaller_pid(const char *text, size_t len);
/* Start time of a process in ms since boot, from its /proc/PID/stat; -1: malformed. */
int64_t signaller_began_ms(const char *stat);
/*
 * True: the process handles SIGNUM and does not block it, according to its
 * /proc/PID/status.
 */
bool signaller_has_taken(const char *status, int signum);
/* True: a signal is pending for the process. */
bool signaller_is_awaiting(const char *status);
/*
 * True: the command line, as in /proc, is of PROGRAM, and FOLDER is in one of its
 * arguments. Neither "/x/ab" nor "/y/x/a" counts as "/x/a".
 */
bool signaller_is_of(const char *command_line, size_t len, const char *program,
                     const char *folder);
