#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/store_version.h"
#include "model/serial.h"
#include "model/state.h"
#include "runtime/tx_list.h"

enum {
	PORTION = 5000,			/* records in one statement */
	/*
	 * limits of a change that is read with its zone, because servers probably ask for
	 * it next
	 */
	NEWEST_BYTES = 4096, NEWEST_SECONDS = 10,
};

/* In the order of store_read_head(). */
#define HEAD_COLUMNS \
	"d.id, d.name, d.pool_id, d.serial, d.record_count, d.soa_ttl, " \
	"d.mname, d.rname, d.refresh, d.retry, d.expire, d.minimum, " VERSION_OF("d.id")
#define SERVED "d.live = 1 AND d.task <> 'DELETE'"

/* ---- heads ---- */

static enum err head_set_soa(struct head *head, const char *mname, const char *rname,
                             struct soa *soa, struct why *why)
{
	struct name primary, mailbox;
	struct buf rdata = { 0 };
	enum err err = name_parse_in(mname, NULL, "mname", &primary, why);

	if (!err)
		err = name_parse_in(rname, NULL, "rname", &mailbox, why);
	if (err)
		return err;
	soa->mname = primary.wire;
	soa->rname = mailbox.wire;
	soa_append_rdata(&rdata, soa);
	bug_if(rdata.len > sizeof(head->soa));
	memcpy(head->soa, rdata.data, rdata.len);
	head->soa_len = rdata.len;
	buf_clear(&rdata);
	return OK;
}

static void store_copy_text(char *to, size_t size, const char *from)
{
	size_t len = strlen(from);

	if (len >= size)
		len = size - 1;
	memcpy(to, from, len);
	to[len] = '\0';
}

/* After an error the head still has a name if only its SOA is invalid. */
static enum err store_read_head(struct tx_rows *rows, struct head *head, struct why *why)
{
	struct soa soa = { 0 };
	const char *mname, *rname;
	enum err err;

	store_copy_text(head->id, sizeof(head->id), row_text(rows));
	err = name_parse(row_text(rows), "name", &head->name, why);
	if (err)
		head->name.len = 0;
	head->soa_len = 0;
	store_copy_text(head->pool, sizeof(head->pool), row_text(rows));
	head->serial = soa.serial = row_u32(rows);
	head->records = row_u32(rows);
	head->soa_ttl = row_u32(rows);
	mname = row_text(rows);
	rname = row_text(rows);
	soa.refresh = row_u32(rows);
	soa.retry = row_u32(rows);
	soa.expire = row_u32(rows);
	soa.minimum = row_u32(rows);
	head->version = (uint64_t)row_int(rows);
	return err ? err : head_set_soa(head, mname, rname, &soa, why);
}

static struct ixfr_step store_read_step(struct tx_rows *rows)
{
	struct ixfr_step step;

	step.previous_serial = row_u32(rows);
	step.serial = row_u32(rows);
	step.removed = row_bytes(rows, &step.removed_len);
	step.added = row_bytes(rows, &step.added_len);
	return step;
}

static struct delta *store_read_newest(struct tx_rows *rows, const struct head *head)
{
	struct ixfr_step step;

	if (row_is_null(rows))
		return NULL;
	step = store_read_step(rows);
	return delta_new(&head->name, step.previous_serial, step.serial, &step, 1);
}

/*
 * An unreadable row means that one zone is broken; the others must not suffer.
 * zones_get() reads it again and reports the error.
 */
static size_t store_read_heads(struct tx_rows *rows, struct head_row *found, size_t size)
{
	struct why why;
	size_t count = 0;

	while (count < size && tx_next(rows)) {
		struct head *head = &found[count].head;

		if (!store_read_head(rows, head, &why) || head->name.len)
			found[count++].newest = store_read_newest(rows, head);
		else
			log_warn("zone not loaded: id=%s reason=\"%s\"",
			         head->id, why.text);
	}
	tx_select_end(rows);
	return count;
}

struct heads_read {
	struct db *db;
	const char *const *names;
	size_t count;
	struct head_row **rows;
	size_t *found;
};

