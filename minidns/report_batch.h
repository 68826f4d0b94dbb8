/*
 * report_batch -- sends the results of polls and comparisons to the pool managers. A
 * report waits up to 10 ms for other reports of the same pool. The module sends these
 * reports in one message. If no poll is running, the module sends a report immediately.
 * So a single change needs one or two messages. A thousand changes per second need
 * hundreds of messages per second.
 *
 * The broker module keeps a message until the broker confirms the message, even if the
 * process loses the connection to the broker. If a report never arrives, the pool manager
 * notices that the report is missing and orders the poll again.
 */
#pragma once

#include <stdbool.h>

#include "model/messages.h"

struct loop;
struct report_batch;
struct rpc_client;

struct report_batch *report_batch_new(struct loop *loop, struct rpc_client *rpc,
                                      bool (*more_to_come)(const void *self),
                                      const void *self);
void report_batch_free(struct report_batch **batch);	/* waiting reports are lost */
void report_batch_add(struct report_batch *batch, const struct server_report *report);
bool report_batch_idle(const struct report_batch *batch);
