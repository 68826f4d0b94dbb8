/*
 * store_version -- the version of an object that more than one keeps (seed 004,
 * "Comparison By Version ID"; schema/006).
 *
 * Who changes an object swaps its version for the next one, in the transaction of the
 * change: it is only swapped if it is still the one that was read, so that two who read
 * the same cannot both write. Who keeps a copy compares: a message about a version that
 * the copy has is old, and two copies of one version are the same.
 *
 * Versions are numbers from 1; 0 is that of an object that has none. One that is written
 * by a program older than the table has none yet, or does not grow: whoever compares
 * looks at what else tells (a zone's serial), too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "runtime/tx.h"

/* For a SELECT: the version of the object whose id is ID; 0: it has none. */
#define VERSION_OF(id) \
	"COALESCE((SELECT CAST(v.version_id AS UNSIGNED) FROM object_versions v " \
	"WHERE v.obj_uuid = " id "), 0)"

struct version {
	const char *obj_uuid;
	uint64_t version;		/* as it was read */
};

/* Objects of TYPE, "domain", that are new: their version is 1. */
void store_versions_begin(struct tx *tx, const char *type, const char *const *obj_uuids,
                          size_t count);
/*
 * Each becomes one more; one that had none is begun. ERR_RACE of the transaction, which is
 * to be run again from its reading, if any is another than was read. No object twice.
 */
void store_versions_swap(struct tx *tx, const char *type, const struct version *versions,
                         size_t count);
/* The object is gone. Its version stays until it is swept. */
void store_version_end(struct tx *tx, const char *obj_uuid);
/* Forgets up to LIMIT that are gone for AGE_S seconds; returns how many. */
int64_t store_versions_sweep(struct tx *tx, int age_s, int limit);