static void store_release_newest(struct head_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		delta_release(&rows[i].newest);
}

static enum err store_read_heads_once(void *self, struct why *why)
{
	enum { BEFORE = 2 };
	const struct heads_read *read = self;
	size_t count = read->count;
	struct tx tx = tx_autocommit(read->db, why);
	struct tx_rows rows;
	struct tx_value bind[BEFORE + TX_LIST_MAX + 1] = {
		tx_int(NEWEST_BYTES), tx_int(NEWEST_SECONDS),
	};
	struct arena *arena = arena_new();
	size_t places;
	const char *sql = tx_list(arena,
		"SELECT " HEAD_COLUMNS ", j.previous_serial, j.serial, j.removed, "
		"j.added FROM domains d LEFT JOIN journal j ON j.domain_id = d.id "
		"AND j.serial = d.serial AND j.bytes <= ? "
		"AND j.created_at > UTC_TIMESTAMP(3) - INTERVAL ? SECOND "
		"WHERE " SERVED " AND d.name IN (", ")", count, &places);
	enum err err;

	tx_list_fill(bind + BEFORE, read->names, count, places);
	bind[BEFORE + places].type = TX_END;
	tx_select(&tx, arena, &rows, sql, bind);
	store_release_newest(*read->rows, *read->found);	/* from an earlier try */
	*read->found = store_read_heads(&rows, *read->rows, count);
	err = tx_commit(&tx);
	arena_free(&arena);
	return err;
}

enum err store_heads(struct db *db, const char *const *names, size_t count,
                     struct head_row **rows, size_t *found, struct why *why)
{
	struct heads_read read = { db, names, count, rows, found };
	enum err err;

	bug_if(count > STORE_NAMES);
	*rows = xcalloc(count, sizeof(**rows));
	*found = 0;
	err = tx_retry(store_read_heads_once, &read, why);
	if (err) {
		store_release_newest(*rows, *found);
		free(*rows);
		*rows = NULL;
		*found = 0;
	}
	return err;
}

struct editions_read {
	struct db *db;
	const char *const *ids;
	size_t count;
	struct edition *editions;
	size_t *found;
};

static enum err store_read_editions_once(void *self, struct why *why)
{
	const struct editions_read *read = self;
	struct tx tx = tx_autocommit(read->db, why);
	struct tx_value bind[TX_LIST_MAX + 1];
	struct arena *arena = arena_new();
	struct tx_rows rows;
	size_t places;
	const char *sql = tx_list(arena, "SELECT d.id, d.serial, " VERSION_OF("d.id")
	                          " FROM domains d WHERE " SERVED " AND d.id IN (", ")",
	                          read->count, &places);
	enum err err;

	*read->found = 0;
	tx_list_fill(bind, read->ids, read->count, places);
	bind[places].type = TX_END;
	tx_select(&tx, arena, &rows, sql, bind);
	while (*read->found < read->count && tx_next(&rows)) {
		struct edition *edition = &read->editions[(*read->found)++];

		store_copy_text(edition->id, sizeof(edition->id), row_text(&rows));
		edition->serial = row_u32(&rows);
		edition->version = (uint64_t)row_int(&rows);
	}
	tx_select_end(&rows);
	err = tx_commit(&tx);
	arena_free(&arena);
	return err;
}

enum err store_editions(struct db *db, const char *const *ids, size_t count,
                        struct edition *editions, size_t *found, struct why *why)
{
	struct editions_read read = { db, ids, count, editions, found };

	bug_if(count > STORE_NAMES);
	return tx_retry(store_read_editions_once, &read, why);
}

/* ---- zones ---- */

static enum err store_get_head(struct tx *tx, const char *domain_id, struct head *head)
{
	struct arena *arena = arena_new();
	struct tx_rows rows;
	enum err err = OK;

	if (tx_select_row(tx, arena, &rows, "SELECT " HEAD_COLUMNS
	                  " FROM domains d WHERE " SERVED
	                  " AND d.id = ?", TX_BIND(tx_text(domain_id)))) {
		err = store_read_head(&rows, head, tx->why);
		tx_select_end(&rows);
	} else if (!tx->err) {
		err = fail(tx->why, ERR_NOT_FOUND, "the domain was deleted");
	}
	arena_free(&arena);
	return tx->err ? tx->err : err;
}

