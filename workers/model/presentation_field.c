#include "model/presentation_field.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "model/presentation.h"
#include "model/presentation_type.h"

enum {
	TYPE_NSAP_PTR = 23,	/* ldns takes its name for a string */
	TYPE_SPF = 99,
	STRING_MAX = 255,
	BITMAP_WINDOW = 32,	/* RFC 4034 4.1.2: octets for 256 types */
};

static enum err refuse(struct field *field)
{
	return fail(field->why, ERR_INVALID, "%s: field %d must be %s",
	            field->rdata->field, field->number, field->kind->words);
}

static enum err read_address(struct field *field, int family, size_t len)
{
	uint8_t address[sizeof(struct in6_addr)];

	if (inet_pton(family, field->text, address) != 1)
		return refuse(field);
	buf_append(field->rdata->wire, address, len);
	return OK;
}

static enum err read_a(struct field *field)
{
	return read_address(field, AF_INET, sizeof(struct in_addr));
}

static enum err read_aaaa(struct field *field)
{
	return read_address(field, AF_INET6, sizeof(struct in6_addr));
}

/* As many octets as the kind has. */
static enum err read_number(struct field *field)
{
	int bits = 8 * field->kind->wire;
	uint32_t number;

	if (!parse_number(field->text, UINT32_MAX >> (32 - bits), &number))
		return refuse(field);
	for (bits -= 8; bits >= 0; bits -= 8)
		buf_u8(field->rdata->wire, number >> bits);
	return OK;
}

static enum err read_period(struct field *field)
{
	uint32_t seconds;

	if (!parse_period(field->text, UINT32_MAX, &seconds))
		return refuse(field);
	buf_u32(field->rdata->wire, seconds);
	return OK;
}

static enum err read_dname(struct field *field)
{
	struct name name;
	enum err err = name_parse_in(field->text, field->rdata->origin,
	                             field->rdata->field, &name, field->why);

	if (err)
		return err;
	/* ldns prints it bare, as if a quoted string began */
	field->read_back |= memchr(name.wire, '"', name.len) != NULL;
	buf_append(field->rdata->wire, name.wire, name.len);
	return OK;
}

/* People paste long keys into TXT: one string of theirs may become several. */
static enum err read_string(struct field *field)
{
	uint16_t type = field->rdata->type;
	const char *from = field->text;
	size_t left;

	if (!unescape(field->text, &left))
		return refuse(field);
	if (left > STRING_MAX && type != RR_TXT && type != TYPE_SPF)
		return refuse(field);
	do {
		size_t len = left < STRING_MAX ? left : STRING_MAX;

		buf_u8(field->rdata->wire, len);
		buf_append(field->rdata->wire, from, len);
		from += len;
		left -= len;
	} while (left);
	return OK;
}

static enum err read_long_string(struct field *field)
{
	size_t len;

	if (!unescape(field->text, &len))
		return refuse(field);
	buf_append(field->rdata->wire, field->text, len);
	return OK;
}

static enum err read_hex(struct field *field)
{
	join_groups(field->text);
	return parse_hex(field->text, field->rdata->wire) ? OK : refuse(field);
}

static enum err read_salt(struct field *field)
{
	size_t len = strcmp(field->text, "-") ? strlen(field->text) / 2 : 0;

	buf_u8(field->rdata->wire, len);
	return !strcmp(field->text, "-") ? OK : read_hex(field);
}

static enum err read_type(struct field *field)
{
	uint16_t type;

	if (!rrtype_lookup(field->text, &type))
		return refuse(field);
	buf_u16(field->rdata->wire, type);
	return OK;
}

static void append_bitmap(struct buf *wire, const uint8_t *bits)
{
	for (int window = 0; window < 256; window++, bits += BITMAP_WINDOW) {
		int len = BITMAP_WINDOW;

		while (len && !bits[len - 1])
			len--;
		if (!len)
			continue;
		buf_u8(wire, window);
		buf_u8(wire, len);
		buf_append(wire, bits, len);
	}
}

static enum err read_bitmap(struct field *field)
{
	uint8_t bits[256 * BITMAP_WINDOW] = { 0 };
	const char *wrong = NULL;
	char *at = field->text;
	struct word word;
	uint16_t type;

	while (next_word(&at, &word, &wrong)) {
		if (word.quoted || !rrtype_lookup(word.text, &type))
			return refuse(field);
		bits[type / 8] |= 0x80 >> type % 8;
	}
	if (wrong)
		return refuse(field);
	append_bitmap(field->rdata->wire, bits);
	return OK;
}

