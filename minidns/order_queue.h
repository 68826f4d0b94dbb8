/*
 * intake -- lists of orders, NOTIFY and poll of each, taken up a few at a time: a
 * message may bring thousands, and timers and answers are not to wait for them all.
 *
 * A list is looked through, and acknowledged, before all of it is taken up. What is
 * lost with the process is lost as its polls are: the pool manager's rows know.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

struct announcer;
struct intake;
struct loop;
struct notifier;
struct poller;

struct intake *intake_new(struct loop *loop, struct notifier *notifier,
                          struct poller *poller, struct announcer *announcer);
void intake_free(struct intake **intake);
/*
 * ARGS of "propagate_zones", or of "poll_zones": QUIET. ERR_INVALID: what is wrong with
 * one order holds up no other, and the first reason is told. ERR_BUSY: nothing was taken.
 * Without destinations, for no server is there to be told, the instances of minidns hear
 * of the change all the same: others may ask them.
 */
enum err intake_take(struct intake *intake, const json_t *args, bool quiet,
                     struct why *why);
