/*
 * codec -- decodes and encodes the JSON objects of the methods. Each kind of object has a
 * file (codec_domain.h, codec_recordset.h, ...). codec_find.h decodes the arguments of
 * the find_* methods. This file contains the common functions.
 *
 * The functions check each field. An error names the field: "changes[3].records[0]: ...".
 * The functions refuse unknown fields, so that a misspelt field causes an error. The
 * runtime has already checked the names of the arguments. All errors are ERR_INVALID.
 * Decoded values point into the JSON or the arena.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"
#include "model/name.h"

enum {
	TENANT_MAX = 255, POOL_NAME_MAX = 64, DESCRIPTION_MAX = 255,
	/*
	 * maximum length of a word, for example of a status, a record type or a sort key
	 */
	WORD_MAX = 32,
};

/*
 * Returns ERR. If ERR is not OK, puts FIELD before the path in WHY: the reason "name:
 * ..." becomes "domain.name: ...".
 */
enum err codec_within(const char *field, enum err err, struct why *why);

/* Returns the canonical text of NAME. The text is in ARENA. */
const char *codec_name_text(const struct name *name, struct arena *arena);
/*
 * Reads the field KEY: the name of a domain, host or TSIG key, which must obey the rule
 * of name_parse_owner(). Sets NAME to the wire form, and CANONICAL to the canonical text.
 * If the field is absent, the function changes neither NAME nor CANONICAL.
 */
enum err codec_owner(const json_t *json, const char *key, int flags, struct arena *arena,
                     struct name *name, const char **canonical, struct why *why);
/*
 * Reads the required field KEY, which contains an id or a name. If the field contains an
 * id, the function sets ID to this id, and NAME to NULL. If the field contains a name,
 * the function sets ID to "", and NAME to the canonical text.
 */
enum err codec_id_or_name(const json_t *json, const char *key, struct arena *arena,
                          char id[ID_LEN + 1], const char **name, struct why *why);
/*
 * Reads the field KEY: a list of the hosts of NS records. HOSTS becomes the list of the
 * names in canonical form. If the list contains a host twice, the result is ERR_INVALID.
 * If the field is absent, COUNT becomes 0.
 */
enum err codec_hosts(const json_t *json, const char *key, struct arena *arena,
                     const char ***hosts, size_t *count, struct why *why);
/* Reads the record type from the required field "type". */
enum err codec_type(const json_t *json, uint16_t *type, struct why *why);
