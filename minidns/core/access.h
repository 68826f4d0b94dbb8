/*
 * access -- who may have a zone: the name servers of its pool, as the pool
 * manager put them down in pool_servers, each by its address and, if it has
 * one, its TSIG key; whoever signs with a key of that domain; and the
 * prefixes of the option allow_transfer. Everybody else is REFUSED.
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
	struct name key;		/* of length 0: none */
};

/* Who asks for what. */
struct access_ask {
	char pool[ACCESS_POOL + 1], domain[ID_LEN + 1];
	struct address peer;
	bool is_proven;			/* it has that address, for it came over TCP */
	struct name key;		/* that it signed with; of length 0: none */
};

struct access {
	struct prefixes always;
	struct access_server *servers;
	size_t server_count;
	struct keyring keys;		/* of the database */
	struct keyring own;		/* of the configuration: they come first */
};

/* Takes the array of COUNT. */
void access_set_servers(struct access *access, struct access_server **servers,
                        size_t count);
/* The key of that name, or NULL. */
const struct tsig_key *access_key(const struct access *access, const struct name *name);
bool access_allows(const struct access *access, const struct access_ask *ask);
void access_clear(struct access *access);
