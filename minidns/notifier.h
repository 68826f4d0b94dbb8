/*
 * notifier -- sends a NOTIFY to name servers when a zone has changed (RFC 1996), and
 * repeats the NOTIFY until an answer arrives. A burst of changes causes only a few
 * NOTIFYs. While a NOTIFY has no answer, a newer serial waits. A newer serial also waits
 * during a pause that grows with the burst. If an older serial is already waiting, the
 * newer serial replaces the older serial.
 *
 * Any process can read the serial of an order in the database, because central commits
 * the serial before the pool manager sends the order. The notifier first announces the
 * change to all mini-DNS processes (announcer.h). Then the notifier sends the NOTIFY.
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

/* ERR_BUSY: too many NOTIFYs are waiting for an answer. */
enum err notifier_send(struct notifier *notifier, const struct notify_order *order,
                       struct why *why);
/* Like notifier_send(). ERR_INVALID: the destination is not a valid address. */
enum err notifier_order(struct notifier *notifier, const struct poll_order *order,
                        struct why *why);
/* True: a NOTIFY is waiting to be sent, or has no answer yet. */
bool notifier_is_out(const struct notifier *notifier, const struct name *zone,
                     const struct address *server);
