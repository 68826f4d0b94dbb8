/*
 * rpc_reply -- sends the answers of an rpc server to the broker.
 *
 * The server acknowledges a request after the broker has confirmed the answer to the
 * request. If the process dies before the acknowledgement, the broker delivers the
 * request again. If the broker refuses an answer or does not confirm the answer within
 * 10 s, the server drops the answer and acknowledges the request. If a reply queue is
 * missing, the caller that reads this queue is possibly reconnecting. So the server
 * acknowledges the request, and sends the answer again for up to 10 s.
 */
#pragma once

#include "base/buf.h"
#include "runtime/broker.h"

struct loop;
struct replies;

struct replies *replies_new(struct loop *loop, struct broker *in, struct broker *out);
void replies_free(struct replies **replies);
/*
 * Sends the answer BODY to the reply queue QUEUE. Takes over BODY. Acknowledges REQUEST,
 * a delivery of IN, when the broker has confirmed the answer, when the reply queue is
 * missing, or when the server drops the answer.
 */
void replies_send(struct replies *replies, const char *queue, struct buf *body,
                  const struct broker_delivery *request);
/* Returns the number of requests that the server has not acknowledged. */
size_t replies_waiting(const struct replies *replies);
