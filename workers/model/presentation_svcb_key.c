#include "model/presentation_svcb_key.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"
#include "model/presentation_text.h"

enum { ITEM_MAX = 255, NUMBER_TEXT = 8, ADDRESS_TEXT = 64 };

uint16_t svcb_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

/* As a C string; "" if it does not fit or contains a NUL. */
static const char *svcb_string(struct value text, char *to, size_t size)
{
	bool fits = text.len < size && !memchr(text.at, 0, text.len);

	memcpy(to, text.at, fits ? text.len : 0);
	to[fits ? text.len : 0] = '\0';
	return to;
}

/* Cuts the next item of a comma list without escapes. False: there is no further item. */
static bool svcb_next_item(struct value *list, bool *is_first, struct value *item)
{
	const uint8_t *comma;

	if (!*is_first) {
		if (!list->len)
			return false;
		list->at++;		/* the comma after the previous item */
		list->len--;
	}
	*is_first = false;
	comma = list->len ? memchr(list->at, ',', list->len) : NULL;
	item->at = list->at;
	item->len = comma ? (size_t)(comma - list->at) : list->len;
	list->at += item->len;
	list->len -= item->len;
	return true;
}

/* ---- the values: from text. They return NULL or what the value must be. ---- */

static int svcb_compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, 2);
}

static const char *svcb_read_mandatory(struct value text, struct buf *wire)
{
	size_t start = wire->len;
	bool is_first = true;
	struct value item;
	uint16_t key;

	while (svcb_next_item(&text, &is_first, &item)) {
		if (!svcb_find_key((const char *)item.at, item.len, &key))
			return "must be a list of keys";
		buf_u16(wire, key);
	}
	qsort(wire->data + start, (wire->len - start) / 2, 2, svcb_compare_keys);
	return NULL;
}

/* RFC 9460 A.1: a backslash before a comma or a backslash belongs to the list. */
static const char *svcb_read_alpn(struct value text, struct buf *wire)
{
	size_t item = wire->len;

	buf_u8(wire, 0);
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == ',') {
			item = wire->len;
			buf_u8(wire, 0);
			continue;
		}
		if (text.at[i] == '\\' && ++i == text.len)
			return "must not end in a backslash";
		if (wire->data[item] == ITEM_MAX)
			return "must be a list of protocols of at most 255 octets";
		buf_u8(wire, text.at[i]);
		wire->data[item]++;
	}
	return NULL;
}

static const char *svcb_read_nothing(struct value text, struct buf *wire)
{
	(void)wire;
	return text.len ? "must have no value" : NULL;
}

static const char *svcb_read_port(struct value text, struct buf *wire)
{
	char number[NUMBER_TEXT];
	uint32_t port;

	if (!text_parse_number(svcb_string(text, number, sizeof(number)), UINT16_MAX,
	                       &port))
		return "must be a number from 0 to 65535";
	buf_u16(wire, port);
	return NULL;
}

static bool svcb_read_addresses(struct value text, int family, size_t len,
                                struct buf *wire)
{
	uint8_t address[sizeof(struct in6_addr)];
	bool is_first = true;
	struct value item;

	while (svcb_next_item(&text, &is_first, &item)) {
		char one[ADDRESS_TEXT];

		if (inet_pton(family, svcb_string(item, one, sizeof(one)), address) != 1)
			return false;
		buf_append(wire, address, len);
	}
	return true;
}

static const char *svcb_read_ipv4(struct value text, struct buf *wire)
{
	return svcb_read_addresses(text, AF_INET, 4, wire) ? NULL
	       : "must be a list of IPv4 addresses";
}

static const char *svcb_read_ipv6(struct value text, struct buf *wire)
{
	return svcb_read_addresses(text, AF_INET6, 16, wire) ? NULL
	       : "must be a list of IPv6 addresses";
}

static const char *svcb_read_base64(struct value text, struct buf *wire)
{
	char *copy = xmalloc(text.len + 1);
	uint8_t *octets = xmalloc(text.len + 1);
	ssize_t len = base64_decode(svcb_string(text, copy, text.len + 1), octets,
	                            text.len);

	if (len > 0)
		buf_append(wire, octets, len);
	free(copy);
	free(octets);
	return len > 0 ? NULL : "must be base64";
}

const char *svcb_read_octets(struct value text, struct buf *wire)
{
	buf_append(wire, text.at, text.len);
	return NULL;
}

/* ---- the values: on the wire ---- */

static bool svcb_is_mandatory(struct value value)
{
	int last = KEY_MANDATORY;

	for (size_t i = 0; i + 1 < value.len; i += 2) {
		if (svcb_u16(value.at + i) <= last)
			return false;
		last = svcb_u16(value.at + i);
	}
	return value.len && value.len % 2 == 0;
}

static bool svcb_is_alpn(struct value value)
{
	size_t at = 0;

	while (at < value.len && value.at[at])
		at += 1 + value.at[at];
	return value.len && at == value.len;
}

static bool svcb_is_empty(struct value value)
{
	return !value.len;
}

static bool svcb_is_port(struct value value)
{
	return value.len == 2;
}

static bool svcb_is_ipv4(struct value value)
{
	return value.len && value.len % 4 == 0;
}

static bool svcb_is_ipv6(struct value value)
{
	return value.len && value.len % 16 == 0;
}

static bool svcb_is_something(struct value value)
{
	return value.len;
}

