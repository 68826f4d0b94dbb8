#include "import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "catalog.h"
#include "codec_domain.h"
#include "consistency/heartbeat.h"
#include "core/status.h"
#include "edit.h"
#include "model/json.h"
#include "model/rr.h"
#include "model/serial.h"
#include "peers.h"
#include "runtime/offload.h"
#include "service.h"

enum { WAITING_MAX = 100, COMMIT_TIMEOUT_S = 900, HOLD_S = 5, QUIET_MS = 60 * 1000 };

/* A commit on its way through the lane. */
struct commit {
	struct central *central;
	char id[ID_LEN + 1];		/* "": one that was left, if there is one */
	struct arena *arena;
	/* what a handler would have been given, for what it shares with create_domain */
	struct request req;
	json_t *wish_json;
	struct tx tx;
	struct write write;
	struct import import;
	enum import_mode mode;
	struct domain_wish wish;
	int64_t added, updated, deleted;
	bool changed;
	bool was_taken;		/* a try found no domain, and then its name or id taken */
	const char *doubt;	/* what to tell if a COMMIT without an answer held */
	enum err err;
};

bool import_mode_parse(const char *text, enum import_mode *mode)
{
	static const char *const names[] = {
		[IMPORT_CREATE] = "create", [IMPORT_REPLACE] = "replace",
		[IMPORT_UPSERT] = "upsert",
	};

	for (size_t i = IMPORT_CREATE; i < sizeof names / sizeof names[0]; i++) {
		if (!strcmp(text, names[i])) {
			*mode = (enum import_mode)i;
			return true;
		}
	}
	return false;
}

/* ---- read: the wish as begin_import left it, and what the file says ---- */

static enum err decode_wish(struct commit *c)
{
	const json_t *domain, *context;
	const char *mode = NULL;
	struct why *why = &c->req.why;

	c->wish_json = json_loads(c->import.wish, 0, NULL);
	if (json_get_object(c->wish_json, "domain", JSON_REQUIRED, &domain, why) ||
	    json_get_object(c->wish_json, "context", JSON_REQUIRED, &context, why) ||
	    json_get_text(c->wish_json, "mode", 0, 16, &mode, why) ||
	    codec_domain_wish(domain, "domain", c->arena, &c->wish, why))
		return ERR_INVALID;
	if (mode)
		import_mode_parse(mode, &c->mode);
	if (context_decode(context, c->id, &c->req.context, why))
		return ERR_DENIED;
	return access_of(&c->req, &c->write.access);
}

static const char *name_text(const struct name *name, struct arena *arena)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	return arena_strdup(arena, text);
}

static void take_soa_name(struct commit *c, const uint8_t *wire, struct name *name,
                          const char **text)
{
	name->len = (uint8_t)name_wire_len(wire, NAME_MAX_WIRE);
	memcpy(name->wire, wire, name->len);
	name_fold(name);
	*text = name_text(name, c->arena);
}

/* The file's SOA speaks for what the wish does not. */
static enum err read_soa(struct commit *c)
{
	struct soa_wish *wish = &c->wish.soa;
	struct rdata rdata;
	struct soa soa;
	uint32_t ttl;
	int count = store_import_soa(&c->tx, c->id, c->arena, &rdata, &ttl);

	if (c->tx.err || !count)
		return c->tx.err;
	if (count > 1 || !soa_parse(rdata.rdata, rdata.len, &soa))
		return fail(&c->req.why, ERR_INVALID,
		            "records: there is more than one SOA record");
	take_soa_name(c, soa.mname, &wish->mname_wire, &wish->mname);
	take_soa_name(c, soa.rname, &wish->rname_wire, &wish->rname);
	*wish = (struct soa_wish){
		.mname = wish->mname, .mname_wire = wish->mname_wire,
		.rname = wish->rname, .rname_wire = wish->rname_wire,
		.has_refresh = true, .refresh = soa.refresh, .has_retry = true,
		.retry = soa.retry,
		.has_expire = true, .expire = soa.expire, .has_minimum = true,
		.minimum = soa.minimum, .has_ttl = true, .ttl = ttl,
	};
	c->wish.has_serial = true;
	c->wish.serial = soa.serial;
	return OK;
}

