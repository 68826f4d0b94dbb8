/*
 * store_tenants -- the tenants (projects) that the tables have. Of all programs' tables: the
 * client reads them for an operator, and writes none.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"

struct db;

typedef void tenant_fn(void *self, const char *table, const char *tenant, int64_t rows);
/* Each tenant of each table, with the number of its rows there. "" is left out. */
enum err store_tenants(struct db *db, tenant_fn *each, void *self, struct why *why);
