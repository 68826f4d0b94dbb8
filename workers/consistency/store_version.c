#include "consistency/store_version.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/tx_list.h"

enum { AT_ONCE = 64 };

void store_versions_begin(struct tx *tx, const char *type, const char *const *obj_uuids,
                          size_t count)
{
	enum { COLUMNS = 2 };
	struct tx_value values[AT_ONCE * COLUMNS];

	for (size_t at = 0; at < count; at += AT_ONCE) {
		size_t rows = count - at < AT_ONCE ? count - at : AT_ONCE;

		for (size_t i = 0; i < rows; i++) {
			values[i * COLUMNS] = tx_text(obj_uuids[at + i]);
			values[i * COLUMNS + 1] = tx_text(type);
		}
		tx_exec_rows(tx, "INSERT INTO object_versions (obj_uuid, object_type, "
		             "version_id) VALUES", "(?, ?, LPAD(1, 20, '0'))", "",
		             values, COLUMNS, rows);
	}
}

/* The remaining places repeat the last version. */
static void versions_fill(struct tx_value *values, const struct version *versions,
                          size_t count, size_t places, struct arena *arena)
{
	for (size_t i = 0; i < places; i++) {
		const struct version *version = &versions[i < count ? i : count - 1];

		values[2 * i] = tx_text(version->obj_uuid);
		values[2 * i + 1] = tx_text(arena_printf(arena, "%020" PRIu64,
		                                         version->version));
	}
	values[2 * places].type = TX_END;
}

static void versions_swap(struct tx *tx, const struct version *versions, size_t count)
{
	struct tx_value values[2 * TX_LIST_MAX + 1];
	struct arena *arena = arena_new();
	size_t places;
	const char *sql = tx_list_of(arena,
		"UPDATE object_versions FORCE INDEX (PRIMARY) SET "
		"version_id = LPAD(CAST(version_id AS UNSIGNED) + 1, 20, '0') WHERE ",
		"(obj_uuid = ? AND version_id = ?)", " OR ", "", count,
		&places);

	versions_fill(values, versions, count, places, arena);
	if (tx_exec(tx, sql, values) != (int64_t)count)
		tx_fail(tx, ERR_RACE, "another transaction changed the version of an "
		        "object at the same time: try again later");
	arena_free(&arena);
}

void store_versions_swap(struct tx *tx, const char *type, const struct version *versions,
                         size_t count)
{
	struct version old[AT_ONCE];
	const char *new[AT_ONCE];

	for (size_t at = 0; at < count && !tx->err;) {
		size_t old_count = 0, new_count = 0;

		for (; at < count && old_count < AT_ONCE && new_count < AT_ONCE; at++)
			if (versions[at].version)
				old[old_count++] = versions[at];
			else
				new[new_count++] = versions[at].obj_uuid;
		if (old_count)
			versions_swap(tx, old, old_count);
		store_versions_begin(tx, type, new, new_count);
	}
}

void store_version_end(struct tx *tx, const char *obj_uuid)
{
	tx_exec(tx, "UPDATE object_versions SET deleted_at = UTC_TIMESTAMP(3) "
	            "WHERE obj_uuid = ?", TX_BIND(tx_text(obj_uuid)));
}

int64_t store_versions_sweep(struct tx *tx, int age_s, int limit)
{
	return tx_exec(tx, "DELETE FROM object_versions WHERE deleted_at < "
	               "UTC_TIMESTAMP(3) - INTERVAL ? SECOND LIMIT ?",
	               TX_BIND(tx_int(age_s), tx_int(limit)));
}
