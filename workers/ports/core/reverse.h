/*
 * reverse -- names of addresses below in-addr.arpa and ip6.arpa (RFC 1035 3.5, RFC 3596
 * 2.5), and the zones that such names are kept in.
 */
#pragma once

#include "dns/address.h"
#include "model/name.h"

enum {
	REVERSE_V4_DEFAULT = 24,
	REVERSE_V6_DEFAULT = 64,
};

/* "4.36.224.10.in-addr.arpa.", or the 32 nibbles of ip6.arpa. */
void reverse_name(const struct address *address, struct name *name);
/*
 * The zone of all addresses that share BITS with ADDRESS: of 24 "2.0.192.in-addr.arpa."
 * BITS as reverse_check() takes them.
 */
void reverse_zone(const struct address *address, uint8_t bits, struct name *zone);
/* ERR_INVALID: a zone is cut at octets (IPv4: 8, 16, 24) or nibbles (IPv6: 4 to 124). */
enum err reverse_check(uint8_t address_bits, int bits, struct why *why);
/* Is it such a zone, or could it be? ZONE is canonical. */
bool reverse_is_zone(const char *zone);
