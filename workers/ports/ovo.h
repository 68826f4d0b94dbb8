/*
 * ovo -- converts Neutron's versioned objects to the form of notifications. Neutron's
 * servers send these objects in pushes and answers. The objects are primitives of
 * oslo.versionedobjects: Port 1.7, Network 1.1 and Subnet 1.1 of Neutron 21.
 *
 *	{"versioned_object.name": "Port", "versioned_object.version": "1.7",
 *	 "versioned_object.data": {"id": ..., "dns": {object}, "fixed_ips": [objects]}}
 */
#pragma once

#include "neutron.h"

/*
 * Returns the name of the versioned object, for example "Port". NULL: the kind has no
 * versioned object.
 */
const char *ovo_name(enum neutron_kind kind);
/*
 * Returns the kind of the object. NEUTRON_OTHER: the object is of another kind, or is
 * invalid.
 */
enum neutron_kind ovo_kind(const json_t *object);
/*
 * Returns the data of the object, with id and revision_number. NULL: the object has no
 * data.
 */
const json_t *ovo_data(const json_t *object);
/*
 * Makes a new object in the form that neutron_port() and similar functions decode. NULL:
 * the object has no data.
 */
json_t *ovo_plain(const json_t *object);

/* ---- ports.feed_objects: versioned objects and their versions ---- */

/* maximum number of words in the list, and maximum length of a word */
enum { OVO_LIST_MAX = 8, OVO_WORD_MAX = 63 };

/*
 * Checks the option ports.feed_objects. OBJECTS is a list of words, separated by blanks,
 * for example "Port-1.7 Subnet-1.1". ERR_INVALID: a word is not the name of a versioned
 * object (ovo_name()) with a version, or there are more than OVO_LIST_MAX words.
 */
enum err ovo_list_check(const char *objects, struct why *why);
/*
 * Copies the next word of the list to WORD, and moves *list to the end of the word.
 * False: the list has no more words.
 */
bool ovo_list_next(const char **list, char word[OVO_WORD_MAX + 1]);
/*
 * Copies the version of the versioned object TYPE (ovo_name()) from OBJECTS to VERSION.
 * If OBJECTS does not contain TYPE, copies the version in Neutron 21.
 */
void ovo_list_version(const char *objects, const char *type,
                      char version[OVO_WORD_MAX + 1]);
