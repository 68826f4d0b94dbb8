#include "model/rdata_rules.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/name.h"
#include "model/presentation.h"
#include "model/presentation_svcb.h"
#include "model/rr.h"

enum {
	TYPE_WKS = 11, TYPE_X25 = 19, TYPE_NSAP_PTR = 23, TYPE_LOC = 29, TYPE_NXT = 30,
	TYPE_ATMA = 34, TYPE_A6 = 38, TYPE_SINK = 40, TYPE_NSEC3PARAM = 51,
	TYPE_HIP = 55, TYPE_NINFO = 56, TYPE_RKEY = 57, TYPE_CDS = 59, TYPE_ZONEMD = 63,
	TYPE_URI = 256, TYPE_AVC = 258, TYPE_DOA = 259, TYPE_AMTRELAY = 260,
	TYPE_RESINFO = 261, TYPE_WALLET = 262,
	TYPE_TA = 32768, TYPE_DLV = 32769,
};

static size_t rdata_u16(const uint8_t *at)
{
	return (size_t)at[0] << 8 | at[1];
}

/* ---- the rules. They return NULL, or what the data must be. ---- */

/* The lengths of the digests of an algorithm; the last row has octets 0. */
struct digest {
	uint8_t algorithm, octets;
	const char *words;
};

/* The octet before DIGEST is its algorithm. Takes any digest of an unknown algorithm. */
static const char *digest_check(const struct digest *table, const uint8_t *digest,
                                size_t len)
{
	for (; table->octets; table++)
		if (digest[-1] == table->algorithm && len != table->octets)
			return table->words;
	return NULL;
}

enum { DS_FIXED = 4, SSHFP_FIXED = 2, ZONEMD_FIXED = 6 };	/* before the digest */

static const char *rdata_check_digest(const uint8_t *rdata, size_t len)
{
	static const struct digest table[] = {
		{ 1, 20, "must have a digest of 20 octets for digest type 1, SHA-1 (RFC "
		         "4034 5.1.4)" },
		{ 2, 32, "must have a digest of 32 octets for digest type 2, SHA-256 "
		         "(RFC 4509 2.2)" },
		{ 3, 32, "must have a digest of 32 octets for digest type 3, GOST (RFC "
		         "5933 4)" },
		{ 4, 48, "must have a digest of 48 octets for digest type 4, SHA-384 "
		         "(RFC 6605 2)" },
		{ 0 }
	};

	return len > DS_FIXED ? digest_check(table, rdata + DS_FIXED, len - DS_FIXED)
	                      : NULL;
}

static const char *rdata_check_rrsig(const uint8_t *rdata, size_t len)
{
	if (rr_served_ttl(RR_RRSIG, rdata, len, 0) > RR_TTL_MAX)
		return "must have an Original TTL of at most 2147483647 (RFC 2181 8)";
	return NULL;
}

/* True: a size in centimetres, a digit and a power of ten in four bits each. */
static bool loc_is_size(uint8_t octet)
{
	return octet >> 4 <= 9 && (octet & 0xf) <= 9;
}

/* True: thousandths of a second of arc from the middle, 2^31, up to DEGREES. */
static bool loc_is_within(const uint8_t *at, int64_t degrees)
{
	int64_t value = (int64_t)(rdata_u16(at) << 16 | rdata_u16(at + 2)) - (1LL << 31);

	return llabs(value) <= degrees * 3600 * 1000;
}

static const char *rdata_check_loc(const uint8_t *rdata, size_t len)
{
	enum { LEN = 16, LATITUDE = 4, LONGITUDE = 8 };

	if (len == LEN && !rdata[0] && loc_is_size(rdata[1]) && loc_is_size(rdata[2]) &&
	    loc_is_size(rdata[3]) && loc_is_within(rdata + LATITUDE, 90) &&
	    loc_is_within(rdata + LONGITUDE, 180))
		return NULL;
	return "must have version 0, sizes with digits from 0 to 9, a latitude up to 90 "
	       "degrees and a longitude up to 180 degrees (RFC 1876 2)";
}

static const char *rdata_check_nsec3param(const uint8_t *rdata, size_t len)
{
	enum { SALT_LEN = 4 };

	if (len <= SALT_LEN || len - SALT_LEN - 1 != rdata[SALT_LEN])
		return "must have a hash algorithm, flags, iterations and a salt of the "
		       "given length (RFC 5155 4.2)";
	return NULL;
}

