/*
 * servers -- the access list and the keys, a copy of the tables pool_servers and
 * tsigkeys. mini-DNS reads the tables every ten seconds, at SIGHUP, and before it
 * refuses a transfer, so that it does not refuse a new server. A datagram may come from
 * anyone, so it causes a new read at most every two seconds. A new server that waits for
 * a transfer over TCP causes a new read at once.
 *
 * Until the first read, the servers' rights and keys are unknown: check
 * servers_were_read() before refusing a client.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/option.h"
#include "core/access.h"

struct address;
struct db_config;
struct figures;
struct loop;
struct servers;

typedef void allowed_fn(void *self, bool allowed);

struct servers *servers_new(struct loop *loop, const struct db_config *config,
                            const struct figures *figures);
void servers_free(struct servers **servers);
enum err servers_allow(struct servers *servers, const struct option_texts *prefixes,
                       struct why *why);
/* The option tsig_keys (keyring.h). */
enum err servers_set_keys(struct servers *servers, const char *text, struct why *why);
void servers_reload(struct servers *servers);
/* True: mini-DNS has read the tables since its start. The database may be away now. */
bool servers_were_read(const struct servers *servers);
/*
 * Starts a new read of the tables soon, even during a read. PEER: the cause; NULL: this
 * program.
 */
void servers_hurry(struct servers *servers, const struct address *peer);
/* May call back before it returns. */
void servers_ask(struct servers *servers, const struct access_ask *ask, allowed_fn *fn,
                 void *self);
/*
 * True: PEER is a server of a pool or in allow_transfer. From memory: a server that was
 * just added may be unknown.
 */
bool servers_knows(const struct servers *servers, const struct address *peer);
/*
 * True: PEER is a server of a pool. allow_transfer does not count: it may contain
 * networks.
 */
bool servers_of_pool(const struct servers *servers, const struct address *peer);
/*
 * True: we may send to SERVER, because a server of a pool has its address and port. For
 * a NOTIFY, allow_transfer counts, too. From memory.
 */
bool servers_may_hear(const struct servers *servers, const struct address *server,
                      bool notify);
/*
 * The key with this name, valid until the loop continues. NULL: the key is unknown.
 * mini-DNS reads the tables again soon, because the key may be new. PEER as in
 * servers_hurry().
 */
const struct tsig_key *servers_key(struct servers *servers, const struct name *name,
                                   const struct address *peer);
