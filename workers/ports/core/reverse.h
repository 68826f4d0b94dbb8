/*
 * reverse -- computes the reverse names of addresses, in in-addr.arpa and ip6.arpa (RFC
 * 1035 3.5, RFC 3596 2.5), and the zones of these names.
 */
#pragma once

#include "dns/address.h"
#include "model/name.h"

enum {
	REVERSE_V4_DEFAULT = 24,
	REVERSE_V6_DEFAULT = 64,
};

/*
 * Computes the reverse name of an address: "4.36.224.10.in-addr.arpa.", or a name of 32
 * nibbles in ip6.arpa.
 */
void reverse_name(const struct address *address, struct name *name);
/*
 * Makes the zone of all addresses whose first BITS bits are the same as in ADDRESS, for
 * example "2.0.192.in-addr.arpa." for 24 bits. Check BITS with reverse_check() before
 * this call.
 */
void reverse_zone(const struct address *address, uint8_t bits, struct name *zone);
/*
 * Checks the number of bits for reverse_zone(). ERR_INVALID: BITS is not a whole number
 * of octets (IPv4) or nibbles (IPv6).
 */
enum err reverse_check(uint8_t address_bits, int bits, struct why *why);
/* True: ZONE, which must be canonical, is below in-addr.arpa or ip6.arpa. */
bool reverse_is_zone(const char *zone);
