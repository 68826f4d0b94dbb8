/*
 * tenants -- finds doubtful tenants in the database. A tenant is doubtful if calls refuse
 * it (model/identity.h). It is also doubtful if it differs from another tenant only by
 * blanks or control characters at its ends, or by the case of ASCII letters.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

struct tenants;

struct tenants *tenants_new(void);
void tenants_free(struct tenants **tenants);
/*
 * A tenant_fn of store_tenants.h. SELF is the struct tenants. TENANT may have any octets.
 */
void tenants_add(void *self, const char *table, const char *tenant, int64_t rows);
/*
 * [{"tenant", "problem"?, "like": [], "rows": {table: number}}], with texts escaped as in
 * output.h. The caller frees the result.
 */
json_t *tenants_in_doubt(const struct tenants *tenants);
