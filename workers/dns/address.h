/*
 * address -- an IPv4 or IPv6 address with a port, and prefixes for access lists. The
 * functions convert an IPv4-mapped IPv6 address to the IPv4 address, so that a peer
 * always has the same address.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

struct address {
	uint8_t bits;	/* length of the address in bits: 32 (IPv4) or 128 (IPv6) */
	uint8_t octets[16];
	uint16_t port;
	/* index of the network interface for an address in fe80::/10; otherwise 0 */
	uint32_t scope;
};

struct prefix {
	struct address address;
	uint8_t bits;
};

/* An address without its port, as the key of a map. The struct has no padding. */
struct host_key {
	uint8_t bits, octets[16];
};

enum { ADDRESS_TEXT = 64 };
/*
 * The prefix length of an IPv6 site (RFC 6177). All addresses of a site count as one
 * client.
 */
enum { ADDRESS_V6_SITE = 56 };

/* Parses for example "192.0.2.1", "2001:db8::1" or "fe80::1%eth0". Refuses host names. */
bool address_parse(const char *host, uint16_t port, struct address *address);
/* Parses for example "192.0.2.1:53" or "[2001:db8::1]:53". */
bool address_parse_with_port(const char *text, struct address *address);
/* Parses for example "192.0.2.0/24" or "::1". */
bool prefix_parse(const char *text, struct prefix *prefix);
bool prefix_covers(const struct prefix *prefix, const struct address *address);

bool address_same_host(const struct address *a, const struct address *b);
/* True: A and B are the same IPv4 host, or two hosts of the same IPv6 site. */
bool address_same_site(const struct address *a, const struct address *b);
struct host_key address_host_key(const struct address *address);
bool address_is_any(const struct address *address);
/*
 * Returns the reason why ADDRESS cannot be the address of a host on a network, for
 * example "a multicast address". NULL: ADDRESS can be such an address. The function also
 * refuses link-local addresses, because DNS must never publish them (RFC 4472 2.1).
 */
const char *address_unfit(const struct address *address);
/*
 * Parses the address of a host on a network, without a scope. ERR_INVALID: TEXT is not
 * an address, or address_unfit() refuses the address. The reason begins with FIELD.
 */
enum err address_parse_host(const char *field, const char *text, struct address *address,
                            struct why *why);
/* Writes the address without the port. */
void address_format(const struct address *address, char text[ADDRESS_TEXT]);

socklen_t address_to_socket(const struct address *address, struct sockaddr_storage *to);
bool address_from_socket(const struct sockaddr_storage *from, struct address *address);
