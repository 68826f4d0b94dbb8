#include "store.h"

#include "core/rules.h"

/* Not EXISTS: as in store_recordset.c. */
#define SERVED(set) \
	"(SELECT 1 FROM records WHERE recordset_id = " set ".id AND live = 1 LIMIT 1) = 1"
/* A record of the set has the serial of the step. */
#define IS_OF_STEP "live = 1 AND status = 'PENDING' AND serial_number = ?"
#define CHANGED(set) \
	"(SELECT 1 FROM records WHERE recordset_id = " set ".id AND " IS_OF_STEP \
	" LIMIT 1) = 1"
#define EITHER_CHANGED(set, other) "(" CHANGED(set) " OR " CHANGED(other) ")"

const char *store_import_cname_clash(struct tx *tx, const struct import_step *step,
                                     struct arena *arena)
{
	return tx_select_text(tx, arena,
		"SELECT s.name FROM recordsets s FORCE INDEX (recordset_name) "
		"STRAIGHT_JOIN recordsets o FORCE INDEX (recordset_name) ON "
		"o.domain_id = s.domain_id AND o.name = s.name AND o.type NOT IN (5, "
		"25, 46, 47) WHERE s.domain_id = ? AND s.type = 5 AND "
		SERVED("s") " AND " SERVED("o") " AND " EITHER_CHANGED("s", "o")
		" LIMIT 1",
		TX_BIND(tx_text(step->zone->is.id), tx_u32(step->serial),
		        tx_u32(step->serial)));
}

const char *store_import_not_single(struct tx *tx, const struct import_step *step,
                                    struct arena *arena)
{
	return tx_select_text(tx, arena,
		"SELECT s.name FROM recordsets s WHERE s.domain_id = ? AND s.type IN "
		"(5, 39) AND (SELECT COUNT(*) FROM records r WHERE r.recordset_id = "
		"s.id AND r.live = 1) > 1 AND " CHANGED("s") " LIMIT 1",
		TX_BIND(tx_text(step->zone->is.id), tx_u32(step->serial)));
}

const char *store_import_ns_at_dname(struct tx *tx, const struct import_step *step,
                                     struct arena *arena)
{
	return tx_select_text(tx, arena,
		"SELECT s.name FROM recordsets s FORCE INDEX (recordset_name) "
		"STRAIGHT_JOIN recordsets o FORCE INDEX (recordset_name) ON "
		"o.domain_id = s.domain_id AND o.name = s.name AND o.type = 2 "
		"WHERE s.domain_id = ? AND s.type = 39 AND s.name <> ? AND "
		SERVED("s") " AND " SERVED("o") " AND " EITHER_CHANGED("s", "o")
		" LIMIT 1",
		TX_BIND(tx_text(step->zone->is.id), tx_text(step->zone->is.name),
		        tx_u32(step->serial), tx_u32(step->serial)));
}

/* The owner of an NSEC3 record: rules_is_nsec3_owner(). */
const char *store_import_not_hash(struct tx *tx, const struct import_step *step,
                                  struct arena *arena)
{
	const char *found = NULL;
	struct tx_rows rows;
	struct name name;
	struct why why;

	tx_select(tx, NULL, &rows,
		"SELECT s.name FROM recordsets s WHERE s.domain_id = ? AND s.type = 50 "
		"AND " CHANGED("s"),
		TX_BIND(tx_text(step->zone->is.id), tx_u32(step->serial)));
	while (!found && tx_next(&rows)) {
		const char *text = row_text(&rows);

		if (!name_parse(text, "name", &name, &why) &&
		    !rules_is_nsec3_owner(&name))
			found = arena_strdup(arena, text);
	}
	tx_select_end(&rows);
	return found;
}

const char *store_import_too_large(struct tx *tx, const struct import_step *step,
                                   int64_t max, struct arena *arena)
{
	return tx_select_text(tx, arena,
		"SELECT s.name FROM recordsets s WHERE s.id = (SELECT r.recordset_id "
		"FROM records r WHERE r.domain_id = ? AND r.live = 1 GROUP BY "
		"r.recordset_id HAVING SUM(LENGTH(r.rdata) + 12) > ? AND "
		"SUM(" IS_OF_STEP ") > 0 LIMIT 1)",
		TX_BIND(tx_text(step->zone->is.id), tx_int(max), tx_u32(step->serial)));
}

