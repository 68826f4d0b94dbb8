/*
 * retransfers -- counts how often a server transfers a whole zone. The module counts only
 * if the records of the server differ from the database, or if a poll of the server has
 * failed. The pool manager requests such transfers with commands. But the answer of the
 * server to a command does not show that the server has transferred the zone.
 *
 * Any process can serve the transfer. So a process sends a fanout (zone_differs) when a
 * comparison finds a difference or a poll fails. After this fanout, all processes watch
 * the zone on this server for an hour. When a process has served the whole zone to the
 * server, this process sends a fanout (zone_transferred). All processes, including the
 * sender, count this transfer. If fanouts are lost, the number is too small. The number
 * can be too large if several servers have one address, or if another program at the
 * address of the server transfers the zone.
 *
 * The module watches at most RETRANSFERS_MAX pairs of zone and server. If a further pair
 * arrives, the module drops the pair with the oldest fanout (zone_differs). This module
 * reads no clock. The caller passes the time in milliseconds. For a server with several
 * addresses, always pass the same SERVER (servers_main_address()). The port does not
 * matter.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "dns/address.h"
#include "model/name.h"

enum { RETRANSFERS_MAX = 10000, RETRANSFERS_COUNT_MAX = 1000 };

struct retransfers;

struct retransfers *retransfers_new(uint32_t seed);
void retransfers_free(struct retransfers **retransfers);

/* Watches this zone on this server. Call it when a fanout (zone_differs) arrives. */
void retransfers_watch(struct retransfers *retransfers, const struct name *zone,
                       const struct address *server, int64_t now_ms);
/*
 * Counts a transfer, if the module watches this zone on this server. Call it when a
 * fanout (zone_transferred) arrives. ID: the id of the transfer. If the last counted
 * transfer has the same ID, this call changes nothing, because the fanout arrived twice.
 */
void retransfers_count(struct retransfers *retransfers, const struct name *zone,
                       const struct address *server, uint32_t serial, const char *id);

/* Returns the number of watched pairs of zone and server. */
size_t retransfers_watched(const struct retransfers *retransfers);
bool retransfers_is_watched(const struct retransfers *retransfers,
                            const struct name *zone, const struct address *server);
/*
 * True: no fanout (zone_differs) for this zone on this server has arrived in the last
 * five minutes. In this case, send such a fanout.
 */
bool retransfers_needs_watch(const struct retransfers *retransfers,
                             const struct name *zone, const struct address *server,
                             int64_t now_ms);
/*
 * Returns the number of transfers of the zone at this serial to the server, since the
 * processes began to watch the zone on this server. A transfer at another serial starts
 * the count again. The number is at most RETRANSFERS_COUNT_MAX.
 */
int retransfers_of(const struct retransfers *retransfers, const struct name *zone,
                   const struct address *server, uint32_t serial);
