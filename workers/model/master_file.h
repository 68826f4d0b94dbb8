/*
 * master_file -- reads a master file (a zone file) record by record: RFC 1035 5, with
 * $TTL (RFC 2308 4), $INCLUDE and the directive $GENERATE of BIND. The reader reads the
 * same owner names and TTLs as BIND. The reader refuses a form that it does not support,
 * even if BIND accepts the form. A reason or warning begins with FILE:LINE, where LINE
 * is the first line of the entry.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/rr.h"

enum {
	MASTER_DEPTH_MAX = 10,		/* maximum number of levels of included files */
	MASTER_INCLUDES_MAX = 1000,	/* maximum number of included files in total */
};

struct master_options {
	const char *origin;	/* name of the zone, with the final dot */
	/*
	 * Descriptor of the folder of the main file, borrowed. $INCLUDE opens only
	 * regular files below this folder. -1: the reader refuses $INCLUDE.
	 */
	int folder;
	/* the reader calls warn() for each warning; NULL: no warnings */
	void (*warn)(void *self, const char *text);
	void *self;
};

struct master_file;
/*
 * Makes a reader of FILE. Borrows FILE and copies the options. PATH: the path of the
 * file, for error texts and for $INCLUDE.
 */
struct master_file *master_file_open(FILE *file, const char *path,
                                     const struct master_options *options);
/*
 * Reads the next record. The record is valid until the next call. FOUND becomes false at
 * the end of the file.
 */
enum err master_file_next(struct master_file *master, struct rr *rr, bool *found,
                          struct why *why);
/*
 * These functions return the file and the line of the record that master_file_next() read
 * last. The path is valid until the next call of master_file_next().
 */
const char *master_file_path(const struct master_file *master);
int master_file_line(const struct master_file *master);
void master_file_close(struct master_file **master);
