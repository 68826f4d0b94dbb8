#include "core/access.h"

#include <stdlib.h>
#include <string.h>

void access_set_servers(struct access *access, struct access_server **servers,
                        size_t count)
{
	free(access->servers);
	access->servers = *servers;
	access->server_count = count;
	*servers = NULL;
}

const struct tsig_key *access_key(const struct access *access, const struct name *name)
{
	const struct known_key *known = keyring_find(&access->own, name);

	if (!known)
		known = keyring_find(&access->keys, name);
	return known ? &known->key : NULL;
}

static bool access_has_key(const struct access *access, const struct access_ask *ask)
{
	const struct known_key *known =
	    ask->key.len ? keyring_find(&access->keys, &ask->key) : NULL;

	return known && *known->domain && !strcmp(known->domain, ask->domain);
}

static bool access_is_server(const struct access_server *server,
                             const struct access_ask *ask)
{
	return address_same_host(&server->address, &ask->peer) &&
	       !strcmp(server->pool, ask->pool) &&
	       (!server->key.len || name_equal(&server->key, &ask->key));
}

struct address access_main_address(const struct access *access,
                                   const struct address *address)
{
	for (size_t i = 0; i < access->server_count; i++)
		if (address_same_host(&access->servers[i].address, address))
			return access->servers[access->servers[i].first].address;
	return *address;
}

bool access_is_shared(const struct access *access, const struct address *address)
{
	size_t first = access->server_count;

	for (size_t i = 0; i < access->server_count; i++) {
		if (!address_same_host(&access->servers[i].address, address))
			continue;
		if (first != access->server_count && access->servers[i].first != first)
			return true;
		first = access->servers[i].first;
	}
	return false;
}

bool access_allows(const struct access *access, const struct access_ask *ask)
{
	if (prefixes_cover(&access->always, &ask->peer))
		return true;
	for (size_t i = 0; i < access->server_count; i++)
		if (access_is_server(&access->servers[i], ask))
			return true;
	return access_has_key(access, ask);
}

void access_clear(struct access *access)
{
	prefixes_clear(&access->always);
	free(access->servers);
	keyring_clear(&access->keys);
	keyring_clear(&access->own);
	memset(access, 0, sizeof(*access));
}
