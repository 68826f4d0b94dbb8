#include "dns/canonical.h"

#include <string.h>

#include "base/log.h"

/*
 * The fields up to the last name, for types with names. A digit is a number of octets,
 * 's' a character string, 'n' a name, '*' names to the end. Some depend on the rdata: 'a'
 * the address of an A6, 'g' the gateway of an IPSECKEY, 'r' the relay of an AMTRELAY, 'h'
 * the part of a HIP before its servers. The rest of the rdata is octets.
 */
static const struct layout {
	uint16_t type;
	const char *fields;
} layouts[] = {
	{ RR_NS,    "n" },
	{ 3,        "n" },		/* MD */
	{ 4,        "n" },		/* MF */
	{ RR_CNAME, "n" },
	{ RR_SOA,   "nn" },
	{ 7,        "n" },		/* MB */
	{ 8,        "n" },		/* MG */
	{ 9,        "n" },		/* MR */
	{ RR_PTR,   "n" },
	{ 14,       "nn" },		/* MINFO */
	{ RR_MX,    "2n" },
	{ 17,       "nn" },		/* RP */
	{ 18,       "2n" },		/* AFSDB */
	{ 21,       "2n" },		/* RT */
	{ 23,       "n" },		/* NSAP-PTR */
	{ 24,       "99n" },		/* SIG */
	{ 26,       "2nn" },		/* PX */
	{ 30,       "n" },		/* NXT */
	{ RR_SRV,   "6n" },
	{ 35,       "4sssn" },		/* NAPTR */
	{ 36,       "2n" },		/* KX */
	{ 38,       "a" },		/* A6 */
	{ RR_DNAME, "n" },
	{ 45,       "g" },		/* IPSECKEY */
	{ RR_RRSIG, "99n" },
	{ RR_NSEC,  "n" },
	{ 55,       "h*" },		/* HIP */
	{ 58,       "nn" },		/* TALINK */
	{ 64,       "2n" },		/* SVCB */
	{ 65,       "2n" },		/* HTTPS */
	{ 107,      "2n" },		/* LP */
	{ 260,      "r" },		/* AMTRELAY */
};

static const char *canonical_fields(uint16_t type)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].type == type)
			return layouts[i].fields;
	return "";
}

static void canonical_put(struct canonical *to, const void *data, size_t len)
{
	bug_if(len > sizeof(to->octets) - to->len);
	memcpy(to->octets + to->len, data, len);
	to->len += len;
}

static void canonical_put_u16(struct canonical *to, uint16_t value)
{
	to->octets[to->len++] = value >> 8;
	to->octets[to->len++] = value & 0xff;
}

static bool canonical_has_room(const struct canonical *to, size_t len)
{
	return to->len - to->rdata + len <= UINT16_MAX;
}

/* ---- the fields of rdata ---- */

static void canonical_copy(struct packet_reader *rdata, size_t len, struct canonical *to)
{
	if (rdata->broken || rdata->len - rdata->at < len ||
	    !canonical_has_room(to, len)) {
		rdata->broken = true;
		return;
	}
	canonical_put(to, rdata->data + rdata->at, len);
	rdata->at += len;
}

static void canonical_copy_name(struct packet_reader *rdata, struct canonical *to)
{
	struct name name;

	packet_read_name(rdata, &name);
	if (rdata->broken || !canonical_has_room(to, name.len)) {
		rdata->broken = true;
		return;
	}
	name_fold(&name);
	canonical_put(to, name.wire, name.len);
}

/*
 * The octet at offset I from here; 0 after the end, which canonical_copy() reports as an
 * error.
 */
static unsigned canonical_peek(const struct packet_reader *rdata, size_t i)
{
	return !rdata->broken && rdata->len - rdata->at > i ? rdata->data[rdata->at + i]
	                                                    : 0;
}

/* Copies BEFORE octets, and a name after them if NAMED. */
static void canonical_copy_named(struct packet_reader *rdata, size_t before, bool named,
                                 struct canonical *to)
{
	canonical_copy(rdata, before, to);
	if (named)
		canonical_copy_name(rdata, to);
}

static void canonical_copy_field(struct packet_reader *rdata, char field,
                                 struct canonical *to)
{
	enum { NAMED = 3, RELAY_TYPE = 0x7f, A6_BITS = 128 };
	unsigned bits = canonical_peek(rdata, 0);

	switch (field) {
	case 'n':
		canonical_copy_name(rdata, to);
		break;
	case '*':
		while (!rdata->broken && rdata->at < rdata->len)
			canonical_copy_name(rdata, to);
		break;
	case 's':
		canonical_copy(rdata, 1 + canonical_peek(rdata, 0), to);
		break;
	case 'a':
		canonical_copy_named(
		    rdata, bits > A6_BITS ? 1 : 1 + (A6_BITS - bits + 7) / 8, bits, to);
		break;
	case 'g':
		canonical_copy_named(rdata, 3, canonical_peek(rdata, 1) == NAMED, to);
		break;
	case 'r':
		canonical_copy_named(
		    rdata, 2, (canonical_peek(rdata, 1) & RELAY_TYPE) == NAMED, to);
		break;
	case 'h':
		canonical_copy(
		    rdata,
		    4 + canonical_peek(rdata, 0) +
			(canonical_peek(rdata, 2) << 8 | canonical_peek(rdata, 3)),
		    to);
		break;
	default:
		canonical_copy(rdata, field - '0', to);
	}
}

static bool canonical_put_rdata(struct packet_reader *rdata, struct canonical *to)
{
	to->rdata = to->len;
	for (const char *field = canonical_fields(to->type); *field; field++)
		canonical_copy_field(rdata, *field, to);
	if (!rdata->broken)
		canonical_copy(rdata, rdata->len - rdata->at, to);
	return !rdata->broken;
}

/* ---- a record ---- */

static void canonical_begin(struct canonical *to, const struct name *owner,
                            uint16_t class)
{
	struct name folded = *owner;

	name_fold(&folded);
	to->len = 0;
	canonical_put(to, folded.wire, folded.len);
	canonical_put_u16(to, to->type);
	canonical_put_u16(to, class);
	canonical_put_u16(to, to->ttl >> 16);
	canonical_put_u16(to, to->ttl & 0xffff);
}

bool canonical_of_packet(struct packet_reader *message, const struct packet_rr *rr,
                         struct canonical *canonical)
{
	struct packet_reader rdata = packet_rdata(message, rr);
	bool good;

	if (message->broken)
		return false;
	canonical->type = rr->type;
	canonical->ttl = rr->ttl;
	canonical_begin(canonical, &rr->name, rr->class);
	good = canonical_put_rdata(&rdata, canonical);
	message->pointers = rdata.pointers;
	return good;
}

bool canonical_of_rr(const struct rr *rr, struct canonical *canonical)
{
	struct packet_reader rdata = packet_reader(rr->rdata, rr->rdata_len);
	struct name owner = { .len = name_wire_len(rr->name, NAME_MAX_WIRE) };

	memcpy(owner.wire, rr->name, owner.len);
	canonical->type = rr->type;
	canonical->ttl = rr->ttl;
	canonical_begin(canonical, &owner, RR_CLASS_IN);
	return canonical_put_rdata(&rdata, canonical);
}
