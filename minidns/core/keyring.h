/*
 * keyring -- the TSIG keys that are known, found by their names: those of the database
 * and those of the option tsig_keys. Secrets are wiped when they go.
 */
#pragma once

#include <stddef.h>

#include "base/id.h"
#include "core/tsig.h"

struct known_key {
	struct tsig_key key;
	/* whoever signs with it may have this domain; "": it is for servers */
	char domain[ID_LEN + 1];
};

struct keyring {
	struct known_key *keys;		/* sorted */
	size_t count;
};

/*
 * TEXT: "NAME ALGORITHM SECRET" a line, or with ";" between; NULL is none. The words in
 * why contain no secret. ERR_INVALID leaves the keyring as it is.
 */
enum err keyring_parse(struct keyring *keyring, const char *text, struct why *why);
/* Takes the array of COUNT over, in the place of what was there. */
void keyring_set(struct keyring *keyring, struct known_key **keys, size_t count);
const struct known_key *keyring_find(const struct keyring *keyring,
                                     const struct name *name);
void keyring_clear(struct keyring *keyring);
