/*
 * changes -- applies changes to record sets and plans the writes to the database. The
 * caller first reads the record sets, and at the end writes the plan.
 *
 * rrset_apply() applies one change to the result of the previous change. plan_make()
 * compares the result with the rows: unchanged records need no write. For a CHANGE_SET,
 * plan_make() pairs deleted records with new records. So a changed address needs only an
 * SQL UPDATE of one row. For other kinds of change, the plan deletes and inserts rows. If
 * the TTL of a record set changes, the plan also updates the row of each of its records.
 * If only the manager of a record changes, the record needs no new serial.
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
	 * not a change: a condition that the record set must meet before all changes;
	 * type ANY: the name has no record set
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
	struct octets compared;		/* canonical; computed when needed */
	const char *managed_by;		/* as in struct record */
};

struct ttl {
	bool given;			/* false: the domain's TTL */
	uint32_t value;
};

struct change {
	enum change_op op;
	struct name name;
	const char *owner;		/* the name's canonical text */
	uint16_t type;
	enum { TTL_KEPT, TTL_DEFAULT, TTL_GIVEN } ttl_op;
	uint32_t ttl;
	/* DELETE without records: delete the whole record set */
	struct rdata *records;
	size_t count;
	/*
	 * The producer that makes the change. ADD: the producer manages the new records;
	 * existing records keep their manager. SET: the producer also manages the
	 * existing records without a manager. DELETE: delete only the records that this
	 * producer manages. NULL: new records have no manager, and DELETE deletes all.
	 */
	const char *managed_by;
	const char *field;		/* "changes[3]", for reasons */
};

struct rrset {
	char id[ID_LEN + 1];
	struct name name;
	const char *owner;
	uint16_t type;
	/* the record set has a row, but possibly no live records */
	bool stored;
	struct ttl stored_ttl;
	const struct record *was;	/* the live rows */
	size_t was_count;
	/* `was`, sorted and without duplicates; computed when needed */
	struct octets *compared;
	size_t compared_count;
	/* the result */
	struct ttl ttl;
	struct rdata *wanted;
	size_t wanted_count, wanted_size;
	bool paired;
	/*
	 * records of a producer that changes of other callers have removed, and records
	 * without a manager that a producer has replaced
	 */
	struct rdata *taken;
	size_t taken_count, taken_size;
	const char *field;		/* path of the last change; NULL: unchanged */
};

/* Sets wanted = was. Call it after reading the rows. */
void rrset_begin(struct rrset *set, struct arena *arena);
/*
 * True: the record set contains exactly the records of EXPECT. Ignores the case of
 * names, and duplicates. If EXPECT has no records, the record set must not exist.
 */
bool rrset_is_expected(struct rrset *set, const struct change *expect,
                       struct arena *arena);
/* True: the result contains this record. Compares the data octet by octet. */
bool rrset_has_wanted(const struct rrset *set, const struct rdata *record);
/* Returns the number of the change's records that had no effect. */
size_t rrset_apply(struct rrset *set, const struct change *change, struct arena *arena);

/* ROW_MARK: only the manager of the record is new. */
enum row_op { ROW_INSERT, ROW_UPDATE, ROW_TOUCH, ROW_MARK, ROW_DELETE };

struct row {
	enum row_op op;
	struct rrset *set;
	struct record record;		/* the new row; an INSERT has no id yet */
};

struct plan {
	struct row *rows;
	size_t count, size;
	/* record sets whose row is new or gets a new TTL */
	struct rrset **sets;
	size_t set_count;
	struct buf removed, added;	/* RRs in wire form, without the SOAs */
	size_t inserted, updated, deleted, marked;
	int64_t recordset_delta, record_delta;
};

/* Plans the rows that give each record set its wanted records, under SERIAL. */
void plan_make(struct plan *plan, struct rrset *const *sets, size_t count,
               uint32_t default_ttl, uint32_t serial, struct arena *arena);
bool plan_is_empty(const struct plan *plan);
void plan_clear(struct plan *plan);
