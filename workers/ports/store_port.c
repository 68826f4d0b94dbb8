#include <stdio.h>
#include <string.h>

#include "store_private.h"

enum {
	SWEPT_MAX = 1000,		/* rows in one statement */
	WAITING_MAX = 16,
};

/* ---- reads: the row, its addresses, the state of its records ---- */

#define COLUMNS \
	"SELECT p.id, p.network_id, p.project_id, p.dns_name, p.dns_fqdn, " \
	"p.dns_domain, p.mac, p.revision, p.is_fed, p.is_floating, " \
	"p.deleted_at IS NOT NULL, " \
	"(SELECT GROUP_CONCAT(HEX(a.address) ORDER BY LENGTH(a.address), a.address) " \
	"FROM port_addresses a WHERE a.port_id = p.id), " \
	"(SELECT MAX(CASE r.state WHEN 'REFUSED' THEN 2 WHEN 'HAVE' THEN 0 ELSE 1 END) " \
	"FROM port_records r WHERE r.port_id = p.id), " \
	"COALESCE((SELECT MIN(r.reason) FROM port_records r WHERE r.port_id = p.id " \
	"AND r.state = 'REFUSED'), (SELECT MIN(z.reason) FROM port_records r " \
	"JOIN port_zones z ON z.zone = r.zone AND z.project_id = r.project_id " \
	"WHERE r.port_id = p.id AND r.state <> 'HAVE' AND z.reason <> '')) FROM ports p "

#define CALLED COLUMNS "FORCE INDEX (port_fqdn) WHERE p.dns_fqdn = ? AND "
#define FILTER "p.id > ? AND (? OR p.project_id = ?) " \
               "AND (? OR p.network_id = ?) AND p.deleted_at IS NULL " \
               "ORDER BY p.id LIMIT ?"
#define FILTERED_BY(filter) \
	tx_text((filter)->marker), tx_int(!(filter)->project_id), \
	tx_text((filter)->project_id ? (filter)->project_id : ""), \
	tx_int(!(filter)->network_id), \
	tx_text((filter)->network_id ? (filter)->network_id : ""), \
	tx_int((filter)->limit)

static const char *const statuses[] = { "ACTIVE", "PENDING", "ERROR" };

static int port_row_digit(char c)
{
	return c <= '9' ? c - '0' : c - 'A' + 10;
}

/* Reads "0AE02404,FD5D...": 8 or 32 digits each, as HEX() writes them. */
static void port_row_read_addresses(const char *text, struct arena *arena,
                                    struct port_row *port)
{
	port->addresses = arena_alloc(arena, (strlen(text) / 8 + 1) *
	                                     sizeof(*port->addresses));
	while (*text) {
		size_t len = strcspn(text, ",");
		struct address *address = &port->addresses[port->count++];

		*address = (struct address){ .bits = len == 8 ? 32 : 128 };
		for (size_t i = 0; i + 1 < len && i / 2 < 16; i += 2)
			address->octets[i / 2] = (uint8_t)(port_row_digit(text[i]) << 4 |
			                                   port_row_digit(text[i + 1]));
		text += len + (text[len] == ',');
	}
}

static void port_row_read(struct tx_rows *rows, struct arena *arena,
                          struct port_row *port)
{
	const char *addresses;

	*port = (struct port_row){ 0 };
	snprintf(port->id, sizeof(port->id), "%s", row_text(rows));
	snprintf(port->network_id, sizeof(port->network_id), "%s", row_text(rows));
	port->project_id = row_text(rows);
	port->dns_name = row_text(rows);
	port->dns_fqdn = row_text(rows);
	port->dns_domain = row_text(rows);
	port->mac = row_text(rows);
	port->revision = (uint64_t)row_int(rows);
	port->is_fed = row_int(rows);
	port->is_floating = row_int(rows);
	port->is_gone = row_int(rows);
	addresses = row_text(rows);
	port->status = statuses[row_int(rows) % 3];
	port->reason = row_text(rows);
	if (addresses)
		port_row_read_addresses(addresses, arena, port);
}

bool store_port_read(struct tx *tx, struct arena *arena, const char *id,
                     struct port_row *port)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, COLUMNS "WHERE p.id = ?",
	                   TX_BIND(tx_text(id))))
		return false;
	port_row_read(&rows, arena, port);
	tx_select_end(&rows);
	return !tx->err;
}

