/*
 * subnets -- decides which addresses of a network have records in DNS. An address belongs
 * to the subnet whose cidr contains it. Subnets overlap only if a message from Neutron
 * has not arrived yet. If several subnets contain an address, the address belongs to the
 * narrowest subnet. If two subnets have the same cidr, the address belongs to the subnet
 * with the lower id.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "dns/address.h"

enum { CIDR_TEXT = ADDRESS_TEXT + 4 };

struct subnet {
	struct prefix cidr;
	bool is_published;		/* addresses in the subnet have records */
};

struct subnets {
	const struct subnet *list;	/* sorted by id */
	size_t count;
	/* an address that is in no subnet has no records */
	bool hides_others;
};

/* True: ADDRESS has records in DNS. */
bool subnets_publish(const struct subnets *subnets, const struct address *address);

/*
 * Parses "10.1.0.0/16" or "fd00::/64". Clears the host bits. ERR_INVALID: TEXT is
 * malformed.
 */
enum err cidr_parse(const char *text, struct prefix *cidr, struct why *why);
/* Like cidr_parse(), but also returns ERR_INVALID if a host bit is set. */
enum err cidr_parse_strict(const char *text, struct prefix *cidr, struct why *why);
void cidr_format(const struct prefix *cidr, char text[CIDR_TEXT]);
bool cidr_equal(const struct prefix *a, const struct prefix *b);
bool cidr_overlaps(const struct prefix *a, const struct prefix *b);