/* RFC 3123: [!]family:address/prefix; zeros at the end of the address are left out. */
static enum err read_prefix(struct field *field)
{
	uint8_t address[sizeof(struct in6_addr)] = { 0 };
	char *text = field->text;
	bool is_negated = *text == '!';
	bool is_v6 = text[is_negated] == '2';
	size_t len = is_v6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	uint32_t prefix;
	char *slash;

	text += is_negated;
	slash = strchr(text, '/');
	if ((*text != '1' && *text != '2') || text[1] != ':' || !slash)
		return refuse(field);
	*slash = '\0';
	if (inet_pton(is_v6 ? AF_INET6 : AF_INET, text + 2, address) != 1 ||
	    !parse_number(slash + 1, len * 8, &prefix))
		return refuse(field);
	while (len && !address[len - 1])
		len--;
	buf_u16(field->rdata->wire, is_v6 ? 2 : 1);
	buf_u8(field->rdata->wire, prefix);
	buf_u8(field->rdata->wire, (is_negated ? 0x80 : 0) | len);
	buf_append(field->rdata->wire, address, len);
	return OK;
}

static enum err convert(struct field *field, ldns_rdf_type type)
{
	ldns_rdf *rdf = ldns_rdf_new_frm_str(type, field->text);

	if (!rdf)
		return refuse(field);
	buf_append(field->rdata->wire, ldns_rdf_data(rdf), ldns_rdf_size(rdf));
	ldns_rdf_deep_free(rdf);
	return OK;
}

/* The kinds that ldns converts: its caps stand in the rows. */
static enum err read_by_ldns(struct field *field)
{
	return convert(field, field->type);
}

static enum err read_base64(struct field *field)
{
	join_groups(field->text);
	return convert(field, LDNS_RDF_TYPE_B64);
}

/* A number, else a mnemonic. "+0" is neither: ldns would read it, and leak. */
static enum err read_mnemonic(struct field *field)
{
	if (*field->text >= '0' && *field->text <= '9')
		return read_number(field);
	return isalpha((unsigned char)*field->text) ? read_by_ldns(field) : refuse(field);
}

/* RFC 4034 3.2: YYYYMMDDHHmmSS, told from seconds by its fourteen digits. */
static enum err read_time(struct field *field)
{
	if (strspn(field->text, "0123456789") == 14 && !field->text[14])
		return read_by_ldns(field);
	return read_number(field);
}

/* RFC 9460 2.2: keys strictly ascend. ldns sorts them but lets one stand twice. */
static bool is_ascending(const uint8_t *params, size_t len)
{
	int last = -1;

	while (len >= 4) {
		int key = params[0] << 8 | params[1];
		size_t size = 4 + (params[2] << 8 | params[3]);

		if (key <= last || size > len)
			return false;
		last = key;
		params += size;
		len -= size;
	}
	return !len;
}

static enum err read_svcparams(struct field *field)
{
	const struct buf *wire = field->rdata->wire;
	size_t before = wire->len;
	enum err err = read_by_ldns(field);

	if (!err && !is_ascending(wire->data + before, wire->len - before))
		return refuse(field);
	return err;
}

/* RFC 4025 2.3.2: what the gateway is stands in the field before. */
static enum err read_gateway(struct field *field, uint8_t gateway_type)
{
	switch (gateway_type) {
	case 0:
		return strcmp(field->text, ".") ? refuse(field) : OK;
	case 1:
		return read_a(field);
	case 2:
		return read_aaaa(field);
	case 3:
		return read_dname(field);
	}
	return refuse(field);
}

static enum err read_ipseckey(struct field *field)
{
	enum { PRECEDENCE, GATEWAY_TYPE, ALGORITHM, GATEWAY, WORDS };
	const char *wrong = NULL;
	struct word words[WORDS];
	uint32_t numbers[GATEWAY];
	char *at = field->text;

	for (int i = 0; i < WORDS; i++)
		if (!next_word(&at, &words[i], &wrong) || words[i].quoted)
			return refuse(field);
	for (int i = 0; i < GATEWAY; i++) {
		if (!parse_number(words[i].text, UINT8_MAX, &numbers[i]))
			return refuse(field);
		buf_u8(field->rdata->wire, numbers[i]);
	}
	field->text = words[GATEWAY].text;

	enum err err = read_gateway(field, numbers[GATEWAY_TYPE]);

	field->text = at;
	return err ? err : read_base64(field);
}

/* Base64 of 65535 octets; SvcParams: "::," is 16 octets, which ldns counts in 16 bits. */
#define KEY_TEXT_MAX 87380
#define SVC_TEXT_MAX 12000

