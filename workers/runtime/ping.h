/*
 * ping -- does the database answer, and is its schema the one this program
 * needs? Asked now and then on a lane and a connection of its own, so that a
 * dead server never holds up the loop. The schema is asked for until it is
 * right: it only goes forward.
 */
#pragma once

#include <stdbool.h>

struct db_config;
struct loop;
struct ping;

struct ping *ping_new(struct loop *loop, const struct db_config *config, bool schema);
bool ping_ok(const struct ping *ping);	/* the last one was answered; false before it */
void ping_free(struct ping **ping);	/* waits for one that is out */
