/*
 * tenants -- finds the doubtful tenants of the database. These are tenants that calls
 * refuse (model/identity.h). They are also tenants that differ from another tenant only
 * by blanks or control characters at their ends, or by the case of ASCII letters.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

struct tenants;

struct tenants *tenants_new(void);
void tenants_free(struct tenants **tenants);
/* A tenant_fn of store_tenants.h. SELF: the tenants. TENANT may have any octets. */
void tenants_add(void *self, const char *table, const char *tenant, int64_t rows);
/*
 * [{"tenant", "problem"?, "like": [], "rows": {table: number}}], with texts escaped as in
 * output.h. The caller frees it.
 */
json_t *tenants_in_doubt(const struct tenants *tenants);
