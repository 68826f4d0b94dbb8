#include "primary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/rrset_query.h"
#include "core/update_wire.h"
#include "dns/packet.h"
#include "net/axfr_client.h"
#include "net/client_socket.h"
#include "net/dns_tcp.h"
#include "net/lookup.h"
#include "runtime/loop.h"
#include "server_clock.h"

struct sending {
	primary_sent_fn *done;		/* NULL: no message is out */
	void *self;
	struct update_sent sent;
	uint8_t *data;			/* the message */
	size_t len;
	bool is_corrected;		/* signed again with the server's time */
	bool is_lost;			/* primary_report_lost() ends it, with: */
	enum outcome outcome;
	struct why why;
};

struct asking {
	primary_asked_fn *done;
	void *self;
	struct rrset_query query;
	bool is_corrected;
	bool is_lost;
	struct why why;
};

struct primary {
	struct loop *loop;
	struct primary_config config;
	struct tsig_key key;		/* the key of the config */
	bool is_known_key;		/* the server has accepted this key before */
	struct server_clock clock;
	struct primary_reader reader;
	struct axfr_client *fetch;		/* NULL: no zone transfer runs */
	struct address fetch_server, link_server;	/* of the connections */
	uint64_t fetch_time;		/* the server's, after BADTIME; else 0 */
	bool is_fetch_corrected;
	struct dns_tcp *link;		/* for updates and queries; NULL: no connection */
	/* answers to cancelled messages may come on the link, so it is not kept */
	bool is_stale;
	struct sending sending;
	struct asking asking;
	struct canonical record;	/* scratch */
};

struct primary *primary_new(struct loop *loop, const struct primary_config *config)
{
	struct primary *primary = xcalloc(1, sizeof(*primary));

	primary->loop = loop;
	primary->config = *config;
	if (config->key) {
		primary->key = *config->key;
		primary->config.key = &primary->key;
	}
	return primary;
}

static void sending_clear(struct sending *sending)
{
	sent_message_clear(&sending->sent.request);
	free(sending->data);
	sending->data = NULL;
	sending->done = NULL;
	sending->is_lost = sending->is_corrected = false;
}

static void asking_clear(struct asking *asking)
{
	sent_message_clear(&asking->query.request);
	asking->done = NULL;
	asking->is_lost = asking->is_corrected = false;
}

void primary_free(struct primary **primary)
{
	struct primary *old = *primary;

	*primary = NULL;
	if (!old)
		return;
	axfr_client_cancel(&old->fetch);
	dns_tcp_free(&old->link);
	loop_later_cancel(old->loop, old);
	explicit_bzero(&old->key, sizeof(old->key));
	sending_clear(&old->sending);
	asking_clear(&old->asking);
	free(old);
}

/* The present address; NULL: unknown. */
static const struct address *primary_server(const struct primary *primary)
{
	const struct primary_config *config = &primary->config;

	return config->lookup ? lookup_address(config->lookup) : &config->server;
}

/* Connects to the present address and keeps it in DIALLED. */
static int primary_dial(const struct primary *primary, struct address *dialled)
{
	const struct primary_config *config = &primary->config;
	const struct address *server = primary_server(primary);

	*dialled = (struct address){ 0 };
	if (!server)
		return -1;
	*dialled = *server;
	return client_socket_connect(client_socket_open(server, SOCK_STREAM), server,
	                             config->local.bits ? &config->local : NULL);
}

static void primary_note_unreached(const struct primary *primary,
                                   const struct address *dialled)
{
	if (primary->config.lookup)
		lookup_failed(primary->config.lookup, dialled);
}

/* ---- the server's clock ---- */

static void primary_learn_time(struct primary *primary, uint64_t server_time)
{
	const struct address *server = primary_server(primary);

	server_clock_learn(&primary->clock, server_time,
	                   server ? server : &primary->config.server,
	                   &primary->config.zone);
}

