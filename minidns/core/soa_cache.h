/*
 * soa_cache -- the SOA records and serials of the zones that mini-DNS has read recently.
 * The cache can contain a million entries of about 400 bytes each. A budget limits the
 * memory of the cache and its map. The cache evicts the oldest entry first. The cache
 * does not use an entry that is older than SOA_CACHE_MS. Each time the caller adds an
 * entry, the cache removes at most eight entries. So no query waits long.
 *
 * After mini-DNS has lost the connection to the broker, mini-DNS has possibly missed
 * announcements. In this case, all entries are possibly outdated. The cache uses such an
 * entry again only after recovery.c has compared the entry with the database. If the
 * entry differs from the database, the cache drops the entry. This module reads no clock.
 * The caller passes the time in milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "model/domain.h"
#include "model/name.h"
#include "model/rr.h"

enum { HEAD_POOL = 64, HEAD_SOA = 2 * NAME_MAX_WIRE + 20 };

/*
 * A version of a domain, to compare messages and cached copies. Version 0 means unknown.
 * A process of an older release changes a domain without a new version, so also compare
 * the serial.
 */
struct edition {
	char id[ID_LEN + 1];
	uint64_t version;
	uint32_t serial;
};

struct edition edition_of(const struct domain_ref *domain);
bool edition_equal(const struct edition *a, const struct edition *b);

/* The part of a row of the table domains that an answer with the SOA needs. */
struct head {
	char id[ID_LEN + 1];
	struct name name;
	char pool[HEAD_POOL + 1];
	uint32_t serial;
	uint64_t version;		/* version of the domain; 0: unknown */
	uint32_t records;		/* number of records without the SOA */
	uint32_t soa_ttl;
	/* length of `soa`; 0: mini-DNS cannot serve the row */
	uint16_t soa_len;
	uint8_t soa[HEAD_SOA];		/* rdata of the SOA */
};

/* Returns the SOA record of the zone. Borrows its data from HEAD. */
struct rr head_soa(const struct head *head);

enum { SOA_CACHE_MS = 60 * 1000 };

struct soa_cache;
struct soa_cache *soa_cache_new(uint32_t seed, size_t budget);
void soa_cache_free(struct soa_cache **cache);
/*
 * Adds or replaces an entry. READ_MS: the time at which mini-DNS read HEAD. READ_MS must
 * not decrease from one call to the next.
 */
void soa_cache_put(struct soa_cache *cache, const struct head *head, int64_t read_ms);
bool soa_cache_get(const struct soa_cache *cache, const struct name *name, int64_t now_ms,
                   struct head *head);
/*
 * Returns the encoded SOA record of a zone, for an answer whose question names the zone.
 * The names in the record are compression pointers into the question, so pass NAME as in
 * the question. Borrows the record from the entry. NULL: the cache has no usable entry,
 * NAME contains upper case letters, or soa_len of the head is 0.
 */
const uint8_t *soa_cache_record(const struct soa_cache *cache, const struct name *name,
                                int64_t now_ms, size_t *len);
void soa_cache_drop(struct soa_cache *cache, const struct name *name);
/*
 * True: the cache contains this edition of the zone or a newer edition, and the entry is
 * not marked as possibly outdated.
 */
bool soa_cache_has(const struct soa_cache *cache, const struct name *name,
                   const struct edition *edition);

/* Marks all entries as possibly outdated. */
void soa_cache_doubt(struct soa_cache *cache);
/*
 * Takes up to LIMIT possibly outdated entries, the oldest first, and returns the number
 * of taken entries. Takes each entry only once. Pass each taken entry to
 * soa_cache_verify(). Drops entries that are older than SOA_CACHE_MS.
 */
size_t soa_cache_take_doubted(struct soa_cache *cache, int64_t now_ms,
                              struct edition *taken, struct name *names, size_t limit);
enum soa_cache_check {
	SOA_CACHE_SAME,		/* the cache uses the entry again */
	SOA_CACHE_DIFFERS,	/* the cache dropped the entry */
	/*
	 * The cache did nothing. Since soa_cache_take_doubted(), mini-DNS has read the
	 * entry again, has marked it again, or has dropped it.
	 */
	SOA_CACHE_REPLACED,
};
/*
 * Compares a taken entry with the database. STORED: the edition of the zone in the
 * database; NULL: the database does not contain the zone.
 */
enum soa_cache_check soa_cache_verify(struct soa_cache *cache, const struct name *name,
                                      const struct edition *stored);
/* Drops the possibly outdated entries that soa_cache_take_doubted() has not taken. */
void soa_cache_drop_doubted(struct soa_cache *cache);
size_t soa_cache_bytes(const struct soa_cache *cache);	/* size of all entries */
