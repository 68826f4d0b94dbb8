/*
 * store_version -- stores the version of an object of which several programs have copies
 * (schema/006; "Comparison By Version ID" in the requirements, seed 004).
 *
 * A program that changes an object raises the version of the object in the same
 * transaction. The SQL statement fails if the version has changed since the program read
 * the object. So if two programs read the same version, only one of them can write. A
 * program that has a copy compares the version of the copy with the version in each
 * message. If both versions are the same, the message contains no new data. Two copies
 * with the same version are equal.
 *
 * The first version is 1. The value 0 means that the object has no version. Programs
 * older than the table do not write versions. So code that compares versions also
 * compares another value, such as a zone's serial.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/tx.h"

/*
 * An SQL expression for a SELECT: the version of the object with the id ID. 0: the object
 * has no version.
 */
#define VERSION_OF(id) \
	"COALESCE((SELECT CAST(v.version_id AS UNSIGNED) FROM object_versions v " \
	"WHERE v.obj_uuid = " id "), 0)"

struct version {
	const char *obj_uuid;
	/* the version that the program has read; 0: no version */
	uint64_t version;
};

/* Inserts version 1 for new objects of TYPE, for example "domain". */
void store_versions_begin(struct tx *tx, const char *type, const char *const *obj_uuids,
                          size_t count);
/*
 * Raises the version of each object by one. Inserts version 1 if the program has read no
 * version (0). If a version has changed since the read, the transaction fails with
 * ERR_RACE. In this case, run the transaction again from its first read. Each object must
 * occur only once.
 */
void store_versions_swap(struct tx *tx, const char *type, const struct version *versions,
                         size_t count);
/*
 * Stores the time at which the object was deleted. store_versions_sweep() deletes the
 * version later.
 */
void store_version_end(struct tx *tx, const char *obj_uuid);
/*
 * Deletes at most LIMIT versions of objects that were deleted at least AGE_S seconds ago.
 * Returns the number of deleted versions.
 */
int64_t store_versions_sweep(struct tx *tx, int age_s, int limit);
