/*
 * address -- an IPv4 or IPv6 address with a port, and prefixes for access lists. An
 * IPv4-mapped IPv6 address becomes its IPv4 address, so that a peer always has the same
 * address.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

struct address {
	uint8_t bits;			/* 32 or 128: IPv4 or IPv6 */
	uint8_t octets[16];
	uint16_t port;
	uint32_t scope;			/* for fe80::/10; otherwise 0 */
};

struct prefix {
	struct address address;
	uint8_t bits;
};

/* A host as the key of a map: no padding, and no port. */
struct host_key {
	uint8_t bits, octets[16];
};

enum { ADDRESS_TEXT = 64 };
/* The prefix length of an IPv6 site, which counts as one client (RFC 6177). */
enum { ADDRESS_V6_SITE = 56 };

/* Parses for example "192.0.2.1", "2001:db8::1", "fe80::1%eth0". Refuses host names. */
bool address_parse(const char *host, uint16_t port, struct address *address);
/* Parses for example "192.0.2.1:53", "[2001:db8::1]:53". */
bool address_parse_with_port(const char *text, struct address *address);
/* Parses for example "192.0.2.0/24", "::1". */
bool prefix_parse(const char *text, struct prefix *prefix);
bool prefix_covers(const struct prefix *prefix, const struct address *address);

bool address_same_host(const struct address *a, const struct address *b);
/* True: the same IPv4 host, or the same IPv6 site. */
bool address_same_site(const struct address *a, const struct address *b);
struct host_key address_host_key(const struct address *address);
bool address_is_any(const struct address *address);
/*
 * Returns the reason why ADDRESS cannot be the address of a host on a network: "a
 * multicast address". NULL: ADDRESS can be such an address. A link-local address is not
 * allowed (RFC 4472 2.1: DNS must never publish it).
 */
const char *address_unfit(const struct address *address);
/*
 * Parses the address of a host on a network, without a scope. ERR_INVALID, with the name
 * of FIELD: TEXT is not an address, or address_unfit() refuses it.
 */
enum err address_parse_host(const char *field, const char *text, struct address *address,
                            struct why *why);
/* Writes the address without the port. */
void address_format(const struct address *address, char text[ADDRESS_TEXT]);

socklen_t address_to_socket(const struct address *address, struct sockaddr_storage *to);
bool address_from_socket(const struct sockaddr_storage *from, struct address *address);
