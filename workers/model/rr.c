#include "model/rr.h"

#include "model/name.h"

enum {
	FIXED_LEN = 10,			/* octets after the name */
	SOA_FIXED_LEN = 20,		/* octets after RNAME */
	ORIGINAL_TTL = 4,		/* offset in an RRSIG */
};

static uint16_t rr_read_u16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

static uint32_t rr_read_u32(const uint8_t *from)
{
	return (uint32_t)rr_read_u16(from) << 16 | rr_read_u16(from + 2);
}

void rr_append(struct buf *to, const struct rr *rr)
{
	buf_append(to, rr->name, name_wire_len(rr->name, NAME_MAX_WIRE));
	buf_u16(to, rr->type);
	buf_u16(to, RR_CLASS_IN);
	buf_u32(to, rr->ttl);
	buf_u16(to, rr->rdata_len);
	buf_append(to, rr->rdata, rr->rdata_len);
}

size_t rr_wire_len(const struct rr *rr)
{
	return name_wire_len(rr->name, NAME_MAX_WIRE) + FIXED_LEN + rr->rdata_len;
}

bool rr_next(const uint8_t *data, size_t len, size_t *at, struct rr *rr)
{
	if (*at >= len)
		return false;

	const uint8_t *name = data + *at;
	size_t left = len - *at;
	size_t name_len = name_wire_len(name, left);

	if (!name_len || left - name_len < FIXED_LEN)
		return false;

	const uint8_t *fixed = name + name_len;
	uint16_t rdata_len = rr_read_u16(fixed + 8);

	if (left - name_len - FIXED_LEN < rdata_len ||
	    rr_read_u16(fixed + 2) != RR_CLASS_IN)
		return false;
	*rr = (struct rr){
		.name = name,
		.type = rr_read_u16(fixed),
		.ttl = rr_read_u32(fixed + 4),
		.rdata_len = rdata_len,
		.rdata = fixed + FIXED_LEN,
	};
	*at += name_len + FIXED_LEN + rdata_len;
	return true;
}

uint32_t rr_served_ttl(uint16_t type, const uint8_t *rdata, size_t len, uint32_t set_ttl)
{
	return type == RR_RRSIG && len >= ORIGINAL_TTL + 4
	       ? rr_read_u32(rdata + ORIGINAL_TTL) : set_ttl;
}

void soa_append_rdata(struct buf *to, const struct soa *soa)
{
	buf_append(to, soa->mname, name_wire_len(soa->mname, NAME_MAX_WIRE));
	buf_append(to, soa->rname, name_wire_len(soa->rname, NAME_MAX_WIRE));
	buf_u32(to, soa->serial);
	buf_u32(to, soa->refresh);
	buf_u32(to, soa->retry);
	buf_u32(to, soa->expire);
	buf_u32(to, soa->minimum);
}

bool soa_parse(const uint8_t *rdata, size_t len, struct soa *soa)
{
	size_t mname_len = name_wire_len(rdata, len);
	size_t rname_len = mname_len ? name_wire_len(rdata + mname_len,
	                                             len - mname_len) : 0;

	if (!rname_len || len - mname_len - rname_len != SOA_FIXED_LEN)
		return false;

	const uint8_t *fixed = rdata + mname_len + rname_len;

	*soa = (struct soa){
		.mname = rdata,
		.rname = rdata + mname_len,
		.serial = rr_read_u32(fixed),
		.refresh = rr_read_u32(fixed + 4),
		.retry = rr_read_u32(fixed + 8),
		.expire = rr_read_u32(fixed + 12),
		.minimum = rr_read_u32(fixed + 16),
	};
	return true;
}
