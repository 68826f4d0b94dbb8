/*
 * signaller -- sends a signal to the reader of the agent's files (kept_file.h) when the
 * files have changed. The reader is a program such as dnsmasq. The signaller sends the
 * first signal immediately. For later changes, it sends at most one signal per interval.
 * The interval also applies if there is no reader, because the interval limits how often
 * the agent writes files.
 *
 * The pid file contains the reader's pid. If the reader has ended, another process can
 * have this pid now. So the signaller first opens a descriptor for the process. Then the
 * signaller checks the command line of the process and sends the signal through the
 * descriptor. If there is no reader, the signaller sends no signal, because a reader
 * reads the files when it starts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loop;
struct signaller;

/*
 * HAProxy starts a new worker at each signal, and sometimes ignores a signal while a
 * worker starts. So the signaller repeats the signal, with pauses of about 1 to 15 s,
 * until the reader has a worker that is younger than the signal. Such a worker shows that
 * the reader has read the files, unless the signal is still pending or blocked. HAProxy
 * blocks the signal while it reads its files.
 */
struct signaller_config {
	const char *folder;		/* folder of the files */
	/* names of the pid file and of the flag file in the folder */
	const char *pid_file, *mark;
	const char *program;		/* file name of the reader's program: "dnsmasq" */
	int signum;
	/* interval between two signals; the signaller reads this value at each use */
	const int *interval_ms;
	/* true: the program starts a new worker at each signal, like HAProxy */
	bool has_workers;
	/* runs when the result of signaller_heard() changes; may be NULL */
	void (*heard)(void *self);
	void *self;
};

void signaller_metrics(void);		/* call it before the fork */

/*
 * All objects that CONFIG points to must outlive the signaller. If the flag file
 * (config->mark, see kept_file.h) exists, a signal is due.
 */
struct signaller *signaller_new(struct loop *loop, const struct signaller_config *config);
void signaller_free(struct signaller **signaller);
/*
 * Call it before the agent replaces files. After this call, the signaller keeps the flag
 * file until signaller_written(), even if the reader reads the old files before
 * signaller_written().
 */
void signaller_writing(struct signaller *signaller);
/*
 * Call it after the agent has replaced files. IS_NEW: at least one file has changed.
 * VERSION is the new version of the files.
 */
void signaller_written(struct signaller *signaller, bool is_new, uint64_t version);
/*
 * Call it if the content of the files is the same for VERSION as for the last version.
 * VERSION becomes the version of the files.
 */
void signaller_same(struct signaller *signaller, uint64_t version);
/*
 * Returns the version of the files that the reader has read. If there is no reader,
 * returns the version that a reader will read when it starts. 0: unknown.
 */
uint64_t signaller_heard(const struct signaller *signaller);
/* True: the reader is running. */
bool signaller_has_reader(const struct signaller *signaller);
/*
 * Returns the time until the agent may replace files and send a signal. 0: the agent may
 * do this now. The time is above 0 until the interval after the last signal is over. If
 * the reader has workers, the time is also above 0 until the reader has read the files
 * after a signal, but for at most 10 s.
 */
int64_t signaller_wait_ms(const struct signaller *signaller);

/*
 * Returns the pid from the text of a pid file: a number above 1 and an optional newline.
 * 0: TEXT has another form.
 */
pid_t signaller_pid(const char *text, size_t len);
/*
 * Returns the start time of a process in ms since boot. STAT: the text of /proc/PID/stat.
 * -1: STAT is malformed.
 */
int64_t signaller_began_ms(const char *stat);
/*
 * True: SIGNUM is neither pending nor blocked in the process. STATUS: the text of
 * /proc/PID/status.
 */
bool signaller_has_taken(const char *status, int signum);
/* True: a signal is pending for the process. STATUS: the text of /proc/PID/status. */
bool signaller_is_awaiting(const char *status);
/*
 * COMMAND_LINE has the form of /proc/PID/cmdline. True: the command line runs PROGRAM,
 * and one of the arguments contains the path FOLDER. For example, neither "/x/ab" nor
 * "/y/x/a" contains the path "/x/a".
 */
bool signaller_is_of(const char *command_line, size_t len, const char *program,
                     const char *folder);
