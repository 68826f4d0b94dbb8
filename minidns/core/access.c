#include "core/access.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum err access_set_prefixes(struct access *access, const struct option_texts *texts,
                             struct why *why)
{
	struct prefix *prefixes = xcalloc(texts->count + 1, sizeof(*prefixes));

	for (size_t i = 0; i < texts->count; i++)
		if (!prefix_parse(texts->item[i], &prefixes[i])) {
			free(prefixes);
			return fail(why, ERR_INVALID,
			            "allow_transfer: '%s' is no address or "
			            "prefix (192.0.2.0/24, 2001:db8::1)",
			            texts->item[i]);
		}
	free(access->always);
	access->always = prefixes;
	access->always_count = texts->count;
	return OK;
}

void access_set_servers(struct access *access, struct access_server **servers,
                        size_t count)
{
	free(access->servers);
	access->servers = *servers;
	access->server_count = count;
	*servers = NULL;
}

bool access_allows(const struct access *access, const char *pool,
                   const struct address *peer)
{
	for (size_t i = 0; i < access->always_count; i++)
		if (prefix_covers(&access->always[i], peer))
			return true;
	for (size_t i = 0; i < access->server_count; i++)
		if (address_same_host(&access->servers[i].address, peer) &&
		    !strcmp(access->servers[i].pool, pool))
			return true;
	return false;
}

void access_clear(struct access *access)
{
	free(access->always);
	free(access->servers);
	memset(access, 0, sizeof(*access));
}
