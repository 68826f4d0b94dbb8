/*
 * master_ttl -- the TTLs of records, for master_file.c only. A record without a TTL gets
 * the default TTL. The default TTL is the value of $TTL (RFC 2308 4). If an SOA record
 * has no TTL, and the file contains no TTL before the SOA record, the default TTL is the
 * MINIMUM field of the SOA record. If there is no default TTL, the record gets the TTL
 * of the previous record (RFC 1035 5.1). Consecutive records of one owner form a run. As
 * in BIND, all records of a set in a run get the TTL of the first record of the set.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/name.h"
#include "model/rr.h"

enum { RUN_SETS_MAX = 128 };

struct master_ttl {
	bool has_last, has_default;
	uint32_t last, default_ttl;
	/* the record sets of the current run */
	struct {
		/* the owner of the run, in upper and lower case as in the file */
		struct name owner;
		struct { uint16_t type, covered; uint32_t ttl; } sets[RUN_SETS_MAX];
		/*
		 * number of used elements in sets[]. If sets[] is full, the module does
		 * not store further sets of the run
		 */
		size_t count;
	} run;
};

/*
 * Both functions read a time from 0 to 2147483647 seconds. False: TEXT is not such a
 * time.
 */
bool ttl_read(struct master_ttl *ttl, const char *text);	/* the TTL of a record */
bool ttl_read_default(struct master_ttl *ttl, const char *text); /* the value of $TTL */
void ttl_begin_run(struct master_ttl *ttl, const struct name *owner);
void ttl_end_run(struct master_ttl *ttl);
/*
 * Sets the TTL of RR. IS_STATED: ttl_read() has read the TTL of this record. IN_RUN: the
 * record belongs to the run. Returns NULL, or an error text. WARNING gets the text of a
 * warning; "": no warning.
 */
const char *ttl_settle(struct master_ttl *ttl, bool is_stated, bool in_run,
                       struct rr *rr, struct why *warning);
