#include "store_tenants.h"

#include "runtime/tx.h"

#define OF(column, table) \
	{ table, "SELECT " column ", COUNT(*) FROM " table " WHERE " column " <> '' " \
	         "GROUP BY " column }

/* The columns of schema/025_identities.sql. */
static const struct {
	const char *table, *sql;
} tables[] = {
	OF("tenant", "domains"),
	OF("tenant", "quotas"),
	OF("tenant", "imports"),
	OF("project_id", "networks"),
	OF("project_id", "ports"),
	OF("project_id", "port_zones"),
	OF("project_id", "port_records"),
	OF("project_id", "routes"),
	OF("project_id", "route_namespaces"),
	OF("project_id", "host_claims"),
};

enum err store_tenants(struct db *db, tenant_fn *each, void *self, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);

	for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !tx.err; i++) {
		struct tx_rows rows;

		tx_select(&tx, NULL, &rows, tables[i].sql, TX_NONE);
		while (tx_next(&rows)) {
			const char *tenant = row_text(&rows);

			each(self, tables[i].table, tenant, row_int(&rows));
		}
	}
	return tx_commit(&tx);
}
