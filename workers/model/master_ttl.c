#include "model/master_ttl.h"

#include <string.h>

#include "model/presentation_text.h"

bool ttl_read(struct master_ttl *ttl, const char *text)
{
	ttl->has_last = text_parse_period(text, RR_TTL_MAX, &ttl->last);
	return ttl->has_last;
}

bool ttl_read_default(struct master_ttl *ttl, const char *text)
{
	ttl->has_default = ttl_read(ttl, text);
	ttl->default_ttl = ttl->last;
	return ttl->has_default;
}

void ttl_begin_run(struct master_ttl *ttl, const struct name *owner)
{
	if (ttl->run.owner.len == owner->len &&
	    !memcmp(ttl->run.owner.wire, owner->wire, owner->len))
		return;
	ttl->run.owner = *owner;
	ttl->run.count = 0;
}

void ttl_end_run(struct master_ttl *ttl)
{
	ttl->run.owner.len = 0;
	ttl->run.count = 0;
}

/* The SOA record gets its minimum, and so do the records after it. */
static const char *ttl_take_minimum(struct master_ttl *ttl, const struct rr *rr,
                                    struct why *warning)
{
	struct soa soa;

	if (rr->type != RR_SOA || !soa_parse(rr->rdata, rr->rdata_len, &soa))
		return "the record has no TTL: write $TTL before the first record, or a "
		       "TTL in the first record";
	if (soa.minimum > RR_TTL_MAX)
		return "the SOA record has no TTL, and its minimum is above 2147483647: "
		       "write $TTL before the first record";
	fail(warning, OK, "the SOA record has no TTL, and there is no $TTL before it: "
	     "its minimum, %u, is the TTL of this record and of the records without a "
	     "TTL", soa.minimum);
	ttl->last = ttl->default_ttl = soa.minimum;
	ttl->has_last = ttl->has_default = true;
	return NULL;
}

static void ttl_add_set(struct master_ttl *ttl, uint16_t type, uint16_t covered)
{
	size_t at = ttl->run.count;

	if (at == RUN_SETS_MAX)
		return;
	ttl->run.sets[at].type = type;
	ttl->run.sets[at].covered = covered;
	ttl->run.sets[at].ttl = ttl->last;
	ttl->run.count++;
}

static void ttl_unify(struct master_ttl *ttl, const struct rr *rr, struct why *warning)
{
	bool covers = rr->type == RR_RRSIG && rr->rdata_len > 1;
	uint16_t covered = covers ? (uint16_t)(rr->rdata[0] << 8 | rr->rdata[1]) : 0;

	for (size_t i = 0; i < ttl->run.count; i++) {
		uint32_t first = ttl->run.sets[i].ttl;

		if (ttl->run.sets[i].type != rr->type ||
		    ttl->run.sets[i].covered != covered)
			continue;
		if (first != ttl->last)
			fail(warning, OK, "the TTL is %u, but earlier records of this "
			     "record set have the TTL %u: the record gets the TTL %u",
			     ttl->last, first, first);
		ttl->last = first;
		return;
	}
	ttl_add_set(ttl, rr->type, covered);
}

const char *ttl_settle(struct master_ttl *ttl, bool is_stated, bool in_run,
                       struct rr *rr, struct why *warning)
{
	const char *wrong = NULL;

	warning->text[0] = '\0';
	if (!ttl->has_last)
		wrong = ttl_take_minimum(ttl, rr, warning);
	else if (!is_stated && ttl->has_default)
		ttl->last = ttl->default_ttl;
	if (wrong)
		return wrong;
	if (in_run)
		ttl_unify(ttl, rr, warning);
	rr->ttl = ttl->last;
	return NULL;
}
