/*
 * recovery -- compares the SOA cache with the database after a loss of the connection
 * that brings announcements, because announcements may be lost (seed 004: "recover").
 * The cache uses equal entries again and drops entries that differ. This costs a
 * statement for each 256 zones of the last minute, instead of a statement for each later
 * question.
 *
 * Meanwhile announcements have their usual effect: recovery reads the database after
 * they come.
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
