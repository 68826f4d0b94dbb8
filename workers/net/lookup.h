/*
 * lookup -- finds the current addresses of a host name.
 *
 * A lane (a thread) looks a name up about every 30 s. The lane also looks the name up
 * when the caller reports that the address in use does not answer (lookup_failed()).
 * After such a report, the lookup also selects the next known address. If the resolver
 * does not answer, the lookup keeps the known addresses. The caller never waits for a
 * lookup: if no address is known yet, lookup_address() returns NULL. While no address is
 * known, the lane looks the name up at intervals that grow from about 1 to 30 s.
 *
 * The resolver of the C library does not limit the total time of a lookup. worker.c
 * shortens the timeouts of the resolver, unless the operator has set RES_OPTIONS.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "dns/address.h"

struct lane;
struct loop;
struct lookup;

/* maximum number of addresses of one name; this module ignores all further addresses */
enum { LOOKUP_MAX = 8 };

struct addresses {
	struct address item[LOOKUP_MAX];
	size_t count;
};

/*
 * Blocks until the resolver has answered: call it before the event loop starts, or on a
 * lane. FOUND has the order of the resolver (RFC 6724). ERR_UNREACHABLE: there is no
 * address. ERR_BUSY: no file descriptor is free. After an error, FOUND is empty.
 */
enum err lookup_now(const char *host, uint16_t port, struct addresses *found,
                    struct why *why);

struct lookup_config {
	struct loop *loop;
	struct lane *lane;		/* the lane that looks up names; shared */
	const char *host;		/* name of the host; copied */
	uint16_t port;
	struct addresses known;		/* addresses to use at the start */
	/* Both callbacks may be NULL. lookup_new() calls no callback. */
	/* runs when the set of known addresses has changed, before changed() */
	void (*listed)(void *self, const struct addresses *known);
	/* runs when a different address is in use */
	void (*changed)(void *self, const struct address *address);
	void *self;
};

struct lookup *lookup_new(const struct lookup_config *config);
void lookup_free(struct lookup **lookup);
/* Returns the address in use; NULL: no address is known. */
const struct address *lookup_address(const struct lookup *lookup);
/*
 * Reports that ADDRESS does not answer. If ADDRESS is in use, the lookup selects the next
 * known address, and the lane looks the name up again. If a different address is in use,
 * the report has no effect.
 */
void lookup_failed(struct lookup *lookup, const struct address *address);
/* True: A and B have the same addresses, in any order. */
bool lookup_same(const struct addresses *a, const struct addresses *b);
/*
 * Returns the index in FOUND of the address to use. LAST is the address that was in use
 * before (NULL: no address). If FOUND contains LAST, returns the index of LAST. Otherwise
 * returns 0.
 */
size_t lookup_keep(const struct addresses *found, const struct address *last);
