#include "subnets.h"

#include <stdio.h>
#include <string.h>

bool subnets_publish(const struct subnets *subnets, const struct address *address)
{
	const struct subnet *match = NULL;

	for (size_t i = 0; i < subnets->count; i++) {
		const struct subnet *subnet = &subnets->list[i];

		if (prefix_covers(&subnet->cidr, address) &&
		    (!match || subnet->cidr.bits > match->cidr.bits))
			match = subnet;
	}
	return match ? match->is_published : !subnets->hides_others;
}

/* ---- cidrs ---- */

static void cidr_clear_hosts(struct prefix *cidr)
{
	uint8_t *octets = cidr->address.octets;

	for (int i = 0; i < cidr->address.bits / 8; i++) {
		int kept = cidr->bits - 8 * i;

		if (kept < 8)
			octets[i] &= kept > 0 ? (uint8_t)(0xff << (8 - kept)) : 0;
	}
}

enum err cidr_parse(const char *text, struct prefix *cidr, struct why *why)
{
	if (!strchr(text, '/') || !prefix_parse(text, cidr) || cidr->address.scope)
		return fail(why, ERR_INVALID, "cidr: must be an IPv4 or IPv6 prefix, "
		            "such as 10.1.0.0/16 or fd00::/64, not '%s'",
		            err_quote(text, (char[65]){ 0 }, 65));
	cidr_clear_hosts(cidr);
	return OK;
}

enum err cidr_parse_strict(const char *text, struct prefix *cidr, struct why *why)
{
	char canonical[CIDR_TEXT];
	struct prefix given;
	enum err err = cidr_parse(text, cidr, why);

	if (err || (prefix_parse(text, &given) && cidr_equal(&given, cidr)))
		return err;
	cidr_format(cidr, canonical);
	return fail(why, ERR_INVALID, "cidr: the bits after the prefix must be zero: %s, "
	            "not '%s'", canonical, err_quote(text, (char[65]){ 0 }, 65));
}

void cidr_format(const struct prefix *cidr, char text[CIDR_TEXT])
{
	char address[ADDRESS_TEXT];

	address_format(&cidr->address, address);
	snprintf(text, CIDR_TEXT, "%s/%d", address, cidr->bits);
}

bool cidr_equal(const struct prefix *a, const struct prefix *b)
{
	return a->bits == b->bits && address_same_host(&a->address, &b->address);
}

bool cidr_overlaps(const struct prefix *a, const struct prefix *b)
{
	return a->bits < b->bits ? prefix_covers(a, &b->address)
	                         : prefix_covers(b, &a->address);
}
