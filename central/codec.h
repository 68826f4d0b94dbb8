/*
 * codec -- the objects that callers send and get, to and from JSON: a file a
 * noun (codec_domain.h, codec_recordset.h, ...), codec_find.h for
 * what finds ask, and here what they share.
 *
 * What comes in is checked field by field, and an error names the field:
 * "changes[3].records[0]: ...". Unknown fields are refused, so that a
 * misspelt one is not silently without effect. That the arguments are those
 * of the method was settled before; here all errors are ERR_INVALID. What is
 * decoded borrows from the JSON and the ARENA.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "model/name.h"

enum {
	TENANT_MAX = 255, POOL_NAME_MAX = 64, DESCRIPTION_MAX = 255,
	WORD_MAX = 32,			/* of a word from a list of ours */
};

/* An error's words with the whole path: "name" in "domain" is "domain.name". */
enum err codec_within(const char *field, enum err err, struct why *why);

/* The canonical text of a name, in ARENA. */
const char *codec_name_text(const struct name *name, struct arena *arena);
/* An owner: wire form and canonical text. Both stay as they are without the field. */
enum err codec_owner(const json_t *json, const char *key, int flags, struct arena *arena,
                     struct name *name, const char **canonical, struct why *why);
/* The KEY of JSON that names a thing: *id, or "" and the canonical *name. */
enum err codec_id_or_name(const json_t *json, const char *key, struct arena *arena,
                          char id[ID_LEN + 1], const char **name, struct why *why);
/* The hosts of NS records, canonical; none without the field. */
enum err codec_hosts(const json_t *json, const char *key, struct arena *arena,
                     const char ***hosts, size_t *count, struct why *why);
/* The record type in "type", which is required. */
enum err codec_type(const json_t *json, uint16_t *type, struct why *why);
