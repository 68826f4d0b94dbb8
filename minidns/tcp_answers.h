/*
 * tcp_answers -- the answers that one TCP client has not received yet: messages with a
 * length prefix (RFC 7766 8), and transfers. A transfer builds each message only when the
 * socket can accept the message. tcp_answers sends no other message during a transfer.
 * Between two transfers, tcp_answers sends all waiting messages (RFC 7766 7), because the
 * next transfer possibly has to wait for a free place (transfers.h). tcp_answers keeps
 * the order of the messages, and the order of the transfers.
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
	size_t queued;			/* size of the waiting messages in octets */
	int64_t written;		/* octets that the socket has accepted so far */
	int transfer_count;
	/* buffer for the messages of a transfer; exists while a transfer runs */
	uint8_t *out;
	/* the octets of the current message that the socket has not accepted yet */
	const uint8_t *sending;
	size_t sending_len;
};

void tcp_answers_init(struct tcp_answers *answers);
void tcp_answers_clear(struct tcp_answers *answers);
/*
 * Adds the content of REPLY: copies a message, or takes ownership of a transfer. Calls
 * READY when the transfer has a place, but never before tcp_answers_put() returns.
 */
void tcp_answers_put(struct tcp_answers *answers, const struct reply *reply,
                     void (*ready)(void *self), void *self);
bool tcp_answers_empty(const struct tcp_answers *answers);
/*
 * True: tcp_answers can send octets now, from a message or from a transfer that has a
 * place.
 */
bool tcp_answers_ready(const struct tcp_answers *answers);
/*
 * Sends octets until STREAM accepts no more, but at most 16 messages. False: the stream
 * failed.
 */
bool tcp_answers_send(struct tcp_answers *answers, struct stream *stream);
