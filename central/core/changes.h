/*
 * changes -- applies changes to record sets and plans the writes to the database. Before
 * the changes, the caller reads the record sets. At the end, the caller writes the plan.
 *
 * rrset_apply() applies one change to the result of the previous change. plan_make()
 * compares the result with the rows. For an unchanged record, the plan contains no write.
 * For a CHANGE_SET, plan_make() pairs each deleted record with a new record. So a changed
 * address needs only an SQL UPDATE of one row. For other changes, the plan marks the rows
 * of deleted records as deleted, and inserts a row for each new record. If the TTL of a
 * record set changes, the plan also updates the row of each record in this record set
 * (except RRSIG records). If only the manager of a record changes, the record gets no new
 * serial.
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
	 * not a change, but a condition: before all changes, the record set must contain
	 * exactly these records; type ANY: the name must have no records
	 */
	CHANGE_EXPECT,
};

struct octets {
	const uint8_t *at;
	size_t len;
};

struct rdata {
	const char *data;		/* data in canonical presentation form */
	const uint8_t *rdata;
	uint16_t len;
	/* canonical form of the data for comparisons; `at` is NULL: not computed yet */
	struct octets compared;
	const char *managed_by;		/* the producer, as in struct record */
};

struct ttl {
	/* false: the record set uses the TTL of the domain */
	bool given;
	uint32_t value;
};

struct change {
	enum change_op op;
	struct name name;
	const char *owner;		/* canonical text of the name */
	uint16_t type;
	enum { TTL_KEPT, TTL_DEFAULT, TTL_GIVEN } ttl_op;
	uint32_t ttl;
	/* a DELETE without records deletes the whole record set */
	struct rdata *records;
	size_t count;
	/*
	 * The producer that makes the change. ADD: the producer manages the new records.
	 * Existing records keep their manager. SET: the producer manages the new records,
	 * and also those records of the change that exist without a manager. DELETE:
	 * deletes only records that this producer manages. NULL: new records have no
	 * manager, and DELETE deletes records of all managers.
	 */
	const char *managed_by;
	/* description of the record set, of an ADD or a SET; NULL: unchanged */
	const char *description;
	/* place of the change, for reasons: "changes[3]" */
	const char *field;
};

struct rrset {
	char id[ID_LEN + 1];
	struct name name;
	const char *owner;
	uint16_t type;
	/* the record set has a row, but possibly no live records */
	bool stored;
	struct ttl stored_ttl;
	const char *stored_description;	/* NULL: the record set has no row */
	/* as `tenant`; NULL: the record set has no row */
	const char *stored_tenant;
	const struct record *was;	/* the rows of the live records */
	size_t was_count;
	/*
	 * canonical forms of the data in `was`, sorted and without duplicates; NULL: not
	 * computed yet
	 */
	struct octets *compared;
	size_t compared_count;
	/* the result of the changes */
	struct ttl ttl;
	const char *description;	/* NULL: empty */
	/* created the record set by a share; "" or NULL: the tenant of the domain */
	const char *tenant;
	struct rdata *wanted;
	size_t wanted_count, wanted_size;
	bool paired;
	/*
	 * removed records for which the call needs a right (struct rules_may): records of
	 * a producer that did not make the change, and records without a manager that a
	 * producer has replaced
	 */
	struct rdata *taken;
	size_t taken_count, taken_size;
	const char *field;		/* place of the last change; NULL: no change */
};

/*
 * Starts the result with a copy of the rows (`was`). Call this function after you have
 * read the rows.
 */
void rrset_begin(struct rrset *set, struct arena *arena);
/*
 * True: the rows (`was`) contain exactly the records of EXPECT. Ignores the case of names
 * in the data, and duplicates. If EXPECT has no records, the record set must have no live
 * records.
 */
bool rrset_is_expected(struct rrset *set, const struct change *expect,
                       struct arena *arena);
/* True: the result contains RECORD. The function compares the data octet by octet. */
bool rrset_has_wanted(const struct rrset *set, const struct rdata *record);
/*
 * Applies CHANGE to the result. Returns the number of records of CHANGE that had no
 * effect. If the deletion of a whole record set had no effect, returns 1.
 */
size_t rrset_apply(struct rrset *set, const struct change *change, struct arena *arena);

/*
 * ROW_TOUCH: the record has a new TTL. ROW_MARK: only the manager of the record is new.
 */
enum row_op { ROW_INSERT, ROW_UPDATE, ROW_TOUCH, ROW_MARK, ROW_DELETE };

struct row {
	enum row_op op;
	struct rrset *set;
	/* the new row; if `op` is ROW_INSERT, the row has no id yet */
	struct record record;
};

struct plan {
	struct row *rows;
	size_t count, size;
	/*
	 * record sets whose row the caller must write: new record sets, and record sets
	 * with a new TTL, a new description or changed records
	 */
	struct rrset **sets;
	size_t set_count;
	struct buf removed, added;	/* RRs in wire form, without SOA records */
	size_t inserted, updated, deleted, marked;
	int64_t recordset_delta, record_delta;
};

/*
 * Plans the writes after which the rows of each changed record set contain the result
 * (`wanted`). SERIAL: the new serial of the rows of changed records.
 */
void plan_make(struct plan *plan, struct rrset *const *sets, size_t count,
               uint32_t default_ttl, uint32_t serial, struct arena *arena);
bool plan_is_empty(const struct plan *plan);
void plan_clear(struct plan *plan);
