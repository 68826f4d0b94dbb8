/*
 * access -- decides which clients may transfer a zone. The name servers of the zone's
 * pool may transfer the zone. The pool manager lists these servers in the table
 * pool_servers, each with its address and possibly a TSIG key. A server with a TSIG key
 * must sign its query with this key. A client that signs its query with a TSIG key of the
 * domain may also transfer the zone. A client whose address is in the option
 * allow_transfer may transfer all zones. All other clients get REFUSED.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/option.h"
#include "core/keyring.h"
#include "core/prefixes.h"
#include "dns/address.h"

enum { ACCESS_POOL = 64 };

struct access_server {
	char pool[ACCESS_POOL + 1];
	struct address address;
	struct name key;		/* name of its TSIG key; length 0: no key */
	/* index of the first element of the same server in the array `servers` */
	size_t first;
};

/* A query for a transfer of a zone. */
struct access_ask {
	char pool[ACCESS_POOL + 1], domain[ID_LEN + 1];
	struct address peer;
	/* true: the query arrived over TCP, so the client's address is not forged */
	bool is_proven;
	/* name of the TSIG key that signed the query; length 0: the query is unsigned */
	struct name key;
};

struct access {
	struct prefixes always;
	struct access_server *servers;
	size_t server_count;
	struct keyring keys;		/* the keys from the database */
	/*
	 * The keys from the option tsig_keys. If `keys` contains a key with the same
	 * name, access_key() returns the key in `own`.
	 */
	struct keyring own;
};

/* Replaces the servers. Takes ownership of the array of COUNT servers. */
void access_set_servers(struct access *access, struct access_server **servers,
                        size_t count);
/* Returns the key with this name, or NULL. */
const struct tsig_key *access_key(const struct access *access, const struct name *name);
/*
 * Returns the first address of the server that has ADDRESS. The port does not matter. If
 * no server has ADDRESS, returns ADDRESS.
 */
struct address access_main_address(const struct access *access,
                                   const struct address *address);
/* True: several servers have this address. The port does not matter. */
bool access_is_shared(const struct access *access, const struct address *address);
bool access_allows(const struct access *access, const struct access_ask *ask);
void access_clear(struct access *access);
