/*
 * adjust -- corrects the settings of existing zones: the masters with their key, the
 * template or the pattern (adjust() in backends/driver.h). The pool manager checks
 *
 * 	after a change of the settings of a server	all zones of the server
 * 	with each comparison of records			the compared zones
 * 	after an administrator requests a sync		the zone of the domain
 * 	before a transfer to a server that is behind	the zone of the domain
 *
 * The row of each zone contains a digest of the settings at the last check of this zone.
 * So a process also finds the zones to check after a crash. Each process checks the
 * zones of its share, on the lane (thread) of the server, under the lock of the domain.
 * One batch contains at most 16 zones.
 *
 * During a rolling restart, two pool managers can have different settings. Only a process
 * with the newest settings checks zones. The other processes log `this pool manager has
 * older settings`.
 */
#pragma once

#include "poolmgr.h"
#include "servers.h"

struct held;

void adjust_metrics(void);	/* Registers the metrics. Call it before the fork. */
/* Computes the digests of the servers. Call it after servers_build(). */
void adjust_prepare(struct poolmgr *poolmgr);
/*
 * The function of a timer, which runs every second. Starts a batch for each server
 * without a running batch.
 */
void adjust_fire(struct poolmgr *poolmgr);
/*
 * Notes whether this process has the newest settings of the server. DIGEST: the digest
 * of the newest settings, from the row of the server. A process without the newest
 * settings checks no zones of the server.
 */
void adjust_seen(struct server *server, const char *digest);
/*
 * Writes to the database that the zones of the domains IDS need a check on all servers.
 * COUNT is at most LIST_MAX. If the write fails, the next comparison of the records
 * repeats the write.
 */
void adjust_again(struct poolmgr *poolmgr, const char *const *ids, size_t count);
/*
 * True: ERR means that the server did not answer, or that this host had a fault. In this
 * case, the next job checks the zone again.
 */
bool adjust_is_temporary(enum err err);
/*
 * Checks one zone, corrects the zone if necessary, and writes the result to the database.
 * Call it on the lane of the server, under the lock of the domain. CHANGED becomes true
 * if the function has corrected the zone.
 */
enum err adjust_zone(struct poolmgr *poolmgr, struct server *server,
                     const struct domain_ref *domain, struct held *held, bool *changed,
                     struct why *why);
