/*
 * mirror -- copies the entries of a service to files on this machine. Each entry has a
 * key, and lines for each file. The mirror reads the entries by RPC and writes the files
 * when entries change (kept_file.h).
 *
 *	METHOD(ARGS..., marker?)	a page of all entries
 *	METHOD(ARGS..., KEYS=[...])	the entries with these keys, if they exist
 *	-> {LIST: [{KEY: "...", FIELD: "lines\n", ...}, ...], "marker"?, "version"?}
 *
 * The mirror reads all entries when its caller calls mirror_read(), and once per period.
 * The period varies by up to a tenth. When the caller reports a changed entry
 * (mirror_changed()), the mirror reads only this entry. One call can read up to
 * MIRROR_KEYS_MAX changed entries. If more than 1000 changed entries are waiting, the
 * mirror reads all entries. Each change has a version, so the mirror can find lost
 * messages (version_gaps.h).
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/file_entries.h"

struct lane;
struct loop;
struct mirror;
struct rpc_client;
struct signaller;

/* maximum number of keys in one call. The server must accept this number of keys */
enum { MIRROR_KEYS_MAX = 50 };

/* the names of the topic, the method and the keys in the calls above */
struct mirror_kind {
	const char *topic, *method, *keys, *list, *key;
	struct {
		/*
		 * field: key of the lines in each entry of the answer. name: name of the
		 * file
		 */
		const char *field, *name;
	} file[ENTRY_FILES];		/* both fields NULL: no file */
	const char *mark;		/* name of the flag file (kept_file.h) */
};

/*
 * The mirror makes one call at a time. The files stay unchanged until the mirror has read
 * all entries once, and while the calls of the mirror get no answer. The mirror collects
 * changes until the signaller allows the next signal to the reader of the files.
 */
struct mirror_config {
	const struct mirror_kind *kind;
	struct loop *loop;
	struct rpc_client *rpc;
	struct lane *lane;		/* the lane that writes the files */
	const char *folder;		/* folder of the files */
	json_t *args;			/* arguments of each call; borrowed */
	/* signals the reader of the files; NULL: no reader needs a signal */
	struct signaller *signaller;
	const int *period_ms;
};

void mirror_metrics(void);		/* call it before the fork */

/*
 * All objects that CONFIG points to must outlive the mirror. mirror_read() makes the
 * first call.
 */
struct mirror *mirror_new(const struct mirror_config *config);
/*
 * Does not wait for a write on the lane: the lane finishes this write after mirror_free()
 * has returned.
 */
void mirror_free(struct mirror **mirror);
void mirror_read(struct mirror *mirror);	/* starts to read all entries */
void mirror_changed(struct mirror *mirror, const char *key);
/* Call it when a message about the change with VERSION has arrived. */
void mirror_told(struct mirror *mirror, uint64_t version);
/*
 * Call it periodically with the current version of the entries. The mirror reads all
 * entries in two cases. (1) A message is still missing, and its version is not above the
 * version of the previous comparison. (2) VERSION is lower than a version that the mirror
 * has received before the previous comparison.
 */
void mirror_compare(struct mirror *mirror, uint64_t version);
/*
 * Call it periodically. If a file is missing on the disk, the mirror writes the file
 * again. If the value of config->period_ms has changed, mirror_look() restarts the period
 * timer with the new value.
 */
void mirror_look(struct mirror *mirror);
/*
 * Returns how long the files have been out of date, because the mirror must read entries
 * or write changes. 0: the files are up to date, or the last call ended in ERR_NOT_FOUND.
 */
int64_t mirror_age_ms(const struct mirror *mirror);
/* from now on, the mirror makes no new call and starts no new write */
void mirror_drain(struct mirror *mirror);
bool mirror_is_idle(const struct mirror *mirror);
