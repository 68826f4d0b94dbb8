/*
 * codec -- decodes and encodes the JSON objects of the methods. Each kind of object has
 * a file (codec_domain.h, codec_recordset.h, ...). codec_find.h decodes the arguments
 * of the find_* methods. This file contains the common functions.
 *
 * The functions check each field, and an error names the field: "changes[3].records[0]:
 * ...". The functions refuse unknown fields, so that a misspelt field causes an error.
 * The runtime has already checked the names of the arguments. All errors are
 * ERR_INVALID. Decoded values point into the JSON and the arena.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "model/name.h"

enum {
	TENANT_MAX = 255, POOL_NAME_MAX = 64, DESCRIPTION_MAX = 255,
	/* length of an enum value: a status, an operation */
	WORD_MAX = 32,
};

/* Puts FIELD before the path in a reason: "name" becomes "domain.name". */
enum err codec_within(const char *field, enum err err, struct why *why);

/* Returns the canonical text of a name, in ARENA. */
const char *codec_name_text(const struct name *name, struct arena *arena);
/*
 * Reads the name of a domain, host or key by the rule of name_parse_owner(). Sets NAME to
 * the wire form, and *canonical to the canonical text. If the field is absent, both are
 * unchanged.
 */
enum err codec_owner(const json_t *json, const char *key, int flags, struct arena *arena,
                     struct name *name, const char **canonical, struct why *why);
/*
 * Reads the field KEY. If it is an id, sets ID. If it is a name, sets ID to "" and *name
 * to the canonical name.
 */
enum err codec_id_or_name(const json_t *json, const char *key, struct arena *arena,
                          char id[ID_LEN + 1], const char **name, struct why *why);
/*
 * Reads the hosts of NS records. *hosts are their names in canonical form. Refuses a host
 * that is in the list twice. If the field is absent, *count is 0.
 */
enum err codec_hosts(const json_t *json, const char *key, struct arena *arena,
                     const char ***hosts, size_t *count, struct why *why);
/* Reads the record type in "type", which is required. */
enum err codec_type(const json_t *json, uint16_t *type, struct why *why);