static enum err read_ns(struct commit *c)
{
	const char **hosts = arena_alloc(c->arena, POOL_NS_MAX * sizeof(*hosts));
	size_t count = store_import_ns(&c->tx, c->id, c->wish.owner, c->arena,
	                               hosts, POOL_NS_MAX);

	if (count) {
		c->wish.ns = hosts;
		c->wish.ns_count = count;
	}
	return c->tx.err;
}

/* ---- decide and write ---- */

static bool lock_existing(struct commit *c)
{
	struct domain_key key = { .name = c->wish.owner };

	return store_domain_lock_wait(&c->tx, &key, &c->write.access, c->arena,
	                              &c->write.zone);
}

/*
 * Another process may create the domain after this try looked for it and before the
 * INSERT, because a missing row locks no gap. The next try finds the domain. If the next
 * try does not find it, the import cannot succeed: another domain has the id, or the
 * caller may not see it.
 */
static enum err look_again(struct commit *c, enum err err)
{
	if (err != ERR_EXISTS || c->mode == IMPORT_CREATE || c->was_taken)
		return err;
	c->was_taken = true;
	return c->tx.err = ERR_RACE;
}

/*
 * A domain that is created with its NS records alone needs to know of no quota and of no
 * domains below it. With a zone it does: it is read back as one that was there.
 */
static enum err create_domain(struct commit *c)
{
	enum err err = service_domain_insert(&c->write, &c->wish);

	if (!err) {
		store_later_write(c->write.later, &c->tx);
		lock_existing(c);
	}
	return look_again(c, err ? err : c->tx.err);
}

/* The domain is there and locked afterwards; *created: it was not before. */
static enum err find_domain(struct commit *c, bool *created)
{
	bool exists = lock_existing(c);

	*created = !exists;
	if (c->tx.err)
		return c->tx.err;
	if (exists && c->mode == IMPORT_CREATE)
		return fail(&c->req.why, ERR_EXISTS, "a domain %.200s exists already",
		            c->wish.owner);
	if (exists)
		return edit_check_open(&c->write);
	if (c->mode == IMPORT_REPLACE)
		return fail(&c->req.why, ERR_NOT_FOUND, "there is no domain '%.200s'",
		            c->wish.owner);
	return create_domain(c);
}

static bool takes_file_serial(const struct commit *c, const struct state *now)
{
	return c->wish.has_serial && serial_newer(c->wish.serial, now->serial);
}

/* A new domain has its serial; one that exists takes the file's, if that is newer. */
static uint32_t pick_serial(const struct commit *c, bool created)
{
	const struct state *now = &c->write.zone.is.state;

	if (created)
		return now->serial;
	if (takes_file_serial(c, now))
		return c->wish.serial;
	return serial_next(now->serial, (uint32_t)clock_unix());
}

static enum err refuse(struct commit *c, const char *name, const char *words)
{
	if (c->tx.err)
		return c->tx.err;
	return name ? fail(&c->req.why, ERR_INVALID, "records: '%.200s' %s", name, words)
	            : OK;
}

static enum err judge_records(struct commit *c)
{
	struct tx *tx = &c->tx;
	const struct zone *zone = &c->write.zone;
	enum err err = OK;

	if (store_import_has_set(tx, zone, zone->is.name, RR_CNAME))
		err = refuse(c, zone->is.name,
		             "is the apex, which cannot have a CNAME record");
	if (!err)
		err = refuse(c, store_import_cname_clash(tx, zone, c->arena),
		             "has a CNAME record and others beside it");
	if (!err)
		err = refuse(c, store_import_not_single(tx, zone, c->arena),
		             "has more than one CNAME or DNAME record");
	if (!err && !store_import_has_set(tx, zone, zone->is.name, RR_NS))
		err = refuse(c, zone->is.name,
		             "is the apex, which must have an NS record");
	if (!err && zone->has_children)
		err = refuse(c, store_import_inside_child(tx, zone, c->arena),
		             "belongs into a domain below this one");
	return err;
}

