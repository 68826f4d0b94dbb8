/*
 * mirror -- keeps a copy of the entries of another program's topic in files of this
 * machine. Each entry has a key and lines for each file. The mirror reads the entries by
 * RPC, keeps them in memory, and writes the files when entries change (kept_file.h). It
 * sorts lines by key, so an unchanged line keeps its place.
 *
 * 	METHOD(ARGS..., marker?)	a page of all entries
 * 	METHOD(ARGS..., KEYS=[...])	the entries with these keys, if they exist
 * 	-> {LIST: [{KEY: "...", FIELD: "lines\n", ...}, ...], "marker": "..."?, "version"?}
 *
 * The mirror reads all entries at the start, each period, and on demand. A message names
 * entries that have changed; the mirror then reads only these, several at once if more
 * messages came. After the first complete read it also reads changed entries between two
 * pages. Each change has its own version. If a version exists and its message has not
 * come between two comparisons, the mirror reads all entries.
 *
 * One call at a time is out, with a deadline. After a failed call the next call comes
 * later. The files stay unchanged until the mirror has read all entries once, and while
 * no answer comes. A signaller sends the reader of the files a signal. Until the
 * signaller allows the next signal, the mirror collects changes.
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

enum { MIRROR_KEYS_MAX = 50 };	/* in one call; the topic must allow as many */

struct mirror_kind {			/* the names in the calls above */
	const char *topic, *method, *keys, *list, *key;
	struct {
		/* member of the answer; name of the file */
		const char *field, *name;
	} file[ENTRY_FILES];		/* NULL: no further file */
	const char *mark;		/* kept_file.h */
};

struct mirror_config {
	const struct mirror_kind *kind;
	struct loop *loop;
	struct rpc_client *rpc;
	struct lane *lane;		/* writes the files */
	const char *folder;		/* folder of the files */
	json_t *args;			/* for each call; borrowed */
	struct signaller *signaller;	/* NULL: no reader needs a signal */
	const int *period_ms;
};

void mirror_metrics(void);		/* before the fork */

/*
 * All that CONFIG points to must outlive the mirror. mirror_read() makes the first call.
 */
struct mirror *mirror_new(const struct mirror_config *config);
/* The lane waits for a write that still runs. */
void mirror_free(struct mirror **mirror);
void mirror_read(struct mirror *mirror);	/* read all entries */
void mirror_changed(struct mirror *mirror, const char *key);
/* A message about a change had this version. */
void mirror_told(struct mirror *mirror, uint64_t version);
/* Call it at intervals with the present version of the entries. */
void mirror_compare(struct mirror *mirror, uint64_t version);
/*
 * Call it at intervals: checks that the files still exist and that the period is
 * unchanged.
 */
void mirror_look(struct mirror *mirror);
/* Age of the oldest change that is not in the files; 0: all changes are in the files. */
int64_t mirror_age_ms(const struct mirror *mirror);
void mirror_drain(struct mirror *mirror);	/* starts no new work */
bool mirror_is_idle(const struct mirror *mirror);
