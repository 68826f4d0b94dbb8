#include "model/presentation_field.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>

#include "model/presentation.h"
#include "model/presentation_relay.h"
#include "model/presentation_svcb.h"
#include "model/presentation_type.h"

enum {
	TYPE_NSAP_PTR = 23,	/* ldns reads its name as a string */
	TYPE_SINK = 40,		/* ldns knows none of its fields */
	TYPE_SPF = 99,
	STRING_MAX = 255,
	BITMAP_WINDOW = 32,	/* RFC 4034 4.1.2: octets for 256 types */
};

static enum err field_refuse(struct field *field)
{
	char shown[41], form[FORM_TEXT];

	return fail(field->why, ERR_INVALID, "%s: field %d must be %s, not '%s'%s",
	            field->rdata->field, field->number, field->kind->words,
	            err_quote(field->text, shown, sizeof(shown)),
	            rrtype_form(field->rdata->type, form));
}

static enum err field_read_address(struct field *field, int family, size_t len)
{
	uint8_t address[sizeof(struct in6_addr)];

	if (inet_pton(family, field->text, address) != 1)
		return field_refuse(field);
	buf_append(field->rdata->wire, address, len);
	return OK;
}

static enum err field_read_a(struct field *field)
{
	return field_read_address(field, AF_INET, sizeof(struct in_addr));
}

static enum err field_read_aaaa(struct field *field)
{
	return field_read_address(field, AF_INET6, sizeof(struct in6_addr));
}

/* Reads a number that fits into the octets of the kind. */
static enum err field_read_number(struct field *field)
{
	int bits = 8 * field->kind->wire;
	uint32_t number;

	if (!text_parse_number(field->text, UINT32_MAX >> (32 - bits), &number))
		return field_refuse(field);
	for (bits -= 8; bits >= 0; bits -= 8)
		buf_u8(field->rdata->wire, number >> bits);
	return OK;
}

static enum err field_read_period(struct field *field)
{
	uint32_t seconds;

	if (!text_parse_period(field->text, UINT32_MAX, &seconds))
		return field_refuse(field);
	buf_u32(field->rdata->wire, seconds);
	return OK;
}

static enum err field_read_dname(struct field *field)
{
	struct name name;
	enum err err = name_parse_in(field->text, field->rdata->origin,
	                             field->rdata->field, &name, field->why);

	if (!err)
		buf_append(field->rdata->wire, name.wire, name.len);
	return err;
}

/* Long keys are pasted into TXT records, so a long string is divided into several. */
static enum err field_read_string(struct field *field)
{
	uint16_t type = field->rdata->type;
	const char *from = field->text;
	size_t left;

	if (!text_unescape(field->text, &left))
		return field_refuse(field);
	if (left > STRING_MAX && type != RR_TXT && type != TYPE_SPF)
		return field_refuse(field);
	do {
		size_t len = left < STRING_MAX ? left : STRING_MAX;

		buf_u8(field->rdata->wire, len);
		buf_append(field->rdata->wire, from, len);
		from += len;
		left -= len;
	} while (left);
	return OK;
}

static enum err field_read_long_string(struct field *field)
{
	size_t len;

	if (!text_unescape(field->text, &len))
		return field_refuse(field);
	buf_append(field->rdata->wire, field->text, len);
	return OK;
}

static enum err field_read_hex(struct field *field)
{
	text_join_groups(field->text);
	return text_parse_hex(field->text, field->rdata->wire) ? OK : field_refuse(field);
}

static enum err field_read_salt(struct field *field)
{
	size_t len = strcmp(field->text, "-") ? strlen(field->text) / 2 : 0;

	buf_u8(field->rdata->wire, len);
	return !strcmp(field->text, "-") ? OK : field_read_hex(field);
}

static enum err field_read_type(struct field *field)
{
	uint16_t type;

	if (!rrtype_lookup(field->text, &type))
		return field_refuse(field);
	buf_u16(field->rdata->wire, type);
	return OK;
}

static void field_append_bitmap(struct buf *wire, const uint8_t *bits)
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

static enum err field_read_bitmap(struct field *field)
{
	uint8_t bits[256 * BITMAP_WINDOW] = { 0 };
	const char *wrong = NULL;
	char *at = field->text;
	struct word word;
	uint16_t type;

	while (text_next_word(&at, &word, &wrong)) {
		if (word.quoted || !rrtype_lookup(word.text, &type))
			return field_refuse(field);
		bits[type / 8] |= 0x80 >> type % 8;
	}
	if (wrong)
		return field_refuse(field);
	field_append_bitmap(field->rdata->wire, bits);
	return OK;
}

