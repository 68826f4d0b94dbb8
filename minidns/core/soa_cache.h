/*
 * soa_cache -- the heads of zones that were read lately, by name. There may be a
 * million, at some 400 bytes each. The cache keeps within a budget of bytes, which
 * includes its map, and evicts the oldest entry first. An entry older than SOA_CACHE_MS
 * is not used. Each put removes a few of those, so that no question waits long.
 *
 * When announcements may be lost, all entries are in doubt. The cache does not use an
 * entry in doubt until recovery.c has compared it with the database, and drops it if it
 * differs.
 *
 * Pure. Times are milliseconds of the caller's clock.
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
 * Which state of which domain: what messages and copies are compared by. A version of 0
 * says nothing, and neither does one that a program older than versions did not raise: so
 * the serial is looked at, too.
 */
struct edition {
	char id[ID_LEN + 1];
	uint64_t version;
	uint32_t serial;
};

struct edition edition_of(const struct domain_ref *domain);
bool edition_equal(const struct edition *a, const struct edition *b);

/* The part of a row of domains that an answer with the SOA needs. */
struct head {
	char id[ID_LEN + 1];
	struct name name;
	char pool[HEAD_POOL + 1];
	uint32_t serial;
	uint64_t version;		/* 0: it has none */
	uint32_t records;		/* without the SOA */
	uint32_t soa_ttl;
	uint16_t soa_len;		/* 0: the row is broken, and cannot be served */
	uint8_t soa[HEAD_SOA];		/* rdata */
};

struct rr head_soa(const struct head *head);	/* borrows from it */

enum { SOA_CACHE_MS = 60 * 1000 };

struct soa_cache;
struct soa_cache *soa_cache_new(uint32_t seed, size_t budget);
void soa_cache_free(struct soa_cache **cache);
/* READ_MS: when it was read, not before that of the one before. It replaces. */
void soa_cache_put(struct soa_cache *cache, const struct head *head, int64_t read_ms);
bool soa_cache_get(const struct soa_cache *cache, const struct name *name, int64_t now_ms,
                   struct head *head);
/*
 * The SOA record of a zone as it stands right behind a question for the zone, made once:
 * its names point into the question, so NAME is what was asked, and is not found in upper
 * case, nor is a head that is broken. Borrowed until the head goes; NULL: not cached.
 */
const uint8_t *soa_cache_record(const struct soa_cache *cache, const struct name *name,
                                int64_t now_ms, size_t *len);
void soa_cache_drop(struct soa_cache *cache, const struct name *name);
/* True: the cache has that edition of the zone, or a newer one, and not in doubt. */
bool soa_cache_has(const struct soa_cache *cache, const struct name *name,
                   const struct edition *edition);

/* Puts all entries in doubt. */
void soa_cache_doubt(struct soa_cache *cache);
/*
 * Up to LIMIT entries in doubt, the oldest first. Each is returned once; give each to
 * soa_cache_verify(). Returns their number. Drops entries that are too old.
 */
size_t soa_cache_take_doubted(struct soa_cache *cache, int64_t now_ms,
                              struct edition *taken, struct name *names, size_t limit);
enum soa_cache_check {
	SOA_CACHE_SAME,
	SOA_CACHE_DIFFERS,	/* and is dropped */
	SOA_CACHE_REPLACED,	/* read or doubted again meanwhile: unchanged */
};
/* STORED: the edition in the database of a zone that was taken; NULL: none. */
enum soa_cache_check soa_cache_verify(struct soa_cache *cache, const struct name *name,
                                      const struct edition *stored);
/* Drops the entries that are in doubt and not taken. */
void soa_cache_drop_doubted(struct soa_cache *cache);
size_t soa_cache_bytes(const struct soa_cache *cache);	/* of all entries */
