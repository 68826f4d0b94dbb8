/*
 * store_tenants -- reads the tenants from the tables of all programs, for the operator.
 * This module only reads rows.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct db;

typedef void tenant_fn(void *self, const char *table, const char *tenant, int64_t rows);
/*
 * Calls EACH for each tenant in each table, with the number of the tenant's rows in this
 * table. Skips the tenant "".
 */
enum err store_tenants(struct db *db, tenant_fn *each, void *self, struct why *why);
