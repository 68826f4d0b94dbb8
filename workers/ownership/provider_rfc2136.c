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

/* A primary that is not ours: read by AXFR (RFC 5936), written by updates (RFC 2136). */

enum { IDLE_MS = 2000 };

struct primary_link {
	struct registry *registry;
	struct primary *primary;
	struct view *view;
	provider_read_fn *was_read;
	provider_sent_fn *was_sent;
	void *self;
	char words[320];
};

static const char *about(struct primary_link *link, const char *words)
{
	const struct address *server = lookup_address(link->registry->lookup);
	const char *host = link->registry->settings->host;
	char text[ADDRESS_TEXT] = "no address is known";

	if (server)
		address_format(server, text);
	if (!strcmp(host, text))
		snprintf(link->words, sizeof(link->words), "%s %.250s", text, words);
	else
		snprintf(link->words, sizeof(link->words), "%.80s (%s) %.150s", host, text,
		         words);
	return link->words;
}

/* ---- a zone ---- */

static void end_reading(void *self, const char *fault, uint32_t serial)
{
	struct primary_link *link = self;

	link->was_read(link->self, fault ? about(link, fault) : NULL, serial);
}

/* Whatever else comes, the zone is not for us. */
static void end_at(struct primary_link *link, const struct name *name)
{
	char text[NAME_MAX_TEXT + 1], fault[320];

	name_format(name, text);
	snprintf(fault, sizeof(fault), "has more than %d types of records at %.250s",
	         VIEW_TYPES_MAX, text);
	primary_cancel_read(link->primary);
	end_reading(link, fault, 0);
}

static void take_record(void *self, const struct canonical *record)
{
	struct primary_link *link = self;
	struct name name = { .len = (uint8_t)name_wire_len(record->octets, record->len) };

	memcpy(name.wire, record->octets, name.len);
	if (!view_add(link->view, &name, record->type, record->ttl,
	              (struct rdata){ record->octets + record->rdata,
	                              (uint16_t)(record->len - record->rdata) }))
		end_at(link, &name);
}

static void read_zone(struct registry *registry, struct view *view,
                      provider_read_fn *done, void *self)
{
	struct primary_link *link = registry->primary;

	link->view = view;
	link->was_read = done;
	link->self = self;
	primary_read(link->primary, &(struct primary_reader){ take_record, end_reading,
	                                                      link });
}

/* ---- its serial ---- */

static bool read_serial(const struct rrset *set, uint32_t *serial)
{
	struct soa soa;

	if (set->count != 1 ||
	    !soa_parse(set->records[0].octets, set->records[0].len, &soa))
		return false;
	*serial = soa.serial;
	return true;
}

static void end_serial(void *self, const char *fault, const struct rrset *set)
{
	struct primary_link *link = self;
	uint32_t serial = 0;

	if (!fault && !read_serial(set, &serial))
		fault = "answers without the one SOA that a zone has";
	link->was_read(link->self, fault ? about(link, fault) : NULL, serial);
}

static void ask_serial(struct registry *registry, provider_read_fn *done, void *self)
{
	struct primary_link *link = registry->primary;

	link->was_read = done;
	link->self = self;
	primary_ask(link->primary, &registry->zone, RR_SOA, end_serial, link);
}

/* ---- updates ---- */

static void end_sending(void *self, enum outcome outcome, const char *words)
{
	struct primary_link *link = self;

	link->was_sent(link->self, outcome, about(link, words));
}

static void send_updates(struct registry *registry, const struct update *const *updates,
                         size_t count, provider_sent_fn *done, void *self)
{
	struct primary_link *link = registry->primary;

	link->was_sent = done;
	link->self = self;
	primary_send(link->primary, updates, count, end_sending, link);
}

/* ---- life ---- */

static void start(struct registry *registry, const struct runtime *runtime)
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

static void cancel(struct registry *registry)
{
	struct primary_link *link = registry->primary;

	primary_cancel_read(link->primary);
	primary_cancel_send(link->primary);
	primary_cancel_ask(link->primary);
}

static void stop(struct registry *registry)
{
	struct primary_link *link = registry->primary;

	registry->primary = NULL;
	if (link)
		primary_free(&link->primary);
	free(link);
}

const struct provider provider_rfc2136 = {
	.name = "rfc2136",
	.start = start,
	.stop = stop,
	.read = read_zone,
	.serial = ask_serial,
	.measure = update_wire_size,
	.send = send_updates,
	.cancel = cancel,
};
