/*
 * document -- converts the records of a zone to and from a list of JSON objects
 * ("ConfigMap" in the requirements, seed 001). Each object describes one record with the
 * members dnsname, owner, target and type. Names in dnsname and target have no final dot.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/json.h"
#include "registry.h"
#include "store_record.h"

enum { DOCUMENT_ENTRIES_MAX = 10000 };	/* maximum number of entries in one call */

/* The members of an entry. */
extern const struct json_field document_fields[];

/*
 * Appends the records of a set to ENTRIES. Returns the approximate length of the appended
 * text.
 */
size_t document_add(json_t *entries, const struct record_row *row);

/* The entries of a document, read for one registry. */
struct document {
	/*
	 * the sets whose owner is the storage_id of the registry, each only once.
	 * `intended` contains the records of a set.
	 */
	struct owned_row *sets;
	size_t count;
	/* number of records of other owners, and number of records without an owner */
	size_t others, unmanaged;
	size_t outside;			/* number of records in other zones */
	/*
	 * number of records with an invalid name, and of records of this storage_id with
	 * an invalid type or target
	 */
	size_t unreadable;
};

/*
 * Reads the entries for REGISTRY. *document is in ARENA. ERR_INVALID: an entry is
 * malformed.
 */
enum err document_read(const json_t *entries, const struct registry *registry,
                       struct arena *arena, struct document *document, struct why *why);
