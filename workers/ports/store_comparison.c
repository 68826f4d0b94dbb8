#include <stdio.h>

#include "store.h"

void store_comparison_due(struct tx *tx, const char *feed, int ms)
{
	tx_exec(tx,
	    "INSERT INTO port_comparisons (feed, due_at) "
	    "VALUES (?, NOW(3) + INTERVAL ? * 1000 MICROSECOND) "
	    "ON DUPLICATE KEY UPDATE due_at = LEAST(due_at, VALUES(due_at))",
	    TX_BIND(tx_text(feed), tx_int(ms)));
}

bool store_comparison_claim(struct tx *tx, const char *feed, int period_ms)
{
	return tx_exec(tx,
	    "UPDATE port_comparisons SET due_at = NOW(3) + INTERVAL ? * 1000 MICROSECOND "
	    "WHERE feed = ? AND due_at <= NOW(3)",
	    TX_BIND(tx_int(period_ms), tx_text(feed))) > 0;
}

void store_comparison_put(struct tx *tx, const char *feed,
                          const struct comparison_row *row)
{
	tx_exec(tx,
	    "UPDATE port_comparisons SET ended = ended + 1, looked_at = ?, "
	    "differing = ?, repaired = ?, reason = ? WHERE feed = ?",
	    TX_BIND(tx_int(row->looked_at), tx_int(row->differing),
	            tx_int(row->repaired), tx_text(row->reason), tx_text(feed)));
}

bool store_comparison_read(struct tx *tx, struct arena *arena, const char *feed,
                           struct comparison_row *row)
{
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows,
	    "SELECT ended, looked_at, differing, repaired, reason FROM port_comparisons "
	    "WHERE feed = ?", TX_BIND(tx_text(feed))))
		return false;
	row->ended = (int)row_int(&rows);
	row->looked_at = (int)row_int(&rows);
	row->differing = (int)row_int(&rows);
	row->repaired = (int)row_int(&rows);
	row->reason = row_text(&rows);
	tx_select_end(&rows);
	return !tx->err;
}

static void revision_row_read(struct tx_rows *rows, struct revision *revision)
{
	*revision = (struct revision){ 0 };
	snprintf(revision->id, sizeof(revision->id), "%s", row_text(rows));
	revision->revision = (uint64_t)row_int(rows);
	revision->is_gone = row_int(rows);
}

void store_network_revisions(struct tx *tx, const char *domain,
                             void (*each)(void *self, const struct revision *revision),
                             void *self)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT id, IF((is_default OR domain = '') AND domain <> ?, "
	          "0, revision), deleted_at IS NOT NULL FROM networks "
	          "WHERE is_fed", TX_BIND(tx_text(domain)));
	while (tx_next(&rows)) {
		struct revision revision;

		revision_row_read(&rows, &revision);
		each(self, &revision);
	}
}

void store_subnet_revisions(struct tx *tx, bool all,
                            void (*each)(void *self, const struct revision *revision),
                            void *self)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT id, IF(published <> (? OR is_flagged), 0, revision), "
	          "deleted_at IS NOT NULL FROM subnets "
	          "WHERE is_fed", TX_BIND(tx_int(all)));
	while (tx_next(&rows)) {
		struct revision revision;

		revision_row_read(&rows, &revision);
		each(self, &revision);
	}
}

void store_port_revisions(struct tx *tx, const char *network_id,
                          void (*each)(void *self, const struct revision *revision,
                                       bool is_floating), void *self)
{
	struct tx_rows rows;

	tx_select(tx, NULL, &rows,
	          "SELECT id, revision, deleted_at IS NOT NULL, is_floating FROM ports "
	          "WHERE network_id = ? AND is_fed",
	          TX_BIND(tx_text(network_id)));
	while (tx_next(&rows)) {
		struct revision revision;

		revision_row_read(&rows, &revision);
		each(self, &revision, row_int(&rows));
	}
}
