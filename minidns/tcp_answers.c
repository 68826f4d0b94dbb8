#include "tcp_answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/frames.h"
#include "serve.h"
#include "stream.h"
#include "transfers.h"

enum { MESSAGES_A_TURN = 16 };	/* of a transfer, then others have their turn */

/* An answer that waits for those before it: a message with its length, or a transfer. */
struct output {
	struct output *next;
	struct transfer *transfer;
	size_t len;
	uint8_t data[];
};

void tcp_answers_init(struct tcp_answers *answers)
{
	*answers = (struct tcp_answers){ .end = &answers->first };
}

static void drop_first(struct tcp_answers *answers, bool complete)
{
	struct output *output = answers->first;

	answers->first = output->next;
	if (!answers->first)
		answers->end = &answers->first;
	answers->queued -= output->len;
	transfer_free(&output->transfer, complete);
	free(output);
	free(answers->out);
	answers->out = NULL;
}

void tcp_answers_clear(struct tcp_answers *answers)
{
	while (answers->first)
		drop_first(answers, false);
	tcp_answers_init(answers);
}

bool tcp_answers_empty(const struct tcp_answers *answers)
{
	return !answers->first;
}

bool tcp_answers_ready(const struct tcp_answers *answers)
{
	const struct output *first = answers->first;

	return answers->sending_len ||
	       (first && (!first->transfer || transfer_is_ready(first->transfer)));
}

static struct output *output_new(const struct reply *reply)
{
	size_t len = reply->transfer ? 0 : FRAME_PREFIX + reply->len;
	struct output *output = xmalloc(sizeof(*output) + len);

	output->next = NULL;
	output->transfer = reply->transfer;
	output->len = len;
	if (len) {
		frame_put_prefix(output->data, reply->len);
		memcpy(output->data + FRAME_PREFIX, reply->data, reply->len);
	}
	return output;
}

void tcp_answers_put(struct tcp_answers *answers, const struct reply *reply,
                     void (*ready)(void *self), void *self)
{
	struct output *output = output_new(reply);

	*answers->end = output;
	answers->end = &output->next;
	answers->queued += output->len;
	if (output->transfer)
		transfer_start(output->transfer, ready, self);
}

/* The next message of the first output. False: there is none, and the output is done. */
static bool next_message(struct tcp_answers *answers)
{
	struct output *output = answers->first;
	size_t len;

	if (!output->transfer) {
		answers->sending = output->data;
		answers->sending_len = output->len;
		output->len = 0;
		answers->queued -= answers->sending_len;
		return answers->sending_len;
	}
	if (!answers->out)
		answers->out = xmalloc(FRAME_PREFIX + SERVE_BUFFER);
	len = transfer_next(output->transfer, answers->out + FRAME_PREFIX, SERVE_BUFFER);
	frame_put_prefix(answers->out, len);
	answers->sending = answers->out;
	answers->sending_len = len ? FRAME_PREFIX + len : 0;
	return len;
}

enum sent { SENT_ALL, SENT_WAITS, SENT_BROKEN };

static enum sent send_message(struct tcp_answers *answers, struct stream *stream,
                              bool *moved)
{
	while (answers->sending_len) {
		ssize_t sent =
		    stream_write(stream, answers->sending, answers->sending_len);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? SENT_WAITS
			                                               : SENT_BROKEN;
		answers->sending += sent;
		answers->sending_len -= sent;
		*moved = true;
	}
	return SENT_ALL;
}

bool tcp_answers_send(struct tcp_answers *answers, struct stream *stream, bool *moved)
{
	*moved = false;
	for (int i = 0; i < MESSAGES_A_TURN && tcp_answers_ready(answers); i++) {
		enum sent sent;

		if (!answers->sending_len && !next_message(answers)) {
			drop_first(answers, true);
			continue;
		}
		sent = send_message(answers, stream, moved);
		if (sent != SENT_ALL)
			return sent == SENT_WAITS;
	}
	return true;
}
