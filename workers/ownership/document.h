/*
 * document -- the records of a zone as seed 001 keeps them ("ConfigMap"): a list of
 * objects of just dnsname, owner, target and type, one for each record. Names have no
 * last dot, where one is all of a dnsname or of a target.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/json.h"
#include "registry.h"
#include "store_record.h"

enum { DOCUMENT_ENTRIES_MAX = 10000 };	/* of one call */

/* Of an entry, in and out. */
extern const struct json_field document_fields[];

/* The records of a set, at the end of ENTRIES. Returns about how long they are as text. */
size_t document_add(json_t *entries, const struct record_row *row);

/* What of a document is for a registry. */
struct document {
	struct owned_row *sets;		/* of its storage_id: intended, each once */
	size_t count;
	size_t others, unmanaged;	/* records of other owners, and of nobody */
	size_t outside;			/* of other zones */
	size_t unreadable;		/* of ours, that no zone can have */
};

/* ERR_INVALID: it is no such list. */
enum err document_read(const json_t *entries, const struct registry *registry,
                       struct arena *arena, struct document *document, struct why *why);
