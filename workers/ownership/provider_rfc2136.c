#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "core/update_wire.h"
#include "dialog.h"
#include "dns/incoming.h"
#include "registry.h"
#include "runtime/loop.h"
#include "runtime/worker.h"

/* A primary that is not ours: read by AXFR (RFC 5936), written by updates (RFC 2136). */

enum { WHOLE_MS = 600 * 1000 };		/* all of a transfer */

static const struct incoming_limits limits = { 10 * 1000 * 1000, (uint64_t)1 << 31 };

struct primary {
	struct registry *registry;
	struct loop *loop;
	struct dialog *dialog;
	struct loop_timer *refusal;	/* of what cannot even be sent */
	/* a zone that is read */
	struct view *view;
	struct incoming incoming;
	provider_read_fn *was_read;
	/* or an update on its way */
	struct update_ask ask;
	provider_sent_fn *was_sent;
	void *self;
	struct canonical record;
	char words[160];
	uint8_t message[PACKET_MAX];
};

static void primary_close(struct primary *primary)
{
	dialog_close(&primary->dialog);
	loop_timer_cancel(primary->refusal);
	incoming_clear(&primary->incoming);
	update_ask_clear(&primary->ask);
	primary->was_read = NULL;
	primary->was_sent = NULL;
}

static const struct tsig_key *key_of(const struct primary *primary)
{
	return primary->registry->has_key ? &primary->registry->key : NULL;
}

static const char *about(struct primary *primary, const char *words)
{
	char host[ADDRESS_TEXT];

	address_format(&primary->registry->server, host);
	snprintf(primary->words, sizeof(primary->words), "%s %s", host, words);
	return primary->words;
}

/* ---- a zone ---- */

static void end_reading(struct primary *primary, const char *fault)
{
	provider_read_fn *was_read = primary->was_read;
	uint32_t serial = primary->incoming.serial;

	primary_close(primary);
	was_read(primary->self, fault ? about(primary, fault) : NULL, serial);
}

/* False: there is more of it than we take. */
static bool take_record(struct primary *primary)
{
	const struct canonical *record = &primary->record;
	struct name name = { .len = (uint8_t)name_wire_len(record->octets, record->len) };

	memcpy(name.wire, record->octets, name.len);
	return view_add(primary->view, &name, record->type, record->ttl,
	                (struct rdata){ record->octets + record->rdata,
	                                (uint16_t)(record->len - record->rdata) });
}

static void hear_zone(struct primary *primary, const uint8_t *data, size_t len)
{
	struct incoming *incoming = &primary->incoming;
	enum incoming_step step;

	incoming_take(incoming, data, len, (uint64_t)clock_unix());
	while ((step = incoming_next(incoming, &primary->record)) == INCOMING_RECORD)
		if (!take_record(primary)) {
			end_reading(primary, "has too many types at one name");
			return;
		}
	if (step == INCOMING_END)
		end_reading(primary, NULL);
	else if (step != INCOMING_MORE)
		end_reading(primary, incoming->fault);
}

/* ---- an update ---- */

static void end_sending(struct primary *primary, enum outcome outcome, const char *words)
{
	provider_sent_fn *was_sent = primary->was_sent;

	primary->was_sent = NULL;
	update_ask_clear(&primary->ask);
	if (outcome == OUTCOME_AGAIN)
		dialog_close(&primary->dialog);
	else if (primary->dialog)
		dialog_rest(primary->dialog);
	was_sent(primary->self, outcome, about(primary, words));
}

static void hear_answer(struct primary *primary, const uint8_t *data, size_t len)
{
	const char *words;
	enum outcome outcome = update_read(&primary->ask, data, len,
	                                   (uint64_t)clock_unix(), &words);

	end_sending(primary, outcome, words);
}

static void refuse(void *self)
{
	end_sending(self, OUTCOME_FAILED, "cannot be sent so much for one name");
}

/* ---- the connection ---- */

static void heard(void *self, const uint8_t *data, size_t len)
{
	struct primary *primary = self;

	if (primary->was_read)
		hear_zone(primary, data, len);
	else if (primary->was_sent)
		hear_answer(primary, data, len);
	else
		dialog_close(&primary->dialog);		/* nobody asked */
}

static void ended(void *self, const char *words)
{
	struct primary *primary = self;

	if (primary->was_read)
		end_reading(primary, words);
	else if (primary->was_sent)
		end_sending(primary, OUTCOME_AGAIN, words);
	else
		dialog_close(&primary->dialog);
}

static void say(struct primary *primary, size_t len)
{
	if (!primary->dialog)
		primary->dialog = dialog_open(primary->loop, &primary->registry->server,
		    &(struct dialog_listener){ heard, ended, primary });
	dialog_say(primary->dialog, primary->message, len,
	           1000 * (int64_t)primary->registry->settings->timeout_s, WHOLE_MS);
}

/* ---- what a round asks for ---- */

static void start(struct registry *registry, const struct runtime *runtime)
{
	struct primary *primary = xcalloc(1, sizeof(*primary));

	registry->primary = primary;
	primary->registry = registry;
	primary->loop = runtime->loop;
	primary->refusal = loop_timer_new(runtime->loop, refuse, primary);
}

static void stop(struct registry *registry)
{
	struct primary *primary = registry->primary;

	registry->primary = NULL;
	if (!primary)
		return;
	primary_close(primary);
	loop_timer_free(&primary->refusal);
	free(primary);
}

static void cancel(struct registry *registry)
{
	primary_close(registry->primary);
}

static void read_zone(struct registry *registry, struct view *view,
                      provider_read_fn *done, void *self)
{
	struct primary *primary = registry->primary;

	primary_close(primary);
	primary->view = view;
	primary->was_read = done;
	primary->self = self;

	size_t len = incoming_ask(&primary->incoming, &registry->zone,
	                          (uint16_t)random_u32(), key_of(primary),
	                          (uint64_t)clock_unix(), primary->message);
	primary->incoming.limits = limits;
	say(primary, len);
}

static void send_updates(struct registry *registry, const struct update *const *updates,
                         size_t count, provider_sent_fn *done, void *self)
{
	struct primary *primary = registry->primary;

	primary->was_sent = done;
	primary->self = self;

	size_t len = update_write(&primary->ask, &registry->zone, (uint16_t)random_u32(),
	                          updates, count, key_of(primary), (uint64_t)clock_unix(),
	                          primary->message);
	if (len)
		say(primary, len);
	else
		loop_timer_set(primary->refusal, 0);
}

const struct provider provider_rfc2136 = {
	.name = "rfc2136",
	.start = start,
	.stop = stop,
	.read = read_zone,
	.measure = update_size,
	.send = send_updates,
	.cancel = cancel,
};
