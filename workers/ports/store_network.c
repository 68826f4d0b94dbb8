#include <stdio.h>
#include <string.h>

#include "store_private.h"

#define COLUMNS \
	"SELECT id, project_id, domain, revision, is_default, is_fed FROM networks "
#define OF_ID COLUMNS "WHERE id = ? AND deleted_at IS NULL "

static void network_row_read(struct tx *tx, struct tx_rows *rows,
                             struct network_row *network)
{
	*network = (struct network_row){ 0 };
	snprintf(network->id, sizeof(network->id), "%s", row_text(rows));
	network->project_id = row_text(rows);
	network->domain_text = row_text(rows);
	network->revision = (uint64_t)row_int(rows);
	network->is_default = row_int(rows);
	network->is_fed = row_int(rows);
	if (*network->domain_text && name_parse(network->domain_text, "domain",
	                                        &network->domain, tx->why))
		tx_fail(tx, ERR_INTERNAL, "the column networks.domain must contain a "
		        "domain name, not '%.80s': correct the row with the id %s",
		        network->domain_text, network->id);
}

#define SHARED "LOCK IN SHARE MODE"
#define SUBNETS "SELECT address, bits, published FROM subnets " \
                "WHERE network_id = ? AND deleted_at IS NULL ORDER BY id "

static void network_row_read_subnets(struct tx *tx, struct arena *arena, const char *sql,
                                     struct network_row *network)
{
	struct subnet *list = NULL;
	size_t count = 0, size = 0;
	struct tx_rows rows;

	tx_select(tx, NULL, &rows, sql, TX_BIND(tx_text(network->id)));
	while (tx_next(&rows)) {
		if (count == size) {
			const struct subnet *old = list;

			size = 2 * size + 4;
			list = arena_alloc(arena, size * sizeof(*list));
			if (old)
				memcpy(list, old, count * sizeof(*list));
		}
		store_cidr(&rows, &list[count].cidr);
		list[count++].is_published = row_int(&rows);
	}
	network->subnets = (struct subnets){ list, count, false };
}

/* A read with a lock sees the present row, not the transaction's snapshot. */
static bool network_row_select(struct tx *tx, struct arena *arena, const char *id,
                               const char *sql, const char *subnets,
                               struct network_row *network)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql, TX_BIND(tx_text(id))))
		return false;
	network_row_read(tx, &rows, network);
	tx_select_end(&rows);
	network_row_read_subnets(tx, arena, subnets, network);
	return !tx->err;
}

bool store_network_lock(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network)
{
	return network_row_select(tx, arena, id, OF_ID "FOR UPDATE", SUBNETS SHARED,
	                          network);
}

bool store_network_share(struct tx *tx, struct arena *arena, const char *id,
                         struct network_row *network)
{
	return network_row_select(tx, arena, id, OF_ID SHARED, SUBNETS SHARED, network);
}

bool store_network_read(struct tx *tx, struct arena *arena, const char *id,
                        struct network_row *network)
{
	return network_row_select(tx, arena, id, OF_ID, SUBNETS, network);
}

const char *store_network_gone_project(struct tx *tx, struct arena *arena, const char *id)
{
	return tx_select_text(tx, arena, "SELECT project_id FROM networks WHERE id = ? "
	                  "AND deleted_at IS NOT NULL", TX_BIND(tx_text(id)));
}

bool store_network_is_gone(struct tx *tx, const char *id)
{
	return tx_select_number(tx, "SELECT 1 FROM networks WHERE id = ? AND is_fed "
	                    "AND deleted_at IS NOT NULL", TX_BIND(tx_text(id)));
}

bool store_network_conflicts(struct tx *tx, const struct network_row *network)
{
	return tx_select_number(tx, "SELECT 1 FROM networks WHERE id = ? AND NOT is_fed "
	                    "AND project_id NOT IN ('', ?) AND deleted_at IS NULL",
	                    TX_BIND(tx_text(network->id), tx_text(network->project_id)));
}

void store_network_put(struct tx *tx, const struct network_row *network)
{
	tx_exec(tx,
	    "INSERT INTO networks (id, project_id, domain, revision, is_default, is_fed) "
	    "VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE "
	    "project_id = VALUES(project_id), domain = VALUES(domain), "
	    "is_default = VALUES(is_default), is_fed = VALUES(is_fed), "
	    "revision = VALUES(revision), deleted_at = NULL",
	    TX_BIND(tx_text(network->id), tx_text(network->project_id),
	            tx_text(network->domain_text), tx_int((int64_t)network->revision),
	            tx_int(network->is_default), tx_int(network->is_fed)));
}

void store_network_put_unknown(struct tx *tx, const char *id,
                               struct network_row *network)
{
	*network = (struct network_row){ .project_id = "", .domain_text = "",
	                                 .is_fed = true };
	snprintf(network->id, sizeof(network->id), "%s", id);
	store_network_put(tx, network);
}

void store_network_clear(struct tx *tx, const char *id)
{
	tx_exec(tx,
	    "UPDATE ports SET deleted_at = NOW(3), dns_fqdn = NULL "
	    "WHERE network_id = ? AND NOT is_fed AND deleted_at IS NULL",
	    TX_BIND(tx_text(id)));
	tx_exec(tx,
	    "UPDATE subnets SET deleted_at = NOW(3) "
	    "WHERE network_id = ? AND NOT is_fed AND deleted_at IS NULL",
	    TX_BIND(tx_text(id)));
}

bool store_network_is_used(struct tx *tx, const char *id)
{
	return tx_select_number(tx, "SELECT 1 FROM ports WHERE network_id = ? "
	                    "AND deleted_at IS NULL LIMIT 1", TX_BIND(tx_text(id)));
}

void store_network_delete(struct tx *tx, const char *id)
{
	tx_exec(tx, "UPDATE networks SET deleted_at = NOW(3) WHERE id = ?",
	        TX_BIND(tx_text(id)));
	tx_exec(tx,
	    "UPDATE subnets SET deleted_at = NOW(3) "
	    "WHERE network_id = ? AND deleted_at IS NULL", TX_BIND(tx_text(id)));
}

void store_networks(struct tx *tx, struct arena *arena, const char *project_id,
                    const char *marker, int limit,
                    void (*each)(void *self, const struct network_row *network),
                    void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "WHERE id > ? AND (? OR project_id = ?) "
	          "AND deleted_at IS NULL ORDER BY id LIMIT ?",
	          TX_BIND(tx_text(marker), tx_int(!project_id),
	                  tx_text(project_id ? project_id : ""), tx_int(limit)));
	while (tx_next(&rows)) {
		struct network_row network;

		network_row_read(tx, &rows, &network);
		if (!tx->err)
			each(self, &network);
	}
}
