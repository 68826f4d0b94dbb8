/*
 * ovo -- converts Neutron's versioned objects to the form of notifications. Neutron's
 * servers use these objects in pushes and answers (primitives of oslo.versionedobjects;
 * Port 1.7, Network 1.1 and Subnet 1.1 of Neutron 21).
 *
 *	{"versioned_object.name": "Port", "versioned_object.version": "1.7",
 *	 "versioned_object.data": {"id": ..., "dns": {object}, "fixed_ips": [objects]}}
 */
#pragma once

#include "neutron.h"

/* "Port". NULL: the kind has no versioned object. */
const char *ovo_name(enum neutron_kind kind);
/* Returns NEUTRON_OTHER also for an invalid object. */
enum neutron_kind ovo_kind(const json_t *object);
/* The raw data, with id and revision_number. NULL: the object has no data. */
const json_t *ovo_data(const json_t *object);
/*
 * Makes a new object in the form that neutron_port() and its siblings read. NULL: the
 * object has no data.
 */
json_t *ovo_plain(const json_t *object);

/* ---- ports.feed_objects: kinds with versions, "Port-1.7 Subnet-1.1" ---- */

enum { OVO_LIST_MAX = 8, OVO_WORD_MAX = 63 };

enum err ovo_list_check(const char *objects, struct why *why);
/* The next word of *LIST; false at its end. */
bool ovo_list_next(const char **list, char word[OVO_WORD_MAX + 1]);
/* The version of TYPE (ovo_name()) in OBJECTS, or else the version of Neutron 21. */
void ovo_list_version(const char *objects, const char *type,
                      char version[OVO_WORD_MAX + 1]);
