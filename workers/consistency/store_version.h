/*
 * store_version -- the version of an object of which several programs keep copies (seed
 * 004, "Comparison By Version ID"; schema/006).
 *
 * A program that changes an object replaces its version by the next version in the same
 * transaction. The statement fails if the version has changed since the program read it.
 * So of two programs that read the same version only one can write. A program with a
 * copy compares versions: a message with the version of the copy is old, and two copies
 * of one version are equal.
 *
 * Versions count from 1; 0 means that the object has no version. A program older than the
 * table does not write or raise versions. So code that compares also looks at another
 * value, such as a zone's serial.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/tx.h"

/* For a SELECT: the version of the object with this id; 0: it has no version. */
#define VERSION_OF(id) \
	"COALESCE((SELECT CAST(v.version_id AS UNSIGNED) FROM object_versions v " \
	"WHERE v.obj_uuid = " id "), 0)"

struct version {
	const char *obj_uuid;
	uint64_t version;		/* as read */
};

/* Inserts version 1 for new objects of TYPE, for example "domain". */
void store_versions_begin(struct tx *tx, const char *type, const char *const *obj_uuids,
                          size_t count);
/*
 * Raises each version by one; inserts a missing version. If a version has changed since
 * the read, the transaction gets ERR_RACE: run it again from its first read. No object
 * may occur twice.
 */
void store_versions_swap(struct tx *tx, const char *type, const struct version *versions,
                         size_t count);
/* The object was deleted. Its version stays until the sweep. */
void store_version_end(struct tx *tx, const char *obj_uuid);
/*
 * Deletes up to LIMIT versions of objects deleted AGE_S seconds ago; returns their
 * number.
 */
int64_t store_versions_sweep(struct tx *tx, int age_s, int limit);
