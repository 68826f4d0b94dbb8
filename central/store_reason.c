#include "store_reason.h"

#include <string.h>

/* The row of CREATE, and the row of the domain's task. */
#define SERVERS \
	"SELECT d.id, v.id, v.backend, c.status, c.reason, t.status, " \
	"t.reason, t.serial_number, t.differs_since IS NOT NULL FROM domains d " \
	"JOIN pools p ON p.id = d.pool_id JOIN pool_servers v ON v.pool_name = p.name " \
	"AND v.state = 'ACTIVE' AND (v.backend = 'catalog' OR d.kind = 'PRIMARY') " \
	"LEFT JOIN pool_manager_status c ON c.domain_id = d.id AND c.server_id = v.id " \
	"AND c.action = 'CREATE' LEFT JOIN pool_manager_status t " \
	"ON t.domain_id = d.id AND t.server_id = v.id " \
	"AND t.action = IF(d.task = 'DELETE', 'DELETE', 'UPDATE') WHERE d.id IN ("

static void reason_read_server(struct tx_rows *rows, struct reason_server *server)
{
	server->id = row_text(rows);
	server->backend = row_text(rows);
	server->create_status = row_text(rows);
	server->create_reason = row_text(rows);
	server->status = row_text(rows);
	server->reason = row_text(rows);
	server->has_serial = !row_is_null(rows);
	server->serial = row_u32(rows);
	server->differs = row_int(rows) != 0;
}

/* The list grows as rows come: most domains have few servers. */
static struct reason_server *reason_add_server(struct reason_servers *servers,
                                               struct arena *arena)
{
	size_t count = servers->count;

	if (!(count & (count - 1))) {
		struct reason_server *old = servers->item;
		size_t size = count ? 2 * count : 1;

		servers->item = arena_alloc(arena, size * sizeof(*old));
		if (count)
			memcpy(servers->item, old, count * sizeof(*old));
	}
	return &servers->item[servers->count++];
}

/* The rows of a domain follow each other, so its servers do, too. */
static size_t reason_read_servers(struct tx_rows *rows, struct arena *arena,
                                  struct reason_servers *servers)
{
	size_t count = 0;

	while (tx_next(rows)) {
		const char *id = row_text(rows);

		if (!count || strcmp(servers[count - 1].domain_id, id))
			servers[count++] = (struct reason_servers){ .domain_id = id };
		reason_read_server(rows, reason_add_server(&servers[count - 1], arena));
	}
	tx_select_end(rows);
	return count;
}

size_t store_reason_servers(struct tx *tx, struct arena *arena, const char *const *ids,
                            size_t count, struct reason_servers *servers)
{
	struct tx_value values[TX_LIST_MAX + 2];
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list(arena, SERVERS, ") ORDER BY d.id, COALESCE("
	                          "GREATEST(t.updated_at, c.updated_at), t.updated_at, "
	                          "c.updated_at) DESC, v.id LIMIT ?",
	                          count, &places);

	tx_list_fill(values, ids, count, places);
	values[places] = tx_int(REASON_ROWS);
	values[places + 1].type = TX_END;
	tx_select(tx, arena, &rows, sql, values);
	return reason_read_servers(&rows, arena, servers);
}
