/*
 * store_tenants -- reads the tenants (projects) in the tables of all programs, for the
 * operator. It writes nothing.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct db;

typedef void tenant_fn(void *self, const char *table, const char *tenant, int64_t rows);
/* Calls EACH for each tenant of each table with its number of rows. Skips "". */
enum err store_tenants(struct db *db, tenant_fn *each, void *self, struct why *why);
