#include <stdio.h>
#include <string.h>

#include "store_private.h"

void store_cidr(struct tx_rows *rows, struct prefix *cidr)
{
	size_t len;
	const uint8_t *octets = row_bytes(rows, &len);

	*cidr = (struct prefix){ .address.bits = len == 4 ? 32 : 128 };
	if (octets && len <= sizeof(cidr->address.octets))
		memcpy(cidr->address.octets, octets, len);
	cidr->bits = (uint8_t)row_int(rows);
}

#define COLUMNS "s.id, s.network_id, s.address, s.bits, s.published, s.is_flagged, " \
                "s.is_fed, s.revision "
#define WITH_NETWORK "SELECT " COLUMNS ", n.project_id, n.domain FROM subnets s " \
                     "JOIN networks n ON n.id = s.network_id "

static void subnet_row_read(struct tx_rows *rows, struct subnet_row *subnet)
{
	*subnet = (struct subnet_row){ 0 };
	snprintf(subnet->id, sizeof(subnet->id), "%s", row_text(rows));
	snprintf(subnet->network_id, sizeof(subnet->network_id), "%s", row_text(rows));
	store_cidr(rows, &subnet->cidr);
	subnet->is_published = row_int(rows);
	subnet->is_flagged = row_int(rows);
	subnet->is_fed = row_int(rows);
	subnet->revision = (uint64_t)row_int(rows);
}

static void subnet_row_read_with_network(struct tx_rows *rows, struct subnet_row *subnet)
{
	subnet_row_read(rows, subnet);
	subnet->project_id = row_text(rows);
	subnet->domain_text = row_text(rows);
}

bool store_subnet_lock(struct tx *tx, const char *id, struct subnet_row *subnet)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT " COLUMNS "FROM subnets s WHERE s.id = ? AND s.deleted_at IS NULL "
	    "FOR UPDATE", TX_BIND(tx_text(id))))
		return false;
	subnet_row_read(&rows, subnet);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_subnet_read(struct tx *tx, struct arena *arena, const char *id,
                       struct subnet_row *subnet)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    WITH_NETWORK "WHERE s.id = ? AND s.deleted_at IS NULL",
	    TX_BIND(tx_text(id))))
		return false;
	subnet_row_read_with_network(&rows, subnet);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_subnet_is_gone(struct tx *tx, const char *id)
{
	return tx_select_number(tx, "SELECT 1 FROM subnets WHERE id = ? AND is_fed "
	                    "AND deleted_at IS NOT NULL", TX_BIND(tx_text(id)));
}

bool store_subnet_conflicts(struct tx *tx, const struct subnet_row *subnet)
{
	return tx_select_number(tx, "SELECT 1 FROM subnets WHERE id = ? AND NOT is_fed "
	                    "AND network_id <> ? AND deleted_at IS NULL",
	                    TX_BIND(tx_text(subnet->id), tx_text(subnet->network_id)));
}

bool store_subnet_gone_network(struct tx *tx, const char *id, char network_id[ID_LEN + 1])
{
	struct tx_rows rows;

	if (!tx_select_row(tx, NULL, &rows,
	    "SELECT network_id FROM subnets WHERE id = ? AND deleted_at IS NOT NULL",
	    TX_BIND(tx_text(id))))
		return false;
	snprintf(network_id, ID_LEN + 1, "%s", row_text(&rows));
	tx_select_end(&rows);
	return !tx->err;
}

void store_subnets(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                   void (*each)(void *self, const struct subnet_row *subnet), void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          WITH_NETWORK "WHERE s.id > ? AND (? OR n.project_id = ?) "
	          "AND (? OR s.network_id = ?) AND s.deleted_at IS NULL "
	          "ORDER BY s.id LIMIT ?",
	          TX_BIND(tx_text(filter->marker), tx_int(!filter->project_id),
	                  tx_text(filter->project_id ? filter->project_id : ""),
	                  tx_int(!filter->network_id),
	                  tx_text(filter->network_id ? filter->network_id : ""),
	                  tx_int(filter->limit)));
	while (tx_next(&rows)) {
		struct subnet_row subnet;

		subnet_row_read_with_network(&rows, &subnet);
		each(self, &subnet);
	}
}

/* ---- writes ---- */

void store_subnet_put(struct tx *tx, const struct subnet_row *subnet)
{
	const struct address *address = &subnet->cidr.address;

	tx_exec(tx,
	    "INSERT INTO subnets (id, network_id, address, bits, published, is_flagged, "
	    "is_fed, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE "
	    "network_id = VALUES(network_id), address = VALUES(address), "
	    "bits = VALUES(bits), published = VALUES(published), "
	    "is_flagged = VALUES(is_flagged), is_fed = VALUES(is_fed), "
	    "revision = VALUES(revision), deleted_at = NULL",
	    TX_BIND(tx_text(subnet->id), tx_text(subnet->network_id),
	            tx_bytes(address->octets, address->bits / 8),
	            tx_int(subnet->cidr.bits), tx_int(subnet->is_published),
	            tx_int(subnet->is_flagged), tx_int(subnet->is_fed),
	            tx_int((int64_t)subnet->revision)));
}

void store_subnet_delete(struct tx *tx, const char *id)
{
	tx_exec(tx,
	    "UPDATE subnets SET deleted_at = NOW(3) WHERE id = ? AND deleted_at IS NULL",
	    TX_BIND(tx_text(id)));
}

void store_network_put_placeholder(struct tx *tx)
{
	if (tx_select_number(tx, "SELECT 1 FROM networks WHERE id = '" NO_NETWORK "'",
	                 TX_NONE))
		return;
	tx_exec(tx,
	    "INSERT INTO networks (id, project_id, deleted_at) "
	    "VALUES ('" NO_NETWORK "', '', NOW(3)) ON DUPLICATE KEY UPDATE id = id",
	    TX_NONE);
}

void store_subnet_put_tombstone(struct tx *tx, const char *id)
{
	store_network_put_placeholder(tx);
	tx_exec(tx,
	    "INSERT INTO subnets (id, network_id, address, bits, is_fed, deleted_at) "
	    "VALUES (?, '" NO_NETWORK "', '', 0, 1, NOW(3)) "
	    "ON DUPLICATE KEY UPDATE is_fed = 1",
	    TX_BIND(tx_text(id)));
}
