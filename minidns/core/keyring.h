/*
 * keyring -- the TSIG keys that are known, found by their names: those of the database
 * and those of the option tsig_keys.
 *
 * The arrays are in no core, and are wiped when they go; the copies of a key that questions,
 * ours too, and transfers have are wiped, too. Not so what a stack or a message of the
 * database had of it: who reads our memory reads our secrets.
 */
#pragma once

#include <stddef.h>

#include "base/id.h"
#include "dns/tsig.h"

struct known_key {
	struct tsig_key key;
	/* whoever signs with it may have this domain; "": it is for servers */
	char domain[ID_LEN + 1];
};

struct keyring {
	struct known_key *keys;		/* sorted, once all were added */
	size_t count, size;
};

void keyring_add(struct keyring *keyring, const struct known_key *known);
void keyring_sort(struct keyring *keyring);

/*
 * TEXT: "NAME ALGORITHM SECRET" a line, or with ";" between; NULL is none. The words in
 * why contain no secret. ERR_INVALID leaves the keyring as it is.
 */
enum err keyring_parse(struct keyring *keyring, const char *text, struct why *why);
/* What WITH has, in the place of what was there; nothing is left in WITH. */
void keyring_replace(struct keyring *keyring, struct keyring *with);
const struct known_key *keyring_find(const struct keyring *keyring,
                                     const struct name *name);
void keyring_clear(struct keyring *keyring);
