/*
 * subnets -- which addresses of a network have records in DNS. An address is of the
 * subnet whose cidr holds it; of several that do, which only a source can tell that has
 * not told all yet, of the narrowest, and of two that are the same, of the one whose id
 * is the first. Nothing here knows a database.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "dns/address.h"

enum { CIDR_TEXT = ADDRESS_TEXT + 4 };

struct subnet {
	struct prefix cidr;
	bool is_published;		/* its addresses have records */
};

struct subnets {
	const struct subnet *list;	/* in the order of their ids */
	size_t count;
	bool hides_others;		/* an address in none of them has no records */
};

bool subnets_publish(const struct subnets *subnets, const struct address *address);

/* "10.1.0.0/16", "fd00::/64": ERR_INVALID if it is none. */
enum err cidr_parse(const char *text, struct prefix *cidr, struct why *why);
/* The same, with the bits of hosts zero; ERR_INVALID also if they are not. */
enum err cidr_parse_strict(const char *text, struct prefix *cidr, struct why *why);
void cidr_format(const struct prefix *cidr, char text[CIDR_TEXT]);
bool cidr_equal(const struct prefix *a, const struct prefix *b);
/* Does any address lie in both? */
bool cidr_overlaps(const struct prefix *a, const struct prefix *b);
