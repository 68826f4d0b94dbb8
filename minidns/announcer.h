/*
 * herald -- tells all instances of minidns that a zone has changed before a NOTIFY
 * says so to a name server, and knows whether questions may be answered from memory:
 * the hands of core/cache_lease.h, over the fanout exchange of the topic.
 *
 * Nothing is said while nobody asks and nothing changes: an instance holds only if it
 * was asked lately.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "model/name.h"

struct edition;
struct figures;
struct herald;
struct loop;
struct rpc_client;
struct telling;

struct herald_config {
	struct rpc_client *rpc;
	const struct figures *figures;
	/*
	 * There is this edition of a zone: what is older is not to be answered from
	 * memory any more. SOON: name servers are about to be told by this instance, and
	 * will ask.
	 */
	void (*news)(void *self, const struct name *zone, const struct edition *edition,
	             bool soon);
	/* News of any zone may have been missed. */
	void (*missed)(void *self);
	void *self;
};

struct herald *herald_new(struct loop *loop, const struct herald_config *config);
void herald_free(struct herald **herald);

typedef void herald_fn(void *self);
/*
 * FN is called once when every instance has forgotten what it knew of ZONE that is older
 * than EDITION, or after five seconds in which that could not be learned; never from
 * within this call.
 */
struct telling *herald_tell(struct herald *herald, const struct name *zone,
                            const struct edition *edition, herald_fn *fn, void *self);
/* Of one that was not called yet. */
void herald_cancel(struct herald *herald, struct telling **telling);

/* May a question that is here now be answered from memory? Asking makes it so, soon. */
bool herald_holds(struct herald *herald);

/*
 * The method "news", with its arguments "from number zones heard"; a zone is
 * [name, id, version, serial], or of an instance that knows no versions its name.
 */
enum err herald_take(struct herald *herald, const json_t *args, struct why *why);
void herald_queue_is_new(struct herald *herald);
