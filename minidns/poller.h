/*
 * poller -- waits until a name server has a zone at a serial, or does not have it any
 * more, and reports the result. core/poll.h decides; this file has the timers, the
 * queries and the orders, one for each zone and server. A newer order replaces an older
 * one.
 *
 * The result of a quiet order is reported only if it is not as expected. A server that a
 * quiet order finds behind gets a NOTIFY, and then a report.
 *
 * An order is acknowledged when it starts. If this process dies, its polls die with it:
 * the row of the pool manager says that a report is missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "dns/address.h"
#include "model/messages.h"
#include "model/name.h"

struct dns_requests;
struct figures;
struct loop;
struct notifier;
struct poller;
struct transfers;

struct poller_config {
	const struct figures *figures;
	struct dns_requests *requests;
	struct notifier *notifier;
	struct transfers *transfers;
	void (*report)(void *self, const struct server_report *report);
	void *self;
};

struct poller *poller_new(struct loop *loop, const struct poller_config *config);
void poller_free(struct poller **poller);
size_t poller_count(const struct poller *poller);
bool poller_has_room(const struct poller *poller, size_t orders);
/* ERR_BUSY when too many are out; ERR_INVALID for a destination that is no address. */
enum err poller_order(struct poller *poller, const struct poll_order *order,
                      struct why *why);

/* ---- events meanwhile ---- */

void poller_notify_answered(struct poller *poller, const struct name *zone,
                            const struct address *server);
void poller_transfer_began(struct poller *poller, const struct name *zone,
                           const struct address *peer);
/* SERIAL is what it brought; NULL: it broke. False: no order here waits for it. */
bool poller_transfer_ended(struct poller *poller, const struct name *zone,
                           const struct address *peer, const uint32_t *serial);
