/*
 * tenants -- finds doubtful tenant names in the database. A name is doubtful if workers
 * refuse this name in calls (model/identity.h). The client also compares the tenant
 * names with each other. This comparison ignores the case of ASCII letters, and blanks
 * and control characters at the ends. If two different names are equal in this
 * comparison, both names are doubtful.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

struct tenants;

struct tenants *tenants_new(void);
void tenants_free(struct tenants **tenants);
/*
 * Adds a tenant of one table. The function is a tenant_fn (store_tenants.h), and SELF is
 * a struct tenants. TENANT may contain any octets.
 */
void tenants_add(void *self, const char *table, const char *tenant, int64_t rows);
/*
 * Returns [{"tenant", "problem"?, "like": [], "rows": {table: number}}] for the doubtful
 * names. output_escape() has escaped the strings. The caller frees the result.
 */
json_t *tenants_in_doubt(const struct tenants *tenants);