/* True: the answer to REQUEST is BADTIME. Learns the server's time. */
static bool primary_is_mistimed(struct primary *primary,
                                const struct sent_message *request, const uint8_t *data,
                                size_t len)
{
	uint64_t server_time = reply_server_time(request, data, len);

	if (server_time)
		primary_learn_time(primary, server_time);
	return server_time;
}

/* ---- the zone ---- */

static void primary_on_record(void *self, const struct canonical *record)
{
	struct primary *primary = self;

	primary->reader.record(primary->reader.self, record);
}

static void primary_start_fetch(struct primary *primary);

static void primary_on_fetched(void *self, enum axfr_outcome outcome, uint32_t serial,
                               const char *words)
{
	struct primary *primary = self;

	primary->fetch = NULL;
	if (primary->fetch_time && !primary->is_fetch_corrected) {
		primary->is_fetch_corrected = true;
		primary_learn_time(primary, primary->fetch_time);
		primary_start_fetch(primary);
		return;
	}
	if (outcome == AXFR_BROKEN || outcome == AXFR_FAILED)
		primary_note_unreached(primary, &primary->fetch_server);
	primary->is_known_key = outcome == AXFR_COMPLETE;
	primary->reader.end(primary->reader.self, outcome == AXFR_COMPLETE ? NULL : words,
	                    serial);
}

static void primary_start_fetch(struct primary *primary)
{
	const struct primary_config *config = &primary->config;
	const struct axfr_client_listener listener = { primary_on_record,
	                                               primary_on_fetched, primary };
	const struct axfr_client_config want = {
		.zone = config->zone,
		.fd = primary_dial(primary, &primary->fetch_server),
		.fault = "cannot be reached over TCP",
		.key = config->key,
		.ahead_s = primary->clock.ahead_s,
		.server_time = &primary->fetch_time,
		.silence_ms = config->silence_ms,
		.whole_ms = config->whole_ms,
		.limits = config->limits,
		.record = &primary->record,
	};

	primary->fetch = axfr_client_start(primary->loop, &want, &listener);
}

void primary_read(struct primary *primary, const struct primary_reader *reader)
{
	bug_if(primary->fetch);
	primary->reader = *reader;
	primary->is_fetch_corrected = false;
	primary_start_fetch(primary);
}

void primary_cancel_read(struct primary *primary)
{
	axfr_client_cancel(&primary->fetch);
}

/* ---- ends of updates and queries ---- */

static bool sending_is_open(const struct sending *sending)
{
	return sending->done && !sending->is_lost;
}

static bool asking_is_open(const struct asking *asking)
{
	return asking->done && !asking->is_lost;
}

/* If no message is out, keeps the connection for the idle time, unless it is stale. */
static void primary_keep_link(struct primary *primary)
{
	const struct primary_config *config = &primary->config;

	if (!primary->link || sending_is_open(&primary->sending) ||
	    asking_is_open(&primary->asking))
		return;
	if (primary->is_stale)
		dns_tcp_free(&primary->link);
	else
		dns_tcp_set_deadlines(primary->link, config->idle_ms, config->idle_ms);
}

static void primary_end_send(struct primary *primary, enum outcome outcome,
                             const struct why *why)
{
	struct sending *sending = &primary->sending;
	primary_sent_fn *done = sending->done;
	struct why words = *why;	/* the primary may be freed */

	sending_clear(sending);
	primary_keep_link(primary);
	done(sending->self, outcome, words.text);
}

/* Ends the query. SET is NULL after a fault, which is in WHY. */
static void primary_end_ask(struct primary *primary, const struct why *why,
                            const struct rrset *set)
{
	struct asking *asking = &primary->asking;
	primary_asked_fn *done = asking->done;
	struct why words = *why;

	asking_clear(asking);
	primary_keep_link(primary);
	done(asking->self, set ? NULL : words.text, set);
}

/*
 * Ends one operation at a time: a callback may cancel the other one and free the primary.
 */
