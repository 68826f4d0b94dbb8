#include "dns/canonical.h"

#include <string.h>

#include "base/log.h"

/*
 * What is before the last name of each type that has some. In its fields a digit is so
 * many octets, 's' a character string, 'n' a name, '*' names to the end; and what needs
 * a look at the rdata: 'a' the address of an A6, 'g' the gateway of an IPSECKEY, 'r' the
 * relay of an AMTRELAY, 'h' what a HIP has before its servers. The rest is octets.
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

static const char *fields_of(uint16_t type)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (layouts[i].type == type)
			return layouts[i].fields;
	return "";
}

static void put(struct canonical *to, const void *data, size_t len)
{
	bug_if(len > sizeof(to->octets) - to->len);
	memcpy(to->octets + to->len, data, len);
	to->len += len;
}

static void put_u16(struct canonical *to, uint16_t value)
{
	to->octets[to->len++] = value >> 8;
	to->octets[to->len++] = value & 0xff;
}

static bool has_room(const struct canonical *to, size_t len)
{
	return to->len - to->rdata + len <= UINT16_MAX;
}

/* ---- the fields of rdata ---- */

static void copy(struct packet_reader *rdata, size_t len, struct canonical *to)
{
	if (rdata->broken || rdata->len - rdata->at < len || !has_room(to, len)) {
		rdata->broken = true;
		return;
	}
	put(to, rdata->data + rdata->at, len);
	rdata->at += len;
}

static void copy_name(struct packet_reader *rdata, struct canonical *to)
{
	struct name name;

	packet_read_name(rdata, &name);
	if (rdata->broken || !has_room(to, name.len)) {
		rdata->broken = true;
		return;
	}
	name_fold(&name);
	put(to, name.wire, name.len);
}

/* The octet that comes I behind the next; 0 if there is none, which copy() notices. */
static unsigned peek(const struct packet_reader *rdata, size_t i)
{
	return !rdata->broken && rdata->len - rdata->at > i ? rdata->data[rdata->at + i]
	                                                    : 0;
}

/* Behind BEFORE octets, of which one says with NAMED that a name follows. */
static void copy_named(struct packet_reader *rdata, size_t before, bool named,
                       struct canonical *to)
{
	copy(rdata, before, to);
	if (named)
		copy_name(rdata, to);
}

static void copy_field(struct packet_reader *rdata, char field, struct canonical *to)
{
	enum { NAMED = 3, RELAY_TYPE = 0x7f, A6_BITS = 128 };
	unsigned bits = peek(rdata, 0);

	switch (field) {
	case 'n':
		copy_name(rdata, to);
		break;
	case '*':
		while (!rdata->broken && rdata->at < rdata->len)
			copy_name(rdata, to);
		break;
	case 's':
		copy(rdata, 1 + peek(rdata, 0), to);
		break;
	case 'a':
		copy_named(rdata, bits > A6_BITS ? 1 : 1 + (A6_BITS - bits + 7) / 8,
		           bits, to);
		break;
	case 'g':
		copy_named(rdata, 3, peek(rdata, 1) == NAMED, to);
		break;
	case 'r':
		copy_named(rdata, 2, (peek(rdata, 1) & RELAY_TYPE) == NAMED, to);
		break;
	case 'h':
		copy(rdata, 4 + peek(rdata, 0) + (peek(rdata, 2) << 8 | peek(rdata, 3)),
		     to);
		break;
	default:
		copy(rdata, field - '0', to);
	}
}

static bool put_rdata(struct packet_reader *rdata, struct canonical *to)
{
	to->rdata = to->len;
	for (const char *field = fields_of(to->type); *field; field++)
		copy_field(rdata, *field, to);
	if (!rdata->broken)
		copy(rdata, rdata->len - rdata->at, to);
	return !rdata->broken;
}

/* ---- a record ---- */

static void begin(struct canonical *to, const struct name *owner, uint16_t class)
{
	struct name folded = *owner;

	name_fold(&folded);
	to->len = 0;
	put(to, folded.wire, folded.len);
	put_u16(to, to->type);
	put_u16(to, class);
	put_u16(to, to->ttl >> 16);
	put_u16(to, to->ttl & 0xffff);
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
	begin(canonical, &rr->name, rr->class);
	good = put_rdata(&rdata, canonical);
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
	begin(canonical, &owner, RR_CLASS_IN);
	return put_rdata(&rdata, canonical);
}
