/*
 * tcp_answers -- what one client over TCP is still to get: messages with their
 * length before them (RFC 7766 8), and transfers, whose messages are made one
 * by one as the socket takes them. A transfer that has begun is sent to its
 * end; between two of them all messages go first (RFC 7766 7), for a transfer
 * may wait for its place. Each kind keeps the order in which it was put.
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
	size_t queued;			/* bytes of the messages that wait */
	int64_t written;		/* bytes that the socket took, ever */
	int transfer_count;
	/* the message on its way */
	uint8_t *out;			/* a transfer's; held while one runs */
	const uint8_t *sending;
	size_t sending_len;
};

void tcp_answers_init(struct tcp_answers *answers);
void tcp_answers_clear(struct tcp_answers *answers);
/*
 * REPLY has something: a message, which is copied, or a transfer, which is taken over.
 * READY is called when a transfer has its place, never from within this call.
 */
void tcp_answers_put(struct tcp_answers *answers, const struct reply *reply,
                     void (*ready)(void *self), void *self);
bool tcp_answers_empty(const struct tcp_answers *answers);
/* Is there something that the socket could take? A transfer may wait for its place. */
bool tcp_answers_ready(const struct tcp_answers *answers);
/* As much as STREAM takes, for one turn. False: it is broken. */
bool tcp_answers_send(struct tcp_answers *answers, struct stream *stream);