/* RFC 9461 5: a relative URI template with the variable "dns". */
static bool svcb_is_dohpath(struct value value)
{
	const uint8_t *from = memmem(value.at, value.len, "{?", 2);

	return value.len && value.at[0] == '/' && from &&
	       memmem(from, value.at + value.len - from, "dns", 3);
}

/* ---- the values: to text, before quotes and escapes ---- */

static void svcb_print_mandatory(struct value value, struct buf *text)
{
	for (size_t i = 0; i < value.len; i += 2) {
		if (i)
			buf_text(text, ",");
		svcb_print_key(svcb_u16(value.at + i), text);
	}
}

static void svcb_print_alpn(struct value value, struct buf *text)
{
	for (size_t at = 0; at < value.len; at += 1 + value.at[at]) {
		if (at)
			buf_text(text, ",");
		for (size_t i = 1; i <= value.at[at]; i++) {
			uint8_t octet = value.at[at + i];

			if (octet == ',' || octet == '\\')
				buf_u8(text, '\\');
			buf_u8(text, octet);
		}
	}
}

static void svcb_print_port(struct value value, struct buf *text)
{
	buf_printf(text, "%u", svcb_u16(value.at));
}

static void svcb_print_addresses(struct value value, int family, size_t len,
                                 struct buf *text)
{
	char one[INET6_ADDRSTRLEN];

	for (size_t i = 0; i < value.len; i += len)
		buf_printf(text, "%s%s", i ? "," : "",
		           inet_ntop(family, value.at + i, one, sizeof(one)));
}

static void svcb_print_ipv4(struct value value, struct buf *text)
{
	svcb_print_addresses(value, AF_INET, 4, text);
}

static void svcb_print_ipv6(struct value value, struct buf *text)
{
	svcb_print_addresses(value, AF_INET6, 16, text);
}

static void svcb_print_base64(struct value value, struct buf *text)
{
	char *base64 = xmalloc(BASE64_LEN(value.len) + 1);

	base64_encode(value.at, value.len, base64);
	buf_text(text, base64);
	free(base64);
}

void svcb_print_octets(struct value value, struct buf *text)
{
	buf_append(text, value.at, value.len);
}

/* ---- the keys (RFC 9460 14.3.2, RFC 9461, RFC 9540) ---- */

static const struct svcb_key keys[] = {
	[KEY_MANDATORY] = { "mandatory", svcb_read_mandatory, svcb_is_mandatory,
	                    svcb_print_mandatory,
	                    "must have in 'mandatory' one or more keys, each once, and "
	                    "not 'mandatory' itself (RFC 9460 8)" },
	[KEY_ALPN] = { "alpn", svcb_read_alpn, svcb_is_alpn, svcb_print_alpn,
	               "must have in 'alpn' one or more protocols, none of them empty "
	               "(RFC 9460 7.1.1)" },
	[KEY_NO_DEFAULT_ALPN] = { "no-default-alpn", svcb_read_nothing, svcb_is_empty,
	                          svcb_print_octets,
	                          "must have 'no-default-alpn' without a value (RFC 9460 "
	                          "7.1.1)" },
	[3] = { "port", svcb_read_port, svcb_is_port, svcb_print_port,
	        "must have in 'port' a number of two octets (RFC 9460 7.2)" },
	[4] = { "ipv4hint", svcb_read_ipv4, svcb_is_ipv4, svcb_print_ipv4,
	        "must have in 'ipv4hint' one or more IPv4 addresses (RFC 9460 7.3)" },
	[5] = { "ech", svcb_read_base64, svcb_is_something, svcb_print_base64,
	        "must have a value in 'ech'" },
	[6] = { "ipv6hint", svcb_read_ipv6, svcb_is_ipv6, svcb_print_ipv6,
	        "must have in 'ipv6hint' one or more IPv6 addresses (RFC 9460 7.3)" },
	[7] = { "dohpath", svcb_read_octets, svcb_is_dohpath, svcb_print_octets,
	        "must have in 'dohpath' a path with the variable 'dns', such as "
	        "/dns-query{?dns} (RFC 9461 5)" },
	[8] = { "ohttp", svcb_read_nothing, svcb_is_empty, svcb_print_octets,
	        "must have 'ohttp' without a value (RFC 9540 4)" },
};

enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* RFC 9460 2.1: "keyN" without leading zeros. */
static bool svcb_find_number(const char *name, size_t len, uint16_t *key)
{
	char digits[6] = "";
	uint32_t number;

	if (len < 4 || len > 3 + 5 || memcmp(name, "key", 3))
		return false;
	memcpy(digits, name + 3, len - 3);
	if (!text_parse_number(digits, UINT16_MAX, &number) ||
	    (digits[0] == '0' && digits[1]))
		return false;
	*key = number;
	return true;
}

bool svcb_find_key(const char *name, size_t len, uint16_t *key)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (strlen(keys[i].name) == len && !memcmp(keys[i].name, name, len)) {
			*key = i;
			return true;
		}
	}
	return svcb_find_number(name, len, key);
}

void svcb_print_key(uint16_t key, struct buf *text)
{
	if (key < KEYS)
		buf_text(text, keys[key].name);
	else
		buf_printf(text, "key%u", key);
}

const struct svcb_key *svcb_key(uint16_t key)
{
	return key < KEYS ? &keys[key] : NULL;
}