static const struct field_kind kinds[] = {
	/* what it must be
	 *      reader            on the wire   flags               at most */
	[LDNS_RDF_TYPE_A] = { "an IPv4 address",
		read_a,           4,            0,                  0 },
	[LDNS_RDF_TYPE_AAAA] = { "an IPv6 address",
		read_aaaa,        16,           0,                  0 },
	[LDNS_RDF_TYPE_DNAME] = { "a name",
		read_dname,       WIRE_NAME,    0,                  0 },
	[LDNS_RDF_TYPE_INT8] = { "a number from 0 to 255",
		read_number,      1,            0,                  0 },
	[LDNS_RDF_TYPE_INT16] = { "a number from 0 to 65535",
		read_number,      2,            0,                  0 },
	[LDNS_RDF_TYPE_INT32] = { "a number from 0 to 4294967295",
		read_number,      4,            0,                  0 },
	[LDNS_RDF_TYPE_PERIOD] = { "a time in seconds",
		read_period,      4,            0,                  0 },
	[LDNS_RDF_TYPE_TIME] = { "a time, YYYYMMDDHHmmSS",
		read_time,        4,            READ_BACK,          0 },
	[LDNS_RDF_TYPE_STR] = { "a string of at most 255 octets",
		read_string,      WIRE_STRING,  QUOTED | READ_BACK, 0 },
	[LDNS_RDF_TYPE_LONG_STR] = { "a string",
		read_long_string, WIRE_REST,    QUOTED | READ_BACK, 0 },
	[LDNS_RDF_TYPE_TAG] = { "a tag of letters and digits",
		read_by_ldns,     WIRE_STRING,  READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_HEX] = { "pairs of hexadecimal digits",
		read_hex,         WIRE_REST,    REST,               0 },
	[LDNS_RDF_TYPE_B64] = { "base64",
		read_base64,      WIRE_REST,    REST | READ_BACK,   KEY_TEXT_MAX },
	[LDNS_RDF_TYPE_TYPE] = { "a record type",
		read_type,        2,            0,                  15 },
	[LDNS_RDF_TYPE_NSEC] = { "a list of record types",
		read_bitmap,      WIRE_REST,    REST,               0 },
	[LDNS_RDF_TYPE_NSEC3_SALT] = { "'-' or pairs of hexadecimal digits",
		read_salt,        WIRE_STRING,  0,                  2 * STRING_MAX },
	[LDNS_RDF_TYPE_NSEC3_NEXT_OWNER] = { "a hash in base32",
		read_by_ldns,     WIRE_STRING,  READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_ALG] = { "the number of an algorithm",
		read_mnemonic,    1,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_CERT_ALG] = { "the number of a certificate type",
		read_mnemonic,    2,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_CERTIFICATE_USAGE] = { "a certificate usage",
		read_mnemonic,    1,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_SELECTOR] = { "a selector",
		read_mnemonic,    1,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_MATCHING_TYPE] = { "a matching type",
		read_mnemonic,    1,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_APL] = { "[!]family:address/prefix",
		read_prefix,      WIRE_REST,    READ_BACK,          0 },
	[LDNS_RDF_TYPE_ILNP64] = { "four groups of four hexadecimal digits",
		read_by_ldns,     8,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_EUI48] = { "an EUI-48",
		read_by_ldns,     6,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_EUI64] = { "an EUI-64",
		read_by_ldns,     8,            READ_BACK,          STRING_MAX },
	[LDNS_RDF_TYPE_LOC] = { "a location",
		read_by_ldns,     WIRE_REST,    REST | READ_BACK,   STRING_MAX },
	[LDNS_RDF_TYPE_IPSECKEY] = { "PRECEDENCE TYPE ALGORITHM GATEWAY KEY",
		read_ipseckey,    WIRE_REST,    REST | READ_BACK,   KEY_TEXT_MAX },
	[LDNS_RDF_TYPE_SVCPARAMS] = { "a list of key=value, no key twice",
		read_svcparams,   WIRE_REST,    REST | READ_BACK,   SVC_TEXT_MAX },
};

const struct field_kind *field_kind(ldns_rdf_type type)
{
	size_t row = type;

	if (row >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[row].read)
		return NULL;
	return &kinds[row];
}

const ldns_rr_descriptor *field_layout(uint16_t type)
{
	const ldns_rr_descriptor *descriptor = ldns_rr_descript(type);
	size_t count = descriptor->_maximum;

	if (type == TYPE_NSAP_PTR || descriptor->_type != (ldns_rr_type)type)
		return NULL;
	if (descriptor->_variable != LDNS_RDF_TYPE_NONE)
		count++;
	for (size_t i = 0; i < count; i++)
		if (!field_kind(ldns_rr_descriptor_field_type(descriptor, i)))
			return NULL;
	return descriptor;
}
