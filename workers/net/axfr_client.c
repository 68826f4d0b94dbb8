#include "net/axfr_client.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/mem.h"
#include "model/serial.h"
#include "net/dns_tcp.h"

struct axfr_client {
	struct axfr_client_config want;
	struct axfr_client_listener listener;
	struct axfr_reader reader;
	struct dns_tcp *tcp;
	bool in_callback;		/* within the callback for a record */
	bool was_cancelled;		/* that callback has cancelled the client */
};

static void axfr_client_free(struct axfr_client *client)
{
	dns_tcp_free(&client->tcp);
	axfr_reader_clear(&client->reader);
	free(client);
}

void axfr_client_cancel(struct axfr_client **client)
{
	struct axfr_client *old = *client;

	*client = NULL;
	if (old && old->in_callback)
		old->was_cancelled = true;
	else if (old)
		axfr_client_free(old);
}

/* The present time by the server's clock, if it is known. */
static uint64_t axfr_client_server_now(const struct axfr_client *client)
{
	return (uint64_t)(clock_unix() + client->want.ahead_s);
}

static void axfr_client_end(struct axfr_client *client, enum axfr_outcome outcome,
                            const char *words)
{
	struct axfr_client_listener listener = client->listener;
	uint32_t serial = client->reader.serial;

	if (client->want.server_time)
		*client->want.server_time = client->reader.server_time;
	axfr_client_free(client);
	listener.end(listener.self, outcome, serial, words);
}

/* ---- answers ---- */

static void axfr_client_end_refused(struct axfr_client *client)
{
	enum rcode rcode = client->reader.rcode;
	bool refused = rcode == RCODE_REFUSED || rcode == RCODE_NOTAUTH ||
	               rcode == RCODE_NXDOMAIN || rcode == RCODE_NOTIMP;

	axfr_client_end(client, refused ? AXFR_REFUSED : AXFR_FAILED,
	                client->reader.fault);
}

/* False: the client was freed. */
static bool axfr_client_on_record(struct axfr_client *client)
{
	const struct axfr_client_config *want = &client->want;

	if (want->has_newest && serial_newer(client->reader.serial, want->newest)) {
		axfr_client_end(client, AXFR_NEWER, "serves a newer serial than "
		                "expected");
		return false;
	}
	client->in_callback = true;
	client->listener.record(client->listener.self, want->record);
	client->in_callback = false;
	if (!client->was_cancelled)
		return true;
	axfr_client_free(client);
	return false;
}

static void axfr_client_on_message(void *self, const uint8_t *data, size_t len)
{
	struct axfr_client *client = self;
	struct axfr_reader *reader = &client->reader;
	enum axfr_reader_step step;

	axfr_reader_add(reader, data, len, axfr_client_server_now(client));
	while ((step = axfr_reader_next(reader, client->want.record)) ==
	       AXFR_READER_RECORD)
		if (!axfr_client_on_record(client))
			return;
	if (step == AXFR_READER_END)
		axfr_client_end(client, AXFR_COMPLETE, "");
	else if (step == AXFR_READER_REFUSED)
		axfr_client_end_refused(client);
	else if (step == AXFR_READER_BROKEN)
		axfr_client_end(client, AXFR_FAILED, reader->fault);
}

static void axfr_client_on_end(void *self, enum dns_tcp_end end)
{
	struct axfr_client *client = self;
	bool has_begun = client->reader.messages;

	switch (end) {
	case DNS_TCP_NO_SOCKET:
		axfr_client_end(client, AXFR_FAILED, client->want.fault);
		break;
	case DNS_TCP_REFUSED:
	case DNS_TCP_BROKEN:
		axfr_client_end(client, AXFR_BROKEN,
		                has_begun ? "closes the connection during the transfer"
		                          : "refuses or closes the TCP connection");
		break;
	case DNS_TCP_SILENT:
		axfr_client_end(client, AXFR_FAILED,
		                has_begun ? "stops sending during the transfer"
		                          : "does not answer");
		break;
	case DNS_TCP_LATE:
		axfr_client_end(client, AXFR_FAILED, "exceeds the time limit for the "
		                "transfer");
	}
}

struct axfr_client *axfr_client_start(struct loop *loop,
                                      const struct axfr_client_config *want,
                                      const struct axfr_client_listener *listener)
{
	struct axfr_client *client = xcalloc(1, sizeof(*client));
	const struct dns_tcp_listener tcp_listener = { axfr_client_on_message,
		                                       axfr_client_on_end, client };
	uint8_t question[AXFR_QUERY_MAX];
	size_t len;

	client->want = *want;
	client->listener = *listener;
	client->tcp = dns_tcp_new(loop, want->fd, &tcp_listener);
	len = axfr_reader_query(&client->reader, &want->zone, random_u32() & 0xffff,
	                        want->key, axfr_client_server_now(client), question);
	client->reader.limits = want->limits;
	client->want.key = NULL;	/* the chain has a copy */
	dns_tcp_send(client->tcp, question, len);
	dns_tcp_set_deadlines(client->tcp, want->silence_ms, want->whole_ms);
	return client;
}