/*
 * The owner of the last record set: sets come sorted by name, so its text is converted
 * only once.
 */
struct owner {
	char text[NAME_MAX_TEXT + 1];
	struct name name;
};

static enum err owner_set_name(struct owner *owner, const char *text, struct why *why)
{
	if (!strcmp(owner->text, text))
		return OK;
	store_copy_text(owner->text, sizeof(owner->text), text);
	return name_parse(text, "record set", &owner->name, why);
}

static enum err owner_add_row(struct zone_builder *builder, struct tx_rows *rows,
                              struct owner *owner, struct why *why)
{
	enum err err = owner_set_name(owner, row_text(rows), why);
	struct rr rr = { .name = owner->name.wire };
	size_t len;

	if (err)
		return err;
	rr.type = row_int(rows);
	rr.ttl = row_u32(rows);
	rr.rdata = row_bytes(rows, &len);
	if (len > RDATA_MAX)
		return fail(why, ERR_INVALID, "a record at %s must have at most %d "
		            "octets, not %zu", owner->text, RDATA_MAX, len);
	rr.rdata_len = len;
	zone_builder_add(builder, &rr);
	return OK;
}

/*
 * A zone may have a million records, and a statement must not take that long. So the
 * records are read in portions by status and id, the order of an index. Records with near
 * ids were written together, so they are close on the disk; records with near names are
 * not. Tombstones are also read, and skipped here, because there may be a million of
 * them.
 */
struct portion {
	const char *domain_id, *status;
	char last[ID_LEN + 1];		/* id of the last record that was read */
	size_t count;
};

static enum err store_read_portion(struct tx *tx, struct portion *portion,
                                   struct zone_builder *builder)
{
	struct owner owner = { .text = "" };
	struct tx_rows rows;
	enum err err = OK;

	tx_select(tx, NULL, &rows,
	          "SELECT r.id, r.live, s.name, s.type, COALESCE(s.ttl, d.ttl), r.rdata "
	          "FROM records r FORCE INDEX (record_open) "
	          "STRAIGHT_JOIN recordsets s ON s.id = r.recordset_id "
	          "STRAIGHT_JOIN domains d ON d.id = r.domain_id "
	          "WHERE r.domain_id = ? AND r.status = ? AND r.id > ? "
	          "ORDER BY r.id LIMIT ?",
	          TX_BIND(tx_text(portion->domain_id), tx_text(portion->status),
	                  tx_text(portion->last), tx_int(PORTION)));
	for (portion->count = 0; !err && tx_next(&rows); portion->count++) {
		store_copy_text(portion->last, sizeof(portion->last), row_text(&rows));
		if (row_int(&rows))
			err = owner_add_row(builder, &rows, &owner, tx->why);
	}
	tx_select_end(&rows);
	return tx->err ? tx->err : err;
}

static enum err store_read_records(struct tx *tx, const char *domain_id,
                                   enum status status, struct zone_builder *builder)
{
	struct portion portion = {
		.domain_id = domain_id, .status = status_name(status),
	};
	enum err err;

	do {
		err = store_read_portion(tx, &portion, builder);
	} while (!err && portion.count == PORTION);
	return err;
}

/* All statements see the same state: REPEATABLE READ with a snapshot at the start. */
static enum err store_load(struct db *db, const char *domain_id, struct zone **zone,
                           struct why *why)
{
	struct tx tx = tx_begin_snapshot(db, why);
	struct zone_builder *builder = NULL;
	struct head head;
	struct rr soa;
	enum err err = store_get_head(&tx, domain_id, &head);

	if (!err) {
		builder = zone_builder_new(&head.name);
		soa = head_soa(&head);
		zone_builder_add(builder, &soa);
		for (enum status status = 0; !err && status < STATUS_DELETED; status++)
			err = store_read_records(&tx, domain_id, status, builder);
	}
	if (err)
		tx_rollback(&tx);
	else
		err = tx_commit(&tx);
	if (!err)
		return zone_builder_finish(&builder, zone, why);
	zone_builder_free(&builder);
	return err;
}

