/*
 * changes -- from what a record set is, and what is asked of it, to what has
 * to be written. Pure: the caller read the sets and will write the plan.
 *
 * rrset_apply() takes the changes one after the other, each on what the one
 * before left. plan_make() then compares the outcome with the rows: what is
 * the same again costs nothing. A `set` pairs what goes with what comes, so
 * that a changed address is the UPDATE of its row; other changes DELETE and
 * ADD. A new TTL touches every record of the set, for it changes each RR.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "core/zone.h"
#include "model/domain.h"
#include "model/name.h"

enum change_op {
	CHANGE_ADD, CHANGE_DELETE, CHANGE_SET,
	/*
	 * No change: the set must be just this before all; of type ANY: nothing may be
	 * at the name.
	 */
	CHANGE_EXPECT,
};

struct octets {
	const uint8_t *at;
	size_t len;
};

struct rdata {
	const char *data;		/* presentation, canonical */
	const uint8_t *rdata;
	uint16_t len;
	struct octets compared;		/* with its names in lower case, once needed */
};

struct ttl {
	bool given;			/* else the domain's */
	uint32_t value;
};

struct change {
	enum change_op op;
	struct name name;
	const char *owner;		/* the name's canonical text */
	uint16_t type;
	enum { TTL_KEPT, TTL_DEFAULT, TTL_GIVEN } ttl_op;
	uint32_t ttl;
	struct rdata *records;		/* DELETE without any: the whole set; with some:
					   all that are equal but for their names' case */
	size_t count;
	const char *field;		/* "changes[3]", for the words of an error */
};

struct rrset {
	char id[ID_LEN + 1];
	struct name name;
	const char *owner;
	uint16_t type;
	bool stored;			/* it has a row, perhaps no served record */
	struct ttl stored_ttl;
	const struct record *was;	/* the rows that are served */
	size_t was_count;
	struct octets *compared;	/* was, each once and sorted, once needed */
	size_t compared_count;
	/* what it becomes */
	struct ttl ttl;
	struct rdata *wanted;
	size_t wanted_count, wanted_size;
	bool paired;
	const char *field;		/* the last change to touch it; NULL: none */
};

/* Begin with what is: wanted = was. Call once the rows are in. */
void rrset_begin(struct rrset *set, struct arena *arena);
/*
 * Has it just the records of EXPECT, whatever the case of their names and however often
 * they are said? Without any: is there no such set?
 */
bool rrset_is_expected(struct rrset *set, const struct change *expect,
                       struct arena *arena);
/* Returns how many of the change's records had no effect. */
size_t rrset_apply(struct rrset *set, const struct change *change, struct arena *arena);

enum row_op { ROW_INSERT, ROW_UPDATE, ROW_TOUCH, ROW_DELETE };

struct row {
	enum row_op op;
	struct rrset *set;
	struct record record;		/* as it shall stand; INSERT: yet without id */
};

struct plan {
	struct row *rows;
	size_t count, size;
	struct rrset **sets;		/* whose own row is new or has another TTL */
	size_t set_count;
	struct buf removed, added;	/* RRs in wire form, without the SOAs */
	size_t inserted, updated, deleted;
	int64_t recordset_delta, record_delta;
};

/* What must be written so that each set becomes what is wanted, under SERIAL. */
void plan_make(struct plan *plan, struct rrset *const *sets, size_t count,
               uint32_t default_ttl, uint32_t serial, struct arena *arena);
bool plan_is_empty(const struct plan *plan);
void plan_clear(struct plan *plan);
