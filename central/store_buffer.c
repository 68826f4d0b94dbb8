#include "store_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "consistency/store_version.h"

/* In the order of the statements: a row refers only to tables above its own. */
enum table { DOMAINS, RECORDSETS, RECORDS, JOURNAL, TABLES };

/*
 * The first column is the id of the domain. The domain is locked, so a record can only
 * conflict with its own id: one statement inserts, changes and deletes records. The row
 * of a domain exists, because it is locked. Its unchanged columns are empty here, except
 * pool_id: MySQL 9.6 and later check a foreign key before they look for the row.
 */
static const struct {
	size_t columns;
	const char *head, *tuple, *tail;
} tables[TABLES] = {
	[DOMAINS] = { 16,
		"INSERT INTO domains (id, serial, task, status, description, mname, "
		"rname, soa_ttl, refresh, retry, expire, minimum, ttl, recordset_count, "
		"record_count, pool_id, name, ancestry, tenant, reason, updated_at, "
		"changed_at) VALUES ",
		"(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'','','','',UTC_TIMESTAMP(3),"
		"UTC_TIMESTAMP(3))",
		" ON DUPLICATE KEY UPDATE serial = VALUES(serial), "
		"task = VALUES(task), status = VALUES(status), reason = '', "
		"description = VALUES(description), mname = VALUES(mname), "
		"rname = VALUES(rname), soa_ttl = VALUES(soa_ttl), "
		"refresh = VALUES(refresh), retry = VALUES(retry), "
		"expire = VALUES(expire), minimum = VALUES(minimum), "
		"ttl = VALUES(ttl), recordset_count = VALUES(recordset_count), "
		"record_count = VALUES(record_count), "
		"updated_at = VALUES(updated_at), changed_at = VALUES(changed_at)" },
	[RECORDSETS] = { 7,
		"INSERT INTO recordsets (domain_id, id, name, type, ttl, description, "
		"tenant, created_at, updated_at) VALUES ",
		"(?,?,?,?,?,?,?,UTC_TIMESTAMP(3),UTC_TIMESTAMP(3))",
		" ON DUPLICATE KEY UPDATE ttl = VALUES(ttl), "
		"description = VALUES(description), tenant = VALUES(tenant), "
		"updated_at = VALUES(updated_at)" },
	[RECORDS] = { 9,
		"INSERT INTO records (domain_id, id, recordset_id, data, rdata, "
		"serial_number, task, status, managed_by, updated_at) VALUES ",
		"(?,?,?,?,?,?,?,?,?,UTC_TIMESTAMP(3))",
		" ON DUPLICATE KEY UPDATE data = VALUES(data), rdata = VALUES(rdata), "
		"managed_by = VALUES(managed_by), serial_number = VALUES(serial_number), "
		"task = VALUES(task), status = VALUES(status), "
		"updated_at = VALUES(updated_at)" },
	[JOURNAL] = { 5,
		"INSERT INTO journal (domain_id, serial, previous_serial, removed, "
		"added, created_at) VALUES ",
		"(?,?,?,?,?,UTC_TIMESTAMP(3))", "" },
};

struct store_buffer {
	struct {
		struct tx_value *values;
		size_t count, size;	/* number of rows */
	} rows[TABLES];
	struct version *versions;	/* the old version of each domain row */
	size_t versions_size;
};

struct store_buffer *store_buffer_new(void)
{
	return xcalloc(1, sizeof(struct store_buffer));
}

void store_buffer_free(struct store_buffer **buffer)
{
	struct store_buffer *old = *buffer;

	*buffer = NULL;
	if (!old)
		return;
	for (enum table table = 0; table < TABLES; table++)
		free(old->rows[table].values);
	free(old->versions);
	free(old);
}

/* The caller fills the columns after the domain's id. */
static struct tx_value *buffer_add_row(struct store_buffer *buffer, enum table table,
                                       const char *domain_id)
{
	size_t columns = tables[table].columns;
	struct tx_value *row;

	if (buffer->rows[table].count == buffer->rows[table].size) {
		size_t size = 2 * buffer->rows[table].size + 8;

		buffer->rows[table].values = xrealloc(buffer->rows[table].values,
		                                      size * columns * sizeof(*row));
		buffer->rows[table].size = size;
	}
	row = buffer->rows[table].values + columns * buffer->rows[table].count++;
	row[0] = tx_text(domain_id);
	return row;
}

