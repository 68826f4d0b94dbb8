#include "store_transfer.h"

#include <string.h>

#include "consistency/store_version.h"
#include "store_query.h"

const char *const store_transfer_sort_keys[] = { "created_at", NULL };

const char *const transfer_state_names[TRANSFER_STATES] = {
	[TRANSFER_OPEN] = "OPEN", [TRANSFER_ACCEPTED] = "ACCEPTED",
	[TRANSFER_WITHDRAWN] = "WITHDRAWN", [TRANSFER_EXPIRED] = "EXPIRED",
};

#define WHAT "a transfer request about the domain"
#define STATE(gone) \
	"IF(t.state = 'OPEN' AND (t.expires_at <= UTC_TIMESTAMP(3) OR " gone "), " \
	"'EXPIRED', t.state)"
#define STATE_NOW STATE("d.live = 0 OR d.task = 'DELETE'")
#define COLUMNS(domain, state) \
	"SELECT t.id, t.domain_id, " domain ", t.tenant, t.target_tenant, t.key_hash, " \
	"t.description, " state ", t.accepted_by, " TX_RFC3339("t.created_at") ", " \
	TX_RFC3339("t.updated_at") ", " TX_RFC3339("t.expires_at") " " \
	"FROM domain_transfers t "
#define SELECT_WHOLE \
	COLUMNS("d.name", STATE_NOW) "JOIN domains d ON d.id = t.domain_id WHERE "
/* Leaves out the domain, because a join would also lock its row. */
#define SELECT_OWN COLUMNS("NULL", STATE("0")) "WHERE "
#define BY_ID \
	"t.id = ? AND (? OR (? <> '' AND ? IN (t.tenant, t.target_tenant, " \
	"t.accepted_by)))"

static void transfer_read_state(struct tx_rows *rows, struct transfer *transfer)
{
	const char *text = row_text(rows);

	for (size_t i = 0; i < TRANSFER_STATES; i++) {
		if (strcmp(text, transfer_state_names[i]))
			continue;
		transfer->state = (enum transfer_state)i;
		return;
	}
	store_fail_value(rows, "domain_transfers.state", text,
	                 "OPEN, ACCEPTED, WITHDRAWN or EXPIRED");
}

static void transfer_read(struct tx_rows *rows, struct transfer *transfer)
{
	store_read_id(rows, "domain_transfers.id", transfer->id);
	store_read_id(rows, "domain_transfers.domain_id", transfer->domain_id);
	transfer->domain = row_text(rows);
	transfer->tenant = row_text(rows);
	transfer->target_tenant = row_text(rows);
	transfer->key_hash = row_text(rows);
	transfer->description = row_text(rows);
	transfer_read_state(rows, transfer);
	transfer->accepted_by = row_text(rows);
	transfer->created_at = row_text(rows);
	transfer->updated_at = row_text(rows);
	transfer->expires_at = row_text(rows);
}

static bool transfer_select(struct tx *tx, const char *sql, const char *id,
                            const struct access *access, struct arena *arena,
                            struct transfer *transfer)
{
	const struct tx_value tenant = tx_text(access->tenant);
	struct tx_rows rows;

	if (!tx_select_row(tx, arena, &rows, sql,
	                   TX_BIND(tx_text(id), tx_int(access->all), tenant, tenant)))
		return false;
	transfer_read(&rows, transfer);
	tx_select_end(&rows);
	return !tx->err;
}

bool store_transfer_get(struct tx *tx, const char *id, const struct access *access,
                        struct arena *arena, struct transfer *transfer)
{
	return transfer_select(tx, SELECT_WHOLE BY_ID, id, access, arena, transfer);
}

bool store_transfer_lock(struct tx *tx, const char *id, const struct access *access,
                         enum store_wait wait, struct arena *arena,
                         struct transfer *transfer)
{
	const char *sql = STORE_WAITS(tx, wait, SELECT_OWN BY_ID " FOR UPDATE");
	bool found = transfer_select(tx, sql, id, access, arena, transfer);

	store_check_wait(tx, wait, WHAT);
	return found;
}

void store_transfer_find(struct tx *tx, const struct access *access,
                         const struct transfer_criterion *criterion,
                         const struct paging *paging, struct arena *arena,
                         struct tx_rows *rows)
{
	static const struct sort_column by_time = {
		"t.created_at", "t.id",
		"SELECT created_at, id FROM domain_transfers WHERE id = ?",
	};
	struct query query;

