/*
 * file_entries -- keeps the content of the files that an agent writes, in memory. Each
 * entry has a key, and lines for each file. Before the lines of a key arrive, the entry
 * of the key can exist without lines. This module does no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { ENTRY_FILES = 2 };		/* maximum number of files that a mirror writes */

struct file_entry {
	char *key;
	/* text lines for each file; NULL: the entry has no lines in this file */
	char *lines[ENTRY_FILES];
};

struct file_entries {			/* a zeroed struct has no entries */
	struct file_entry *item;	/* the entries, sorted by key */
	size_t count, size;
};

void file_entries_clear(struct file_entries *entries);
/*
 * Adds or replaces the entry of KEY. Copies LINES. Each element of LINES may be NULL.
 * True: the entry is new or has changed.
 */
bool file_entries_put(struct file_entries *entries, const char *key,
                      const char *const lines[ENTRY_FILES]);
/* Deletes the entry of KEY. True: the entry existed. */
bool file_entries_drop(struct file_entries *entries, const char *key);
bool file_entries_has(const struct file_entries *entries, const char *key);
/*
 * Appends the lines of all entries for file number FILE to TEXT, in the order of the
 * keys.
 */
void file_entries_print(const struct file_entries *entries, int file, struct buf *text);
