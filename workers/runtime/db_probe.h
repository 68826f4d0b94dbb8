/*
 * db_probe -- tests every 5 s whether the database answers and has the schema that this
 * program needs. After a failure, the probe tests again sooner. The probe has its own
 * lane (thread), with its own connection. So a database server that does not answer does
 * not block the event loop.
 */
#pragma once

#include <stdbool.h>

struct db_config;
struct loop;
struct db_probe;

/*
 * Starts the tests. SCHEMA: a test also fails if the schema of the database is older than
 * this program.
 */
struct db_probe *db_probe_new(struct loop *loop, const struct db_config *config,
                              bool schema);
/*
 * Returns the reason why the last test failed, or why there is no result yet. NULL: the
 * last test succeeded.
 */
const char *db_probe_down_reason(const struct db_probe *probe);
void db_probe_free(struct db_probe **probe);	/* waits for a running test */
