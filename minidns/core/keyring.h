/*
 * keyring -- the known TSIG keys, found by name: the keys of the database and of the
 * option tsig_keys.
 *
 * Core dumps do not have the arrays, and keyring_clear() wipes them. The owners of
 * copies in questions, requests and transfers wipe them, too. A stack or a database
 * message may still contain a key: an attacker who reads the memory of this process
 * reads its secrets.
 */
#pragma once

#include <stddef.h>

#include "base/id.h"
#include "dns/tsig.h"

struct known_key {
	struct tsig_key key;
	/* a client that signs with it may have this domain; "": a key for servers */
	char domain[ID_LEN + 1];
};

struct keyring {
	struct known_key *keys;		/* sorted after the last addition */
	size_t count, size;
};

void keyring_add(struct keyring *keyring, const struct known_key *known);
void keyring_sort(struct keyring *keyring);

/*
 * TEXT: "NAME ALGORITHM SECRET" on each line, or separated by ";"; NULL is an empty list.
 * The text in *why contains no secret. ERR_INVALID leaves the keyring unchanged.
 */
enum err keyring_parse(struct keyring *keyring, const char *text, struct why *why);
/* Replaces the keys by the keys of WITH, and leaves WITH empty. */
void keyring_replace(struct keyring *keyring, struct keyring *with);
const struct known_key *keyring_find(const struct keyring *keyring,
                                     const struct name *name);
void keyring_clear(struct keyring *keyring);
