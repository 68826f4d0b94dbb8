#include "reverse.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum { DIGITS_OF_A_LABEL = 4 };

/* Appends a label: names are built from the first label on. */
static void reverse_add_label(struct name *name, const char *text)
{
	uint8_t len = (uint8_t)strlen(text);

	bug_if((size_t)name->len + 1 + len > sizeof(name->wire));
	name->wire[name->len++] = len;
	memcpy(name->wire + name->len, text, len);
	name->len = (uint8_t)(name->len + len);
}

/* The first BITS of the address, in reverse order. */
static void reverse_make_name(const struct address *address, uint8_t bits,
                              struct name *name)
{
	bool is_v4 = address->bits == 32;
	char label[DIGITS_OF_A_LABEL];

	name->len = 0;
	for (int i = bits / (is_v4 ? 8 : 4) - 1; i >= 0; i--) {
		if (is_v4)
			snprintf(label, sizeof(label), "%d", address->octets[i]);
		else
			snprintf(label, sizeof(label), "%x",
			         address->octets[i / 2] >> (i % 2 ? 0 : 4) & 15);
		reverse_add_label(name, label);
	}
	reverse_add_label(name, is_v4 ? "in-addr" : "ip6");
	reverse_add_label(name, "arpa");
	reverse_add_label(name, "");
}

void reverse_name(const struct address *address, struct name *name)
{
	reverse_make_name(address, address->bits, name);
}

void reverse_zone(const struct address *address, uint8_t bits, struct name *zone)
{
	reverse_make_name(address, bits, zone);
}

enum err reverse_check(uint8_t address_bits, int bits, struct why *why)
{
	if (address_bits == 32 && (bits % 8 || bits < 8 || bits > 24))
		return fail(why, ERR_INVALID, "ports.ptr_prefix_v4: must be 8, 16 or 24, "
		            "not %d", bits);
	if (address_bits == 128 && (bits % 4 || bits < 4 || bits > 124))
		return fail(why, ERR_INVALID, "ports.ptr_prefix_v6: must be a multiple "
		            "of 4, from 4 to 124, not %d", bits);
	return OK;
}

static bool reverse_ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

bool reverse_is_zone(const char *zone)
{
	return reverse_ends_in(zone, ".in-addr.arpa.") || reverse_ends_in(zone,
	                                                                  ".ip6.arpa.");
}
