/*
 * recovery -- compares the SOA cache with the database (requirements: seed 004,
 * "recover"). A recovery is necessary after this process has lost the connection that
 * receives announcements, because the process has possibly missed announcements. After
 * the comparison, the cache uses equal entries again and drops entries that differ. If
 * the database fails, the cache drops all entries that the recovery has not compared yet.
 * A recovery runs one statement for every 256 zones that mini-DNS put into the cache
 * within the last minute. Without a recovery, mini-DNS would have to read each zone again
 * at the next query for the zone.
 *
 * An announcement that arrives during a recovery has its usual effect. During a recovery,
 * mini-DNS sometimes reads an entry again or marks an entry again as possibly outdated.
 * The recovery does not change such an entry.
 */
#pragma once

struct db_config;
struct figures;
struct soa_cache;
struct loop;
struct recovery;

/* CACHE must outlive the recovery. */
struct recovery *recovery_new(struct loop *loop, const struct db_config *config,
                              struct soa_cache *cache, const struct figures *figures);
void recovery_free(struct recovery **recovery);
/*
 * Starts a recovery that compares all entries that are marked as possibly outdated
 * (soa_cache_doubt()). If a recovery is already running, the running recovery also
 * compares these entries.
 */
void recovery_start(struct recovery *recovery);
