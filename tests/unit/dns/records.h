/* records -- makes names from text, and records in wire form, for tests. */
#pragma once

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/name.h"
#include "model/rr.h"

static inline struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	assert(!name_parse_in(text, NULL, "name", &name, &why));
	return name;
}

/* Appends a record in the stored form (rr.h). */
static inline void put_rr(struct buf *rrs, const char *owner, uint16_t type, uint32_t ttl,
                          const void *rdata, size_t rdata_len)
{
	struct name name = name_of(owner);
	struct rr rr = {
		.name = name.wire, .type = type, .ttl = ttl,
		.rdata_len = rdata_len, .rdata = rdata,
	};

	rr_append(rrs, &rr);
}

static inline void put_name_rr(struct buf *rrs, const char *owner, uint16_t type,
                               const char *target)
{
	struct name name = name_of(target);
	uint8_t rdata[2 + NAME_MAX_WIRE] = { 0, 10 };

	memcpy(rdata + 2, name.wire, name.len);
	if (type == RR_MX)
		put_rr(rrs, owner, type, 300, rdata, 2 + name.len);
	else
		put_rr(rrs, owner, type, 300, name.wire, name.len);
}

static inline void put_soa_rr(struct buf *rrs, const char *zone, uint32_t serial)
{
	struct name mname = name_of("ns1.example.net.");
	struct name rname = name_of("Host.Master.Example.net.");
	struct soa soa = { mname.wire, rname.wire, serial, 3600, 600, 86400, 60 };
	struct buf rdata = { 0 };

	soa_append_rdata(&rdata, &soa);
	put_rr(rrs, zone, RR_SOA, 3600, rdata.data, rdata.len);
	buf_clear(&rdata);
}
