/*
 * rpc_reply -- the answers of an rpc server on their way to the publisher.
 *
 * A request is acknowledged when the broker has confirmed its answer, not
 * before: until then the request stays ours, and comes again should we die.
 * An answer that the broker refuses, or has not confirmed in 10 s, is given up.
 * A reply queue that is missing may be one whose owner is reconnecting (the
 * reference, T25), so the answer is sent again for a while, on a timer.
 */
#pragma once

#include "base/buf.h"
#include "runtime/broker.h"

struct loop;
struct replies;

struct replies *replies_new(struct loop *loop, struct broker *in, struct broker *out);
void replies_free(struct replies **replies);
/* Takes the body. REQUEST is what IN delivered; it is acknowledged when that is right. */
void replies_send(struct replies *replies, const char *queue, struct buf *body,
                  const struct broker_delivery *request);
/* How many requests are not acknowledged yet. */
size_t replies_waiting(const struct replies *replies);