void store_ports(struct tx *tx, struct arena *arena, const struct port_filter *filter,
                 void (*each)(void *self, const struct port_row *port), void *self)
{
	struct tx_rows rows;

	if (filter->dns_fqdn)
		tx_select(tx, arena, &rows, CALLED FILTER,
		          TX_BIND(tx_text(filter->dns_fqdn), FILTERED_BY(filter)));
	else
		tx_select(tx, arena, &rows, COLUMNS "WHERE " FILTER,
		          TX_BIND(FILTERED_BY(filter)));
	while (tx_next(&rows)) {
		struct port_row port;

		port_row_read(&rows, arena, &port);
		each(self, &port);
	}
}

/*
 * With a lock, the read also sees rows that a transaction committed after this one began.
 */
void store_ports_awaiting_name(struct tx *tx, struct arena *arena, const char *network_id,
                               const char *fqdn, const char *relative,
                               void (*each)(void *self, const struct port_row *port),
                               void *self)
{
	struct tx_rows rows;

	tx_select(tx, arena, &rows,
	          COLUMNS "WHERE p.network_id = ? AND p.dns_name IN (?, ?) "
	          "AND p.dns_fqdn IS NULL AND p.deleted_at IS NULL ORDER BY p.id LIMIT ? "
	          "FOR UPDATE",
	          TX_BIND(tx_text(network_id), tx_text(fqdn), tx_text(relative),
	                  tx_int(WAITING_MAX)));
	while (tx_next(&rows)) {
		struct port_row port;

		port_row_read(&rows, arena, &port);
		each(self, &port);
	}
}

const char *store_port_find_fqdn(struct tx *tx, struct arena *arena,
                                 const char *network_id, const char *fqdn)
{
	return tx_select_text(tx, arena,
	    "SELECT id FROM ports WHERE network_id = ? AND dns_fqdn = ?",
	    TX_BIND(tx_text(network_id), tx_text(fqdn)));
}

void store_port_name_lock(struct tx *tx, const char *id, const char *fqdn)
{
	if (!tx_select_number(tx, "SELECT 1 FROM ports WHERE id = ? AND dns_fqdn = ? "
	                  "LOCK IN SHARE MODE", TX_BIND(tx_text(id), tx_text(fqdn))))
		tx_fail(tx, ERR_RACE, "port %.32s no longer has the name %.255s: try "
		        "again", id, fqdn);
}

bool store_port_conflicts(struct tx *tx, const struct port_row *port)
{
	return tx_select_number(tx,
	    "SELECT 1 FROM ports WHERE id = ? AND NOT is_fed AND deleted_at IS NULL "
	    "AND (network_id <> ? OR project_id <> ?)",
	    TX_BIND(tx_text(port->id), tx_text(port->network_id),
	            tx_text(port->project_id)));
}

/* ---- writes ---- */

/* The network and tenant of a port never change. */
static void port_row_insert(struct tx *tx, const struct port_row *port)
{
	tx_exec(tx,
	    "INSERT INTO ports (id, network_id, project_id, dns_name, dns_fqdn, "
	    "dns_domain, mac, revision, is_fed, is_floating) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	    TX_BIND(tx_text(port->id), tx_text(port->network_id),
	            tx_text(port->project_id), tx_text(port->dns_name),
	            tx_text(port->dns_fqdn), tx_text(port->dns_domain),
	            tx_text(port->mac), tx_int((int64_t)port->revision),
	            tx_int(port->is_fed), tx_int(port->is_floating)));
}

/* If a comparison (compare.c) found a floating IP first, it has no tenant yet. */
static void port_row_update(struct tx *tx, const struct port_row *port)
{
	tx_exec(tx,
	    "UPDATE ports SET dns_name = ?, dns_fqdn = ?, dns_domain = ?, mac = ?, "
	    "revision = ?, is_fed = ?, project_id = IF(is_floating AND "
	    "project_id = '', ?, project_id) WHERE id = ?",
	    TX_BIND(tx_text(port->dns_name), tx_text(port->dns_fqdn),
	            tx_text(port->dns_domain), tx_text(port->mac),
	            tx_int((int64_t)port->revision), tx_int(port->is_fed),
	            tx_text(port->project_id), tx_text(port->id)));
	tx_exec(tx, "DELETE FROM port_addresses WHERE port_id = ?",
	        TX_BIND(tx_text(port->id)));
}

