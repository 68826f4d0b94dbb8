/*
 * access -- who may have a zone: the name servers of its pool, as the pool
 * manager put them down in pool_servers, and the prefixes of the option
 * allow_transfer. Everybody else is REFUSED.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/option.h"
#include "core/address.h"

struct access_server {
	char pool[65];
	struct address address;
};

struct access {
	struct prefix *always;
	size_t always_count;
	struct access_server *servers;
	size_t server_count;
};

/* The option's texts; ERR_INVALID names the one that is no address or prefix. */
enum err access_set_prefixes(struct access *access, const struct option_texts *texts,
                             struct why *why);
/* Takes the array of COUNT. */
void access_set_servers(struct access *access, struct access_server **servers,
                        size_t count);
bool access_allows(const struct access *access, const char *pool,
                   const struct address *peer);
void access_clear(struct access *access);
