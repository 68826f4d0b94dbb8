/*
 * file_entries -- the content of kept files: entries by key, each with its lines of each
 * file. Pure. A key that is wanted and has not come yet has no lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { ENTRY_FILES = 2 };		/* at most */

struct file_entry {
	char *key;
	char *lines[ENTRY_FILES];	/* NULL: none */
};

struct file_entries {			/* zeroed: empty */
	struct file_entry *item;	/* by their keys */
	size_t count, size;
};

void file_entries_clear(struct file_entries *entries);
/* LINES (each may be NULL) are copied. True: that is new, or another. */
bool file_entries_put(struct file_entries *entries, const char *key,
                      const char *const lines[ENTRY_FILES]);
/* True: it was there. */
bool file_entries_drop(struct file_entries *entries, const char *key);
bool file_entries_has(const struct file_entries *entries, const char *key);
/* All lines of a file. */
void file_entries_print(const struct file_entries *entries, int file, struct buf *text);
