/*
 * servers -- the access list and the keys, kept like the tables pool_servers
 * and tsigkeys: read every ten seconds, at SIGHUP, and before a transfer is
 * refused, so that a server that was added a moment ago is not turned away.
 * For whoever may be anybody, by a datagram, they are read again after two seconds at the
 * earliest; who is new and waits for a transfer over TCP is not kept waiting.
 *
 * Until they were read once, nobody knows who may have what and which keys there are:
 * see servers_were_read() before somebody is turned away.
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
/* The option tsig_keys, as keyring.h has it. */
enum err servers_set_keys(struct servers *servers, const char *text, struct why *why);
void servers_reload(struct servers *servers);
/* Since the start: not whether the database is there now. */
bool servers_were_read(const struct servers *servers);
/*
 * The tables are read soon, and not by a reading that runs already. PEER is who causes
 * it; NULL: we do.
 */
void servers_hurry(struct servers *servers, const struct address *peer);
/* May call back before it returns. */
void servers_ask(struct servers *servers, const struct access_ask *ask, allowed_fn *fn,
                 void *self);
/*
 * Is it a server of some pool, or of allow_transfer? From memory: a server that was added
 * a moment ago may be unknown.
 */
bool servers_knows(const struct servers *servers, const struct address *peer);
/* Is it a server of some pool? Not of allow_transfer, which may name whole networks. */
bool servers_of_pool(const struct servers *servers, const struct address *peer);
/*
 * May we send something to it: is it, with its port, a server of some pool; or, for a
 * NOTIFY, of allow_transfer? From memory, too.
 */
bool servers_may_hear(const struct servers *servers, const struct address *server,
                      bool notify);
/*
 * The key of that name, until the loop goes on; NULL: there is none, and the tables are
 * read soon, for it may be new. PEER as above.
 */
const struct tsig_key *servers_key(struct servers *servers, const struct name *name,
                                   const struct address *peer);
