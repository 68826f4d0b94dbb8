/*
 * servers -- the access list and the TSIG keys: a copy of the tables pool_servers and
 * tsigkeys. mini-DNS reads the tables every ten seconds and when it receives SIGHUP.
 * mini-DNS also reads the tables before it refuses a transfer, because the client is
 * possibly a new server. The interval between the starts of two such reads is at least
 * 0.2 s. Datagrams of unknown clients cause a new read at most once every two seconds,
 * because any client can send a datagram.
 *
 * Until the first read, the rights and keys of the servers are unknown. Check
 * servers_were_read() before you refuse a client.
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

/* ALLOWED is true if the client may transfer the zone. */
typedef void allowed_fn(void *self, bool allowed);

struct servers *servers_new(struct loop *loop, const struct db_config *config,
                            const struct figures *figures);
void servers_free(struct servers **servers);
enum err servers_allow(struct servers *servers, const struct option_texts *prefixes,
                       struct why *why);
/* Replaces the keys of the option tsig_keys. TEXT: the value of the option. */
enum err servers_set_keys(struct servers *servers, const char *text, struct why *why);
void servers_reload(struct servers *servers);
/*
 * True: since its start, mini-DNS has read the tables at least once. The database is
 * possibly unreachable now.
 */
bool servers_were_read(const struct servers *servers);
/*
 * Starts a new read of the tables soon, even during a read. The pause after the start of
 * the last read is at least 0.2 s. PEER is the client or server that causes the read.
 * PEER is NULL if this program causes the read, or if the client has proven its address.
 * If PEER is unknown (servers_knows()), the pause after the last read for an unknown PEER
 * is at least two seconds.
 */
void servers_hurry(struct servers *servers, const struct address *peer);
/*
 * Decides whether a client may transfer a zone, and calls FN once with the result.
 * Possibly calls FN before this call returns.
 */
void servers_ask(struct servers *servers, const struct access_ask *ask, allowed_fn *fn,
                 void *self);
/*
 * Returns the first address of the server that has ADDRESS. If no server has ADDRESS,
 * returns ADDRESS. Answers from memory.
 */
struct address servers_main_address(const struct servers *servers,
                                    const struct address *address);
/* True: several servers have this address. Answers from memory. */
bool servers_share_address(const struct servers *servers, const struct address *address);
/*
 * True: PEER is a server of a pool, or allow_transfer contains its address. Answers from
 * memory, so a server that was just added is possibly unknown.
 */
bool servers_knows(const struct servers *servers, const struct address *peer);
/*
 * True: PEER is a server of a pool. Ignores allow_transfer, because this option can
 * contain networks.
 */
bool servers_of_pool(const struct servers *servers, const struct address *peer);
/*
 * True: mini-DNS may send messages to SERVER, because a server of a pool has this
 * address and port. For a NOTIFY, an entry in allow_transfer is also sufficient. Answers
 * from memory.
 */
bool servers_may_hear(const struct servers *servers, const struct address *server,
                      bool notify);
/*
 * Returns the key with this name, valid until the end of this turn of the event loop.
 * NULL: the key is unknown. In this case, mini-DNS reads the tables again soon, because
 * the key is possibly new. PEER: as in servers_hurry().
 */
const struct tsig_key *servers_key(struct servers *servers, const struct name *name,
                                   const struct address *peer);
