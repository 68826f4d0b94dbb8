/*
 * mirror -- what somebody else's topic knows, as files of this machine: entries, each
 * with a key and its lines of each file, asked for and kept in memory, and written
 * (kept_file.h) when they change, by their keys: a line that stays keeps its place.
 *
 *	METHOD(ARGS..., marker?)	a page of all entries
 *	METHOD(ARGS..., KEYS=[...])	those of these keys that are there
 *	-> {LIST: [{KEY: "...", FIELD: "lines\n", ...}, ...], "marker": "..."?, "version"?}
 *
 * All of it is read at first, each period, and when told to; of entries that are told to
 * have changed only those are asked for, all that were told meanwhile at once, and, once
 * all was read, also between two pages. Each change is a version of its own: if one that
 * is known to exist was not told for the time between two comparisons, all is read.
 *
 * One question is out at a time, with a deadline, and after one that failed the next comes
 * later. Until all was read once, and as long as nobody answers, the files stay as they
 * are. Their reader is told by a signaller; until it may be, what changes is gathered.
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

enum { MIRROR_KEYS_MAX = 50 };	/* of one question: who answers has to take as many */

struct mirror_kind {			/* names, as above */
	const char *topic, *method, *keys, *list, *key;
	struct {
		const char *field, *name;	/* in the answer; of the file */
	} file[ENTRY_FILES];		/* NULL: none */
	const char *mark;		/* kept_file.h */
};

struct mirror_config {
	const struct mirror_kind *kind;
	struct loop *loop;
	struct rpc_client *rpc;
	struct lane *lane;		/* that writes the files */
	const char *folder;		/* where they are */
	json_t *args;			/* of each question: borrowed */
	struct signaller *signaller;	/* NULL: nobody is to be told */
	const int *period_ms;
};

void mirror_metrics(void);		/* before the fork */

/* What CONFIG names must live as long. Nothing is asked before mirror_read(). */
struct mirror *mirror_new(const struct mirror_config *config);
/* What is being written is waited for by its lane. */
void mirror_free(struct mirror **mirror);
void mirror_read(struct mirror *mirror);	/* all of it */
void mirror_changed(struct mirror *mirror, const char *key);
/* What was told was this version of it. */
void mirror_told(struct mirror *mirror, uint64_t version);
/* Now and then: of which version it is. */
void mirror_compare(struct mirror *mirror, uint64_t version);
/* Now and then: are the files still there, and is the period what it was? */
void mirror_look(struct mirror *mirror);
/* Since when something has changed that is not in the files; 0: nothing. */
int64_t mirror_age_ms(const struct mirror *mirror);
void mirror_drain(struct mirror *mirror);	/* begin with nothing any more */
bool mirror_is_idle(const struct mirror *mirror);