static void primary_report_lost(void *self)
{
	struct primary *primary = self;

	if (primary->sending.is_lost)
		primary_end_send(primary, primary->sending.outcome,
		                 &primary->sending.why);
	else if (primary->asking.is_lost)
		primary_end_ask(primary, &primary->asking.why, NULL);
}

static void primary_lose_send(struct primary *primary, enum outcome outcome,
                              const char *words)
{
	struct sending *sending = &primary->sending;

	sending->is_lost = true;
	sending->outcome = outcome;
	snprintf(sending->why.text, sizeof(sending->why.text), "%s", words);
	loop_later(primary->loop, primary_report_lost, primary);
}

static void primary_lose_ask(struct primary *primary, const char *words)
{
	struct asking *asking = &primary->asking;

	asking->is_lost = true;
	snprintf(asking->why.text, sizeof(asking->why.text), "%s", words);
	loop_later(primary->loop, primary_report_lost, primary);
}

/* Ends the connection and fails all open messages. */
static void primary_lose_link(struct primary *primary, const char *words)
{
	dns_tcp_free(&primary->link);
	if (sending_is_open(&primary->sending))
		primary_lose_send(primary, OUTCOME_AGAIN, words);
	if (asking_is_open(&primary->asking))
		primary_lose_ask(primary, words);
}

/* ---- incoming messages ---- */

static void primary_resend_update(struct primary *primary);
static void primary_send_query(struct primary *primary);

static void primary_on_update_reply(struct primary *primary, const uint8_t *data,
                                    size_t len)
{
	struct sending *sending = &primary->sending;
	enum outcome outcome;
	struct why why;

	if (!sending->is_corrected &&
	    primary_is_mistimed(primary, &sending->sent.request, data, len)) {
		primary_resend_update(primary);
		return;
	}
	outcome = update_wire_outcome(&sending->sent, data, len, (uint64_t)clock_unix(),
	                              &why);
	primary->is_stale |= outcome == OUTCOME_AGAIN;
	primary->is_known_key |= outcome == OUTCOME_APPLIED;
	primary_end_send(primary, outcome, &why);
}

static void primary_read_answer(struct primary *primary, const uint8_t *data, size_t len)
{
	struct arena *arena = arena_new();
	const struct rrset_query_buffers buffers = { arena, &primary->record };
	struct rrset set;
	struct why why = { "" };
	uint64_t now = server_clock_now(&primary->clock);
	enum err err = rrset_query_read(&primary->asking.query, data, len, now, &buffers,
	                                &set, &why);

	primary->is_stale |= err != OK;
	primary->is_known_key |= !err;
	primary_end_ask(primary, &why, err ? NULL : &set);
	arena_free(&arena);
}

static void primary_on_query_reply(struct primary *primary, const uint8_t *data,
                                   size_t len)
{
	struct asking *asking = &primary->asking;

	if (asking->is_corrected ||
	    !primary_is_mistimed(primary, &asking->query.request, data, len)) {
		primary_read_answer(primary, data, len);
		return;
	}
	asking->is_corrected = true;
	primary_send_query(primary);
}

static void primary_on_message(void *self, const uint8_t *data, size_t len)
{
	struct primary *primary = self;
	struct packet_reader reader = packet_reader(data, len);
	uint16_t id = packet_read_u16(&reader);

	if (sending_is_open(&primary->sending) && !reader.broken &&
	    id == primary->sending.sent.request.id)
		primary_on_update_reply(primary, data, len);
	else if (asking_is_open(&primary->asking) && !reader.broken &&
	         id == primary->asking.query.request.id)
		primary_on_query_reply(primary, data, len);
	else if (!primary->is_stale)
		primary_lose_link(primary, "sends a message that is not the expected "
		                  "answer");
}

