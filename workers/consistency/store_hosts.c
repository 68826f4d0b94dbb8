#include "consistency/store_hosts.h"

#include "runtime/tx_list.h"

static const struct {
	const char *raise, *read;
} sql[] = {
	[HOSTS_OF_NETWORK] = {
		TX_BLIND "INSERT INTO network_hosts (network_id, version) "
		"VALUES (?, LAST_INSERT_ID(1)) "
		"ON DUPLICATE KEY UPDATE version = LAST_INSERT_ID(version + 1)",
		"SELECT network_id, version FROM network_hosts WHERE network_id IN (",
	},
	[HOSTS_OF_ROUTER] = {
		TX_BLIND "INSERT INTO router_hosts (router, version) "
		"VALUES (?, LAST_INSERT_ID(1)) "
		"ON DUPLICATE KEY UPDATE version = LAST_INSERT_ID(version + 1)",
		"SELECT router, version FROM router_hosts WHERE router IN (",
	},
};

uint64_t store_hosts_raise(struct tx *tx, enum hosts_of of, const char *name)
{
	tx_exec(tx, sql[of].raise, TX_BIND(tx_text(name)));
	return tx_last_id(tx);
}

void store_hosts_versions(struct tx *tx, struct arena *arena, enum hosts_of of,
                          const char *const *names, size_t count,
                          void (*each)(void *self, const char *name, uint64_t version),
                          void *self)
{
	struct tx_value values[TX_LIST_MAX + 1];
	struct tx_rows rows;
	size_t places;
	const char *text = tx_list(arena, sql[of].read, ")", count, &places);

	tx_list_fill(values, names, count, places);
	values[places].type = TX_END;
	tx_select(tx, arena, &rows, text, values);
	while (tx_next(&rows)) {
		const char *name = row_text(&rows);

		each(self, name, (uint64_t)row_int(&rows));
	}
}

static void store_hosts_take(void *self, const char *name, uint64_t version)
{
	(void)name;
	*(uint64_t *)self = version;
}

uint64_t store_hosts_version(struct tx *tx, enum hosts_of of, const char *name)
{
	struct arena *arena = arena_new();
	uint64_t version = 0;

	store_hosts_versions(tx, arena, of, &name, 1, store_hosts_take, &version);
	arena_free(&arena);
	return version;
}
