/*
 * announcer -- announces a changed zone to all mini-DNS processes before a name server
 * gets a NOTIFY. The announcer also decides whether this process may answer queries from
 * memory. For both purposes, the announcer sends and receives the messages of
 * core/cache_lease.h over the fanout exchange of the topic.
 *
 * A process renews its lease only while it receives queries. So if no queries arrive and
 * no zone changes, the announcer sends no messages.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "model/name.h"

struct edition;
struct figures;
struct announcer;
struct loop;
struct rpc_client;
struct announcement;

struct announcer_config {
	struct rpc_client *rpc;
	const struct figures *figures;
	/*
	 * Called when an announcement of EDITION of ZONE has arrived. The callee drops
	 * older editions from memory. SOON is true if this process has sent the
	 * announcement and has a lease. In this case, name servers will probably query
	 * the zone soon.
	 */
	void (*news)(void *self, const struct name *zone, const struct edition *edition,
	             bool soon);
	/* Called when this process has possibly missed announcements of any zone. */
	void (*missed)(void *self);
	void *self;
};

struct announcer *announcer_new(struct loop *loop, const struct announcer_config *config);
void announcer_free(struct announcer **announcer);

typedef void announcer_fn(void *self);
/*
 * Announces EDITION of ZONE. After this call has returned, calls FN once. The announcer
 * calls FN when all processes with a lease have dropped older editions from memory, but
 * at the latest after about five seconds.
 */
struct announcement *announcer_send(struct announcer *announcer, const struct name *zone,
                                    const struct edition *edition, announcer_fn *fn,
                                    void *self);
/* Cancels the call of FN. Call announcer_cancel() only before FN has run. */
void announcer_cancel(struct announcer *announcer, struct announcement **announcement);

/*
 * True: this process may answer a query from memory. Each call causes the process to
 * renew its lease during the next two seconds.
 */
bool announcer_has_lease(struct announcer *announcer);

/*
 * Handles the method "news" with the arguments `from`, `number`, `zones` and `heard`.
 * Each item of `zones` is a list [name, id, version, serial]. A process of an older
 * release sends only the name instead of this list.
 */
enum err announcer_receive(struct announcer *announcer, const json_t *args,
                           struct why *why);
void announcer_queue_is_new(struct announcer *announcer);