/* True: LEFT octets are uncompressed names. */
static bool rdata_has_only_names(const uint8_t *at, size_t left)
{
	while (left) {
		size_t len = name_wire_len(at, left);

		if (!len)
			return false;
		at += len;
		left -= len;
	}
	return true;
}

static const char *rdata_check_hip(const uint8_t *rdata, size_t len)
{
	enum { FIXED = 4 };
	size_t before = len < FIXED ? 0 : FIXED + rdata[0] + rdata_u16(rdata + 2);

	if (!before || !rdata[0] || !rdata_u16(rdata + 2) || before > len ||
	    !rdata_has_only_names(rdata + before, len - before))
		return "must have a HIT and a public key of the given lengths, which are "
		       "not 0, and then names of rendezvous servers (RFC 8005 5)";
	return NULL;
}

static const char *rdata_check_zonemd(const uint8_t *rdata, size_t len)
{
	enum { SHORTEST = 12 };
	static const struct digest table[] = {
		{ 1, 48, "must have a digest of 48 octets for hash algorithm 1, SHA-384 "
		         "(RFC 8976 2.2.3)" },
		{ 2, 64, "must have a digest of 64 octets for hash algorithm 2, SHA-512 "
		         "(RFC 8976 2.2.3)" },
		{ 0 }
	};
	size_t digest = len < ZONEMD_FIXED ? 0 : len - ZONEMD_FIXED;
	const char *wrong = digest ? digest_check(table, rdata + ZONEMD_FIXED, digest)
	                           : NULL;

	if (!wrong && digest < SHORTEST)
		wrong = "must have a digest of at least 12 octets (RFC 8976 2.2.4)";
	return wrong;
}

static const char *rdata_check_svcb(const uint8_t *rdata, size_t len)
{
	size_t before = len < 2 ? 0 : name_wire_len(rdata + 2, len - 2);

	return before ? svcb_check(rdata + 2 + before, len - 2 - before)
	              : "must have a priority and a name (RFC 9460 2.2)";
}

static const char *rdata_check_uri(const uint8_t *rdata, size_t len)
{
	(void)rdata;
	return len > 4 ? NULL : "must have a target that is not empty (RFC 7553 4.5)";
}

static const char *rdata_check_amtrelay(const uint8_t *rdata, size_t len)
{
	enum { FIXED = 2, TYPE_BITS = 0x7f };
	size_t left = len < FIXED ? 0 : len - FIXED;
	bool is_good = false;

	switch (len < FIXED ? -1 : rdata[1] & TYPE_BITS) {
	case 0:
		is_good = !left;
		break;
	case 1:
		is_good = left == 4;
		break;
	case 2:
		is_good = left == 16;
		break;
	case 3:
		is_good = left && name_wire_len(rdata + FIXED, left) == left;
		break;
	}
	return is_good ? NULL
	               : "must have a precedence, a type and a relay of this type: none, "
	                 "an IPv4 address, an IPv6 address or a name (RFC 8777 4.2)";
}

static const char *rdata_check_sshfp(const uint8_t *rdata, size_t len)
{
	static const struct digest table[] = {
		{ 1, 20, "must have a fingerprint of 20 octets for fingerprint type 1, "
		         "SHA-1 (RFC 4255 3.1.3)" },
		{ 2, 32, "must have a fingerprint of 32 octets for fingerprint type 2, "
		         "SHA-256 (RFC 6594 5)" },
		{ 0 }
	};

	if (len <= SSHFP_FIXED)
		return "must have a fingerprint (RFC 4255 3.1.3)";
	return digest_check(table, rdata + SSHFP_FIXED, len - SSHFP_FIXED);
}

/* ---- NAPTR ---- */

/* Moves *at after a character-string. False: it does not end within LEN. */
static bool rdata_skip_string(const uint8_t *rdata, size_t len, size_t *at)
{
	if (*at >= len || len - *at - 1 < rdata[*at])
		return false;
	*at += rdata[*at] + 1U;
	return true;
}

