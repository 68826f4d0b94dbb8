/*
 * signaller -- tells the reader of our files (kept_file.h) that there are new ones, by a
 * signal, at most once in an interval, and the first time at once. So it is, too, where
 * there is no reader: who waits for it writes no file more often.
 *
 * Who it is, it says in a pid file of its own, which is not to be trusted: it may be of a
 * process long gone, and the pid another's by now. The signal goes to a process by its
 * descriptor, opened before its command line was looked at: it must be of that program,
 * and name the folder of our files. If there is nobody it is well so: who starts reads
 * the files.
 *
 * A reader that starts another worker when it is told, as HAProxy does, may be deaf for a
 * moment, while it starts: it is told again until it has a worker that is younger than the
 * signal. It has read the files then, unless it is about to start yet another one (our signal
 * is pending, or it blocks it, as it does while it reads); and an older worker takes no more
 * connections, unless it was not scheduled yet since it was told to end.
 *
 * Files have versions; which one its reader has is known, and told when it is another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct loop;
struct signaller;

struct signaller_config {
	const char *folder;		/* of the files */
	const char *pid_file, *mark;	/* names in it */
	const char *program;		/* "dnsmasq" */
	int signum;
	const int *interval_ms;		/* read each time */
	bool has_workers;		/* and starts others when it is told */
	void (*heard)(void *self);	/* it has another version by now; NULL: nobody asks */
	void *self;
};

void signaller_metrics(void);		/* before the fork */

/* What CONFIG names must live as long. If the mark is there, somebody is to be told. */
struct signaller *signaller_new(struct loop *loop, const struct signaller_config *config);
void signaller_free(struct signaller **signaller);
void signaller_want(struct signaller *signaller);
/* Files are being replaced: whatever is heard of those before, the mark stays until the end. */
void signaller_writing(struct signaller *signaller);
/* IS_NEW: some were. They are of VERSION now. */
void signaller_written(struct signaller *signaller, bool is_new, uint64_t version);
/* The files as they are are of VERSION, too. */
void signaller_same(struct signaller *signaller, uint64_t version);
/* The one that the reader has, if there is a reader; 0: not known yet. */
uint64_t signaller_heard(const struct signaller *signaller);
/* Is there somebody who reads the files, now? */
bool signaller_has_reader(const struct signaller *signaller);
/*
 * How long until files may be replaced, and a signal is sent at once; 0: now. Not while the
 * reader reads those before, or its worker might be taken for one that has the new ones; but
 * that ends after a while.
 */
int64_t signaller_wait_ms(const struct signaller *signaller);

/* What is in a pid file: a number above 1, and perhaps a newline. 0: anything else. */
pid_t signaller_pid(const char *text, size_t len);
/* When a process began, in ms since boot, by its /proc/PID/stat; -1: that is none. */
int64_t signaller_began_ms(const char *stat);
/* By its /proc/PID/status: has the process taken SIGNUM, and does not hold it off? */
bool signaller_has_taken(const char *status, int signum);
/* Is any signal on its way to it? */
bool signaller_is_awaiting(const char *status);
/*
 * Is a command line, as /proc has it, that of PROGRAM, with FOLDER in one of its
 * arguments? Of "/x/a" neither "/x/ab" nor "/y/x/a" is one.
 */
bool signaller_is_of(const char *command_line, size_t len, const char *program,
                     const char *folder);
