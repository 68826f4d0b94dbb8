#include "primary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/question.h"
#include "core/update_wire.h"
#include "dns/packet.h"
#include "net/axfr_client.h"
#include "net/client_socket.h"
#include "net/dns_tcp.h"
#include "net/lookup.h"
#include "runtime/loop.h"
#include "server_clock.h"

struct sending {
	primary_sent_fn *done;		/* NULL: nothing is under way */
	void *self;
	struct update_sent sent;
	uint8_t *data;			/* the message, */
	size_t len;
	bool is_corrected;		/* which was signed again: server_clock.h */
	bool is_lost;			/* it comes to its end at the end of the turn: */
	enum outcome outcome;
	struct why why;
};

struct asking {
	primary_asked_fn *done;
	void *self;
	struct question question;
	bool is_corrected;
	bool is_lost;
	struct why why;
};

struct primary {
	struct loop *loop;
	struct primary_config config;
	struct tsig_key key;		/* the one of the config */
	bool is_known_key;		/* the server has answered under it */
	struct server_clock clock;
	struct primary_reader reader;
	struct axfr_client *fetch;		/* NULL: nothing is read */
	struct address fetch_server, link_server;	/* who was dialled for them */
	uint64_t fetch_time;		/* the server's, if it refused ours; else 0 */
	bool is_fetch_corrected;
	struct dns_tcp *link;		/* of messages and questions; NULL: none */
	/* it carries answers that nobody waits for, so it is not kept */
	bool is_spoilt;
	struct sending sending;
	struct asking asking;
	struct canonical record;	/* of the turn */
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

static void forget_message(struct sending *sending)
{
	sent_message_clear(&sending->sent.request);
	free(sending->data);
	sending->data = NULL;
	sending->done = NULL;
	sending->is_lost = sending->is_corrected = false;
}

static void forget_question(struct asking *asking)
{
	sent_message_clear(&asking->question.request);
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
	forget_message(&old->sending);
	forget_question(&old->asking);
	free(old);
}

/* The address that it has by now; NULL: none is known. */
static const struct address *server_of(const struct primary *primary)
{
	const struct primary_config *config = &primary->config;

	return config->lookup ? lookup_address(config->lookup) : &config->server;
}

/* To the address that it has by now, which is kept in DIALLED. */
static int dial(const struct primary *primary, struct address *dialled)
{
	const struct primary_config *config = &primary->config;
	const struct address *server = server_of(primary);

	*dialled = (struct address){ 0 };
	if (!server)
		return -1;
	*dialled = *server;
	return client_socket_connect(client_socket_open(server, SOCK_STREAM), server,
	                             config->local.bits ? &config->local : NULL);
}

static void note_unreached(const struct primary *primary, const struct address *dialled)
{
	if (primary->config.lookup)
		lookup_failed(primary->config.lookup, dialled);
}

/* ---- its clock ---- */

static void learn_time(struct primary *primary, uint64_t server_time)
{
	const struct address *server = server_of(primary);

	server_clock_learn(&primary->clock, server_time,
	                   server ? server : &primary->config.server,
	                   &primary->config.zone);
}

/* Does it refuse REQUEST for its time? Then another time is known now. */
static bool is_mistimed(struct primary *primary, const struct sent_message *request,
                        const uint8_t *data, size_t len)
{
	uint64_t server_time = reply_server_time(request, data, len);

	if (server_time)
		learn_time(primary, server_time);
	return server_time;
}

/* ---- the zone ---- */

static void on_record(void *self, const struct canonical *record)
{
	struct primary *primary = self;

	primary->reader.record(primary->reader.self, record);
}

static void start_fetch(struct primary *primary);

static void on_fetched(void *self, enum axfr_outcome outcome, uint32_t serial,
                       const char *words)
{
	struct primary *primary = self;

	primary->fetch = NULL;
	if (primary->fetch_time && !primary->is_fetch_corrected) {
		primary->is_fetch_corrected = true;
		learn_time(primary, primary->fetch_time);
		start_fetch(primary);
		return;
	}
	if (outcome == AXFR_BROKEN || outcome == AXFR_FAILED)
		note_unreached(primary, &primary->fetch_server);
	primary->is_known_key = outcome == AXFR_COMPLETE;
	primary->reader.end(primary->reader.self, outcome == AXFR_COMPLETE ? NULL : words,
	                    serial);
}

static void start_fetch(struct primary *primary)
{
	const struct primary_config *config = &primary->config;
	const struct axfr_client_listener listener = { on_record, on_fetched, primary };
	const struct axfr_client_config want = {
		.zone = config->zone,
		.fd = dial(primary, &primary->fetch_server),
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
	start_fetch(primary);
}

void primary_cancel_read(struct primary *primary)
{
	axfr_client_cancel(&primary->fetch);
}

/* ---- the ends of messages and questions ---- */

static bool is_waited_for(const struct sending *sending)
{
	return sending->done && !sending->is_lost;
}

static bool is_asked(const struct asking *asking)
{
	return asking->done && !asking->is_lost;
}

/* Who does not wait for anything keeps the connection for a while, if it is good. */
static void rest(struct primary *primary)
{
	const struct primary_config *config = &primary->config;

	if (!primary->link || is_waited_for(&primary->sending) ||
	    is_asked(&primary->asking))
		return;
	if (primary->is_spoilt)
		dns_tcp_free(&primary->link);
	else
		dns_tcp_set_deadlines(primary->link, config->idle_ms, config->idle_ms);
}

static void finish_send(struct primary *primary, enum outcome outcome,
                        const struct why *why)
{
	struct sending *sending = &primary->sending;
	primary_sent_fn *done = sending->done;
	struct why words = *why;	/* the primary may be freed */

	forget_message(sending);
	rest(primary);
	done(sending->self, outcome, words.text);
}

/* The SET is in ARENA, or there is a fault: WHY. */
static void finish_ask(struct primary *primary, const struct why *why,
                       const struct rrset *set)
{
	struct asking *asking = &primary->asking;
	primary_asked_fn *done = asking->done;
	struct why words = *why;

	forget_question(asking);
	rest(primary);
	done(asking->self, set ? NULL : words.text, set);
}

/* Once for each, for whoever hears of one may cancel the other, and free us. */
static void tell_lost(void *self)
{
	struct primary *primary = self;

	if (primary->sending.is_lost)
		finish_send(primary, primary->sending.outcome, &primary->sending.why);
	else if (primary->asking.is_lost)
		finish_ask(primary, &primary->asking.why, NULL);
}

static void lose_send(struct primary *primary, enum outcome outcome, const char *words)
{
	struct sending *sending = &primary->sending;

	sending->is_lost = true;
	sending->outcome = outcome;
	snprintf(sending->why.text, sizeof(sending->why.text), "%s", words);
	loop_later(primary->loop, tell_lost, primary);
}

static void lose_ask(struct primary *primary, const char *words)
{
	struct asking *asking = &primary->asking;

	asking->is_lost = true;
	snprintf(asking->why.text, sizeof(asking->why.text), "%s", words);
	loop_later(primary->loop, tell_lost, primary);
}

/* The connection is over, and all that was waited for with it. */
static void lose_link(struct primary *primary, const char *words)
{
	dns_tcp_free(&primary->link);
	if (is_waited_for(&primary->sending))
		lose_send(primary, OUTCOME_AGAIN, words);
	if (is_asked(&primary->asking))
		lose_ask(primary, words);
}

/* ---- what comes ---- */

static void send_corrected(struct primary *primary);
static void put_question(struct primary *primary);

static void hear_sent(struct primary *primary, const uint8_t *data, size_t len)
{
	struct sending *sending = &primary->sending;
	enum outcome outcome;
	struct why why;

	if (!sending->is_corrected &&
	    is_mistimed(primary, &sending->sent.request, data, len)) {
		send_corrected(primary);
		return;
	}
	outcome = update_wire_outcome(&sending->sent, data, len, (uint64_t)clock_unix(),
	                              &why);
	primary->is_spoilt |= outcome == OUTCOME_AGAIN;
	primary->is_known_key |= outcome == OUTCOME_APPLIED;
	finish_send(primary, outcome, &why);
}

static void take_answer(struct primary *primary, const uint8_t *data, size_t len)
{
	struct arena *arena = arena_new();
	const struct question_room room = { arena, &primary->record };
	struct rrset set;
	struct why why = { "" };
	uint64_t now = server_clock_now(&primary->clock);
	enum err err = question_answer(&primary->asking.question, data, len, now, &room,
	                               &set, &why);

	primary->is_spoilt |= err != OK;
	primary->is_known_key |= !err;
	finish_ask(primary, &why, err ? NULL : &set);
	arena_free(&arena);
}

static void hear_asked(struct primary *primary, const uint8_t *data, size_t len)
{
	struct asking *asking = &primary->asking;

	if (asking->is_corrected ||
	    !is_mistimed(primary, &asking->question.request, data, len)) {
		take_answer(primary, data, len);
		return;
	}
	asking->is_corrected = true;
	put_question(primary);
}

static void on_message(void *self, const uint8_t *data, size_t len)
{
	struct primary *primary = self;
	struct packet_reader reader = packet_reader(data, len);
	uint16_t id = packet_read_u16(&reader);

	if (is_waited_for(&primary->sending) && !reader.broken &&
	    id == primary->sending.sent.request.id)
		hear_sent(primary, data, len);
	else if (is_asked(&primary->asking) && !reader.broken &&
	         id == primary->asking.question.request.id)
		hear_asked(primary, data, len);
	else if (!primary->is_spoilt)
		lose_link(primary, "sends a message that does not answer ours");
}

static void on_link_end(void *self, enum dns_tcp_end end)
{
	static const char *const words[] = {
		[DNS_TCP_NO_SOCKET] = "cannot be reached over TCP",
		[DNS_TCP_REFUSED]   = "takes no connection over TCP",
		[DNS_TCP_BROKEN]    = "breaks the connection off before it answers",
		[DNS_TCP_SILENT]    = "does not answer",
		[DNS_TCP_LATE]      = "takes too long to answer",
	};

	struct primary *primary = self;

	if (is_waited_for(&primary->sending) || is_asked(&primary->asking))
		note_unreached(primary, &primary->link_server);
	lose_link(primary, words[end]);
}

/* ---- what goes ---- */

static void say(struct primary *primary, const uint8_t *data, size_t len)
{
	const struct primary_config *config = &primary->config;
	const struct dns_tcp_listener listener = { on_message, on_link_end, primary };

	if (!primary->link) {
		primary->link = dns_tcp_new(
		    primary->loop, dial(primary, &primary->link_server), &listener);
		primary->is_spoilt = false;
	}
	dns_tcp_send(primary->link, data, len);
	dns_tcp_set_deadlines(primary->link, config->silence_ms, config->whole_ms);
}

/* None that the other is known by. */
static uint16_t new_id(const struct primary *primary)
{
	uint16_t id;

	do
		id = random_u32() & 0xffff;
	while (id == primary->sending.sent.request.id ||
	       id == primary->asking.question.request.id);
	return id;
}

static void send_corrected(struct primary *primary)
{
	struct sending *sending = &primary->sending;

	sending->is_corrected = true;
	sending->sent.ahead_s = primary->clock.ahead_s;
	sent_message_sign_again(&sending->sent.request, server_clock_now(&primary->clock),
	                        sending->data, sending->len);
	say(primary, sending->data, sending->len);
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
		.id = new_id(primary),
		.now = (uint64_t)clock_unix(),
		.ahead_s = primary->clock.ahead_s,
	};

	bug_if(sending->done);
	sending->done = done;
	sending->self = self;
	sending->data = xmalloc(PACKET_MAX);
	sending->len = update_wire_put(&message, &sending->sent, sending->data);
	if (sending->len)
		say(primary, sending->data, sending->len);
	else
		lose_send(primary, OUTCOME_FAILED, "is sent no message of that size");
}

void primary_cancel_send(struct primary *primary)
{
	struct sending *sending = &primary->sending;

	primary->is_spoilt |= is_waited_for(sending);
	forget_message(sending);
	rest(primary);
}

static void put_question(struct primary *primary)
{
	uint64_t now = server_clock_now(&primary->clock);
	uint8_t data[QUESTION_MAX];
	size_t len = question_put(&primary->asking.question, new_id(primary),
	                          primary->config.key, now, data);

	say(primary, data, len);
}

void primary_ask(struct primary *primary, const struct name *name, uint16_t type,
                 primary_asked_fn *done, void *self)
{
	struct asking *asking = &primary->asking;

	bug_if(asking->done);
	asking->done = done;
	asking->self = self;
	asking->question.name = *name;
	asking->question.type = type;
	put_question(primary);
}

void primary_cancel_ask(struct primary *primary)
{
	struct asking *asking = &primary->asking;

	primary->is_spoilt |= is_asked(asking);
	forget_question(asking);
	rest(primary);
}
