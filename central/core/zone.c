#include "core/zone.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/rr.h"

static bool soa_set_number(uint32_t *field, bool has, uint32_t value)
{
	if (!has || *field == value)
		return false;
	*field = value;
	return true;
}

static bool soa_set_name(struct name *field, const char *text, const struct name *value)
{
	if (!text || name_equal(field, value))
		return false;
	*field = *value;
	return true;
}

bool zone_set_soa(struct zone *zone, const struct soa_spec *spec)
{
	bool changed = false;

	if (soa_set_name(&zone->mname, spec->mname, &spec->mname_wire)) {
		zone->is.primary = spec->mname;
		changed = true;
	}
	if (soa_set_name(&zone->rname, spec->rname, &spec->rname_wire)) {
		zone->is.email = spec->rname;
		changed = true;
	}
	changed |= soa_set_number(&zone->is.refresh, spec->has_refresh, spec->refresh);
	changed |= soa_set_number(&zone->is.retry, spec->has_retry, spec->retry);
	changed |= soa_set_number(&zone->is.expire, spec->has_expire, spec->expire);
	changed |= soa_set_number(&zone->is.minimum, spec->has_minimum, spec->minimum);
	changed |= soa_set_number(&zone->soa_ttl, spec->has_ttl, spec->ttl);
	return changed;
}

void zone_append_soa(struct buf *to, const struct zone *zone, uint32_t serial)
{
	struct buf rdata = { 0 };

	soa_append_rdata(&rdata, &(struct soa){
		.mname = zone->mname.wire,
		.rname = zone->rname.wire,
		.serial = serial,
		.refresh = zone->is.refresh,
		.retry = zone->is.retry,
		.expire = zone->is.expire,
		.minimum = zone->is.minimum,
	});
	rr_append(to, &(struct rr){
		.name = zone->apex.wire,
		.type = RR_SOA,
		.ttl = zone->soa_ttl,
		.rdata_len = (uint16_t)rdata.len,
		.rdata = rdata.data,
	});
	buf_clear(&rdata);
}

void zone_format_soa(struct buf *text, const struct zone *zone)
{
	buf_printf(text, "%s %s %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32,
	           zone->is.primary, zone->is.email, zone->is.state.serial,
	           zone->is.refresh, zone->is.retry, zone->is.expire, zone->is.minimum);
}

/* The part before the @ becomes one label, even if it has dots. */
static bool email_append_local_part(const char *email, size_t len, struct name *name)
{
	if (!len || len > NAME_MAX_LABEL)
		return false;
	for (size_t i = 0; i < len; i++)
		if (email[i] <= ' ' || email[i] > '~' || email[i] == '@')
			return false;
	name->wire[0] = (uint8_t)len;
	memcpy(name->wire + 1, email, len);
	name->len = (uint8_t)(1 + len);
	return true;
}

static bool email_append_host(const char *host, struct name *name)
{
	struct name wire;
	struct why unused;
	char dotted[EMAIL_MAX + 2];

	snprintf(dotted, sizeof dotted, "%s%s", host,
	         host[strlen(host) - 1] == '.' ? "" : ".");
	if (name_parse_owner(dotted, "host", &wire, &unused) || wire.len == 1 ||
	    name->len + wire.len > NAME_MAX_WIRE)
		return false;
	memcpy(name->wire + name->len, wire.wire, wire.len);
	name->len = (uint8_t)(name->len + wire.len);
	return true;
}

enum err email_to_name(const char *email, const char *field, struct name *name,
                       struct why *why)
{
	const char *at = strrchr(email, '@');
	struct name got = { 0 };

	if (!at || !at[1] || strlen(email) > EMAIL_MAX ||
	    !email_append_local_part(email, (size_t)(at - email), &got) ||
	    !email_append_host(at + 1, &got))
		return fail(why, ERR_INVALID,
		            "%s: must be an email address such as "
		            "hostmaster@example.org, not '%s'",
		            field, err_quote(email, (char[81]){ 0 }, 81));
	name_fold(&got);
	*name = got;
	return OK;
}

const char *email_from_name(const struct name *name, struct arena *arena)
{
	char host[NAME_MAX_TEXT + 1];
	size_t label_len = name->wire[0];

	if (!label_len || !name->wire[1 + label_len]) {
		name_format(name, host);
		return arena_strdup(arena, host);
	}
	name_format_wire(name->wire + 1 + label_len, host);
	host[strlen(host) - 1] = '\0';
	for (size_t i = 1; i <= label_len; i++)
		if (name->wire[i] <= ' ' || name->wire[i] > '~')
			return arena_printf(arena, "?@%s", host);
	return arena_printf(arena, "%.*s@%s", (int)label_len,
	                    (const char *)name->wire + 1, host);
}

size_t zone_ancestry(const struct name *name, uint8_t ancestry[NAME_MAX_WIRE])
{
	size_t len = name->len - 1, to = len;

	for (size_t at = 0; name->wire[at]; at += 1 + name->wire[at]) {
		to -= 1 + name->wire[at];
		memcpy(ancestry + to, name->wire + at, 1 + name->wire[at]);
	}
	return len;
}
