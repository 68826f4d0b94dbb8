/*
 * store_tld -- the list of permitted suffixes (core/suffix.h), which can have 10 000
 * entries. The creation of a domain reads only the entries that can match its name.
 */
#pragma once

#include "store.h"

/* Identifies an entry in a call, by id or by name. */
struct tld_key {
	char id[ID_LEN + 1];		/* "": use the name */
	const char *name;		/* in the form of suffix_parse() */
};

struct tld {
	char id[ID_LEN + 1];
	const char *name, *description, *created_at, *updated_at;
};
extern const char *const store_tld_sort_keys[];		/* the only key is "name" */

bool store_tld_get(struct tx *tx, const struct tld_key *by, struct arena *arena,
                   struct tld *tld);
/* Like store_tld_get(), but also locks the row. */
bool store_tld_lock(struct tx *tx, const struct tld_key *by, enum store_wait wait,
                    struct arena *arena, struct tld *tld);
void store_tld_insert(struct tx *tx, const struct tld *tld, enum store_wait wait);
void store_tld_set_description(struct tx *tx, const struct tld *tld);
void store_tld_delete(struct tx *tx, const char *id);
void store_tld_find(struct tx *tx, const struct pattern *name,
                    const struct paging *paging, struct arena *arena,
                    struct tx_rows *rows);
bool store_tld_next(struct tx_rows *rows, struct tld *tld);

/*
 * Adds the entries NAMES that are missing. Returns the number of new entries. LIST: the
 * names and the arena of the call.
 */
struct tld_list {
	const char *const *names;
	size_t count;
	struct arena *arena;
};
int64_t store_tld_add(struct tx *tx, const struct tld_list *list, enum store_wait wait);
/* Deletes the entries NAMES that exist. Returns the number of deleted entries. */
int64_t store_tld_remove(struct tx *tx, const struct tld_list *list,
                         enum store_wait wait);

/*
 * Reads the entries among KEYS into FOUND (COUNT places), with one statement. Returns
 * their number. IS_EMPTY: the whole list has no entry. COUNT: 1 to TX_LIST_MAX.
 */
size_t store_tld_match(struct tx *tx, const struct tld_list *keys, const char **found,
                       bool *is_empty);
