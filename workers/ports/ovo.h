/*
 * ovo -- Neutron's versioned objects, as its servers push them and answer with them, in
 * the shape that notifications have (oslo.versionedobjects' primitives; Port 1.7,
 * Network 1.1 and Subnet 1.1 of Neutron 21).
 *
 *	{"versioned_object.name": "Port", "versioned_object.version": "1.7",
 *	 "versioned_object.data": {"id": ..., "dns": {another one}, "fixed_ips": [others]}}
 */
#pragma once

#include "neutron.h"

/* "Port"; of the kinds that are such objects. */
const char *ovo_name(enum neutron_kind kind);
/* Which it is; NEUTRON_OTHER also for what is none. */
enum neutron_kind ovo_kind(const json_t *object);
/* Its data, NULL if it has none: with id and revision_number, as they are. */
const json_t *ovo_data(const json_t *object);
/* A new object for neutron_port(), and so on; NULL if it has no data. */
json_t *ovo_plain(const json_t *object);

/* ---- ports.feed_objects: kinds of objects and their versions, "Port-1.7 Subnet-1.1" ---- */

enum { OVO_LIST_MAX = 8, OVO_WORD_MAX = 63 };

/* ERR_INVALID. */
enum err ovo_list_check(const char *objects, struct why *why);
/* The next word of *LIST; false: there is none. */
bool ovo_list_next(const char **list, char word[OVO_WORD_MAX + 1]);
/* The version of TYPE, "Port" (ovo_name()): that of OBJECTS, or of Neutron 21. */
void ovo_list_version(const char *objects, const char *type,
                      char version[OVO_WORD_MAX + 1]);