/* True: "!expression!replacement!i", where the first octet can be another delimiter. */
static bool naptr_is_substitution(const uint8_t *text, size_t len)
{
	size_t delimiters = 1;

	if (!text[0] || text[0] == '\\' || text[0] == 'i' || isdigit(text[0]))
		return false;
	for (size_t i = 1; i < len; i++) {
		if (delimiters == 3 && text[i] != 'i')
			return false;
		if (text[i] == '\\')
			i++;
		else if (text[i] == text[0])
			delimiters++;
	}
	return delimiters == 3;
}

static const char *rdata_check_naptr(const uint8_t *rdata, size_t len)
{
	enum { STRINGS = 4 };
	size_t at = STRINGS;
	const uint8_t *regexp;

	if (!rdata_skip_string(rdata, len, &at) || !rdata_skip_string(rdata, len, &at) ||
	    at >= len || len - at - 1 < rdata[at])
		return NULL;	/* the type has no such data */
	regexp = rdata + at;
	if (!regexp[0] || naptr_is_substitution(regexp + 1, regexp[0]))
		return NULL;
	return "must have an empty regular expression or one of the form "
	       "'!expression!replacement!' (RFC 3402 3.2)";
}

/* ---- types of the past, whose data have the generic form \# only ---- */

static const char *rdata_check_wks(const uint8_t *rdata, size_t len)
{
	enum { FIXED = 5, BITS = 8192 };

	(void)rdata;
	return len >= FIXED && len <= FIXED + BITS
	           ? NULL : "must have an IPv4 address, a protocol and a bit map of at "
	                    "most 8192 octets (RFC 1035 3.4.2)";
}

static const char *rdata_check_x25(const uint8_t *rdata, size_t len)
{
	enum { SHORTEST = 4 };
	size_t i = 1;

	while (i < len && isdigit(rdata[i]))
		i++;
	return i == len && len > SHORTEST
	           ? NULL : "must have at least 4 digits (RFC 1183 3.1)";
}

static const char *rdata_check_nsap_ptr(const uint8_t *rdata, size_t len)
{
	return len && name_wire_len(rdata, len) == len
	           ? NULL : "must be a name (RFC 1706 6)";
}

static const char *rdata_check_nxt(const uint8_t *rdata, size_t len)
{
	enum { BITS = 16 };
	size_t name = name_wire_len(rdata, len), left = len - name;

	if (name && (!left || rdata[name] & 0x80 || (left <= BITS && rdata[len - 1])))
		return NULL;
	return "must have a name, and a bit map of at most 16 octets that does not end "
	       "with an octet 0 (RFC 2535 5.2)";
}

static const char *rdata_check_atma(const uint8_t *rdata, size_t len)
{
	(void)rdata;
	return len > 1 ? NULL : "must have a format and an address (ATM Forum "
	                        "AF-SAA-0069 5.2)";
}

static const char *rdata_check_a6(const uint8_t *rdata, size_t len)
{
	enum { BITS = 128, OCTETS = 16 };
	size_t prefix = len ? rdata[0] : BITS + 1, suffix = OCTETS - prefix / 8;
	const char *wrong = "must have a prefix length of at most 128, an address suffix "
	                    "of the given length, and a name unless the length is 0 (RFC "
	                    "2874 3.1)";

	if (prefix > BITS || len < 1 + suffix)
		return wrong;
	if (prefix % 8 && rdata[1] & ~(0xff >> prefix % 8))
		return wrong;
	len -= 1 + suffix;
	rdata += 1 + suffix;
	return prefix ? (len && name_wire_len(rdata, len) == len ? NULL : wrong)
	              : (len ? wrong : NULL);
}

static const char *rdata_check_sink(const uint8_t *rdata, size_t len)
{
	(void)rdata;
	return len >= 3 ? NULL : "must have a meaning, a coding and a subcoding "
	                         "(draft-eastlake-kitchen-sink 2)";
}

static const char *rdata_check_strings(const uint8_t *rdata, size_t len)
{
	size_t at = 0;

	while (at < len && rdata_skip_string(rdata, len, &at))
		;
	return len && at == len
	           ? NULL : "must have character-strings, like TXT (RFC 1035 3.3.14)";
}

static const char *rdata_check_doa(const uint8_t *rdata, size_t len)
{
	enum { FIXED = 9 };
	size_t at = FIXED;

	return rdata_skip_string(rdata, len, &at)
	           ? NULL : "must have an enterprise, a type, a location, a media type "
	                    "and data (draft-durand-doa-over-dns 3)";
}

