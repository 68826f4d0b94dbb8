#include "store_pack.h"

struct tx_value store_packed(const struct rrset *set, struct arena *arena)
{
	struct buf octets = { 0 };
	struct tx_value value;

	if (!set->count)
		return tx_null();
	rrset_pack(set, &octets);
	value = tx_bytes(arena_dup(arena, octets.data, octets.len), octets.len);
	buf_clear(&octets);
	return value;
}

void store_unpack(struct tx *tx, struct tx_rows *rows, const char *table,
                  struct arena *arena, uint32_t ttl, struct rrset *set)
{
	size_t len;
	const uint8_t *octets = row_bytes(rows, &len);

	if (!rrset_unpack(set, ttl, octets, octets ? len : 0, arena))
		tx_fail(tx, ERR_INTERNAL, "a row of the table %s has %zu octets of "
		        "compressed records that zonefleet-ownership cannot read: "
		        "correct this row in the database", table, len);
	rrset_sort(set);
}

void store_read_name(struct tx *tx, struct tx_rows *rows, const char *table,
                     struct name *name, const char **text)
{
	*text = row_text(rows);
	if (name_parse(*text, "name", name, tx->why))
		tx_fail(tx, ERR_INTERNAL, "the column %s.name must contain a domain "
		        "name, not '%.80s': correct this row in the database",
		        table, *text);
}
