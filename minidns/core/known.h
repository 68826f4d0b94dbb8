/*
 * known -- what was read lately of zones, by their names, in little room, for there may
 * be a million: some 400 bytes each, the SOA in two forms. It keeps within a budget of
 * bytes, in which the map over it is counted; the head that was read before all others
 * goes first. One that is older than KNOWN_MS counts no more, whatever was heard of it,
 * and goes as others come: a few each time, so that no question waits for a million.
 *
 * Pure. Times are milliseconds of the caller's clock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id.h"
#include "model/name.h"
#include "model/rr.h"

enum { HEAD_POOL = 64, HEAD_SOA = 2 * NAME_MAX_WIRE + 20 };

/* What is to be known of a zone to answer for its SOA: one row of domains. */
struct head {
	char id[ID_LEN + 1];
	struct name name;
	char pool[HEAD_POOL + 1];
	uint32_t serial;
	uint32_t records;		/* without the SOA */
	uint32_t soa_ttl;
	uint16_t soa_len;		/* 0: the row is broken, and cannot be served */
	uint8_t soa[HEAD_SOA];		/* rdata */
};

struct rr head_soa(const struct head *head);	/* borrows from it */

enum { KNOWN_MS = 60 * 1000 };

struct known;
struct known *known_new(uint32_t seed, size_t budget);
void known_free(struct known **known);
/* READ_MS: when it was read, not before that of the one before. It replaces. */
void known_put(struct known *known, const struct head *head, int64_t read_ms);
bool known_get(const struct known *known, const struct name *name, int64_t now_ms,
               struct head *head);
/*
 * The SOA record of a zone as it stands right behind a question for the zone, made once:
 * its names point into the question, so NAME is what was asked, and is not found in upper
 * case, nor is a head that is broken. Borrowed until the head goes; NULL: not known.
 */
const uint8_t *known_soa_record(const struct known *known, const struct name *name,
                                int64_t now_ms, size_t *len);
void known_forget(struct known *known, const struct name *name);
void known_forget_all(struct known *known);
size_t known_bytes(const struct known *known);	/* that all heads take */
