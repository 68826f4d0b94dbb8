/*
 * tenants -- finds doubtful tenant names in the database. A name is doubtful if workers
 * refuse it in calls (model/identity.h). It is also doubtful if it differs from another
 * tenant name only in blanks or control characters at its ends, or in the case of ASCII
 * letters.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

struct tenants;

struct tenants *tenants_new(void);
void tenants_free(struct tenants **tenants);
/*
 * A tenant_fn of store_tenants.h. SELF is the struct tenants. TENANT may contain any
 * octets.
 */
void tenants_add(void *self, const char *table, const char *tenant, int64_t rows);
/*
 * [{"tenant", "problem"?, "like": [], "rows": {table: number}}], with texts that
 * output_escape() has escaped. The caller frees the result.
 */
json_t *tenants_in_doubt(const struct tenants *tenants);
