/*
 * attributes -- the attributes of a pool or a domain. An attribute is a pair of a key
 * and a value, for example `tier` and `gold`. The scheduler compares the
 * attributes of a new domain with the attributes of the pools (central/core/scheduler.h).
 *
 * In messages, attributes are a JSON object of strings. The database stores the same
 * object as text, with sorted keys; "" stands for no attributes.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

enum {
	ATTRIBUTES_MAX = 16,		/* attributes of one object */
	ATTRIBUTE_KEY_MAX = 64,		/* octets */
	ATTRIBUTE_VALUE_MAX = 128,	/* octets */
	ATTRIBUTES_TEXT_MAX = 4096,	/* octets of the text in the database */
};

struct attribute {
	const char *key, *value;
};

struct attributes {
	const struct attribute *items;
	size_t count;
};

/*
 * Reads the field KEY of JSON and writes the text for the database to *TEXT. If the field
 * is absent or null, *TEXT is unchanged. ERR_INVALID: the field is not an object of at
 * most ATTRIBUTES_MAX strings, a key contains other characters than letters, digits and
 * `_ - . : /`, a value contains control characters, or a key or a value has a wrong
 * length. The reason begins with KEY.
 */
enum err attributes_get(const json_t *json, const char *key, struct arena *arena,
                        const char **text, struct why *why);
/*
 * Reads a text from the database. False: the text is not such an object. The strings are
 * in the arena.
 */
bool attributes_parse(const char *text, struct arena *arena, struct attributes *into);
/* Returns a new JSON object. TEXT: a text from the database. NULL: TEXT is not valid. */
json_t *attributes_encode(const char *text);

/* Returns the value of an attribute. NULL: there is no attribute with this key. */
const char *attributes_value(const struct attributes *attributes, const char *key);
/*
 * True: HAS contains all attributes of WANTS. Two values are equal if their octets are
 * equal, or if they are words for the same truth value. The words for true are `true`,
 * `t`, `yes`, `y`, `on` and `1`. The words for false are `false`, `f`, `no`, `n`, `off`
 * and `0`. The case of these words has no meaning.
 */
bool attributes_cover(const struct attributes *has, const struct attributes *wants);
