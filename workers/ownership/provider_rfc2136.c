#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/update_wire.h"
#include "model/rr.h"
#include "net/lookup.h"
#include "primary.h"
#include "registry.h"
#include "runtime/worker.h"

/*
 * The provider for a foreign primary: reads by AXFR (RFC 5936), writes by updates (RFC
 * 2136).
 */

enum { IDLE_MS = 2000 };

struct primary_link {
	struct registry *registry;
	struct primary *primary;
	struct view *view;
	provider_read_fn *read_done;
	provider_sent_fn *sent_done;
	void *self;
	char words[320];
};

static const char *rfc2136_explain(struct primary_link *link, const char *words)
{
	const struct address *server = lookup_address(link->registry->lookup);
	const char *host = link->registry->settings->host;
	char text[ADDRESS_TEXT] = "address unknown";

	if (server)
		address_format(server, text);
	if (!strcmp(host, text))
		snprintf(link->words, sizeof(link->words), "%s %.250s", text, words);
	else
		snprintf(link->words, sizeof(link->words), "%.80s (%s) %.150s", host,
		         text, words);
	return link->words;
}

/* ---- a zone ---- */

static void rfc2136_on_zone(void *self, const char *fault, uint32_t serial)
{
	struct primary_link *link = self;

	link->read_done(link->self, fault ? rfc2136_explain(link, fault) : NULL, serial);
}

/*
 * Ends the read with an error: a name has too many types, so the zone cannot be planned.
 */
static void rfc2136_end_read(struct primary_link *link, const struct name *name)
{
	char text[NAME_MAX_TEXT + 1], fault[320];

	name_format(name, text);
	snprintf(fault, sizeof(fault), "has more than %d types of records at %.250s",
	         VIEW_TYPES_MAX, text);
	primary_cancel_read(link->primary);
	rfc2136_on_zone(link, fault, 0);
}

static void rfc2136_on_record(void *self, const struct canonical *record)
{
	struct primary_link *link = self;
	struct name name = { .len = (uint8_t)name_wire_len(record->octets, record->len) };

	memcpy(name.wire, record->octets, name.len);
	if (!view_add(link->view, &name, record->type, record->ttl,
	              (struct rdata){ record->octets + record->rdata,
	                              (uint16_t)(record->len - record->rdata) }))
		rfc2136_end_read(link, &name);
}

static void rfc2136_read(struct registry *registry, struct view *view,
                         provider_read_fn *done, void *self)
{
	struct primary_link *link = registry->primary;

	link->view = view;
	link->read_done = done;
	link->self = self;
	primary_read(link->primary,
	             &(struct primary_reader){ rfc2136_on_record, rfc2136_on_zone,
	                                                      link });
}

/* ---- its serial ---- */

static bool rfc2136_parse_serial(const struct rrset *set, uint32_t *serial)
{
	struct soa soa;

	if (set->count != 1 ||
	    !soa_parse(set->records[0].octets, set->records[0].len, &soa))
		return false;
	*serial = soa.serial;
	return true;
}

static void rfc2136_on_serial(void *self, const char *fault, const struct rrset *set)
{
	struct primary_link *link = self;
	uint32_t serial = 0;

	if (!fault && !rfc2136_parse_serial(set, &serial))
		fault = "must answer with exactly one valid SOA record";
	link->read_done(link->self, fault ? rfc2136_explain(link, fault) : NULL, serial);
}

static void rfc2136_serial(struct registry *registry, provider_read_fn *done, void *self)
{
	struct primary_link *link = registry->primary;

	link->read_done = done;
	link->self = self;
	primary_ask(link->primary, &registry->zone, RR_SOA, rfc2136_on_serial, link);
}

/* ---- updates ---- */

static void rfc2136_on_sent(void *self, enum outcome outcome, const char *words)
{
	struct primary_link *link = self;

	link->sent_done(link->self, outcome, rfc2136_explain(link, words));
}

static void rfc2136_send(struct registry *registry, const struct update *const *updates,
                         size_t count, provider_sent_fn *done, void *self)
{
	struct primary_link *link = registry->primary;

	link->sent_done = done;
	link->self = self;
	primary_send(link->primary, updates, count, rfc2136_on_sent, link);
}

/* ---- life ---- */

static void rfc2136_start(struct registry *registry, const struct runtime *runtime)
{
	struct primary_link *link = xcalloc(1, sizeof(*link));
	const struct primary_config config = {
		.zone = registry->zone, .lookup = registry->lookup,
		.key = registry->has_key ? &registry->key : NULL,
		.silence_ms = registry->settings->timeout_ms,
		.whole_ms = PROVIDER_WHOLE_MS, .idle_ms = IDLE_MS,
		.limits = { PROVIDER_RECORDS_MAX, PROVIDER_OCTETS_MAX },
	};

	registry->primary = link;
	link->registry = registry;
	link->primary = primary_new(runtime->loop, &config);
}

static void rfc2136_cancel(struct registry *registry)
{
	struct primary_link *link = registry->primary;

	primary_cancel_read(link->primary);
	primary_cancel_send(link->primary);
	primary_cancel_ask(link->primary);
}

static void rfc2136_stop(struct registry *registry)
{
	struct primary_link *link = registry->primary;

	registry->primary = NULL;
	if (link)
		primary_free(&link->primary);
	free(link);
}

const struct provider provider_rfc2136 = {
	.name = "rfc2136",
	.start = rfc2136_start,
	.stop = rfc2136_stop,
	.read = rfc2136_read,
	.serial = rfc2136_serial,
	.measure = update_wire_size,
	.send = rfc2136_send,
	.cancel = rfc2136_cancel,
};
