/*
 * serve -- from a request to its answer, the same for UDP and TCP: checks the request,
 * finds the zone, checks the peer of a transfer, and answers. It answers from memory at
 * once if it can. If it cannot, it keeps the request until the database has answered,
 * and calls the listener back.
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
 * Either a message, borrowed until the callback returns, or a
 * transfer, which is the callee's.
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
	/* somebody asks for what name servers want: an SOA, a transfer */
	void (*heard)(void *self, const struct address *peer);
	void *self;
};

struct serve_request {
	const uint8_t *packet;
	size_t len;
	struct address peer;
	bool tcp;
	int64_t idle_ms;		/* of TCP: what is told of it (RFC 7828) */
	reply_fn *later;		/* called once after SERVE_LATER */
	void *self;
};

enum serve_fate { SERVE_SILENCE, SERVE_NOW, SERVE_LATER };
enum { SERVE_BUFFER = 65535 };

struct serve *serve_new(const struct serve_config *config);
/* Questions come no more, and what can be answered without the database now is. */
void serve_end(struct serve *serve);
/* Before the first question; and again whenever they change. */
void serve_set_secrets(struct serve *serve, const struct cookie_secrets *secrets);
/* after the parts in its config: none is pending */
void serve_free(struct serve **serve);
/* After SERVE_NOW *answer is valid until the next call. */
enum serve_fate serve(struct serve *serve, const struct serve_request *request,
                      struct reply *answer);
size_t serve_pending(const struct serve *serve);