/* RFC 3123: [!]family:address/prefix. Zeros at the end of the address are omitted. */
static enum err field_read_prefix(struct field *field)
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
		return field_refuse(field);
	*slash = '\0';
	if (inet_pton(is_v6 ? AF_INET6 : AF_INET, text + 2, address) != 1 ||
	    !text_parse_number(slash + 1, len * 8, &prefix))
		return field_refuse(field);
	while (len && !address[len - 1])
		len--;
	buf_u16(field->rdata->wire, is_v6 ? 2 : 1);
	buf_u8(field->rdata->wire, prefix);
	buf_u8(field->rdata->wire, (is_negated ? 0x80 : 0) | len);
	buf_append(field->rdata->wire, address, len);
	return OK;
}

static enum err field_convert(struct field *field, ldns_rdf_type type)
{
	ldns_rdf *rdf = ldns_rdf_new_frm_str(type, field->text);

	if (!rdf)
		return field_refuse(field);
	buf_append(field->rdata->wire, ldns_rdf_data(rdf), ldns_rdf_size(rdf));
	ldns_rdf_deep_free(rdf);
	return OK;
}

/* Reads the kinds that ldns converts; the rows have its limits. */
static enum err field_read_by_ldns(struct field *field)
{
	return field_convert(field, field->type);
}

static enum err field_read_base64(struct field *field)
{
	text_join_groups(field->text);
	return field_convert(field, LDNS_RDF_TYPE_B64);
}

/*
 * Reads a number or a mnemonic. "+0" is refused, because ldns would read it and leak
 * memory.
 */
static enum err field_read_mnemonic(struct field *field)
{
	if (*field->text >= '0' && *field->text <= '9')
		return field_read_number(field);
	return isalpha((unsigned char)*field->text) ? field_read_by_ldns(field)
						    : field_refuse(field);
}

/* RFC 4034 3.2: fourteen digits are YYYYMMDDHHmmSS, other numbers are seconds. */
static enum err field_read_time(struct field *field)
{
	if (strspn(field->text, "0123456789") == 14 && !field->text[14])
		return field_read_by_ldns(field);
	return field_read_number(field);
}

static enum err field_read_svcparams(struct field *field)
{
	return svcb_read(field->text, field->rdata->field, field->rdata->wire,
	                 field->why);
}

static bool field_print_dname(const uint8_t *wire, size_t len, struct buf *text)
{
	(void)len;
	text_print_name(wire, text);
	return true;
}

/* RFC 4025 2.3.2: the previous field has the type of the gateway. */
static enum err field_read_gateway(struct field *field, uint8_t gateway_type)
{
	switch (gateway_type) {
	case 0:
		return strcmp(field->text, ".") ? field_refuse(field) : OK;
	case 1:
		return field_read_a(field);
	case 2:
		return field_read_aaaa(field);
	case 3:
		return field_read_dname(field);
	}
	return field_refuse(field);
}

static enum err field_read_ipseckey(struct field *field)
{
	enum { PRECEDENCE, GATEWAY_TYPE, ALGORITHM, GATEWAY, WORDS };
	const char *wrong = NULL;
	struct word words[WORDS];
	uint32_t numbers[GATEWAY];
	char *at = field->text;

	for (int i = 0; i < WORDS; i++)
		if (!text_next_word(&at, &words[i], &wrong) || words[i].quoted)
			return field_refuse(field);
	for (int i = 0; i < GATEWAY; i++) {
		if (!text_parse_number(words[i].text, UINT8_MAX, &numbers[i]))
			return field_refuse(field);
		buf_u8(field->rdata->wire, numbers[i]);
	}
	field->text = words[GATEWAY].text;

	enum err err = field_read_gateway(field, numbers[GATEWAY_TYPE]);

	field->text = at;
	return err ? err : field_read_base64(field);
}

/* Base64 of 65535 octets. */
#define KEY_TEXT_MAX 87380

