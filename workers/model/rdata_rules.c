#include "model/rdata_rules.h"

#include <stdlib.h>

#include "model/name.h"
#include "model/presentation.h"
#include "model/presentation_svcb.h"
#include "model/rr.h"

enum {
	TYPE_LOC = 29, TYPE_NSEC3PARAM = 51, TYPE_HIP = 55, TYPE_CDS = 59, TYPE_ZONEMD = 63,
	TYPE_URI = 256, TYPE_AMTRELAY = 260,
};

static size_t rdata_u16(const uint8_t *at)
{
	return (size_t)at[0] << 8 | at[1];
}

/* ---- the rules. They return NULL, or what the data must be. ---- */

static const char *rdata_check_digest(const uint8_t *rdata, size_t len)
{
	static const uint8_t lengths[] = { [1] = 20, [2] = 32, [3] = 32, [4] = 48 };
	size_t digest_type = len > 4 ? rdata[3] : 0;

	if (digest_type < sizeof(lengths) && lengths[digest_type] &&
	    len - 4 != lengths[digest_type])
		return "must have a digest of 20 octets for SHA-1, 32 for SHA-256 and 48 "
		       "for SHA-384 (RFC 4034 5.1.4, RFC 4509, RFC 6605)";
	return NULL;
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
	enum { FIXED = 6, HASH = 5, SHORTEST = 12, SHA384 = 48, SHA512 = 64 };
	size_t digest = len < FIXED ? 0 : len - FIXED;

	if (digest < SHORTEST || (rdata[HASH] == 1 && digest != SHA384) ||
	    (rdata[HASH] == 2 && digest != SHA512))
		return "must have a digest of 48 octets for hash algorithm 1, 64 for 2, "
		       "and at least 12 for others (RFC 8976 2.2)";
	return NULL;
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

static const struct rule {
	uint16_t type;
	const char *(*check)(const uint8_t *rdata, size_t len);
} rules[] = {
	{ RR_DS,           rdata_check_digest },
	{ RR_RRSIG,        rdata_check_rrsig },
	{ TYPE_LOC,        rdata_check_loc },
	{ TYPE_NSEC3PARAM, rdata_check_nsec3param },
	{ TYPE_HIP,        rdata_check_hip },
	{ TYPE_CDS,        rdata_check_digest },
	{ TYPE_ZONEMD,     rdata_check_zonemd },
	{ RR_SVCB,         rdata_check_svcb },
	{ RR_HTTPS,        rdata_check_svcb },
	{ TYPE_URI,        rdata_check_uri },
	{ TYPE_AMTRELAY,   rdata_check_amtrelay },
};

enum err rdata_check(uint16_t type, const uint8_t *rdata, size_t len, const char *field,
                     struct why *why)
{
	const char *wrong = NULL;
	char name[16];

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].type == type)
			wrong = rules[i].check(rdata, len);
	if (!wrong)
		return OK;
	rrtype_format(type, name);
	return fail(why, ERR_INVALID, "%s: a record of type %s %s; these data have %zu "
	            "octets", field, name, wrong, len);
}
