/*
 * entries -- what a kept file is made of: entries by their keys, each with its lines of
 * each file. Pure. A key that is wanted and not there yet has no lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum { ENTRY_FILES = 2 };		/* at most */

struct entry {
	char *key;
	char *lines[ENTRY_FILES];	/* NULL: none */
};

struct entries {			/* zeroed: empty */
	struct entry *item;		/* by their keys */
	size_t count, size;
};

void entries_clear(struct entries *entries);
/* LINES (each may be NULL) are copied. True: that is new, or another. */
bool entries_put(struct entries *entries, const char *key,
                 const char *const lines[ENTRY_FILES]);
bool entries_drop(struct entries *entries, const char *key);	/* true: it was there */
bool entries_has(const struct entries *entries, const char *key);
/* All lines of a file. */
void entries_print(const struct entries *entries, int file, struct buf *text);
