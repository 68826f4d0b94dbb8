/*
 * document -- the records of a zone as a list of JSON objects (seed 001, "ConfigMap").
 * Each object has the members dnsname, owner, target and type of one record. Names in
 * dnsname or target have no final dot.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/json.h"
#include "registry.h"
#include "store_record.h"

enum { DOCUMENT_ENTRIES_MAX = 10000 };	/* in one call */

/* The members of an entry. */
extern const struct json_field document_fields[];

/* Appends the records of a set to ENTRIES. Returns their approximate text length. */
size_t document_add(json_t *entries, const struct record_row *row);

/* The part of a document for one registry. */
struct document {
	/* sets of its storage_id; `intended` has the records; each set once */
	struct owned_row *sets;
	size_t count;
	size_t others, unmanaged;	/* records of other owners, and without owner */
	size_t outside;			/* records in other zones */
	/* records of our owner that are not valid in a zone */
	size_t unreadable;
};

/* ERR_INVALID: an entry is malformed. */
enum err document_read(const json_t *entries, const struct registry *registry,
                       struct arena *arena, struct document *document, struct why *why);
