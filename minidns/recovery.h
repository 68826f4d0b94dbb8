/*
 * recovery -- compares the SOA cache with the database after announcements may be lost,
 * because the connection that brings them was lost (seed 004: "recover"). Entries that
 * are equal are used again; entries that differ are dropped. This costs a statement for
 * each 256 zones of the last minute, instead of one for each later question.
 *
 * Announcements are processed as usual in the meantime: the database is read after they
 * come.
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
/* Compares all entries in doubt (soa_cache_doubt()). A running recovery includes them. */
void recovery_start(struct recovery *recovery);
