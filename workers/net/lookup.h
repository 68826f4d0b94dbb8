/*
 * lookup -- finds the current addresses of a host name.
 *
 * A lane (a thread) looks a name up at intervals. The lane also looks the name up when
 * the caller reports that the address in use does not answer. In that case the lookup
 * also selects the next known address. If the resolver does not answer, the lookup keeps
 * the known addresses. The caller never waits for a lookup: if no address is known yet,
 * lookup_address() returns NULL. While no address is known, the lane looks the name up at
 * growing intervals.
 *
 * The resolver of the C library has no limit for the total time. worker.c shortens the
 * resolver's timeouts, unless the operator has set them in RES_OPTIONS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "dns/address.h"

struct lane;
struct loop;
struct lookup;

/* maximum number of addresses of one name; this module ignores further addresses */
enum { LOOKUP_MAX = 8 };

struct addresses {
	struct address item[LOOKUP_MAX];
	size_t count;
};

/*
 * Blocks until the resolver has answered: call it before the event loop starts, or on a
 * lane. FOUND has the order of the resolver (RFC 6724). ERR_UNREACHABLE: there is no
 * address. ERR_BUSY: no file descriptor is free. After an error FOUND is empty.
 */
enum err lookup_now(const char *host, uint16_t port, struct addresses *found,
                    struct why *why);

struct lookup_config {
	struct loop *loop;
	struct lane *lane;		/* the lane for names; shared */
	const char *host;		/* copied */
	uint16_t port;
	struct addresses known;		/* addresses to use at the start */
	/* Both callbacks may be NULL. lookup_new() calls no callback. */
	/* the set of addresses has changed; the lookup calls listed() before changed() */
	void (*listed)(void *self, const struct addresses *known);
	/* a different address is now in use */
	void (*changed)(void *self, const struct address *address);
	void *self;
};

struct lookup *lookup_new(const struct lookup_config *config);
void lookup_free(struct lookup **lookup);
/* Returns the address in use; NULL: no address is known. */
const struct address *lookup_address(const struct lookup *lookup);
/*
 * Reports that ADDRESS does not answer. If a different address is in use, the report has
 * no effect.
 */
void lookup_failed(struct lookup *lookup, const struct address *address);
/* True: both have the same addresses, in any order. */
bool lookup_same(const struct addresses *a, const struct addresses *b);
/*
 * Returns the index in FOUND of the address to use: the index of LAST, the address in
 * use, if FOUND contains it; otherwise 0.
 */
size_t lookup_keep(const struct addresses *found, const struct address *last);
