#include "model/presentation_relay.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/mem.h"

enum { RELAY_NONE, RELAY_IPV4, RELAY_IPV6, RELAY_NAME };
enum { DISCOVERY_BIT = 0x80, RELAY_BITS = 0x7f, AMTRELAY_FIXED = 2, HIP_FIXED = 4 };

static enum err relay_refuse(const struct field *field)
{
	return fail(field->why, ERR_INVALID, "%s: the data must be %s",
	            field->rdata->field, field->kind->words);
}

/* Cuts the next word, which has no quotes. False: there is none. */
static bool relay_next_word(struct field *field, struct word *word)
{
	const char *wrong = NULL;

	return text_next_word(&field->text, word, &wrong) && !word->quoted;
}

static bool relay_next_number(struct field *field, uint32_t max, uint32_t *number)
{
	struct word word;

	return relay_next_word(field, &word) &&
	       text_parse_number(word.text, max, number);
}

static enum err relay_read_name(struct field *field, const char *text)
{
	struct name name;
	enum err err = name_parse_in(text, field->rdata->origin, field->rdata->field,
	                             &name, field->why);

	if (!err)
		buf_append(field->rdata->wire, name.wire, name.len);
	return err;
}

static bool relay_is_at_end(const struct field *field)
{
	return !field->text[strspn(field->text, " ")];
}

/* ---- HIP ---- */

/* Appends the octets of base64 to KEY. */
static bool relay_read_key(const char *text, struct buf *key)
{
	size_t size = strlen(text);
	uint8_t *octets = xmalloc(size + 1);
	ssize_t len = base64_decode(text, octets, size);

	if (len > 0)
		buf_append(key, octets, len);
	free(octets);
	return len > 0 && len <= UINT16_MAX;
}

static enum err relay_read_servers(struct field *field)
{
	struct word word;
	enum err err = OK;

	while (!err && !relay_is_at_end(field))
		err = relay_next_word(field, &word) ? relay_read_name(field, word.text)
		                                    : relay_refuse(field);
	return err;
}

enum err field_read_hip(struct field *field)
{
	struct buf hit = { 0 }, key = { 0 };
	struct buf *wire = field->rdata->wire;
	uint32_t algorithm = 0;
	struct word word;
	bool is_good = relay_next_number(field, UINT8_MAX, &algorithm) &&
	               relay_next_word(field, &word) && text_parse_hex(word.text, &hit) &&
	               hit.len && hit.len <= UINT8_MAX && relay_next_word(field, &word) &&
	               relay_read_key(word.text, &key);

	if (is_good) {
		buf_u8(wire, hit.len);
		buf_u8(wire, algorithm);
		buf_u16(wire, key.len);
		buf_append(wire, hit.data, hit.len);
		buf_append(wire, key.data, key.len);
	}
	buf_clear(&hit);
	buf_clear(&key);
	return is_good ? relay_read_servers(field) : relay_refuse(field);
}

static void relay_print_base64(const uint8_t *octets, size_t len, struct buf *text)
{
	char *base64 = xmalloc(BASE64_LEN(len) + 1);

	base64_encode(octets, len, base64);
	buf_text(text, base64);
	free(base64);
}

bool field_print_hip(const uint8_t *wire, size_t len, struct buf *text)
{
	size_t hit = len < HIP_FIXED ? 0 : wire[0];
	size_t key = len < HIP_FIXED ? 0 : (size_t)wire[2] << 8 | wire[3];
	size_t at = HIP_FIXED + hit + key;

	if (!hit || !key || at > len)
		return false;
	buf_printf(text, "%u ", wire[1]);
	for (size_t i = 0; i < hit; i++)
		buf_printf(text, "%02x", wire[HIP_FIXED + i]);
	buf_text(text, " ");
	relay_print_base64(wire + HIP_FIXED + hit, key, text);
	while (at < len) {
		size_t name_len = name_wire_len(wire + at, len - at);

		if (!name_len)
			return false;
		buf_text(text, " ");
		text_print_name(wire + at, text);
		at += name_len;
	}
	return true;
}

/* ---- AMTRELAY ---- */

static enum err relay_read_address(struct field *field, int family, size_t len,
                                   const char *text)
{
	uint8_t address[sizeof(struct in6_addr)];

	if (inet_pton(family, text, address) != 1)
		return relay_refuse(field);
	buf_append(field->rdata->wire, address, len);
	return OK;
}

static enum err relay_read(struct field *field, uint32_t type, const char *text)
{
	switch (type) {
	case RELAY_IPV4:
		return relay_read_address(field, AF_INET, 4, text);
	case RELAY_IPV6:
		return relay_read_address(field, AF_INET6, 16, text);
	case RELAY_NAME:
		return relay_read_name(field, text);
	}
	return strcmp(text, ".") ? relay_refuse(field) : OK;
}

enum err field_read_amtrelay(struct field *field)
{
	uint32_t precedence, discovery, type;
	struct word word;

	if (!relay_next_number(field, UINT8_MAX, &precedence) ||
	    !relay_next_number(field, 1, &discovery) ||
	    !relay_next_number(field, RELAY_NAME, &type) ||
	    !relay_next_word(field, &word) || !relay_is_at_end(field))
		return relay_refuse(field);
	buf_u8(field->rdata->wire, precedence);
	buf_u8(field->rdata->wire, (discovery ? DISCOVERY_BIT : 0) | type);
	return relay_read(field, type, word.text);
}

bool field_print_amtrelay(const uint8_t *wire, size_t len, struct buf *text)
{
	const uint8_t *relay = wire + AMTRELAY_FIXED;
	char address[INET6_ADDRSTRLEN];
	size_t left = len - AMTRELAY_FIXED;
	int type = len < AMTRELAY_FIXED ? -1 : wire[1] & RELAY_BITS;

	if (type < 0)
		return false;
	buf_printf(text, "%u %u %u ", wire[0], wire[1] & DISCOVERY_BIT ? 1 : 0, type);
	if (type == RELAY_IPV4 && left == 4)
		buf_text(text, inet_ntop(AF_INET, relay, address, sizeof(address)));
	else if (type == RELAY_IPV6 && left == 16)
		buf_text(text, inet_ntop(AF_INET6, relay, address, sizeof(address)));
	else if (type == RELAY_NAME && left && name_wire_len(relay, left) == left)
		text_print_name(relay, text);
	else if (type == RELAY_NONE && !left)
		buf_text(text, ".");
	else
		return false;
	return true;
}
