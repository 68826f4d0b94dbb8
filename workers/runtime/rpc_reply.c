#include "runtime/rpc_reply.h"

#include <stdlib.h>
#include <utlist.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"

enum {
	RESEND_MS = 250,
	GIVE_UP_MS = 10 * 1000,
	MISSING_MAX = 256,	/* answers whose reply queue is missing */
};

struct reply {
	struct reply *prev, *next;
	struct replies *owner;	/* NULL: the server was closed */
	char *queue;
	struct buf body;
	struct broker_delivery request;
	int64_t give_up_ms;
	bool acknowledged;	/* the request, when the first confirm came */
	bool missed;		/* its queue is missing: send it again */
	bool in_flight;		/* the publisher has it, and will confirm it */
};

struct replies {
	struct broker *in, *out;
	struct loop_timer *resend;
	struct reply *all;
	size_t unacknowledged, missing;
};

static void reply_free(struct reply *reply)
{
	buf_clear(&reply->body);
	free(reply->queue);
	free(reply);
}

static void reply_drop(struct reply *reply)
{
	DL_DELETE(reply->owner->all, reply);
	reply_free(reply);
}

static void reply_resend_later(struct replies *replies)
{
	if (!loop_timer_armed(replies->resend))
		loop_timer_set(replies->resend, RESEND_MS);
}

/*
 * Called only after the confirm: if this process dies before, the broker delivers the
 * request again.
 */
static void reply_acknowledge(struct reply *reply)
{
	if (reply->acknowledged)
		return;
	reply->acknowledged = true;
	reply->owner->unacknowledged--;
	broker_ack(reply->owner->in, &reply->request);
}

/* An unroutable answer is sent again. Any other result is final. */
static void reply_on_confirm(void *self, enum err err)
{
	struct reply *reply = self;
	struct replies *replies = reply->owner;

	if (!replies) {
		reply_free(reply);
		return;
	}
	reply->in_flight = false;
	reply_acknowledge(reply);
	if (err == ERR_NOT_FOUND && clock_ms() < reply->give_up_ms &&
	    replies->missing < MISSING_MAX) {
		reply->missed = true;
		replies->missing++;
		reply_resend_later(replies);
		return;
	}
	if (err)	/* ERR_NOT_FOUND: the caller no longer exists */
		(err == ERR_NOT_FOUND ? log_debug : log_warn)(
		    "answer dropped: queue=%s err=%s", reply->queue, err_name(err));
	reply_drop(reply);
}

static void reply_publish(struct reply *reply)
{
	const struct broker_message message = {
		.exchange = "", .key = reply->queue, .mandatory = true,
		.body = reply->body.data, .len = reply->body.len,
		.deadline_ms = GIVE_UP_MS,
	};
	struct why why;
	enum err err =
	    broker_publish(reply->owner->out, &message, reply_on_confirm, reply, &why);

	if (err == ERR_BUSY) {
		reply_resend_later(reply->owner);
		return;
	}
	if (reply->missed) {
		reply->missed = false;
		reply->owner->missing--;
	}
	if (!err) {
		reply->in_flight = true;
		return;
	}
	log_warn("answer dropped: queue=%s reason=\"%s\"", reply->queue, why.text);
	reply_acknowledge(reply);
	reply_drop(reply);
}

static void replies_on_timer(void *self)
{
	struct replies *replies = self;
	struct reply *reply, *next;

	DL_FOREACH_SAFE(replies->all, reply, next)
		if (!reply->in_flight)
			reply_publish(reply);
}

struct replies *replies_new(struct loop *loop, struct broker *in, struct broker *out)
{
	struct replies *replies = xcalloc(1, sizeof *replies);

	replies->in = in;
	replies->out = out;
	replies->resend = loop_timer_new(loop, replies_on_timer, replies);
	return replies;
}

void replies_free(struct replies **replies)
{
	struct reply *reply, *next;

	if (!*replies)
		return;
	DL_FOREACH_SAFE((*replies)->all, reply, next) {
		DL_DELETE((*replies)->all, reply);
		reply->owner = NULL;
		if (!reply->in_flight)
			reply_free(reply);
	}
	loop_timer_free(&(*replies)->resend);
	free(*replies);
	*replies = NULL;
}

void replies_send(struct replies *replies, const char *queue, struct buf *body,
                  const struct broker_delivery *request)
{
	struct reply *reply = xcalloc(1, sizeof *reply);

	reply->owner = replies;
	reply->queue = xstrdup(queue);
	reply->body = *body;
	*body = (struct buf){ 0 };
	reply->request = *request;
	/* it is borrowed, and the acknowledgement does not need it */
	reply->request.body = NULL;
	reply->request.user = NULL;
	reply->give_up_ms = clock_ms() + GIVE_UP_MS;
	replies->unacknowledged++;
	DL_APPEND(replies->all, reply);
	reply_publish(reply);
}

size_t replies_waiting(const struct replies *replies)
{
	return replies->unacknowledged;
}
