#include "consistency/store_members.h"

#include <stdio.h>
#include <string.h>

void store_members_beat(struct tx *tx, const struct newcomer *me)
{
	tx_exec(tx,
	    "INSERT INTO worker_nodes "
	    "(plugin_name, service, plugin_time, started_at, version) "
	    "VALUES (?, ?, NOW(6), NOW(6), ?) "
	    "ON DUPLICATE KEY UPDATE plugin_time = NOW(6)",
	    TX_BIND(tx_text(me->plugin_name), tx_text(me->service),
	            tx_text(me->version)));
}

void store_members_leave(struct tx *tx, const char *plugin_name, int timeout_ms)
{
	tx_exec(tx,
	    "UPDATE worker_nodes SET plugin_time = NOW(6) - INTERVAL ? * 1000 "
	    "MICROSECOND WHERE plugin_name = ?",
	    TX_BIND(tx_int(timeout_ms + 1000), tx_text(plugin_name)));
}

#define COLUMNS "plugin_name, role = 'master', status = 'active', " \
                "COALESCE(hash_factor, -1), COALESCE(total_number, 0), " \
                "ROUND(UNIX_TIMESTAMP(plugin_time) * 1000), generation, " \
                "ROUND(UNIX_TIMESTAMP(NOW(6)) * 1000)"

static void members_read(struct tx *tx, const char *sql, const struct tx_value *bind,
                         struct members *members)
{
	struct tx_rows rows;

	members->count = 0;
	tx_select(tx, NULL, &rows, sql, bind);
	while (members->count < MEMBERS_MAX && tx_next(&rows)) {
		struct member *member = &members->member[members->count];

		snprintf(member->plugin_name, sizeof(member->plugin_name), "%s",
		         row_text(&rows));
		member->is_master = row_int(&rows) != 0;
		member->active = row_int(&rows) != 0;
		member->hash_factor = (int)row_int(&rows);
		member->total_number = (int)row_int(&rows);
		member->plugin_time_ms = row_int(&rows);
		member->generation = (uint64_t)row_int(&rows);
		members->now_ms = row_int(&rows);
		members->count++;
	}
	tx_select_end(&rows);
}

void store_members_read(struct tx *tx, const char *service, int timeout_ms,
                        struct members *members)
{
	members_read(tx, "SELECT " COLUMNS " FROM worker_nodes WHERE service = ? "
	             "AND (role = 'master' OR status = 'active' "
	             "OR plugin_time > NOW(6) - INTERVAL ? * 1000 MICROSECOND) "
	             "ORDER BY role, status, plugin_time DESC",
	             TX_BIND(tx_text(service), tx_int(timeout_ms)), members);
}

void store_members_read_own(struct tx *tx, const char *service, const char *me,
                            struct members *members)
{
	members_read(tx, "SELECT " COLUMNS " FROM worker_nodes WHERE service = ? "
	             "AND (plugin_name = ? OR role = 'master')",
	             TX_BIND(tx_text(service), tx_text(me)), members);
}

static void member_write(struct tx *tx, const struct member *member)
{
	tx_exec(tx,
	    "UPDATE worker_nodes SET role = ?, status = ?, hash_factor = ?, "
	    "total_number = ?, generation = ? WHERE plugin_name = ?",
	    TX_BIND(tx_text(member->is_master ? "master" : "normal"),
	            tx_text(member->active ? "active" : "down"),
	            member->hash_factor < 0 ? tx_null() : tx_int(member->hash_factor),
	            member->is_master ? tx_int(member->total_number) : tx_null(),
	            tx_int((int64_t)member->generation), tx_text(member->plugin_name)));
}

void store_members_write(struct tx *tx, const struct members *members)
{
	for (size_t i = 0; i < members->count; i++)
		member_write(tx, &members->member[i]);
}

bool store_members_has_run(struct tx *tx, const char *service, int seconds)
{
	return tx_select_number(tx,
	    "SELECT EXISTS(SELECT 1 FROM worker_nodes WHERE service = ? "
	    "AND started_at < NOW(6) - INTERVAL ? SECOND)",
	    TX_BIND(tx_text(service), tx_int(seconds))) > 0;
}

void store_members_forget(struct tx *tx, const char *service)
{
	tx_exec(tx,
	    "DELETE FROM worker_nodes WHERE service = ? AND status = 'down' "
	    "AND role = 'normal' AND plugin_time < NOW(6) - INTERVAL 1 HOUR",
	    TX_BIND(tx_text(service)));
}
