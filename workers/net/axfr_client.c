#include "net/axfr_client.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "model/serial.h"
#include "net/dns_tcp.h"

struct fetch {
	struct fetch_want want;
	struct fetch_listener listener;
	struct incoming incoming;
	struct link *link;
	bool is_telling;		/* a record */
	bool was_cancelled;		/* meanwhile */
};

static void fetch_free(struct fetch *fetch)
{
	link_free(&fetch->link);
	incoming_clear(&fetch->incoming);
	free(fetch);
}

void fetch_cancel(struct fetch **fetch)
{
	struct fetch *old = *fetch;

	*fetch = NULL;
	if (old && old->is_telling)
		old->was_cancelled = true;
	else if (old)
		fetch_free(old);
}

/* By the server's clock, as far as it is known. */
static uint64_t server_now(const struct fetch *fetch)
{
	return (uint64_t)(clock_unix() + fetch->want.ahead_s);
}

static void finish(struct fetch *fetch, enum fetch_outcome outcome, const char *words)
{
	struct fetch_listener listener = fetch->listener;
	uint32_t serial = fetch->incoming.serial;

	if (fetch->want.server_time)
		*fetch->want.server_time = fetch->incoming.server_time;
	fetch_free(fetch);
	listener.end(listener.self, outcome, serial, words);
}

/* ---- what it sends ---- */

static void end_refused(struct fetch *fetch)
{
	enum rcode rcode = fetch->incoming.rcode;
	bool refused = rcode == RCODE_REFUSED || rcode == RCODE_NOTAUTH ||
	               rcode == RCODE_NXDOMAIN || rcode == RCODE_NOTIMP;

	finish(fetch, refused ? FETCH_REFUSED : FETCH_FAILED, fetch->incoming.fault);
}

/* False: the fetch is over. */
static bool tell(struct fetch *fetch)
{
	const struct fetch_want *want = &fetch->want;

	if (want->has_newest && serial_newer(fetch->incoming.serial, want->newest)) {
		finish(fetch, FETCH_NEWER, "has a newer serial");
		return false;
	}
	fetch->is_telling = true;
	fetch->listener.record(fetch->listener.self, want->record);
	fetch->is_telling = false;
	if (!fetch->was_cancelled)
		return true;
	fetch_free(fetch);
	return false;
}

static void on_message(void *self, const uint8_t *data, size_t len)
{
	struct fetch *fetch = self;
	struct incoming *incoming = &fetch->incoming;
	enum incoming_step step;

	incoming_take(incoming, data, len, server_now(fetch));
	while ((step = incoming_next(incoming, fetch->want.record)) == INCOMING_RECORD)
		if (!tell(fetch))
			return;
	if (step == INCOMING_END)
		finish(fetch, FETCH_WHOLE, "");
	else if (step == INCOMING_REFUSED)
		end_refused(fetch);
	else if (step == INCOMING_BROKEN)
		finish(fetch, FETCH_FAILED, incoming->fault);
}

static void on_end(void *self, enum link_end end)
{
	struct fetch *fetch = self;
	bool has_begun = fetch->incoming.messages;

	switch (end) {
	case LINK_NONE:
		finish(fetch, FETCH_FAILED, fetch->want.fault);
		break;
	case LINK_REFUSED:
	case LINK_BROKEN:
		finish(fetch, FETCH_BROKEN, has_begun ? "breaks its transfer off"
		                                      : "takes no question over TCP");
		break;
	case LINK_SILENT:
		finish(fetch, FETCH_FAILED, has_begun ? "falls silent within its transfer"
		                                      : "does not answer");
		break;
	case LINK_LATE:
		finish(fetch, FETCH_FAILED, "takes too long for its transfer");
	}
}

struct fetch *fetch_start(struct loop *loop, const struct fetch_want *want,
                          const struct fetch_listener *listener)
{
	struct fetch *fetch = xcalloc(1, sizeof(*fetch));
	const struct link_listener heard = { on_message, on_end, fetch };
	uint8_t question[INCOMING_ASK_MAX];
	size_t len;

	fetch->want = *want;
	fetch->listener = *listener;
	fetch->link = link_new(loop, want->fd, &heard);
	len = incoming_ask(&fetch->incoming, &want->zone, random_u32() & 0xffff,
	                   want->key, server_now(fetch), question);
	fetch->incoming.limits = want->limits;
	fetch->want.key = NULL;		/* the chain has its own */
	link_send(fetch->link, question, len);
	link_expect(fetch->link, want->silence_ms, want->whole_ms);
	return fetch;
}
