/*
 * owner_document -- gets the records of a shared zone and their owners, from the last
 * reading of zonefleet-ownership. The JSON object of a record has exactly the members
 * dnsname, owner, target and type. The client gets the records page by page. If
 * zonefleet-ownership reads the zone again between two pages, the client starts again
 * with the first page.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "owner.h"

struct document {
	struct cli *cli;
	const struct shared_zone *zone;
	/* called at each start of the reading: deletes the records of an earlier start */
	void (*begin)(void *self);
	void (*take)(void *self, const json_t *record);
	void *self;
	/* about the reading */
	int64_t serial, count;
	char read_at[40];		/* "2026-11-23T06:00:00.000Z" */
};

/*
 * ERR_CONFLICT: no round has read the zone yet, or the zone changed during each attempt.
 */
enum err owner_document_read(struct document *document);