static int64_t quota_or(int64_t own, int configured)
{
	return own == QUOTA_DEFAULT ? configured : own;
}

static enum err judge_quotas(struct commit *c)
{
	struct zone *zone = &c->write.zone;
	int64_t sets = quota_or(zone->quota_recordsets,
	                        c->central->config.quota_recordsets);
	int64_t records = quota_or(zone->quota_records, c->central->config.quota_records);
	const char *name;

	if (c->req.context.is_admin)
		return OK;
	if (sets >= 0 && zone->recordsets > sets)
		return fail(&c->req.why, ERR_QUOTA,
		            "records: the domain would have %u record sets, and "
		            "the quota (domain_recordsets) is %lld", zone->recordsets,
		            (long long)sets);
	name = records < 0 ? NULL : store_import_above_quota(&c->tx, zone, records,
	                                                     c->arena);
	if (!name)
		return c->tx.err;
	return fail(&c->req.why, ERR_QUOTA,
	            "records: '%.200s' has more records in a set than the "
	            "quota (recordset_records) of %lld", name, (long long)records);
}

/*
 * The journal of the step: what carries its serial before the file's records are in, and
 * after.
 */
struct journal {
	struct buf removed, added;
	bool fits;
};

static void write_records(struct commit *c, const struct import_step *step,
                          struct journal *journal, bool created)
{
	struct tx *tx = &c->tx;
	int64_t max = created ? 0 : c->central->config.journal_change_bytes;

	c->deleted = store_import_delete(tx, step);
	/* of a new domain only its NS records are there, under this very serial */
	c->updated = created ? 0 : store_import_touch(tx, step);
	journal->fits = max && store_import_affected(tx, step, false, max, c->arena,
	                                             &journal->removed);
	store_import_recordsets(tx, step);
	store_import_records(tx, step);
	journal->fits = journal->fits &&
	                store_import_affected(tx, step, true, max, c->arena,
	                                      &journal->added);
	c->added = store_import_count(tx, step) - c->updated;
	store_import_totals(tx, &c->write.zone);
}

static void write_journal(struct commit *c, const struct zone *before,
                          const struct import_step *step, struct journal *journal)
{
	struct buf removed = { 0 }, added = { 0 };

	zone_append_soa(&removed, before, before->is.state.serial);
	zone_append_soa(&added, &c->write.zone, step->serial);
	buf_append(&removed, journal->removed.data, journal->removed.len);
	buf_append(&added, journal->added.data, journal->added.len);
	if (journal->fits &&
	    (int64_t)(removed.len + added.len) <= c->central->config.journal_change_bytes)
		store_later_journal(c->write.later, before->is.id,
		                    before->is.state.serial, step->serial, &removed,
		                    &added);
	store_later_write(c->write.later, &c->tx);
	buf_clear(&removed);
	buf_clear(&added);
}

/* The domain's own row. Nothing at all changed: it stays as it is, with its serial. */
static void write_domain(struct commit *c, const struct zone *before,
                         const struct import_step *step, struct journal *journal,
                         bool created)
{
	struct zone *zone = &c->write.zone;
	bool resigned = zone_set_soa(zone, &c->wish.soa) ||
	                takes_file_serial(c, &before->is.state);

	c->changed = created || resigned || c->added || c->updated || c->deleted;
	if (!c->changed)
		return;
	if (!created) {
		zone->is.state = status_changed(zone->is.state, TASK_UPDATE,
		                                step->serial);
		write_journal(c, before, step, journal);
	}
	zone->reason = "";
	store_later_domain(c->write.later, zone);
	store_later_write(c->write.later, &c->tx);
	c->write.tell = created ? "create_domain" : "update_domain";
}

