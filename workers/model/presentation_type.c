#include "model/presentation_type.h"

#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "model/presentation.h"
#include "model/presentation_text.h"

enum {
	TYPE_NULL = 10,
	TYPE_META_FIRST = 128,	/* RFC 6895 3.1: up to 255 only in questions */
	TYPE_META_LAST = 255,
	TYPE_RESERVED = 65535,
	TYPE_NAMED_MAX = 512,	/* the types that people write have smaller numbers */
};

/* Types whose names ldns does not know. */
static const struct newer {
	const char *name;
	uint16_t type;
} newer[] = {
	{ "AMTRELAY", 260 },	/* RFC 8777 */
};

/* Types that people write by name, and that zonefleet reads only by number. */
static const struct newer numbered[] = {
	{ "NINFO", 56 }, { "RKEY", 57 }, { "DSYNC", 66 }, { "UINFO", 100 },
	{ "UID", 101 },
	{ "GID", 102 }, { "UNSPEC", 103 }, { "AVC", 258 }, { "DOA", 259 },
	{ "RESINFO", 261 }, { "WALLET", 262 }, { "CLA", 263 }, { "IPN", 264 },
	{ "TA", 32768 },
};

enum { NEWER = sizeof(newer) / sizeof(newer[0]) };

static uint16_t rrtype_by_name(const char *text)
{
	for (size_t i = 0; i < NEWER; i++)
		if (!strcasecmp(text, newer[i].name))
			return newer[i].type;
	return ldns_get_rr_type_by_name(text);
}

bool rrtype_lookup(const char *text, uint16_t *type)
{
	uint32_t number = 0;

	if (!strncasecmp(text, "TYPE", 4)) {
		if (!text_parse_number(text + 4, UINT16_MAX, &number))
			return false;
	} else {
		number = rrtype_by_name(text);
		if (!number)
			return false;
	}
	*type = number;
	return true;
}

static bool rrtype_is_storable(uint16_t type)
{
	return type && type != TYPE_NULL && type != RR_OPT && type != TYPE_RESERVED &&
	       (type < TYPE_META_FIRST || type > TYPE_META_LAST);
}

static void rrtype_suggest(uint16_t type, struct suggest *suggest)
{
	char name[16];

	if (!rrtype_is_storable(type))
		return;
	rrtype_format(type, name);
	if (strncmp(name, "TYPE", 4) != 0)
		suggest_offer(suggest, name, strlen(name));
}

static enum err rrtype_fail(const char *text, const char *field, struct why *why)
{
	static const uint16_t common[] = {
		RR_A, RR_AAAA, RR_NS, RR_MX, RR_TXT, RR_CNAME, RR_SRV, RR_PTR, RR_SOA,
	};
	char shown[21], meant[SUGGEST_TEXT];

	for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]); i++)
		if (!strcasecmp(text, numbered[i].name))
			return fail(why, ERR_INVALID, "%s: zonefleet does not know the "
			            "type '%s' by its name: write TYPE%u and its data as "
			            "\\# LENGTH OCTETS", field, text, numbered[i].type);

	struct suggest suggest = suggest_for(text);

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		rrtype_suggest(common[i], &suggest);
	for (int type = 1; type <= TYPE_NAMED_MAX; type++)
		rrtype_suggest(type, &suggest);

	const char *guess = suggest_text(&suggest, "", meant);

	return fail(why, ERR_INVALID, "%s: must be a record type, not '%s'%s", field,
	            err_quote(text, shown, sizeof(shown)),
	            *guess ? guess : ": if zonefleet does not know a type by its name, "
	            "write its number and data as, for example, TYPE261 \\# 2 0102");
}

enum err rrtype_parse(const char *text, const char *field, uint16_t *type,
                      struct why *why)
{
	uint16_t got;

	if (strnlen(text, 16) == 16 || !rrtype_lookup(text, &got))
		return rrtype_fail(text, field, why);
	if (!rrtype_is_storable(got))
		return fail(why, ERR_INVALID, "%s: zonefleet cannot store records of "
		            "type %s",
		            field, text);
	*type = got;
	return OK;
}

void rrtype_format(uint16_t type, char text[16])
{
	const ldns_rr_descriptor *descriptor = ldns_rr_descript(type);

	for (size_t i = 0; i < NEWER; i++) {
		if (newer[i].type == type) {
			snprintf(text, 16, "%s", newer[i].name);
			return;
		}
	}
	if (descriptor->_type == (ldns_rr_type)type && descriptor->_name)
		snprintf(text, 16, "%s", descriptor->_name);
	else
		snprintf(text, 16, "TYPE%u", type);
}

