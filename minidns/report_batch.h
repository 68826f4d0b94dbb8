/*
 * reporter -- what the polls found out, on its way to the pool managers. A
 * report waits up to 10 ms for others that can share its message; when no
 * poll is out any more, there are no others, and it goes at once. So one
 * change alone costs a message or two, and a thousand a second cost hundreds.
 *
 * The broker module keeps a message until it is confirmed, over reconnects.
 * If it never is, the pool manager notices that an answer is owed, and asks
 * again.
 */
#pragma once

#include <stdbool.h>

#include "model/messages.h"

struct loop;
struct reporter;
struct rpc_client;

struct reporter *reporter_new(struct loop *loop, struct rpc_client *rpc,
                              bool (*more_to_come)(const void *self), const void *self);
void reporter_free(struct reporter **reporter);		/* what waits is lost */
void reporter_add(struct reporter *reporter, const struct server_report *report);
bool reporter_idle(const struct reporter *reporter);