static void port_row_put_addresses(struct tx *tx, const struct port_row *port)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (2 * port->count + 1) *
	                                             sizeof(*values));

	for (size_t i = 0; i < port->count; i++) {
		const struct address *address = &port->addresses[i];

		values[2 * i] = tx_text(port->id);
		values[2 * i + 1] = tx_bytes(address->octets, address->bits / 8);
	}
	if (port->count)
		tx_exec_rows(tx, "INSERT INTO port_addresses (port_id, address) VALUES ",
		             "(?,?)", "", values, 2, port->count);
	arena_free(&arena);
}

void store_port_insert(struct tx *tx, const struct port_row *port)
{
	port_row_insert(tx, port);
	port_row_put_addresses(tx, port);
}

void store_port_update(struct tx *tx, const struct port_row *port)
{
	port_row_update(tx, port);
	port_row_put_addresses(tx, port);
}

void store_port_take_over(struct tx *tx, const struct port_row *port)
{
	tx_exec(tx,
	    "UPDATE ports SET network_id = ?, project_id = ?, is_floating = ?, "
	    "deleted_at = NULL WHERE id = ?",
	    TX_BIND(tx_text(port->network_id), tx_text(port->project_id),
	            tx_int(port->is_floating), tx_text(port->id)));
	store_port_update(tx, port);
}

void store_ports_rename(struct tx *tx, const char *network_id,
                        const struct port_row *ports, size_t count)
{
	struct arena *arena = arena_new();
	struct tx_value *values = arena_alloc(arena, (4 * count + 1) * sizeof(*values));

	for (size_t i = 0; i < count; i++) {
		values[4 * i] = tx_text(ports[i].id);
		values[4 * i + 1] = tx_text(network_id);
		values[4 * i + 2] = tx_text(ports[i].project_id);
		values[4 * i + 3] = tx_text(ports[i].dns_fqdn);
	}
	tx_exec(tx, "UPDATE ports SET dns_fqdn = NULL WHERE network_id = ?",
	        TX_BIND(tx_text(network_id)));
	if (count)
		tx_exec_rows(tx,
		    "INSERT INTO ports (id, network_id, project_id, dns_fqdn) VALUES ",
		    "(?,?,?,?)", " ON DUPLICATE KEY UPDATE dns_fqdn = VALUES(dns_fqdn)",
		    values, 4, count);
	arena_free(&arena);
}

void store_port_delete(struct tx *tx, const char *id)
{
	tx_exec(tx,
	    "UPDATE ports SET deleted_at = NOW(3), dns_fqdn = NULL "
	    "WHERE id = ? AND deleted_at IS NULL", TX_BIND(tx_text(id)));
}

void store_ports_delete(struct tx *tx, const char *network_id)
{
	tx_exec(tx,
	    "UPDATE ports SET deleted_at = NOW(3), dns_fqdn = NULL "
	    "WHERE network_id = ? AND deleted_at IS NULL", TX_BIND(tx_text(network_id)));
}

/* The row must have a network, but the port's network is unknown. */
void store_port_put_tombstone(struct tx *tx, const char *id)
{
	store_network_put_placeholder(tx);
	tx_exec(tx,
	    "INSERT INTO ports (id, network_id, project_id, is_fed, deleted_at) "
	    "VALUES (?, '" NO_NETWORK "', '', 1, NOW(3)) "
	    "ON DUPLICATE KEY UPDATE is_fed = 1",
	    TX_BIND(tx_text(id)));
}

void store_ports_sweep(struct tx *tx)
{
	tx_exec(tx,
	    "DELETE FROM ports WHERE deleted_at < NOW(3) - INTERVAL 1 DAY "
	    "AND NOT EXISTS (SELECT 1 FROM port_records r WHERE r.port_id = ports.id) "
	    "LIMIT ?", TX_BIND(tx_int(SWEPT_MAX)));
	tx_exec(tx,
	    "DELETE FROM subnets WHERE deleted_at < NOW(3) - INTERVAL 1 DAY LIMIT ?",
	    TX_BIND(tx_int(SWEPT_MAX)));
	tx_exec(tx,
	    "DELETE FROM networks WHERE deleted_at < NOW(3) - INTERVAL 1 DAY "
	    "AND id <> '" NO_NETWORK "' "
	    "AND NOT EXISTS (SELECT 1 FROM ports p WHERE p.network_id = networks.id) "
	    "LIMIT ?", TX_BIND(tx_int(SWEPT_MAX)));
}