static void buffer_add_version(struct store_buffer *buffer, struct domain *is)
{
	size_t count = buffer->rows[DOMAINS].count;

	if (count == buffer->versions_size) {
		buffer->versions_size = 2 * count + 8;
		buffer->versions = xrealloc(buffer->versions, buffer->versions_size *
		                            sizeof(*buffer->versions));
	}
	buffer->versions[count] = (struct version){ is->id, is->version++ };
}

void store_buffer_domain(struct store_buffer *buffer, struct zone *zone)
{
	struct domain *is = &zone->is;
	struct tx_value *row;

	buffer_add_version(buffer, is);
	row = buffer_add_row(buffer, DOMAINS, is->id);
	row[1] = tx_u32(is->state.serial);
	row[2] = tx_text(task_name(is->state.task));
	row[3] = tx_text(status_name(is->state.status));
	row[4] = tx_text(is->description);
	row[5] = tx_text(is->primary);
	row[6] = tx_text(is->email);
	row[7] = tx_u32(zone->soa_ttl);
	row[8] = tx_u32(is->refresh);
	row[9] = tx_u32(is->retry);
	row[10] = tx_u32(is->expire);
	row[11] = tx_u32(is->minimum);
	row[12] = tx_u32(is->ttl);
	row[13] = tx_u32(zone->recordsets);
	row[14] = tx_u32(zone->records);
	row[15] = tx_text(is->pool_id);
}

void store_buffer_recordsets(struct store_buffer *buffer, const char *domain_id,
                             struct rrset *const *sets, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct tx_value *row = buffer_add_row(buffer, RECORDSETS, domain_id);

		row[1] = tx_text(sets[i]->id);
		row[2] = tx_text(sets[i]->owner);
		row[3] = tx_int(sets[i]->type);
		row[4] = sets[i]->ttl.given ? tx_u32(sets[i]->ttl.value) : tx_null();
		row[5] = tx_text(sets[i]->description ? sets[i]->description : "");
		row[6] = tx_text(sets[i]->tenant ? sets[i]->tenant : "");
	}
}

void store_buffer_records(struct store_buffer *buffer, const char *domain_id,
                          const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &rows[i].record;
		struct tx_value *row = buffer_add_row(buffer, RECORDS, domain_id);

		row[1] = tx_text(record->id);
		row[2] = tx_text(rows[i].set->id);
		row[3] = tx_text(record->data);
		row[4] = tx_bytes(record->rdata, record->rdata_len);
		row[5] = tx_u32(record->state.serial);
		row[6] = tx_text(task_name(record->state.task));
		row[7] = tx_text(status_name(record->state.status));
		row[8] = record->managed_by ? tx_text(record->managed_by) : tx_null();
	}
}

void store_buffer_journal(struct store_buffer *buffer, const char *domain_id,
                          uint32_t previous, uint32_t serial,
                          const struct buf *removed, const struct buf *added)
{
	struct tx_value *row = buffer_add_row(buffer, JOURNAL, domain_id);

	row[1] = tx_u32(serial);
	row[2] = tx_u32(previous);
	row[3] = tx_bytes(removed->data, removed->len);
	row[4] = tx_bytes(added->data, added->len);
}

size_t store_buffer_count(const struct store_buffer *buffer)
{
	size_t count = 0;

	for (enum table table = 0; table < TABLES; table++)
		count += buffer->rows[table].count;
	return count;
}

void store_buffer_flush(struct store_buffer *buffer, struct tx *tx)
{
	store_versions_swap(tx, "domain", buffer->versions, buffer->rows[DOMAINS].count);
	for (enum table table = 0; table < TABLES; table++)
		tx_exec_rows(tx, tables[table].head, tables[table].tuple,
		             tables[table].tail, buffer->rows[table].values,
		             tables[table].columns, buffer->rows[table].count);
	store_buffer_clear(buffer);
}

void store_buffer_clear(struct store_buffer *buffer)
{
	for (enum table table = 0; table < TABLES; table++)
		buffer->rows[table].count = 0;
}
