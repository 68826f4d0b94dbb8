/*
 * notifier -- sends a NOTIFY to name servers when a zone has changed (RFC 1996). If no
 * answer arrives, the notifier sends the NOTIFY again, up to max_retries times in total.
 * A burst of changes causes only a few NOTIFYs. While a NOTIFY has no answer, a newer
 * serial waits. A newer serial also waits during a pause after each answer. During a
 * burst, this pause grows from 10 to 200 ms. If an older serial is already waiting, the
 * newer serial replaces the older serial.
 *
 * Any process can read the serial of an order in the database, because central commits
 * the serial before the pool manager sends the order. The notifier first announces the
 * change to all mini-DNS processes (announcer.h). After that, the notifier sends the
 * NOTIFY.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/soa_cache.h"
#include "dns/address.h"
#include "model/messages.h"
#include "model/name.h"

struct dns_requests;
struct figures;
struct announcer;
struct loop;
struct notifier;

struct notifier_config {
	const struct figures *figures;
	struct dns_requests *requests;
	struct announcer *announcer;
	void (*answered)(void *self, const struct name *zone,
	                 const struct address *server);
	void *self;
};

struct notifier *notifier_new(struct loop *loop, const struct notifier_config *config);
void notifier_free(struct notifier **notifier);

struct notify_order {
	struct name zone;
	struct address server;
	struct name tsig_key;
	struct edition edition;
	int timeout_ms, retry_interval_ms, max_retries;
};

/*
 * Announces the change, then sends a NOTIFY. Ignores an order whose serial is not newer
 * than the serial of the running order for the same zone and server. ERR_BUSY: too many
 * NOTIFYs are waiting for an answer.
 */
enum err notifier_send(struct notifier *notifier, const struct notify_order *order,
                       struct why *why);
/*
 * Like notifier_send(), for an order from a message. ERR_INVALID: the name of the zone or
 * of the key is not valid, or the destination is not a valid address.
 */
enum err notifier_order(struct notifier *notifier, const struct poll_order *order,
                        struct why *why);
/* True: a NOTIFY is waiting for the end of its announcement, or for an answer. */
bool notifier_is_out(const struct notifier *notifier, const struct name *zone,
                     const struct address *server);
