#include "dns/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { V4_BITS = 32, V6_BITS = 128, MAX_TEXT = 80 };

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

static void address_unmap(struct address *address)
{
	if (address->bits != V6_BITS || memcmp(address->octets, mapped, sizeof(mapped)))
		return;
	address->bits = V4_BITS;
	memmove(address->octets, address->octets + sizeof(mapped), 4);
	memset(address->octets + 4, 0, sizeof(address->octets) - 4);
}

static bool address_parse_v6(const char *host, struct address *address)
{
	char text[MAX_TEXT];
	char *zone;

	snprintf(text, sizeof(text), "%s", host);
	zone = strchr(text, '%');
	if (zone) {
		*zone++ = '\0';
		address->scope = if_nametoindex(zone);
		if (!address->scope)
			return false;
	}
	address->bits = V6_BITS;
	return inet_pton(AF_INET6, text, address->octets) == 1;
}

bool address_parse(const char *host, uint16_t port, struct address *address)
{
	struct address got = { .port = port, .bits = V4_BITS };

	if (strlen(host) >= MAX_TEXT)
		return false;
	if (inet_pton(AF_INET, host, got.octets) != 1 && !address_parse_v6(host, &got))
		return false;
	address_unmap(&got);
	*address = got;
	return true;
}

static bool address_parse_number(const char *text, long max, long *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*number = strtol(text, &end, 10);
	return !*end && *number <= max;
}

bool address_parse_with_port(const char *text, struct address *address)
{
	char host[MAX_TEXT];
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : 0;
	long port;

	if (!len || len >= sizeof(host) || !address_parse_number(colon + 1, 65535, &port))
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)len, text);
	if (host[0] != '[')
		return !strchr(host, ':') && address_parse(host, port, address);
	if (host[len - 1] != ']')
		return false;
	host[len - 1] = '\0';
	return address_parse(host + 1, port, address);
}

bool prefix_parse(const char *text, struct prefix *prefix)
{
	char host[MAX_TEXT];
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	struct prefix got = { 0 };
	long bits;

	if (len >= sizeof(host))
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)len, text);
	if (!address_parse(host, 0, &got.address))
		return false;
	bits = got.address.bits;
	if (slash && !address_parse_number(slash + 1, got.address.bits, &bits))
		return false;
	got.bits = bits;
	*prefix = got;
	return true;
}

bool prefix_covers(const struct prefix *prefix, const struct address *address)
{
	int whole = prefix->bits / 8, rest = prefix->bits % 8;
	uint8_t mask = rest ? (uint8_t)(0xff << (8 - rest)) : 0;

	if (prefix->address.bits != address->bits)
		return false;
	if (memcmp(prefix->address.octets, address->octets, whole))
		return false;
	return !rest ||
	       !((prefix->address.octets[whole] ^ address->octets[whole]) & mask);
}

bool address_same_host(const struct address *a, const struct address *b)
{
	return a->bits == b->bits && !memcmp(a->octets, b->octets, sizeof(a->octets));
}

bool address_same_site(const struct address *a, const struct address *b)
{
	size_t len = a->bits == V4_BITS ? V4_BITS / 8 : ADDRESS_V6_SITE / 8;

	return a->bits == b->bits && !memcmp(a->octets, b->octets, len);
}

struct host_key address_host_key(const struct address *address)
{
	struct host_key key = { .bits = address->bits };

	memcpy(key.octets, address->octets, sizeof(key.octets));
	return key;
}

bool address_is_any(const struct address *address)
{
	static const uint8_t any[16];

	return !memcmp(address->octets, any, sizeof(any));
}

const char *address_unfit(const struct address *address)
{
	static const struct {
		const char *prefix, *words;
	} rows[] = {
		{ "0.0.0.0/8",          "an unspecified address (RFC 1122)" },
		{ "127.0.0.0/8",        "a loopback address" },
		{ "169.254.0.0/16",     "a link-local address" },
		{ "224.0.0.0/4",        "a multicast address" },
		{ "255.255.255.255/32", "the broadcast address" },
		{ "::/128",             "an unspecified address" },
		{ "::1/128",            "a loopback address" },
		{ "fe80::/10",          "a link-local address" },
		{ "ff00::/8",           "a multicast address" },
	};
	struct prefix prefix;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (prefix_parse(rows[i].prefix, &prefix) &&
		    prefix_covers(&prefix, address))
			return rows[i].words;
	return NULL;
}

enum err address_parse_host(const char *field, const char *text, struct address *address,
                            struct why *why)
{
	char quoted[ADDRESS_TEXT];

	if (!address_parse(text, 0, address) || address->scope)
		return fail(why, ERR_INVALID, "%s: must be an IPv4 or IPv6 address, not "
		            "'%s'", field, err_quote(text, quoted, sizeof(quoted)));
	if (address_unfit(address))
		return fail(why, ERR_INVALID,
		            "%s: %s is %s: use the address of a host on the network",
		            field, text, address_unfit(address));
	return OK;
}

void address_format(const struct address *address, char text[ADDRESS_TEXT])
{
	int family = address->bits == V4_BITS ? AF_INET : AF_INET6;

	if (!inet_ntop(family, address->octets, text, ADDRESS_TEXT))
		text[0] = '\0';
}

socklen_t address_to_socket(const struct address *address, struct sockaddr_storage *to)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;

	memset(to, 0, sizeof(*to));
	if (address->bits == V4_BITS) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(address->port);
		memcpy(&v4->sin_addr, address->octets, 4);
		return sizeof(*v4);
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(address->port);
	v6->sin6_scope_id = address->scope;
	memcpy(&v6->sin6_addr, address->octets, 16);
	return sizeof(*v6);
}

bool address_from_socket(const struct sockaddr_storage *from, struct address *address)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;
	struct address got = { 0 };

	if (from->ss_family == AF_INET) {
		got.bits = V4_BITS;
		got.port = ntohs(v4->sin_port);
		memcpy(got.octets, &v4->sin_addr, 4);
	} else if (from->ss_family == AF_INET6) {
		got.bits = V6_BITS;
		got.port = ntohs(v6->sin6_port);
		got.scope = v6->sin6_scope_id;
		memcpy(got.octets, &v6->sin6_addr, 16);
	} else {
		return false;
	}
	address_unmap(&got);
	*address = got;
	return true;
}