	query_begin(&query, arena, SELECT_WHOLE "1");
	if (!access->all) {
		/* an administrator can be without a tenant, and must not match '' */
		query_bind(&query, " AND ? <> ''", tx_text(access->tenant));
		query_bind(&query, " AND (t.tenant = ?", tx_text(access->tenant));
		query_bind(&query, " OR t.target_tenant = ?", tx_text(access->tenant));
		query_bind(&query, " OR t.accepted_by = ?)", tx_text(access->tenant));
	}
	if (*criterion->domain_id)
		query_equals(&query, "t.domain_id", criterion->domain_id);
	query_equals(&query, "d.name", criterion->domain);
	query_equals(&query, STATE_NOW, criterion->state);
	query_page(&query, tx, paging, &by_time);
	query_run(&query, tx, rows);
}

bool store_transfer_next(struct tx_rows *rows, struct transfer *transfer)
{
	if (!tx_next(rows))
		return false;
	transfer_read(rows, transfer);
	return !rows->tx->err;
}

/* Reads first, because an UPDATE without a row would lock a gap of the index. */
static void transfer_expire(struct tx *tx, const char *domain_id)
{
	if (tx_select_number(tx, "SELECT COUNT(*) FROM domain_transfers WHERE "
	                     "open_domain = ? AND expires_at <= UTC_TIMESTAMP(3)",
	                     TX_BIND(tx_text(domain_id))) <= 0)
		return;
	tx_exec(tx, "UPDATE domain_transfers SET state = 'EXPIRED', open_domain = NULL, "
	            "updated_at = expires_at WHERE open_domain = ? "
	            "AND expires_at <= UTC_TIMESTAMP(3)",
	        TX_BIND(tx_text(domain_id)));
}

int64_t store_transfer_count(struct tx *tx, const char *domain_id)
{
	return tx_select_number(tx, "SELECT COUNT(*) FROM domain_transfers "
	                        "WHERE domain_id = ?", TX_BIND(tx_text(domain_id)));
}

void store_transfer_insert(struct tx *tx, const struct transfer *transfer,
                           int64_t expires_s, enum store_wait wait)
{
	transfer_expire(tx, transfer->domain_id);
	tx_exec(tx, STORE_WAITS(tx, wait,
	            "INSERT INTO domain_transfers (id, domain_id, open_domain, tenant, "
	            "target_tenant, key_hash, description, created_at, updated_at, "
	            "expires_at) "
	            "VALUES (?, ?, ?, ?, ?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3), "
	            "UTC_TIMESTAMP(3) + INTERVAL ? SECOND)"),
	        TX_BIND(tx_text(transfer->id), tx_text(transfer->domain_id),
	                tx_text(transfer->domain_id), tx_text(transfer->tenant),
	                tx_text(transfer->target_tenant),
	                tx_text(transfer->key_hash), tx_text(transfer->description),
	                tx_int(expires_s)));
	store_check_wait(tx, wait, WHAT);
}

void store_transfer_update(struct tx *tx, const struct transfer *transfer)
{
	tx_exec(tx, "UPDATE domain_transfers SET state = ?, open_domain = "
	            "IF(state = 'OPEN', domain_id, NULL), accepted_by = ?, "
	            "target_tenant = ?, description = ?, "
	            "updated_at = UTC_TIMESTAMP(3) WHERE id = ?",
	        TX_BIND(tx_text(transfer_state_names[transfer->state]),
	                tx_text(transfer->accepted_by), tx_text(transfer->target_tenant),
	                tx_text(transfer->description), tx_text(transfer->id)));
}

void store_transfer_domain(struct tx *tx, struct zone *zone, const char *tenant)
{
	const struct version version = { zone->is.id, zone->is.version++ };

	tx_exec(tx, "UPDATE domains SET tenant = ?, updated_at = UTC_TIMESTAMP(3) "
	            "WHERE id = ?", TX_BIND(tx_text(tenant), tx_text(zone->is.id)));
	store_versions_swap(tx, "domain", &version, 1);
}

int64_t store_transfer_sweep(struct tx *tx, int64_t age_s)
{
	return tx_exec(tx, "DELETE FROM domain_transfers WHERE "
	               "IF(state = 'OPEN', expires_at, updated_at) < "
	               "UTC_TIMESTAMP(3) - INTERVAL ? SECOND LIMIT 1000",
	               TX_BIND(tx_int(age_s)));
}
