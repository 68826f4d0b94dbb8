/*
 * connect_check -- tries to connect to the servers that a program needs, for --check
 * --connect, and prints a table of the results. Each probe runs on a lane (a thread) of
 * its own, so a silent server does not delay the other probes. A probe must have its own
 * time limit.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct connect_check;
struct db_config;
struct program;

/*
 * Tries to connect to one server. WHY is empty before the call. After a success, WHY can
 * contain a note for the table.
 */
typedef enum err connect_probe(void *self, struct why *why);

/*
 * Adds a server to the check. WHAT: for example "broker" or "control channel". ADDRESS:
 * the address of the server. Copies both texts. SELF must stay valid until the end of the
 * check.
 */
void connect_check_add(struct connect_check *check, const char *what, const char *address,
                       connect_probe *probe, void *self);
/* Adds a row for a server that the check does not try to connect to. Copies the texts. */
void connect_check_skip(struct connect_check *check, const char *what,
                        const char *address, const char *reason);
/*
 * Returns the settings of the program's database, for a probe that connects to the
 * database.
 */
const struct db_config *connect_check_database(const struct connect_check *check);
/*
 * Tries to connect to the broker, the database and the program's own servers, and checks
 * the version of the schema. Prints the table to standard output. True: all probes
 * succeeded.
 */
bool connect_check_run(struct program *program);
