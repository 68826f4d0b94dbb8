/*
 * tcp_answers -- the answers that one client over TCP must still get: messages with
 * their length before them (RFC 7766 8), and transfers, which make each message when the
 * socket takes it. A transfer that has begun goes on to its end. Between two transfers
 * all messages leave first (RFC 7766 7), because a transfer may wait for its place. Each
 * kind keeps its order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output;
struct reply;
struct stream;

struct outputs {
	struct output *first, **end;
};

struct tcp_answers {
	struct outputs messages, transfers;
	size_t queued;			/* size of the waiting messages */
	int64_t written;		/* bytes that the socket took since the start */
	int transfer_count;
	/* the message that is being sent */
	/* buffer for messages of a transfer; kept while one runs */
	uint8_t *out;
	const uint8_t *sending;
	size_t sending_len;
};

void tcp_answers_init(struct tcp_answers *answers);
void tcp_answers_clear(struct tcp_answers *answers);
/*
 * Adds the content of REPLY: copies a message, and takes over a transfer. Calls READY
 * when a transfer has its place, but not from within this call.
 */
void tcp_answers_put(struct tcp_answers *answers, const struct reply *reply,
                     void (*ready)(void *self), void *self);
bool tcp_answers_empty(const struct tcp_answers *answers);
/* True: the socket can get octets now. A transfer may wait for its place. */
bool tcp_answers_ready(const struct tcp_answers *answers);
/* Sends as much as STREAM takes, for one turn. False: the stream failed. */
bool tcp_answers_send(struct tcp_answers *answers, struct stream *stream);
