/*
 * poller -- polls a name server until the server serves the ordered serial of a zone, or
 * no longer has the zone. The poller reports the result. core/poll.h makes the decisions.
 * This module manages the timers and the queries. Each pair of zone and server has at
 * most one order. A newer order replaces an older order.
 *
 * mini-DNS reports the result of a quiet order (poll_zones) only if the result differs
 * from the expected result. If the poll of a quiet order shows that a server is behind,
 * mini-DNS sends the server a NOTIFY and reports the result.
 *
 * The poller acknowledges an order when it starts the poll. A process that is stopping
 * passes its polls to other processes (handover.h). If a process crashes, its polls are
 * lost. The pool manager finds in its tables that a report is missing.
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
	/*
	 * Called after a failed poll. Returns how often the server has transferred the
	 * whole zone at this serial since the first failed poll. The number can be too
	 * small.
	 */
	int (*sent_to)(void *self, const struct name *zone, const struct address *server,
	               uint32_t serial);
	void *self;
};

struct poller *poller_new(struct loop *loop, const struct poller_config *config);
void poller_free(struct poller **poller);
size_t poller_count(const struct poller *poller);
/*
 * True: the poller has room for ORDERS further polls. False also after
 * poller_hand_over().
 */
bool poller_has_room(const struct poller *poller, size_t orders);
/*
 * Starts a poll, or replaces the order of a running poll if ORDER is newer. ERR_BUSY: too
 * many polls are running, or the process is stopping. ERR_INVALID: the name of the zone
 * or of the key is not valid, or the destination is not a valid address.
 */
enum err poller_order(struct poller *poller, const struct poll_order *order,
                      struct why *why);
/*
 * Ends all polls without a report. For each poll, calls TAKE with an order that continues
 * the poll. The strings of the order are valid until TAKE returns. After this call,
 * poller_order() returns ERR_BUSY.
 */
typedef void poller_take(void *self, const struct poll_order *order);
void poller_hand_over(struct poller *poller, poller_take *take, void *self);

/* ---- events during a poll ---- */

void poller_notify_answered(struct poller *poller, const struct name *zone,
                            const struct address *server);
void poller_transfer_began(struct poller *poller, const struct name *zone,
                           const struct address *peer);
/*
 * Passes the end of a transfer to the polls of ZONE on the host of PEER. SERIAL: the
 * serial of the transfer; NULL: the transfer failed. False: this process has no such
 * poll.
 */
bool poller_transfer_ended(struct poller *poller, const struct name *zone,
                           const struct address *peer, const uint32_t *serial);
