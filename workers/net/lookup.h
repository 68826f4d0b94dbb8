/*
 * lookup -- the addresses of a host by its name, by now.
 *
 * A lane looks a name up from time to time, and when the user reports that the address in
 * use does not answer. In that case the next address of the name comes into use. While
 * the resolver has no answer, the known addresses stay. A user never waits for a lookup:
 * either there is an address to try, or no address is known yet. While no address is
 * known, the lane looks the name up at growing intervals.
 *
 * The resolver of the C library takes no deadline: worker.c shortens the ones that it has,
 * unless the operator set them (RES_OPTIONS).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "dns/address.h"

struct lane;
struct loop;
struct lookup;

enum { LOOKUP_MAX = 8 };		/* addresses of a name; more are left out */

struct addresses {
	struct address item[LOOKUP_MAX];
	size_t count;
};

/*
 * Blocks, for as long as the resolver takes: before the loop, or on a lane. In the
 * resolver's order (RFC 6724). ERR_UNREACHABLE: there are none, and FOUND has none.
 */
enum err lookup_now(const char *host, uint16_t port, struct addresses *found,
                    struct why *why);

struct lookup_config {
	struct loop *loop;
	struct lane *lane;		/* of names; shared */
	const char *host;		/* copied */
	uint16_t port;
	struct addresses known;		/* to begin with */
	/* The rest never from within lookup_new(); NULL: nobody asks. */
	/* the host has other addresses than before, in whatever order; comes first */
	void (*listed)(void *self, const struct addresses *known);
	/* another address is in use */
	void (*changed)(void *self, const struct address *address);
	void *self;
};

struct lookup *lookup_new(const struct lookup_config *config);
void lookup_free(struct lookup **lookup);
/* The one in use; NULL: none is known. */
const struct address *lookup_address(const struct lookup *lookup);
/* ADDRESS does not answer. Of one that is not in use any more nothing new is said. */
void lookup_failed(struct lookup *lookup, const struct address *address);
/* Do both have the same addresses, in whatever order? Pure. */
bool lookup_same(const struct addresses *a, const struct addresses *b);
/* Which of FOUND to use: LAST, the one in use, as long as it is there. Pure. */
size_t lookup_keep(const struct addresses *found, const struct address *last);