static enum err write_zone(struct commit *c, bool created)
{
	struct zone before = c->write.zone;
	struct journal journal = { .fits = false };
	struct import_step step = {
		.import_id = c->id, .zone = &c->write.zone,
		.serial = pick_serial(c, created), .only_named = c->mode == IMPORT_UPSERT,
	};
	enum err err;

	write_records(c, &step, &journal, created);
	write_domain(c, &before, &step, &journal, created);
	buf_clear(&journal.removed);
	buf_clear(&journal.added);
	err = c->tx.err;
	if (!err)
		err = judge_records(c);
	return err ? err : judge_quotas(c);
}

static void write_result(struct commit *c)
{
	const struct zone *zone = &c->write.zone;
	json_t *result = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b}",
		"domain", zone->is.id, "name", zone->is.name,
		"serial", (json_int_t)zone->is.state.serial,
		"records", (json_int_t)zone->records,
		"added", (json_int_t)c->added, "updated", (json_int_t)c->updated,
		"deleted", (json_int_t)c->deleted, "changed", c->changed);
	char *text = json_dumps(result, JSON_COMPACT);

	store_import_set_state(&c->tx, c->id, IMPORT_DONE, text, "");
	free(text);
	json_decref(result);
}

static enum err commit_steps(struct commit *c)
{
	bool created = false;
	enum err err = decode_wish(c);

	if (!err)
		err = read_soa(c);
	if (!err)
		err = read_ns(c);
	if (!err)
		err = find_domain(c, &created);
	if (!err)
		err = write_zone(c, created);
	if (!err && created)
		err = service_domain_check_race(&c->write, &c->wish);
	if (!err)
		write_result(c);
	return err;
}

static void reset(struct commit *c)
{
	struct later *later = c->write.later ? c->write.later : store_later_new();

	json_decref(c->wish_json);
	arena_reset(c->arena);
	store_later_clear(later);
	c->wish_json = NULL;
	c->mode = IMPORT_DEFAULT;
	c->changed = false;
	c->req = (struct request){ .method = "commit_import", .unique_id = c->id,
	                           .arena = c->arena };
	c->write = (struct write){ .central = c->central, .req = &c->req, .tx = &c->tx,
	                           .arena = c->arena, .later = later, .on_lane = true };
}

/* The previous try committed the import, but the answer to its COMMIT was lost. */
static void take_news(struct commit *c)
{
	struct domain_key key = { .name = c->import.domain_name };

	if (c->doubt && !decode_wish(c) &&
	    store_domain_get(&c->tx, &key, &c->write.access, c->arena, &c->write.zone))
		c->write.tell = c->doubt;
}

/* One try; ERR_RACE is tried again. Another central may have settled it meanwhile. */
static enum err try_commit(void *self, struct why *why)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct commit *c = self;
	enum err err = OK;

	reset(c);
	c->tx = tx_begin(c->central->import_db, &c->req.why);
	if (!store_import_lock(&c->tx, c->id, &everyone, c->arena, &c->import))
		c->import.state = IMPORT_ERROR;
	if (c->import.state == IMPORT_COMMITTING)
		err = commit_steps(c);
	else if (c->import.state == IMPORT_DONE)
		take_news(c);
	if (err && !c->tx.err)
		tx_fail(&c->tx, err, "%s", c->req.why.text);
	err = tx_commit(&c->tx);
	if (err == ERR_RACE && c->write.tell)
		c->doubt = c->write.tell;
	*why = c->req.why;
	return err;
}

