/*
 * known -- what was read lately of zones, by their names, in little room, for there may
 * be a million: some 400 bytes each, the SOA in two forms. It keeps within a budget of
 * bytes, in which the map over it is counted; the head that was read before all others
 * goes first. One that is older than KNOWN_MS counts no more, whatever was heard of it,
 * and goes as others come: a few each time, so that no question waits for a million.
 *
 * News that may have been missed put what is known in doubt: it is not used until it was
 * compared with what is stored, a list after the other, and forgotten where it differs.
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

/* What is to be known of a zone to answer for its SOA: one row of domains. */
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
/* Is that of the zone known for sure, or a newer one? Then what tells of it is old. */
bool known_has(const struct known *known, const struct name *name,
               const struct edition *edition);

/* All of it. */
void known_doubt(struct known *known);
/*
 * Up to LIMIT of those in doubt, the oldest first, that were not taken since they are;
 * each is to be given to known_settle(). Returns how many. What is old is forgotten.
 */
size_t known_take_doubted(struct known *known, int64_t now_ms, struct edition *taken,
                          struct name *names, size_t limit);
enum settled {
	SETTLED_SAME,
	SETTLED_DIFFERS,	/* and is forgotten */
	SETTLED_OTHERWISE,	/* read again, or doubted again, meanwhile: it stays so */
};
/* What is stored of a zone that was taken; NULL: nothing. */
enum settled known_settle(struct known *known, const struct name *name,
                          const struct edition *stored);
/* All that is in doubt and not taken. */
void known_forget_doubted(struct known *known);
size_t known_bytes(const struct known *known);	/* that all heads take */
