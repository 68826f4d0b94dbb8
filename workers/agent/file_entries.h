/*
 * file_entries -- the content of kept files: entries by key; an entry has lines for each
 * file. Pure. A key that is wanted but has not arrived yet has no lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { ENTRY_FILES = 2 };		/* the limit */

struct file_entry {
	char *key;
	char *lines[ENTRY_FILES];	/* NULL: no lines in this file */
};

struct file_entries {			/* zeroed: empty */
	struct file_entry *item;	/* sorted by key */
	size_t count, size;
};

void file_entries_clear(struct file_entries *entries);
/* Copies LINES, of which each may be NULL. True: the entry is new or has changed. */
bool file_entries_put(struct file_entries *entries, const char *key,
                      const char *const lines[ENTRY_FILES]);
/* True: the entry existed. */
bool file_entries_drop(struct file_entries *entries, const char *key);
bool file_entries_has(const struct file_entries *entries, const char *key);
/* Appends all lines of a file to TEXT. */
void file_entries_print(const struct file_entries *entries, int file, struct buf *text);
