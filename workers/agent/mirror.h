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
 * When a message names changed entries, the mirror reads only these entries. If several
 * messages have arrived, the mirror reads the entries of all these messages together.
 * Each change has a version, so the mirror can find lost messages (version_gaps.h).
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

/* maximum number of keys in one call; the topic must accept this number */
enum { MIRROR_KEYS_MAX = 50 };

struct mirror_kind {			/* the names in the calls above */
	const char *topic, *method, *keys, *list, *key;
	struct {
		/* field: member of each entry in the answer; name: name of the file */
		const char *field, *name;
	} file[ENTRY_FILES];		/* NULL: no more files */
	const char *mark;		/* kept_file.h */
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
	struct lane *lane;		/* writes the files */
	const char *folder;		/* folder of the files */
	json_t *args;			/* for each call; borrowed */
	struct signaller *signaller;	/* NULL: no reader needs a signal */
	const int *period_ms;
};

void mirror_metrics(void);		/* before the fork */

/*
 * All objects that CONFIG points to must outlive the mirror. mirror_read() makes the
 * first call.
 */
struct mirror *mirror_new(const struct mirror_config *config);
/* A write that still runs on the agent's lane ends later. */
void mirror_free(struct mirror **mirror);
void mirror_read(struct mirror *mirror);	/* read all entries */
void mirror_changed(struct mirror *mirror, const char *key);
/* Call it when a message about a change with this version has arrived. */
void mirror_told(struct mirror *mirror, uint64_t version);
/*
 * Call it periodically with the current version of the entries. If the message of a
 * version is missing in two comparisons, the mirror reads all entries.
 */
void mirror_compare(struct mirror *mirror, uint64_t version);
/*
 * Call it periodically. If a file is missing, mirror_look() writes the file again. If the
 * period has changed, mirror_look() applies the new period.
 */
void mirror_look(struct mirror *mirror);
/*
 * Returns the age of the oldest change that is not in the files. 0: all changes are in
 * the files, or the last call ended in ERR_NOT_FOUND.
 */
int64_t mirror_age_ms(const struct mirror *mirror);
void mirror_drain(struct mirror *mirror);	/* from now on, starts no new work */
bool mirror_is_idle(const struct mirror *mirror);