/* What will never do is said in the import's row; what passes is taken up again. */
static void settle_failure(struct commit *c)
{
	struct why why;
	struct tx tx;

	log_warn("import failed: import=%s err=%s reason=\"%s\"", c->id, err_name(c->err),
	         c->req.why.text);
	if (err_retry(c->err) != RETRY_NEVER)
		return;
	tx = tx_autocommit(c->central->import_db, &why);
	store_import_set_state(&tx, c->id, IMPORT_ERROR, NULL, c->req.why.text);
	tx_commit(&tx);
}

/* By a transaction of its own: of what the commit writes nobody sees anything yet. */
static enum err claim(void *self, struct why *why)
{
	struct commit *c = self;
	char id[ID_LEN + 1];
	struct membership *membership = heartbeat_membership(c->central->heartbeat);
	struct tx tx = tx_begin(c->central->import_db, why);
	bool found;
	enum err err;

	memcpy(id, c->id, sizeof id);
	found = store_import_claim(&tx, membership_name(membership), id);
	err = tx_commit(&tx);
	if (err || !found)
		*id = '\0';
	else if (!*c->id)
		log_info("import taken up: import=%s", id);
	memcpy(c->id, id, sizeof id);
	return err;
}

/* The import waits for the next look. The database's own line tells why it is away. */
static void note_no_claim(struct central *central, enum err err, const struct why *why)
{
	if (err != ERR_RACE && err != ERR_UNREACHABLE &&
	    log_is_due(&central->import_log_limit, QUIET_MS))
		log_warn("import not taken up: err=%s reason=\"%s\"", err_name(err), why->text);
}

/* On the lane's thread. */
static void work(void *job)
{
	struct commit *c = job;
	struct why why;
	enum err err = claim(c, &why);

	if (err)
		note_no_claim(c->central, err, &why);
	if (err || !*c->id)
		return;
	c->arena = arena_new();
	c->err = tx_retry(try_commit, c, &why);
	if (c->err) {
		c->req.why = why;
		settle_failure(c);
	}
}

/* On the loop. */
static void done(void *job)
{
	struct commit *c = job;

	if (c->arena && !c->err && c->write.tell) {
		peers_tell(c->central, &(struct news){ c->write.tell, &c->write.zone,
		                                       &c->req.context }, 1);
		log_info("zone imported: domain=%s serial=%u records=%u "
		         "added=%" PRId64 " updated=%" PRId64
		         " deleted=%" PRId64, c->write.zone.is.name,
		         c->write.zone.is.state.serial,
		         c->write.zone.records, c->added, c->updated,
		         c->deleted);
	}
	if (c->arena && !c->err && c->write.in_catalog)
		catalog_soon(c->central);
	json_decref(c->wish_json);
	store_later_free(&c->write.later);
	arena_free(&c->arena);
	free(c);
}

void import_start(struct central *central)
{
	/*
	 * A million rows in one statement take longer than any other statement may.
	 * During that time the import must lock no row and no gap of another domain.
	 */
	central->import_db_config = *central->runtime->db_config;
	central->import_db_config.timeout_s = COMMIT_TIMEOUT_S;
	central->import_db_config.hold_s = HOLD_S;
	central->import_db_config.read_committed = true;
	central->import_db = db_new(&central->import_db_config);
	central->import_lane = lane_new(central->runtime->loop, "import", WAITING_MAX);
}

void import_stop(struct central *central)
{
	if (!central->import_lane)
		return;
	lane_free(&central->import_lane);
	db_free(&central->import_db);
}

static bool submit(struct central *central, const char *id)
{
	struct commit *c = xcalloc(1, sizeof(*c));

	c->central = central;
	snprintf(c->id, sizeof c->id, "%s", id);
	if (lane_submit(central->import_lane, work, done, c))
		return true;
	free(c);
	return false;
}

enum err import_submit(struct central *central, const char *id, struct why *why)
{
	if (submit(central, id))
		return OK;
	return fail(why, ERR_BUSY, "too many imports wait to be committed");
}

void import_fire(void *self)
{
	struct central *central = self;

	if (central->import_lane && !lane_waiting(central->import_lane))
		submit(central, "");
}
