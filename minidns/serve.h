/*
 * serve -- answers a DNS request, in the same way for UDP and TCP. This module checks the
 * request and finds the zone. For a transfer, this module checks whether the client may
 * transfer the zone. If possible, this module answers from memory. Otherwise this module
 * keeps the request until the database has answered. After that, this module passes the
 * answer to the listener.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/address.h"

struct cookie_secrets;
struct deltas;
struct figures;
struct zone_lookup;
struct announcer;
struct loop;
struct limiter;
struct serve;
struct servers;
struct transfer;
struct transfers;
struct zones;

/*
 * An answer: either a message or a transfer. The message is borrowed until the callback
 * returns. The callee owns the transfer.
 */
struct reply {
	const uint8_t *data;
	size_t len;
	struct transfer *transfer;	/* over TCP only */
};
typedef void reply_fn(void *self, const struct reply *reply);

struct serve_config {
	const struct figures *figures;
	struct loop *loop;
	struct announcer *announcer;
	struct zone_lookup *lookup;
	struct zones *zones;
	struct deltas *deltas;
	struct servers *servers;
	struct transfers *transfers;
	struct limiter *limiter;
	/*
	 * called when a client has sent a query for an SOA or a transfer, as name servers
	 * do
	 */
	void (*heard)(void *self, const struct address *peer);
	void *self;
};

struct serve_request {
	const uint8_t *packet;
	size_t len;
	struct address peer;
	bool tcp;
	/* for TCP: the idle timeout that the answer contains (RFC 7828) */
	int64_t idle_ms;
	/* after the verdict SERVE_LATER, the module calls this function once */
	reply_fn *later;
	void *self;
};

enum serve_verdict { SERVE_SILENCE, SERVE_NOW, SERVE_LATER };
enum { SERVE_BUFFER = 65535 };

struct serve *serve_new(const struct serve_config *config);
/*
 * Answers the pending requests that no longer need the database. Call it when no more
 * requests will follow.
 */
void serve_end(struct serve *serve);
/* Call it before the first request, and when the secrets change. */
void serve_set_secrets(struct serve *serve, const struct cookie_secrets *secrets);
/*
 * Before this call, free the lookup, the servers, the deltas and the zones. The callbacks
 * of these parts end all pending requests.
 */
void serve_free(struct serve **serve);
/*
 * Answers a request. SERVE_NOW: *answer contains the answer until the next call.
 * SERVE_LATER: the answer follows through request->later. SERVE_SILENCE: send no answer.
 */
enum serve_verdict serve(struct serve *serve, const struct serve_request *request,
                         struct reply *answer);
/* Returns the number of requests whose answer follows later. */
size_t serve_pending(const struct serve *serve);