/*
 * Like rules_children(): allows the delegation of a domain below, and glue. The names of
 * the domains below have a few numbers of dots. For each of them, the statement looks up
 * the end of each name of the zone.
 */
const char *store_import_inside_child(struct tx *tx, const struct import_step *step,
                                      struct arena *arena)
{
	uint8_t ancestry[NAME_MAX_WIRE];
	size_t len = zone_ancestry(&step->zone->apex, ancestry);

	return tx_select_text(tx, arena,
		"SELECT s.name FROM (SELECT DISTINCT " STORE_DOTS("name") " AS dots "
		"FROM domains WHERE ancestry > ? AND ancestry < CONCAT(?, 0xff) AND "
		"live = 1) k STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_name) "
		"STRAIGHT_JOIN domains c FORCE INDEX (domain_name) ON c.name = "
		STORE_ENDING("s.name", "k.dots") " AND c.live = 1 AND c.id <> "
		"s.domain_id WHERE s.domain_id = ? AND s.type NOT IN (1, 28) AND "
		"(s.name = c.name AND s.type NOT IN (2, 43) OR "
		STORE_IS_BELOW("s.name", "c.name") ") AND " SERVED("s") " AND "
		CHANGED("s") " LIMIT 1",
		TX_BIND(tx_bytes(ancestry, len), tx_bytes(ancestry, len),
		        tx_text(step->zone->is.id), tx_u32(step->serial)));
}

/* Looks up the names above each name, as store_import_inside_child() does. */
const char *store_import_below_dname(struct tx *tx, const struct import_step *step,
                                     struct arena *arena)
{
	return tx_select_text(tx, arena,
		"SELECT s.name FROM (SELECT DISTINCT " STORE_DOTS("name") " AS dots "
		"FROM recordsets FORCE INDEX (recordset_name) WHERE domain_id = ? AND "
		"type = 39) k STRAIGHT_JOIN recordsets s FORCE INDEX (recordset_name) "
		"STRAIGHT_JOIN recordsets d FORCE INDEX (recordset_name) ON "
		"d.domain_id = s.domain_id AND d.name = "
		STORE_ENDING("s.name", "k.dots") " AND d.type = 39 WHERE s.domain_id = ? "
		"AND " STORE_IS_BELOW("s.name", "d.name") " AND " SERVED("d") " AND "
		SERVED("s") " AND " EITHER_CHANGED("d", "s") " LIMIT 1",
		TX_BIND(tx_text(step->zone->is.id), tx_text(step->zone->is.id),
		        tx_u32(step->serial), tx_u32(step->serial)));
}

const char *store_import_above_quota(struct tx *tx, const struct import_step *step,
                                     int64_t max, struct arena *arena)
{
	return tx_select_text(tx, arena,
		"SELECT s.name FROM recordsets s WHERE s.id = (SELECT r.recordset_id "
		"FROM records r WHERE r.domain_id = ? AND r.live = 1 GROUP BY "
		"r.recordset_id HAVING COUNT(*) > ? AND SUM(" IS_OF_STEP ") > 0 "
		"LIMIT 1)",
		TX_BIND(tx_text(step->zone->is.id), tx_int(max), tx_u32(step->serial)));
}

#define SET_OF_NAME \
	"SELECT s.name FROM recordsets s WHERE s.domain_id = ? AND s.name = ? AND " \
	"s.type = ? AND "

bool store_import_has_set(struct tx *tx, const struct zone *zone, const char *name,
                          uint16_t type)
{
	return tx_select_text(tx, NULL, SET_OF_NAME SERVED("s"),
	                      TX_BIND(tx_text(zone->is.id), tx_text(name),
	                              tx_int(type))) != NULL;
}

bool store_import_changes_set(struct tx *tx, const struct import_step *step,
                              const char *name, uint16_t type)
{
	return tx_select_text(tx, NULL, SET_OF_NAME CHANGED("s"),
	                      TX_BIND(tx_text(step->zone->is.id), tx_text(name),
	                              tx_int(type), tx_u32(step->serial))) != NULL;
}
