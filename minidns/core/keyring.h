/*
 * keyring -- finds a TSIG key by its name. The keys come from the database and from the
 * option tsig_keys.
 *
 * A core dump does not contain the array of keys, and keyring_clear() wipes the array.
 * The code that copies a key into a DNS request or a transfer also wipes this copy. An
 * attacker who can read the memory of this process can still find a key, for example on a
 * stack or in a message from the database.
 */
#pragma once

#include <stddef.h>

#include "base/id.h"
#include "dns/tsig.h"

struct known_key {
	struct tsig_key key;
	/*
	 * id of the domain that a client with this key may transfer; "": the key belongs
	 * to name servers
	 */
	char domain[ID_LEN + 1];
};

struct keyring {
	/* sorted by name; call keyring_sort() after the last keyring_add() */
	struct known_key *keys;
	size_t count, size;
};

void keyring_add(struct keyring *keyring, const struct known_key *known);
void keyring_sort(struct keyring *keyring);

/*
 * Replaces the keys of KEYRING with the keys in TEXT. TEXT: entries "NAME ALGORITHM
 * SECRET", separated by line ends or ";"; NULL: no entries. The text in *why contains no
 * secret. After ERR_INVALID the keyring is unchanged.
 */
enum err keyring_parse(struct keyring *keyring, const char *text, struct why *why);
/*
 * Clears the keys of KEYRING, and moves the keys of WITH to KEYRING. WITH is empty
 * afterwards.
 */
void keyring_replace(struct keyring *keyring, struct keyring *with);
const struct known_key *keyring_find(const struct keyring *keyring,
                                     const struct name *name);
void keyring_clear(struct keyring *keyring);