static const char *rdata_check_rkey(const uint8_t *rdata, size_t len)
{
	enum { FIXED = 4 };

	return len > FIXED && !rdata_u16(rdata)
	           ? NULL : "must have the flags 0, a protocol, an algorithm and a key "
	                    "(draft-reid-dnsext-rkey)";
}

static const char *rdata_check_nsec(const uint8_t *rdata, size_t len)
{
	return name_wire_len(rdata, len) < len
	           ? NULL : "must have a name and at least one type (RFC 4034 4.1.2)";
}

static const char *rdata_check_ta(const uint8_t *rdata, size_t len)
{
	return len > DS_FIXED ? rdata_check_digest(rdata, len)
	                      : "must have the fields of a DS record (RFC 4034 5.1)";
}

static const char *rdata_check_key(const uint8_t *rdata, size_t len)
{
	enum { FIXED = 4, NO_KEY = 0xc0 };

	if (len == FIXED || (len > FIXED && (rdata[0] & NO_KEY) != NO_KEY))
		return NULL;
	return "must have flags, a protocol and an algorithm, and no key if the flags "
	       "say so (RFC 2535 3.1.2)";
}

static const struct rule {
	uint16_t type;
	const char *(*check)(const uint8_t *rdata, size_t len);
	/* the part whose length the error shows, and its offset; NULL: all the data */
	const char *part;
	uint8_t fixed;
} rules[] = {
	{ TYPE_WKS,        rdata_check_wks },
	{ TYPE_X25,        rdata_check_x25, "the address has", 1 },
	{ TYPE_NSAP_PTR,   rdata_check_nsap_ptr },
	{ RR_KEY,          rdata_check_key },
	{ TYPE_NXT,        rdata_check_nxt },
	{ TYPE_ATMA,       rdata_check_atma },
	{ RR_NAPTR,        rdata_check_naptr },
	{ TYPE_A6,         rdata_check_a6 },
	{ TYPE_SINK,       rdata_check_sink },
	{ RR_DS,           rdata_check_digest, "this digest has", DS_FIXED },
	{ RR_SSHFP,        rdata_check_sshfp, "this fingerprint has", SSHFP_FIXED },
	{ RR_RRSIG,        rdata_check_rrsig },
	{ RR_NSEC,         rdata_check_nsec },
	{ TYPE_LOC,        rdata_check_loc },
	{ TYPE_NSEC3PARAM, rdata_check_nsec3param },
	{ TYPE_HIP,        rdata_check_hip },
	{ TYPE_NINFO,      rdata_check_strings },
	{ TYPE_RKEY,       rdata_check_rkey },
	{ TYPE_CDS,        rdata_check_digest, "this digest has", DS_FIXED },
	{ TYPE_ZONEMD,     rdata_check_zonemd, "this digest has", ZONEMD_FIXED },
	{ RR_SVCB,         rdata_check_svcb },
	{ RR_HTTPS,        rdata_check_svcb },
	{ TYPE_URI,        rdata_check_uri },
	{ TYPE_AVC,        rdata_check_strings },
	{ TYPE_DOA,        rdata_check_doa },
	{ TYPE_AMTRELAY,   rdata_check_amtrelay },
	{ TYPE_RESINFO,    rdata_check_strings },
	{ TYPE_WALLET,     rdata_check_strings },
	{ TYPE_TA,         rdata_check_ta, "this digest has", DS_FIXED },
	{ TYPE_DLV,        rdata_check_digest, "this digest has", DS_FIXED },
};

static const struct rule *rdata_rule(uint16_t type)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].type == type)
			return &rules[i];
	return NULL;
}

enum err rdata_check(uint16_t type, const uint8_t *rdata, size_t len, const char *field,
                     struct why *why)
{
	const struct rule *rule = rdata_rule(type);
	const char *wrong = rule ? rule->check(rdata, len) : NULL;
	bool has_part = wrong && rule->part && len >= rule->fixed;
	char name[16];

	if (!wrong)
		return OK;
	if (has_part)
		len -= rule->fixed;
	rrtype_format(type, name);
	return fail(why, ERR_INVALID, "%s: a record of type %s %s; %s %zu octet%s", field,
	            name, wrong, has_part ? rule->part : "these data have", len,
	            len == 1 ? "" : "s");
}