struct zone_load {
	struct db *db;
	const char *domain_id;
	struct zone **zone;
};

static enum err store_load_once(void *self, struct why *why)
{
	const struct zone_load *load = self;

	return store_load(load->db, load->domain_id, load->zone, why);
}

enum err store_zone(struct db *db, const char *domain_id, struct zone **zone,
                    struct why *why)
{
	return tx_retry(store_load_once, &(struct zone_load){ db, domain_id, zone }, why);
}

/* ---- deltas ---- */

struct steps {
	struct ixfr_step *step;
	size_t count, size, bytes;
};

static void steps_add(struct steps *steps, struct tx_rows *rows)
{
	struct ixfr_step step = store_read_step(rows);

	if (steps->count == steps->size) {
		steps->size = steps->size ? 2 * steps->size : 16;
		steps->step = xrealloc(steps->step, steps->size * sizeof(step));
	}
	steps->step[steps->count++] = step;
	steps->bytes += step.removed_len + step.added_len;
}

/*
 * Selects the rows after FROM up to TO. If the serials have wrapped, these are two ranges
 * of numbers.
 */
static void steps_select(struct tx *tx, struct arena *arena, struct tx_rows *rows,
                         const struct head *head, uint32_t from)
{
	if (from < head->serial)
		tx_select(
		    tx, arena, rows,
		    "SELECT previous_serial, serial, removed, added FROM journal "
		    "WHERE domain_id = ? AND serial > ? AND serial <= ? ORDER BY serial",
		    TX_BIND(tx_text(head->id), tx_u32(from), tx_u32(head->serial)));
	else
		tx_select(tx, arena, rows,
		          "SELECT previous_serial, serial, removed, added FROM journal "
		          "WHERE domain_id = ? AND (serial > ? OR serial <= ?) "
		          "ORDER BY serial <= ?, serial",
		          TX_BIND(tx_text(head->id), tx_u32(from), tx_u32(head->serial),
		                  tx_u32(head->serial)));
}

struct delta_read {
	struct db *db;
	const struct head *head;
	uint32_t from;
	size_t limit;
	struct delta **delta;
};

static enum err store_read_delta_once(void *self, struct why *why)
{
	const struct delta_read *read = self;
	const struct head *head = read->head;
	struct tx tx = tx_autocommit(read->db, why);
	struct arena *arena = arena_new();
	struct steps steps = { 0 };
	struct tx_rows rows;
	enum err err;

	steps_select(&tx, arena, &rows, head, read->from);
	while (steps.bytes <= read->limit && tx_next(&rows))
		steps_add(&steps, &rows);
	tx_select_end(&rows);
	err = tx_commit(&tx);
	*read->delta = NULL;
	if (!err && steps.bytes <= read->limit)
		*read->delta = delta_new(&head->name, read->from, head->serial,
		                         steps.step, steps.count);
	free(steps.step);
	arena_free(&arena);
	return err;
}

enum err store_delta(struct db *db, const struct head *head, uint32_t from, size_t limit,
                     struct delta **delta, struct why *why)
{
	return tx_retry(store_read_delta_once,
	                &(struct delta_read){ db, head, from, limit, delta }, why);
}

/* ---- the access list ---- */

static void store_log_ignored_server(const char *host, const struct why *why)
{
	log_warn("server ignored: server=%s reason=\"%s\"", host, why->text);
}

/* Adds one more address of SERVER. */
static void store_add_server(struct store_servers *found, struct access_server *server,
                             const char *text, uint32_t port)
{
	struct why why;

	if (!address_parse(text, port, &server->address)) {
		fail(&why, ERR_INVALID, "the address must be an IPv4 or IPv6 address");
		store_log_ignored_server(text, &why);
		return;
	}
	found->cut |= found->server_count == STORE_SERVERS;
	if (found->server_count < STORE_SERVERS)
		found->servers[found->server_count++] = *server;
}

