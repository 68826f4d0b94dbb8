/*
 * store_blacklist -- the blacklist: names and regular expressions of domains that only an
 * administrator may create. A row has either a name or a pattern.
 */
#pragma once

#include "store.h"

/* Each creation of a domain compiles all patterns (service_blacklist.c). */
enum { BLACKLIST_PATTERNS_MAX = 100 };

struct blacklist {
	char id[ID_LEN + 1];
	const char *name, *pattern;	/* one of both is NULL */
	const char *description, *created_at, *updated_at;
};
extern const char *const store_blacklist_sort_keys[];	/* the only key is "name" */

bool store_blacklist_get(struct tx *tx, const char *id, struct arena *arena,
                         struct blacklist *entry);
/* Like store_blacklist_get(), but also locks the row. */
bool store_blacklist_lock(struct tx *tx, const char *id, enum store_wait wait,
                          struct arena *arena, struct blacklist *entry);
/*
 * Counts the patterns, and locks their rows, so that no other transaction can add a
 * pattern before the commit.
 */
int64_t store_blacklist_count_patterns(struct tx *tx, enum store_wait wait);
void store_blacklist_insert(struct tx *tx, const struct blacklist *entry,
                            enum store_wait wait);
void store_blacklist_update(struct tx *tx, const struct blacklist *entry,
                            enum store_wait wait);
int64_t store_blacklist_delete(struct tx *tx, const char *id, enum store_wait wait);
void store_blacklist_find(struct tx *tx, const struct paging *paging, struct arena *arena,
                          struct tx_rows *rows);
bool store_blacklist_next(struct tx_rows *rows, struct blacklist *entry);

/* Selects the entries for NAME and for the names above NAME, and then all patterns. */
void store_blacklist_select(struct tx *tx, const struct name *name, struct arena *arena,
                            struct tx_rows *rows);
/* Reads one of these entries: its name or its pattern. */
bool store_blacklist_next_selected(struct tx_rows *rows, struct blacklist *entry);
