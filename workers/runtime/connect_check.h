/*
 * connect_check -- tries the servers that a program needs, for --check --connect, and
 * prints a table. Each probe runs on a lane (a thread) of its own, so a silent server
 * does not delay the other probes. A probe must have its own time limit.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct connect_check;
struct program;

/* After a success, *why may contain a note for the table. It is "" before. */
typedef enum err connect_probe(void *self, struct why *why);

/*
 * WHAT: "broker", "control channel". ADDRESS: where it is. Copies both texts. SELF must
 * stay valid until the end of the check.
 */
void connect_check_add(struct connect_check *check, const char *what, const char *address,
                       connect_probe *probe, void *self);
/* A row for an address that the check does not try. REASON says why; copied, too. */
void connect_check_skip(struct connect_check *check, const char *what,
                        const char *address, const char *reason);
/*
 * Tries the broker, the database with the version of its schema, and the servers of the
 * program. True: all of them work. Prints a table to standard output.
 */
bool connect_check_run(struct program *program);
