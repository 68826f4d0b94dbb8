/*
 * rr -- a resource record in wire form. Its stored form is NAME TYPE CLASS TTL RDLENGTH
 * RDATA, as in a DNS message without compression. The journal, the zones of mini-DNS and
 * imports contain sequences of such records. A struct rr borrows its memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	RR_A = 1, RR_NS = 2, RR_CNAME = 5, RR_SOA = 6, RR_PTR = 12, RR_MX = 15,
	RR_TXT = 16, RR_KEY = 25, RR_AAAA = 28, RR_SRV = 33, RR_NAPTR = 35,
	RR_DNAME = 39, RR_OPT = 41, RR_DS = 43, RR_SSHFP = 44, RR_RRSIG = 46,
	RR_NSEC = 47, RR_DNSKEY = 48, RR_NSEC3 = 50, RR_TLSA = 52, RR_SVCB = 64,
	RR_HTTPS = 65, RR_TSIG = 250, RR_IXFR = 251, RR_AXFR = 252, RR_ANY = 255,
	RR_CAA = 257,
	RR_CLASS_IN = 1, RR_CLASS_CH = 3, RR_CLASS_NONE = 254, RR_CLASS_ANY = 255,
	RR_TTL_MAX = 2147483647,
};

/*
 * Rdata of at most RDATA_MAX octets fits into one message, even with the longest owner,
 * question and TSIG record.
 */
enum { RDATA_MAX = 65535 - 700 };

struct rr {
	const uint8_t *name;	/* the owner in wire form, uncompressed */
	uint16_t type;
	uint32_t ttl;		/* in seconds; the class is always IN */
	uint16_t rdata_len;
	const uint8_t *rdata;	/* with uncompressed names */
};

void rr_append(struct buf *to, const struct rr *rr);
size_t rr_wire_len(const struct rr *rr);
/*
 * Reads the record at the offset AT of DATA, and moves AT to the end of the record.
 * False: AT is the end of DATA, the record is incomplete, or its class is not IN.
 */
bool rr_next(const uint8_t *data, size_t len, size_t *at, struct rr *rr);
/*
 * Returns the TTL with which mini-DNS serves a record. For an RRSIG record, the result
 * is the Original TTL in the rdata: the TTL of the record set that the RRSIG record
 * covers (RFC 4034 3.1.4). The RRSIG records of one name can cover sets with different
 * TTLs. For all other types, the result is SET_TTL.
 */
uint32_t rr_served_ttl(uint16_t type, const uint8_t *rdata, size_t len, uint32_t set_ttl);

struct soa {
	const uint8_t *mname, *rname;	/* names in wire form, uncompressed */
	uint32_t serial, refresh, retry, expire, minimum;
};

void soa_append_rdata(struct buf *to, const struct soa *soa);
bool soa_parse(const uint8_t *rdata, size_t len, struct soa *soa);
