/*
 * owner_document -- gets the records of a shared zone and their owners from
 * zonefleet-ownership. zonefleet-ownership has found these records in its last reading
 * of the zone. The JSON object of a record has exactly the members dnsname, owner,
 * target and type. The client gets the records page by page. If zonefleet-ownership
 * reads the zone again between two pages, the client starts again with the first page.
 * After three such attempts, the client gives up.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "owner.h"

struct document {
	struct cli *cli;
	const struct shared_zone *zone;
	/*
	 * the client calls begin() before the first page of each attempt; begin()
	 * deletes the records of an earlier attempt
	 */
	void (*begin)(void *self);
	void (*take)(void *self, const json_t *record);
	void *self;
	/* the serial of the zone, and the number of records so far */
	int64_t serial, count;
	char read_at[40];	/* time of the reading: "2026-11-23T06:00:00.000Z" */
};

/*
 * Calls take() for each record. ERR_CONFLICT: zonefleet-ownership has not read the zone
 * yet, or has read the zone again during each attempt.
 */
enum err owner_document_read(struct document *document);