static const struct form {
	uint16_t type;
	const char *fields;
} forms[] = {
	{ LDNS_RR_TYPE_SOA,        "PRIMARY EMAIL SERIAL REFRESH RETRY EXPIRE MINIMUM" },
	{ LDNS_RR_TYPE_HINFO,      "\"CPU\" \"OS\"" },
	{ LDNS_RR_TYPE_MINFO,      "RMAILBX EMAILBX" },
	{ LDNS_RR_TYPE_MX,         "PREFERENCE HOST" },
	{ LDNS_RR_TYPE_RP,         "MAILBOX TXT-NAME" },
	{ LDNS_RR_TYPE_AFSDB,      "SUBTYPE HOST" },
	{ LDNS_RR_TYPE_ISDN,       "\"ADDRESS\" [\"SUBADDRESS\"]" },
	{ LDNS_RR_TYPE_RT,         "PREFERENCE HOST" },
	{ LDNS_RR_TYPE_SIG,        "TYPE ALGORITHM LABELS TTL EXPIRATION INCEPTION "
				   "KEYTAG SIGNER SIGNATURE" },
	{ LDNS_RR_TYPE_KEY,        "FLAGS PROTOCOL ALGORITHM KEY" },
	{ LDNS_RR_TYPE_PX,         "PREFERENCE MAP822 MAPX400" },
	{ LDNS_RR_TYPE_GPOS,       "\"LONGITUDE\" \"LATITUDE\" \"ALTITUDE\"" },
	{ LDNS_RR_TYPE_SRV,        "PRIORITY WEIGHT PORT HOST" },
	{ LDNS_RR_TYPE_NAPTR,      "ORDER PREFERENCE \"FLAGS\" \"SERVICES\" \"REGEXP\" "
				   "REPLACEMENT" },
	{ LDNS_RR_TYPE_KX,         "PREFERENCE HOST" },
	{ LDNS_RR_TYPE_CERT,       "TYPE KEYTAG ALGORITHM CERTIFICATE" },
	{ LDNS_RR_TYPE_DS,         "KEYTAG ALGORITHM DIGEST-TYPE DIGEST" },
	{ LDNS_RR_TYPE_SSHFP,      "ALGORITHM FINGERPRINT-TYPE FINGERPRINT" },
	{ LDNS_RR_TYPE_RRSIG,      "TYPE ALGORITHM LABELS TTL EXPIRATION INCEPTION "
				   "KEYTAG SIGNER SIGNATURE" },
	{ LDNS_RR_TYPE_NSEC,       "NEXT [TYPE...]" },
	{ LDNS_RR_TYPE_DNSKEY,     "FLAGS PROTOCOL ALGORITHM KEY" },
	{ LDNS_RR_TYPE_NSEC3,      "ALGORITHM FLAGS ITERATIONS SALT NEXT [TYPE...]" },
	{ LDNS_RR_TYPE_NSEC3PARAM, "ALGORITHM FLAGS ITERATIONS SALT" },
	{ LDNS_RR_TYPE_TLSA,       "USAGE SELECTOR MATCHING-TYPE DATA" },
	{ LDNS_RR_TYPE_SMIMEA,     "USAGE SELECTOR MATCHING-TYPE DATA" },
	{ LDNS_RR_TYPE_TALINK,     "PREVIOUS NEXT" },
	{ LDNS_RR_TYPE_CDS,        "KEYTAG ALGORITHM DIGEST-TYPE DIGEST" },
	{ LDNS_RR_TYPE_CDNSKEY,    "FLAGS PROTOCOL ALGORITHM KEY" },
	{ LDNS_RR_TYPE_CSYNC,      "SERIAL FLAGS [TYPE...]" },
	{ LDNS_RR_TYPE_ZONEMD,     "SERIAL SCHEME ALGORITHM DIGEST" },
	{ LDNS_RR_TYPE_SVCB,       "PRIORITY HOST [KEY=VALUE...]" },
	{ LDNS_RR_TYPE_HTTPS,      "PRIORITY HOST [KEY=VALUE...]" },
	{ LDNS_RR_TYPE_NID,        "PREFERENCE NODE-ID" },
	{ LDNS_RR_TYPE_L32,        "PREFERENCE LOCATOR" },
	{ LDNS_RR_TYPE_L64,        "PREFERENCE LOCATOR" },
	{ LDNS_RR_TYPE_LP,         "PREFERENCE NAME" },
	{ LDNS_RR_TYPE_URI,        "PRIORITY WEIGHT \"TARGET\"" },
	{ LDNS_RR_TYPE_CAA,        "FLAGS TAG \"VALUE\"" },
	{ LDNS_RR_TYPE_DLV,        "KEYTAG ALGORITHM DIGEST-TYPE DIGEST" },
};

const char *rrtype_form(uint16_t type, char text[FORM_TEXT])
{
	char name[16];

	*text = '\0';
	rrtype_format(type, name);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (forms[i].type == type)
			snprintf(text, FORM_TEXT, " (%s: %s)", name, forms[i].fields);
	return text;
}

size_t presentation_minimum(const ldns_rr_descriptor *layout)
{
	size_t minimum = ldns_rr_descriptor_minimum(layout);
	bool is_list = minimum && ldns_rr_descriptor_field_type(layout, minimum - 1) ==
	                          LDNS_RDF_TYPE_NSEC;

	return minimum - is_list;
}
