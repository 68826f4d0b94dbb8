#include "core/advice_set.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "model/presentation.h"
#include "model/rr.h"

/* ---- hosts ---- */

static size_t set_host_offset(uint16_t type)
{
	return type == RR_MX ? 2 : type == RR_SRV ? 6 : 0;
}

static bool set_has_no_host(uint16_t type, const struct rdata *record)
{
	size_t offset = set_host_offset(type);

	return record->len == offset + 1 && !record->rdata[offset];
}

static bool set_is_alias(uint16_t type, const struct rdata *record)
{
	(void)type;
	return record->len > 2 && !record->rdata[0] && !record->rdata[1];
}

static bool set_is_number(const uint8_t *label)
{
	for (size_t i = 1; i <= *label; i++)
		if (!isdigit(label[i]))
			return false;
	return *label > 0;
}

/* True: the host has four labels, which are numbers. */
static bool set_names_address(uint16_t type, const struct rdata *record)
{
	size_t at = set_host_offset(type), labels = 0;

	for (; at < record->len && set_is_number(record->rdata + at); labels++)
		at += record->rdata[at] + 1U;
	return labels == 4 && at + 1 == record->len;
}

/* ---- policies in TXT records ---- */

/* Joins the strings of the record up to SIZE octets. Returns their number. */
static size_t set_text(const struct rdata *record, char *text, size_t size)
{
	size_t len = 0;

	for (size_t at = 0; at < record->len; at += record->rdata[at] + 1U)
		for (size_t i = 1; i <= record->rdata[at] && len < size; i++)
			text[len++] = (char)record->rdata[at + i];
	return len;
}

static bool set_has_version(const struct rdata *record, const char *version)
{
	size_t len = strlen(version);
	char text[16];
	size_t got = set_text(record, text, len + 1);

	return got >= len && !strncasecmp(text, version, len) &&
	       (got == len || !isalnum((unsigned char)text[len]));
}

static bool set_is_spf(uint16_t type, const struct rdata *record)
{
	(void)type;
	return set_has_version(record, "v=spf1");
}

static bool set_is_dmarc(uint16_t type, const struct rdata *record)
{
	(void)type;
	return set_has_version(record, "v=DMARC1");
}

static bool set_is_sts(uint16_t type, const struct rdata *record)
{
	(void)type;
	return set_has_version(record, "v=STSv1");
}

static bool set_is_tls_report(uint16_t type, const struct rdata *record)
{
	(void)type;
	return set_has_version(record, "v=TLSRPTv1");
}

/* ---- the rules ---- */

/*
 * A record of this form must be the only record, or the only record of this form, or must
 * not exist.
 */
enum set_place { SET_ALONE, SET_ONCE, SET_NEVER };

static const struct set_rule {
	uint16_t type;
	bool (*has_form)(uint16_t type, const struct rdata *record);
	enum set_place place;
	const char *words;
} set_rules[] = {
	{ RR_MX, set_has_no_host, SET_ALONE,
	  "a null MX record (0 .) must be the only MX record (RFC 7505 3)" },
	{ RR_SRV, set_has_no_host, SET_ALONE,
	  "a record with the target '.' says that there is no such service, so it must be "
	  "the only SRV record (RFC 2782)" },
	{ RR_SVCB, set_is_alias, SET_ALONE,
	  "a record with the priority 0 (AliasMode) must be the only record, because "
	  "clients ignore the others (RFC 9460 2.4.1)" },
	{ RR_HTTPS, set_is_alias, SET_ALONE,
	  "a record with the priority 0 (AliasMode) must be the only record, because "
	  "clients ignore the others (RFC 9460 2.4.1)" },
	{ RR_TXT, set_is_spf, SET_ONCE,
	  "only one record may begin with v=spf1: with several, the SPF check fails (RFC "
	  "7208 3.2, 4.5)" },
	{ RR_TXT, set_is_dmarc, SET_ONCE,
	  "only one record may begin with v=DMARC1: with several, there is no DMARC policy "
	  "(RFC 7489 6.6.3)" },
	{ RR_TXT, set_is_sts, SET_ONCE,
	  "only one record may begin with v=STSv1: with several, there is no MTA-STS policy "
	  "(RFC 8461 3.1)" },
	{ RR_TXT, set_is_tls_report, SET_ONCE,
	  "only one record may begin with v=TLSRPTv1: with several, senders send no TLS "
	  "report (RFC 8460 3)" },
	{ RR_NS, set_names_address, SET_NEVER,
	  "the host must be a name, not an IP address (RFC 1035 3.3.11)" },
	{ RR_MX, set_names_address, SET_NEVER,
	  "the host must be a name, not an IP address (RFC 1035 3.3.9)" },
	{ RR_SRV, set_names_address, SET_NEVER,
	  "the host must be a name, not an IP address (RFC 2782)" },
};

static bool set_breaks(const struct set_rule *rule, const struct rrset *set)
{
	size_t found = 0;

	if (rule->place != SET_NEVER && set->wanted_count < 2)
		return false;
	for (size_t i = 0; i < set->wanted_count; i++)
		found += rule->has_form(set->type, &set->wanted[i]);
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
