/*
 * owner_document -- the records of a shared zone with their owners, as it was read last:
 * objects of just dnsname, owner, target and type (seed 001). They come page by page, and
 * all of them are of one reading: if there is a new one meanwhile, it begins anew.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "owner.h"

struct document {
	struct cli *cli;
	const struct shared_zone *zone;
	void (*begin)(void *self);	/* what was taken before is void */
	void (*take)(void *self, const json_t *record);
	void *self;
	/* the reading */
	int64_t serial, count;
	char read_at[40];		/* "2026-11-23T06:00:00", UTC */
};

/* ERR_CONFLICT: it was never read, or is read anew again and again. */
enum err owner_document_read(struct document *document);