/*
 * HOST is the address in use; ADDRESSES are all addresses of the server's name. An older
 * pool manager wrote HOST only. An empty HOST: the name is not known yet.
 */
static void store_add_addresses(struct store_servers *found, struct access_server *server,
                                const char *host, char *addresses, uint32_t port)
{
	char *rest = NULL;

	server->first = found->server_count;
	if (*host)
		store_add_server(found, server, host, port);
	for (char *text = addresses ? strtok_r(addresses, " ", &rest) : NULL; text;
	     text = strtok_r(NULL, " ", &rest))
		if (strcmp(text, host))
			store_add_server(found, server, text, port);
}

static void store_read_server(struct tx_rows *rows, struct arena *arena,
                              struct store_servers *found)
{
	static const struct name root = { .len = 1 };
	struct access_server server = { .pool = "" };
	const char *host, *key, *addresses;
	uint32_t port;
	struct why why;

	store_copy_text(server.pool, sizeof(server.pool), row_text(rows));
	host = row_text(rows);
	port = row_u32(rows);
	key = row_text(rows);
	addresses = row_text(rows);
	if (key && name_parse_in(key, &root, "tsig_key", &server.key, &why)) {
		store_log_ignored_server(host, &why);
		return;
	}
	name_fold(&server.key);
	store_add_addresses(found, &server, host,
	                    addresses ? arena_strdup(arena, addresses) : NULL, port);
}

static void store_select_servers(struct tx *tx, struct arena *arena,
                                 struct store_servers *found)
{
	struct tx_rows rows;

	found->servers = xcalloc(STORE_SERVERS, sizeof(*found->servers));
	found->server_count = 0;
	tx_select(tx, arena, &rows,
	          "SELECT p.id, s.host, s.port, s.tsig_key, s.addresses "
	          "FROM pool_servers s "
	          "JOIN pools p ON p.name = s.pool_name WHERE s.state <> 'REMOVED' "
	          "LIMIT ?",
	          TX_BIND(tx_int(STORE_SERVERS + 1)));
	while (tx_next(&rows))
		store_read_server(&rows, arena, found);
	tx_select_end(&rows);
}

static bool store_read_key(struct tx_rows *rows, struct known_key *known)
{
	const char *name = row_text(rows), *algorithm = row_text(rows);
	const char *secret = row_text(rows), *domain = row_text(rows);
	struct why why;

	*known = (struct known_key){ .domain = "" };
	store_copy_text(known->domain, sizeof(known->domain), domain ? domain : "");
	if (!tsig_key_parse(name, algorithm, secret, &known->key, &why))
		return true;
	log_warn("TSIG key ignored: key=%s reason=\"%s\"", name, why.text);
	return false;
}

static void store_select_keys(struct tx *tx, struct arena *arena,
                              struct store_servers *found)
{
	struct tx_rows rows;
	struct known_key known;

	tx_select(tx, arena, &rows,
	          "SELECT name, algorithm, secret, domain_id FROM tsigkeys LIMIT ?",
	          TX_BIND(tx_int(STORE_KEYS + 1)));
	for (size_t count = 0; tx_next(&rows); count++) {
		found->cut |= count == STORE_KEYS;
		if (count < STORE_KEYS && store_read_key(&rows, &known))
			keyring_add(&found->keys, &known);
	}
	explicit_bzero(&known, sizeof(known));
	tx_select_end(&rows);
	keyring_sort(&found->keys);
}

enum err store_servers(struct db *db, struct store_servers *found, struct why *why)
{
	struct tx tx = tx_autocommit(db, why);
	struct arena *arena = arena_new();
	enum err err;

	*found = (struct store_servers){ .servers = NULL };
	store_select_servers(&tx, arena, found);
	store_select_keys(&tx, arena, found);
	arena_free(&arena);
	err = tx_commit(&tx);
	if (err) {
		free(found->servers);
		found->servers = NULL;
		keyring_clear(&found->keys);
		return err;
	}
	found->servers =
	    xrealloc(found->servers, (found->server_count + 1) * sizeof(*found->servers));
	return OK;
}
