/*
 * servers -- the access list, kept like the table pool_servers: read every
 * ten seconds, at SIGHUP, and before a transfer is refused, so that a server
 * that was added a moment ago is not turned away.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/option.h"
#include "core/address.h"

struct db_config;
struct loop;
struct servers;

typedef void allowed_fn(void *self, bool allowed);

struct servers *servers_new(struct loop *loop, const struct db_config *config);
void servers_free(struct servers **servers);
enum err servers_allow(struct servers *servers, const struct option_texts *prefixes,
                       struct why *why);
void servers_reload(struct servers *servers);
/* May call back before it returns. */
void servers_ask(struct servers *servers, const char *pool, const struct address *peer,
                 allowed_fn *fn, void *self);