static void primary_on_link_end(void *self, enum dns_tcp_end end)
{
	static const char *const words[] = {
		[DNS_TCP_NO_SOCKET] = "cannot be reached over TCP",
		[DNS_TCP_REFUSED]   = "accepts no connection over TCP",
		[DNS_TCP_BROKEN]    = "closes the connection before it answers",
		[DNS_TCP_SILENT]    = "does not answer",
		[DNS_TCP_LATE]      = ("does not complete the answer within the time "
		        "limit"),
	};

	struct primary *primary = self;

	if (sending_is_open(&primary->sending) || asking_is_open(&primary->asking))
		primary_note_unreached(primary, &primary->link_server);
	primary_lose_link(primary, words[end]);
}

/* ---- outgoing messages ---- */

static void primary_write(struct primary *primary, const uint8_t *data, size_t len)
{
	const struct primary_config *config = &primary->config;
	const struct dns_tcp_listener listener = { primary_on_message,
	                                           primary_on_link_end, primary };

	if (!primary->link) {
		primary->link = dns_tcp_new(
		    primary->loop, primary_dial(primary, &primary->link_server),
		    &listener);
		primary->is_stale = false;
	}
	dns_tcp_send(primary->link, data, len);
	dns_tcp_set_deadlines(primary->link, config->silence_ms, config->whole_ms);
}

/* An id that no open message has. */
static uint16_t primary_new_id(const struct primary *primary)
{
	uint16_t id;

	do
		id = random_u32() & 0xffff;
	while (id == primary->sending.sent.request.id ||
	       id == primary->asking.query.request.id);
	return id;
}

static void primary_resend_update(struct primary *primary)
{
	struct sending *sending = &primary->sending;

	sending->is_corrected = true;
	sending->sent.ahead_s = primary->clock.ahead_s;
	sent_message_sign_again(&sending->sent.request, server_clock_now(&primary->clock),
	                        sending->data, sending->len);
	primary_write(primary, sending->data, sending->len);
}

void primary_send(struct primary *primary, const struct update *const *updates,
                  size_t count, primary_sent_fn *done, void *self)
{
	struct sending *sending = &primary->sending;
	const struct update_message message = {
		.zone = &primary->config.zone,
		.updates = updates,
		.count = count,
		.key = primary->config.key,
		.is_known_key = primary->is_known_key,
		.id = primary_new_id(primary),
		.now = (uint64_t)clock_unix(),
		.ahead_s = primary->clock.ahead_s,
	};

	bug_if(sending->done);
	sending->done = done;
	sending->self = self;
	sending->data = xmalloc(PACKET_MAX);
	sending->len = update_wire_put(&message, &sending->sent, sending->data);
	if (sending->len)
		primary_write(primary, sending->data, sending->len);
	else
		primary_lose_send(primary, OUTCOME_FAILED,
		                  "cannot receive the update: a change in the update is "
		                  "larger than a DNS message");
}

void primary_cancel_send(struct primary *primary)
{
	struct sending *sending = &primary->sending;

	primary->is_stale |= sending_is_open(sending);
	sending_clear(sending);
	primary_keep_link(primary);
}

static void primary_send_query(struct primary *primary)
{
	uint64_t now = server_clock_now(&primary->clock);
	uint8_t data[RRSET_QUERY_MAX];
	size_t len = rrset_query_write(&primary->asking.query, primary_new_id(primary),
	                               primary->config.key, now, data);

	primary_write(primary, data, len);
}

void primary_ask(struct primary *primary, const struct name *name, uint16_t type,
                 primary_asked_fn *done, void *self)
{
	struct asking *asking = &primary->asking;

	bug_if(asking->done);
	asking->done = done;
	asking->self = self;
	asking->query.name = *name;
	asking->query.type = type;
	primary_send_query(primary);
}

void primary_cancel_ask(struct primary *primary)
{
	struct asking *asking = &primary->asking;

	primary->is_stale |= asking_is_open(asking);
	asking_clear(asking);
	primary_keep_link(primary);
}
