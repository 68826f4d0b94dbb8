/*
 * db_probe -- does the database answer, and is its schema the one this program
 * needs? Asked now and then on a lane and a connection of its own, so that a
 * dead server never holds up the loop.
 */
#pragma once

#include <stdbool.h>

struct db_config;
struct loop;
struct ping;

/* SCHEMA: it must be there, and not older than this program. */
struct ping *ping_new(struct loop *loop, const struct db_config *config, bool schema);
/* Why the last one was not answered well, in words; NULL: it was. */
const char *ping_trouble(const struct ping *ping);
void ping_free(struct ping **ping);	/* waits for one that is out */
