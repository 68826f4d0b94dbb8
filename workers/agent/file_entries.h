/*
 * file_entries -- the content of the files that an agent writes, in memory. Each entry
 * has a key, and lines for each file. Until the lines of a key arrive, the entry of the
 * key has no lines. This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { ENTRY_FILES = 2 };		/* maximum number of files */

struct file_entry {
	char *key;
	char *lines[ENTRY_FILES];	/* NULL: no lines in this file */
};

struct file_entries {			/* zeroed: empty */
	struct file_entry *item;	/* sorted by key */
	size_t count, size;
};

void file_entries_clear(struct file_entries *entries);
/*
 * Adds or replaces the entry of KEY. Copies LINES, whose elements may be NULL. True: the
 * entry is new or has changed.
 */
bool file_entries_put(struct file_entries *entries, const char *key,
                      const char *const lines[ENTRY_FILES]);
/* Deletes the entry of KEY. True: the entry existed. */
bool file_entries_drop(struct file_entries *entries, const char *key);
bool file_entries_has(const struct file_entries *entries, const char *key);
/* Appends all lines of a file to TEXT. */
void file_entries_print(const struct file_entries *entries, int file, struct buf *text);
