/*
 * tenants -- which tenants of the database an operator has to look at: those that no caller
 * can have (model/identity.h refuses them), and those that differ from another one only by
 * blanks or control characters at their ends, or by the case of ASCII letters.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

struct tenants;

struct tenants *tenants_new(void);
void tenants_free(struct tenants **tenants);
/* A tenant_fn of store_tenants.h; SELF: the tenants. Any octets may come. */
void tenants_add(void *self, const char *table, const char *tenant, int64_t rows);
/*
 * [{"tenant", "problem"?, "like": [], "rows": {table: number}}]: texts are escaped as in
 * output.h. The caller's.
 */
json_t *tenants_in_doubt(const struct tenants *tenants);
