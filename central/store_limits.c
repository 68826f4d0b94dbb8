#include "store_limits.h"

#include "model/rr.h"

/* The first record sets of the domain. */
#define FIRST_SETS \
	"(SELECT id, domain_id, name, type FROM recordsets FORCE INDEX " \
	"(recordset_name) WHERE domain_id = ? ORDER BY name, type LIMIT ?) s "

/* NS at a wildcard; KEY with CNAME; SVCB and HTTPS with the priority 0. */
#define ZONE_LIMIT \
	"(s.type = 2 AND s.name LIKE '*.%') " \
	"OR (s.type = 25 AND (SELECT 1 FROM recordsets c WHERE c.domain_id = " \
	"s.domain_id AND c.name = s.name AND c.type = 5 LIMIT 1) = 1) " \
	"OR (s.type IN (64, 65) AND (SELECT 1 FROM records r WHERE r.recordset_id = " \
	"s.id AND r.live = 1 AND LEFT(r.rdata, 2) = X'0000' LIMIT 1) = 1)"
/*
 * The records of a signer; an octet of the form \DDD that is no blank, @ or : ; data
 * above 16000 octets. The types of the last NOT IN have only short data.
 */
#define OTHER_LIMIT \
	"s.type IN (46, 47, 48, 50, 51, 59, 60) " \
	"OR s.name REGEXP '\\\\\\\\(?!032|058|064)[0-9]{3}' " \
	"OR (s.type NOT IN (1, 2, 5, 12, 15, 28, 33) AND (SELECT 1 FROM records r " \
	"WHERE r.recordset_id = s.id AND r.live = 1 AND LENGTH(r.rdata) > 16000 " \
	"LIMIT 1) = 1)"

/* A record set with more than 100 records, and a name with more than 100 types. */
#define NAMES \
	"(SELECT s.name FROM " FIRST_SETS "WHERE " ZONE_LIMIT " LIMIT 40) " \
	"UNION (SELECT s.name FROM " FIRST_SETS "WHERE ? AND (SELECT 1 FROM records r " \
	"WHERE r.recordset_id = s.id AND r.live = 1 LIMIT 1 OFFSET 100) = 1 LIMIT 10) " \
	"UNION (SELECT s.name FROM " FIRST_SETS "WHERE ? GROUP BY s.name " \
	"HAVING COUNT(*) > 100 LIMIT 10) " \
	"UNION (SELECT s.name FROM " FIRST_SETS "WHERE " OTHER_LIMIT " LIMIT 40)"

size_t store_limit_names(struct tx *tx, const struct zone *zone, int64_t sets,
                         struct arena *arena, const char **names)
{
	const struct tx_value id = tx_text(zone->is.id), max = tx_int(sets);
	bool has_large_set = zone->records >= zone->recordsets + 100;
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows, NAMES,
	          TX_BIND(id, max, id, max, tx_int(has_large_set), id, max,
	                  tx_int(zone->recordsets > 100), id, max));
	while (tx_next(&rows))
		if (count < LIMIT_NAMES_MAX)
			names[count++] = row_text(&rows);
	return count;
}

size_t store_limit_servers(struct tx *tx, const char *pool, struct arena *arena,
                           struct limit_server *servers)
{
	struct tx_rows rows;
	size_t count = 0;

	tx_select(tx, arena, &rows,
	          "SELECT id, backend FROM pool_servers WHERE pool_name = ? AND "
	          "state <> 'REMOVED' ORDER BY id LIMIT ?",
	          TX_BIND(tx_text(pool), tx_int(LIMIT_SERVERS_MAX)));
	while (tx_next(&rows)) {
		servers[count].id = row_text(&rows);
		servers[count++].backend = row_text(&rows);
	}
	return count;
}
