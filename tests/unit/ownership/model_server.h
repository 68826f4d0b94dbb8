/*
 * model_server -- a model of a server that accepts dynamic updates, according to RFC
 * 2136. The server first checks all prerequisites. If prerequisites contain the records
 * of a set, the set must have exactly these records. Then the server makes all changes
 * in their order. All records of a set have the TTL of the record that was added last
 * (as in BIND).
 */
#pragma once

#include <string.h>

#include "core/update.h"
#include "model/rr.h"

enum { ZONE_MAX = 128, DATA_MAX = 400 };

struct stored {
	struct name name;
	uint16_t type;
	uint32_t ttl;
	bool is_kept;			/* true: the test fails if the record changes */
	uint16_t len;
	uint8_t data[DATA_MAX];
};

struct server {
	size_t count;
	struct stored zone[ZONE_MAX];
};

static bool is_record(const struct stored *record, const struct update_rr *rr)
{
	return record->type == rr->type && record->len == rr->rdata.len &&
	       name_equal(&record->name, &rr->name) &&
	       !memcmp(record->data, rr->rdata.octets, record->len);
}

/* Counts the records of a set. TYPE 0: counts all records of the name. */
static size_t count_set(const struct server *server, const struct name *name,
                        uint16_t type)
{
	size_t count = 0;

	for (size_t i = 0; i < server->count; i++)
		count += (!type || server->zone[i].type == type) &&
		         name_equal(&server->zone[i].name, name);
	return count;
}

/* Returns the record of the server. NULL: the server does not have the record. */
static const struct stored *find_record(const struct server *server,
                                        const struct update_rr *rr)
{
	for (size_t i = 0; i < server->count; i++)
		if (is_record(&server->zone[i], rr))
			return &server->zone[i];
	return NULL;
}

/* Returns the number of records that the prerequisites require for a set (3.2.3). */
static size_t count_told(const struct update_rrs *rrs, const struct update_rr *like)
{
	size_t count = 0;

	for (size_t i = 0; i < rrs->count; i++)
		count += rrs->rrs[i].kind == UPDATE_SET_IS &&
		         rrs->rrs[i].type == like->type &&
		         name_equal(&rrs->rrs[i].name, &like->name);
	return count;
}

static bool holds(const struct server *server, const struct update_rrs *rrs,
                  const struct update_rr *rr)
{
	switch (rr->kind) {
	case UPDATE_NO_NAME:
		return !count_set(server, &rr->name, 0);
	case UPDATE_NO_SET:
		return !count_set(server, &rr->name, rr->type);
	case UPDATE_SET_IS:
		return find_record(server, rr) &&
		       count_set(server, &rr->name, rr->type) == count_told(rrs, rr);
	default:
		assert_true(false);
		return false;
	}
}

static void drop(struct server *server, size_t at)
{
	server->zone[at] = server->zone[--server->count];
}

/*
 * True: the server ignores the new record, because a name with a CNAME record has no
 * other records (3.4.2.2).
 */
static bool is_ignored(const struct server *server, const struct update_rr *rr)
{
	size_t cnames = count_set(server, &rr->name, RR_CNAME);

	return rr->type == RR_CNAME ? count_set(server, &rr->name, 0) > cnames : cnames;
}

static void give_ttl(struct server *server, const struct update_rr *rr)
{
	for (size_t i = 0; i < server->count; i++)
		if (server->zone[i].type == rr->type &&
		    name_equal(&server->zone[i].name, &rr->name))
			server->zone[i].ttl = rr->ttl;
}

/*
 * Returns the place for a new record. A CNAME record replaces an existing CNAME record
 * (3.4.2.2).
 */
static struct stored *place_for(struct server *server, const struct update_rr *rr)
{
	for (size_t i = 0; rr->type == RR_CNAME && i < server->count; i++)
		if (server->zone[i].type == RR_CNAME &&
		    name_equal(&server->zone[i].name, &rr->name))
			return &server->zone[i];
	return &server->zone[server->count++];
}

/*
 * Adds a record, and gives its TTL to all records of the set. NULL: the record exists,
 * or the server ignores the record without an error.
 */
static struct stored *put_record(struct server *server, const struct update_rr *rr)
{
	struct stored *to;

	assert_true(server->count < ZONE_MAX && rr->rdata.len <= DATA_MAX);
	if (is_ignored(server, rr))
		return NULL;
	give_ttl(server, rr);
	if (find_record(server, rr))
		return NULL;
	to = place_for(server, rr);
	to->name = rr->name;
	to->type = rr->type;
	to->ttl = rr->ttl;
	to->is_kept = false;
	to->len = rr->rdata.len;
	memcpy(to->data, rr->rdata.octets, rr->rdata.len);
	return to;
}

static void make_change(struct server *server, const struct update_rr *rr)
{
	if (rr->kind == UPDATE_ADD) {
		put_record(server, rr);
		return;
	}
	for (size_t i = server->count; i-- > 0; )
		if (rr->kind == UPDATE_DELETE
		    ? is_record(&server->zone[i], rr)
		    : server->zone[i].type == rr->type &&
		      name_equal(&server->zone[i].name, &rr->name))
			drop(server, i);
}

/*
 * Processes an update. False: a prerequisite is not true, and the server has changed
 * nothing.
 */
static bool take(struct server *server, const struct update *update)
{
	const struct update_rrs *required = &update->prerequisites;

	for (size_t i = 0; i < required->count; i++)
		if (!holds(server, required, &required->rrs[i]))
			return false;
	for (size_t i = 0; i < update->changes.count; i++)
		make_change(server, &update->changes.rrs[i]);
	return true;
}
