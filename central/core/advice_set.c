#include "core/advice_set.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "model/presentation.h"
#include "model/rr.h"

/* A record of this form must be the only record, or the only record of this form. */
enum set_place { SET_ALONE, SET_ONCE };

struct set_rule {
	uint16_t type;
	bool (*has_form)(const struct set_rule *rule, const struct rdata *record);
	const char *version;		/* of a policy in a TXT record */
	enum set_place place;
	const char *words;
};

/* ---- the forms ---- */

static bool set_has_no_host(const struct set_rule *rule, const struct rdata *record)
{
	size_t offset = rule->type == RR_MX ? 2 : 6;

	return record->len == offset + 1 && !record->rdata[offset];
}

static bool set_is_alias(const struct set_rule *rule, const struct rdata *record)
{
	(void)rule;
	return record->len > 2 && !record->rdata[0] && !record->rdata[1];
}

/* Joins the strings of the record up to SIZE octets. Returns their number. */
static size_t set_text(const struct rdata *record, char *text, size_t size)
{
	size_t len = 0;

	for (size_t at = 0; at < record->len; at += record->rdata[at] + 1U)
		for (size_t i = 1; i <= record->rdata[at] && len < size; i++)
			text[len++] = (char)record->rdata[at + i];
	return len;
}

static bool set_has_version(const struct set_rule *rule, const struct rdata *record)
{
	size_t len = strlen(rule->version);
	char text[16];
	size_t got = set_text(record, text, len + 1);

	return got >= len && !strncasecmp(text, rule->version, len) &&
	       (got == len || !isalnum((unsigned char)text[len]));
}

/* ---- the rules ---- */

static const struct set_rule set_rules[] = {
	{ RR_MX, set_has_no_host, NULL, SET_ALONE,
	  "a null MX record (0 .) must be the only MX record (RFC 7505 3)" },
	{ RR_SRV, set_has_no_host, NULL, SET_ALONE,
	  "a record with the target '.' says that there is no such service, so it must "
	  "be the only SRV record (RFC 2782)" },
	{ RR_SVCB, set_is_alias, NULL, SET_ALONE,
	  "a record with the priority 0 (AliasMode) must be the only record, because "
	  "clients ignore the other records (RFC 9460 2.4.1)" },
	{ RR_HTTPS, set_is_alias, NULL, SET_ALONE,
	  "a record with the priority 0 (AliasMode) must be the only record, because "
	  "clients ignore the other records (RFC 9460 2.4.1)" },
	{ RR_TXT, set_has_version, "v=spf1", SET_ONCE,
	  "only one record may begin with v=spf1: with several such records, the "
	  "SPF check fails (RFC 7208 3.2, 4.5)" },
	{ RR_TXT, set_has_version, "v=DMARC1", SET_ONCE,
	  "only one record may begin with v=DMARC1: with several such records, there "
	  "is no DMARC policy (RFC 7489 6.6.3)" },
	{ RR_TXT, set_has_version, "v=STSv1", SET_ONCE,
	  "only one record may begin with v=STSv1: with several such records, there "
	  "is no MTA-STS policy (RFC 8461 3.1)" },
	{ RR_TXT, set_has_version, "v=TLSRPTv1", SET_ONCE,
	  "only one record may begin with v=TLSRPTv1: with several such records, "
	  "senders send no TLS report (RFC 8460 3)" },
};

static bool set_breaks(const struct set_rule *rule, const struct rrset *set)
{
	size_t found = 0;

	if (set->wanted_count < 2)
		return false;
	for (size_t i = 0; i < set->wanted_count; i++)
		found += rule->has_form(rule, &set->wanted[i]);
	return found > (rule->place == SET_ONCE ? 1 : 0);
}

static void set_check(const struct rrset *set, struct arena *arena,
                      struct advice *advice)
{
	char type[16];

	for (size_t i = 0; i < sizeof set_rules / sizeof set_rules[0]; i++) {
		const struct set_rule *rule = &set_rules[i];

		if (rule->type != set->type || !set_breaks(rule, set))
			continue;
		rrtype_format(set->type, type);
		advice_add(advice, arena_printf(arena, "'%.*s %s': %s", ADVICE_NAME_SHOWN,
		                                set->owner, type, rule->words));
	}
}

void advice_set_check(const struct rrsets *sets, struct arena *arena,
                      struct advice *advice)
{
	for (size_t i = 0; i < sets->count; i++)
		if (sets->items[i]->field)
			set_check(sets->items[i], arena, advice);
}
