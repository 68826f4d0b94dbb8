/*
 * codec -- decodes the messages of producers. The decoder checks each field, and whether
 * the zone can contain each record.
 */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/json.h"
#include "registry.h"
#include "store.h"
#include "store_order.h"

enum { ENDPOINTS_MAX = 10000, TARGETS_MAX = 500 };

extern const struct json_field codec_endpoint_fields[], codec_selector_fields[];

/* The arguments of apply_endpoints, except storage_id and zone. */
struct endpoint_list {
	const char *resource;
	/* the list contains all endpoints of the resource */
	bool is_complete;
	/* revision of the list; 0: the resource sends no revisions */
	uint64_t rev;
	/* in the list, each combination of name, type and set id occurs only once */
	struct endpoint *endpoints;
	size_t count;
};

/*
 * Finds the registry for the arguments storage_id and zone. ERR_NOT_FOUND: the settings
 * contain no such registry.
 */
enum err codec_registry(const json_t *args, const struct registries *registries,
                        struct registry **registry, struct why *why);
/*
 * Returns ERR_NOT_FOUND. *why contains the reason: the caller cannot use this registry.
 * Call it if the registry is not in the settings, or belongs to another tenant.
 */
enum err codec_no_registry(const char *storage_id, const char *zone, struct why *why);
enum err codec_endpoints(const json_t *args, const struct registry *registry,
                         struct arena *arena, struct endpoint_list *list,
                         struct why *why);

/* Decodes {"name"?: ..., "below"?: bool, "type"?: ..., "resource"?: ...}. */
enum err codec_selector(const json_t *args, struct order_row *order, struct why *why);
/*
 * Decodes the arguments dnsname, type and targets. dnsname and type name a record set.
 * targets contains the records that this set must have now.
 */
enum err codec_expected(const json_t *args, const struct registry *registry,
                        struct arena *arena, struct order_row *order, struct why *why);