static const struct field_kind kinds[] = {
	/* what it must be
	 *      reader            on the wire   flags               at most     printer */
	[LDNS_RDF_TYPE_A] = { "an IPv4 address", field_read_a, 4, 0, 0 },
	[LDNS_RDF_TYPE_AAAA] = { "an IPv6 address", field_read_aaaa, 16, 0, 0 },
	[LDNS_RDF_TYPE_DNAME] = { "a name", field_read_dname, WIRE_NAME, 0, 0,
				  field_print_dname },
	[LDNS_RDF_TYPE_INT8] = { "a number from 0 to 255", field_read_number, 1, 0, 0 },
	[LDNS_RDF_TYPE_INT16] = { "a number from 0 to 65535", field_read_number, 2, 0,
				  0 },
	[LDNS_RDF_TYPE_INT32] = { "a number from 0 to 4294967295", field_read_number, 4,
				  0, 0 },
	[LDNS_RDF_TYPE_PERIOD] = { "a time in seconds", field_read_period, 4, 0, 0 },
	[LDNS_RDF_TYPE_TIME] = { "a time, YYYYMMDDHHmmSS", field_read_time, 4, READ_BACK,
				 0 },
	[LDNS_RDF_TYPE_STR] = { "a string of at most 255 octets", field_read_string,
				WIRE_STRING, QUOTED | READ_BACK, 0 },
	[LDNS_RDF_TYPE_LONG_STR] = { "a string", field_read_long_string, WIRE_REST,
				     QUOTED | READ_BACK, 0 },
	[LDNS_RDF_TYPE_TAG] = { "a tag of letters and digits", field_read_by_ldns,
				WIRE_STRING, READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_HEX] = { "pairs of hexadecimal digits", field_read_hex, WIRE_REST,
				REST, 0 },
	[LDNS_RDF_TYPE_B64] = { "base64", field_read_base64, WIRE_REST, REST | READ_BACK,
				KEY_TEXT_MAX },
	[LDNS_RDF_TYPE_TYPE] = { "a record type", field_read_type, 2, 0, 15 },
	[LDNS_RDF_TYPE_NSEC] = { "a list of record types", field_read_bitmap, WIRE_REST,
				 REST, 0 },
	[LDNS_RDF_TYPE_NSEC3_SALT] = { "'-' or pairs of hexadecimal digits",
				       field_read_salt, WIRE_STRING, 0, 2 * STRING_MAX },
	[LDNS_RDF_TYPE_NSEC3_NEXT_OWNER] = { "a hash in base32", field_read_by_ldns,
					     WIRE_STRING, READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_ALG] = { "the number of an algorithm", field_read_mnemonic, 1,
				READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_CERT_ALG] = { "the number of a certificate type",
				     field_read_mnemonic, 2, READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_CERTIFICATE_USAGE] = { "a certificate usage", field_read_mnemonic,
					      1, READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_SELECTOR] = { "a selector", field_read_mnemonic, 1, READ_BACK,
				     STRING_MAX },
	[LDNS_RDF_TYPE_MATCHING_TYPE] = { "a matching type", field_read_mnemonic, 1,
					  READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_APL] = { "[!]family:address/prefix", field_read_prefix, WIRE_REST,
				READ_BACK, 0 },
	[LDNS_RDF_TYPE_ILNP64] = { "four groups of four hexadecimal digits",
				   field_read_by_ldns, 8, READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_EUI48] = { "an EUI-48 address", field_read_by_ldns, 6, READ_BACK,
				  STRING_MAX },
	[LDNS_RDF_TYPE_EUI64] = { "an EUI-64 address", field_read_by_ldns, 8, READ_BACK,
				  STRING_MAX },
	[LDNS_RDF_TYPE_LOC] = { "a location", field_read_by_ldns, WIRE_REST,
				REST | READ_BACK, STRING_MAX },
	[LDNS_RDF_TYPE_IPSECKEY] = { "PRECEDENCE TYPE ALGORITHM GATEWAY KEY",
				     field_read_ipseckey, WIRE_REST, REST | READ_BACK,
				     KEY_TEXT_MAX },
	[LDNS_RDF_TYPE_SVCPARAMS] = { "a list of key=value", field_read_svcparams,
				      WIRE_REST, REST, 0, svcb_print },
	[LDNS_RDF_TYPE_HIP] = { "ALGORITHM HIT KEY [SERVER...], with the HIT in "
				"hexadecimal and the key in base64 (RFC 8005 6)",
				field_read_hip, WIRE_REST, REST, 0, field_print_hip },
	[LDNS_RDF_TYPE_AMTRELAY] = { "PRECEDENCE D TYPE RELAY, with a relay of the type "
				     "(RFC 8777 4.3)", field_read_amtrelay, WIRE_REST,
				     REST, 0, field_print_amtrelay },
};

/* Types that ldns lays out otherwise, or not at all. */
static const ldns_rdf_type hip_fields[] = { LDNS_RDF_TYPE_HIP };
static const ldns_rdf_type amtrelay_fields[] = { LDNS_RDF_TYPE_AMTRELAY };
static const ldns_rr_descriptor layouts[] = {
	{ LDNS_RR_TYPE_HIP, "HIP", 1, 1, hip_fields, LDNS_RDF_TYPE_NONE,
	  LDNS_RR_NO_COMPRESS, 0 },
	{ LDNS_RR_TYPE_AMTRELAY, "AMTRELAY", 1, 1, amtrelay_fields, LDNS_RDF_TYPE_NONE,
	  LDNS_RR_NO_COMPRESS, 0 },
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

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i]._type == (ldns_rr_type)type)
			return &layouts[i];
	if (type == TYPE_NSAP_PTR || type == TYPE_SINK ||
	    descriptor->_type != (ldns_rr_type)type)
		return NULL;
	if (descriptor->_variable != LDNS_RDF_TYPE_NONE)
		count++;
	for (size_t i = 0; i < count; i++)
		if (!field_kind(ldns_rr_descriptor_field_type(descriptor, i)))
			return NULL;
	return descriptor;
}
