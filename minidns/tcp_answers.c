#include "tcp_answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dns/frames.h"
#include "serve.h"
#include "stream.h"
#include "transfers.h"

enum { MESSAGES_A_TURN = 16 };	/* of a transfer, so that others have their turn */

/* An answer that waits: a message with its length, or a transfer. */
struct output {
	struct output *next;
	struct transfer *transfer;
	size_t len;
	uint8_t data[];
};

void tcp_answers_init(struct tcp_answers *answers)
{
	*answers = (struct tcp_answers){
		.messages.end = &answers->messages.first,
		.transfers.end = &answers->transfers.first,
	};
}

static void tcp_answers_add(struct outputs *outputs, struct output *output)
{
	*outputs->end = output;
	outputs->end = &output->next;
}

static struct output *tcp_answers_remove_first(struct outputs *outputs)
{
	struct output *output = outputs->first;

	outputs->first = output->next;
	if (!outputs->first)
		outputs->end = &outputs->first;
	return output;
}

static void output_drop_message(struct tcp_answers *answers)
{
	struct output *output = tcp_answers_remove_first(&answers->messages);

	answers->queued -= output->len;
	free(output);
}

static void output_drop_transfer(struct tcp_answers *answers, bool complete)
{
	struct output *output = tcp_answers_remove_first(&answers->transfers);

	answers->transfer_count--;
	transfer_free(&output->transfer, complete);
	free(output);
	free(answers->out);
	answers->out = NULL;
}

void tcp_answers_clear(struct tcp_answers *answers)
{
	while (answers->messages.first)
		output_drop_message(answers);
	while (answers->transfers.first)
		output_drop_transfer(answers, false);
	tcp_answers_init(answers);
}

bool tcp_answers_empty(const struct tcp_answers *answers)
{
	return !answers->messages.first && !answers->transfers.first;
}

/* The first transfer of a peer is the first that gets its place. */
bool tcp_answers_ready(const struct tcp_answers *answers)
{
	const struct output *transfer = answers->transfers.first;

	return answers->messages.first ||
	       (transfer && transfer_is_ready(transfer->transfer));
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

	answers->queued += output->len;
	if (!output->transfer) {
		tcp_answers_add(&answers->messages, output);
		return;
	}
	tcp_answers_add(&answers->transfers, output);
	answers->transfer_count++;
	transfer_start(output->transfer, ready, self);
}

/* Takes the first message. False: there is no message. */
static bool tcp_answers_take_message(struct tcp_answers *answers)
{
	struct output *output = answers->messages.first;

	answers->sending = output->data;
	answers->sending_len = output->len;
	answers->queued -= output->len;
	output->len = 0;
	return answers->sending_len;
}

/* Makes the next message of the first transfer. False: the transfer has ended. */
static bool tcp_answers_make_message(struct tcp_answers *answers)
{
	size_t len;

	if (!answers->out)
		answers->out = xmalloc(FRAME_PREFIX + SERVE_BUFFER);
	len = transfer_next(answers->transfers.first->transfer,
	                    answers->out + FRAME_PREFIX, SERVE_BUFFER);
	frame_put_prefix(answers->out, len);
	answers->sending = answers->out;
	answers->sending_len = len ? FRAME_PREFIX + len : 0;
	return len;
}

/* Removes the first output if it has nothing more to send. */
static void tcp_answers_next_message(struct tcp_answers *answers)
{
	if (!answers->out && answers->messages.first) {
		if (!tcp_answers_take_message(answers))
			output_drop_message(answers);
	} else if (!tcp_answers_make_message(answers)) {
		output_drop_transfer(answers, true);
	}
}

enum sent { SENT_ALL, SENT_WAITS, SENT_BROKEN };

static enum sent tcp_answers_send_message(struct tcp_answers *answers,
                                          struct stream *stream)
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
		answers->written += sent;
	}
	return SENT_ALL;
}

bool tcp_answers_send(struct tcp_answers *answers, struct stream *stream)
{
	for (int i = 0; i < MESSAGES_A_TURN && tcp_answers_ready(answers); i++) {
		enum sent sent;

		if (!answers->sending_len)
			tcp_answers_next_message(answers);
		sent = tcp_answers_send_message(answers, stream);
		if (sent != SENT_ALL)
			return sent == SENT_WAITS;
	}
	return true;
}
