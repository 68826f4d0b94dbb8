#include "import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "catalog.h"
#include "changed.h"
#include "codec.h"
#include "codec_domain.h"
#include "consistency/membership.h"
#include "core/rules.h"
#include "core/status.h"
#include "edit.h"
#include "import_fold.h"
#include "model/json.h"
#include "model/presentation.h"
#include "model/rr.h"
#include "model/serial.h"
#include "poolmgr_cast.h"
#include "runtime/offload.h"
#include "service.h"
#include "store_limits.h"
#include "store_share.h"
#include "usage.h"

enum {
	WAITING_MAX = 100,
	COMMIT_TIMEOUT_S = 900,
	HOLD_S = 5,
	ROLLBACK_S = 2,		/* a longer rollback goes on while the next claim waits */
	QUIET_MS = 60 * 1000,
	ADVISED_MAX = 100,		/* names whose hosts are checked */
	ADVISED_SETS_MAX = 100000,	/* record sets that are checked */
	ADVISED_TTLS_MAX = 10,
};

/* The commit of an import, on the lane. */
struct commit {
	struct central *central;
	char id[ID_LEN + 1];		/* "": any unfinished import */
	struct arena *arena;
	/* a request and a write, for the functions of create_domain */
	struct request req;
	json_t *spec_json;
	struct tx tx;
	struct write write;
	struct import import;
	enum import_mode mode;
	struct domain_spec spec;
	int64_t added, updated, deleted;
	bool changed;
	bool was_taken;		/* a try found no domain, but its name or id was in use */
	const char *in_doubt;	/* cast_method of a try whose COMMIT got no answer */
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

/* ---- read: the arguments of begin_import, and the staged records ---- */

static enum err commit_decode_spec(struct commit *c)
{
	const json_t *domain, *context;
	const char *mode = NULL;
	struct why *why = &c->req.why;

	c->spec_json = json_loads(c->import.spec, 0, NULL);
	if (json_get_object(c->spec_json, "domain", JSON_REQUIRED, &domain, why) ||
	    json_get_object(c->spec_json, "context", JSON_REQUIRED, &context, why) ||
	    json_get_text(c->spec_json, "mode", 0, 16, &mode, why) ||
	    json_get_text(c->spec_json, "account", 0, 255, &c->req.account, why) ||
	    codec_domain_spec(domain, "domain", c->arena, &c->spec, why))
		return ERR_INVALID;
	if (mode)
		import_mode_parse(mode, &c->mode);
	c->write.is_forced = json_is_true(json_object_get(c->spec_json, "force"));
	c->req.args = c->spec_json;	/* for edit_check_version() */
	if (context_decode(context, c->id, &c->req.context, why))
		return ERR_DENIED;
	return access_of(&c->req, &c->write.access);
}

static void commit_take_soa_name(struct commit *c, const uint8_t *wire, struct name *name,
                                 const char **text)
{
	name->len = (uint8_t)name_wire_len(wire, NAME_MAX_WIRE);
	memcpy(name->wire, wire, name->len);
	name_fold(name);
	*text = codec_name_text(name, c->arena);
}

/*
 * Names the last staged record of NAME: "part 2, records[17]", as in the reasons of
 * add_to_import; "records": there is none. TYPE 0: of any type.
 */
static const char *commit_place(struct commit *c, const char *name, uint16_t type)
{
	uint32_t part, position;

	if (!store_import_place(&c->tx, c->id, name, type, &part, &position))
		return "records";
	return arena_printf(c->arena, "part %u, records[%u]", part, position);
}

/* The SOA record of the zone gives the values that are missing in begin_import. */
static enum err commit_read_soa(struct commit *c)
{
	struct soa_spec *spec = &c->spec.soa;
	struct rdata rdata;
	struct soa soa;
	uint32_t ttl;
	int count = store_import_soa(&c->tx, c->id, c->arena, &rdata, &ttl);

	if (c->tx.err || !count)
		return c->tx.err;
	if (count > 1 || !soa_parse(rdata.rdata, rdata.len, &soa))
		return fail(&c->req.why, ERR_INVALID,
		            "%s: the records must contain at most one SOA record, with "
		            "two names and five numbers",
		            commit_place(c, c->spec.owner, RR_SOA));
	commit_take_soa_name(c, soa.mname, &spec->mname_wire, &spec->mname);
	commit_take_soa_name(c, soa.rname, &spec->rname_wire, &spec->rname);
	*spec = (struct soa_spec){
		.mname = spec->mname, .mname_wire = spec->mname_wire,
		.rname = spec->rname, .rname_wire = spec->rname_wire,
		.has_refresh = true, .refresh = soa.refresh, .has_retry = true,
		.retry = soa.retry,
		.has_expire = true, .expire = soa.expire, .has_minimum = true,
		.minimum = soa.minimum, .has_ttl = true, .ttl = ttl,
	};
	c->spec.has_serial = true;
	c->spec.serial = soa.serial;
	return OK;
}

static enum err commit_read_ns(struct commit *c)
{
	const char **hosts = arena_alloc(c->arena, POOL_NS_MAX * sizeof(*hosts));
	size_t count = store_import_ns(&c->tx, c->id, c->spec.owner, c->arena,
	                               hosts, POOL_NS_MAX);

	if (count) {
		c->spec.ns = hosts;
		c->spec.ns_count = count;
	}
	return c->tx.err;
}

/* ---- decide and write ---- */

static bool commit_lock_domain(struct commit *c)
{
	struct domain_key key = { .name = c->spec.owner };

	return store_domain_lock_wait(&c->tx, &key, &c->write.access, c->arena,
	                              &c->write.zone);
}

/*
 * Another process may create the domain after this try looked for it and before the
 * INSERT, because a missing row locks no gap. The next try finds the domain. If the next
 * try does not find it, the import cannot succeed: another domain has the id, or the
 * caller may not see it.
 */
static enum err commit_retry_existing(struct commit *c, enum err err)
{
	if (err != ERR_EXISTS || c->mode == IMPORT_CREATE || c->was_taken)
		return err;
	c->was_taken = true;
	return c->tx.err = ERR_RACE;
}

/*
 * Reads the new domain back, because the zone needs its quotas and the domains below it.
 */
static enum err commit_create_domain(struct commit *c)
{
	enum err err = service_domain_insert(&c->write, &c->spec);

	if (!err) {
		store_buffer_flush(c->write.buffer, &c->tx);
		commit_lock_domain(c);
	}
	return commit_retry_existing(c, err ? err : c->tx.err);
}

static enum err commit_check_existing(struct commit *c)
{
	enum err err = edit_check_open(&c->write);

	return err ? err : edit_check_version(&c->write);
}

/* Finds and locks the domain, or creates it: *created. */
static enum err commit_find_domain(struct commit *c, bool *created)
{
	bool exists = commit_lock_domain(c);

	*created = !exists;
	if (c->tx.err)
		return c->tx.err;
	if (exists && c->write.zone.is.state.task == TASK_DELETE)
		return fail(&c->req.why, c->mode == IMPORT_CREATE ? ERR_EXISTS
		                                                  : ERR_CONFLICT,
		            DOMAIN_IS_GOING, c->spec.owner);
	if (exists && c->mode == IMPORT_CREATE)
		return fail(&c->req.why, ERR_EXISTS, "domain %.200s already exists",
		            c->spec.owner);
	if (exists)
		return commit_check_existing(c);
	if (c->mode == IMPORT_REPLACE || !json_is_absent(c->spec_json, "version"))
		return fail(&c->req.why, ERR_NOT_FOUND, "there is no domain '%.200s'",
		            c->spec.owner);
	return commit_create_domain(c);
}

static bool commit_takes_serial(const struct commit *c, const struct state *now)
{
	return c->spec.has_serial && serial_newer(c->spec.serial, now->serial);
}

/*
 * The serial. A new domain has one already. An existing domain gets the serial of the
 * file, if it is newer.
 */
static uint32_t commit_pick_serial(const struct commit *c, bool created)
{
	const struct state *now = &c->write.zone.is.state;

	if (created)
		return now->serial;
	if (commit_takes_serial(c, now))
		return c->spec.serial;
	return serial_next(now->serial, (uint32_t)clock_unix());
}

/*
 * TYPE: of the record whose place the reason begins with; 0: of any type. A name that is
 * not in the import violates a rule because of a record above it.
 */
static enum err commit_refuse(struct commit *c, const char *name, uint16_t type,
                              const char *words)
{
	const char *place = c->tx.err || !name ? "" : commit_place(c, name, type);

	if (c->tx.err || !name)
		return c->tx.err;
	return fail(&c->req.why, ERR_INVALID, "%s: '%.200s'%s %s", place, name,
	            strcmp(place, "records") ? ""
	            : ", which is in the domain and not in the import,", words);
}

static enum err commit_check_managed(struct commit *c, const struct import_step *step)
{
	struct managed_record record;

	if (c->write.is_forced ||
	    !store_record_managed_deleted(&c->tx, step->zone->is.id, step->serial,
	                                  c->arena, &record))
		return c->tx.err;
	return rules_fail_managed("records", record.managed_by, record.name, record.type,
	                          record.data, &c->req.why);
}

/* An import by the tenant of the domain can delete what other tenants have created. */
static enum err commit_check_tenants(struct commit *c, const struct import_step *step)
{
	struct recordset set;
	char type[16];

	if (c->write.is_forced ||
	    !store_share_changed(&c->tx, step->zone->is.id, step->serial, c->arena, &set))
		return c->tx.err;
	rrtype_format(set.type, type);
	return fail(&c->req.why, ERR_CONFLICT, "records: the import would change the "
	            "record set %.255s %s, which belongs to the tenant '%.100s': set "
	            "force to change it (client: --force)", set.name, type, set.tenant);
}

static enum err commit_check_records(struct commit *c, const struct import_step *step)
{
	struct tx *tx = &c->tx;
	const struct zone *zone = &c->write.zone;
	enum err err = OK;

	if (store_import_changes_set(tx, step, zone->is.name, RR_CNAME))
		err = commit_refuse(c, zone->is.name, RR_CNAME,
		                    "is the apex, which cannot have a CNAME record");
	if (!err)
		err = commit_refuse(c, store_import_cname_clash(tx, step, c->arena), 0,
		                    "has a CNAME record and other records");
	if (!err)
		err = commit_refuse(c, store_import_not_single(tx, step, c->arena), 0,
		                    "has more than one CNAME or DNAME record");
	if (!err && !store_import_has_set(tx, zone, zone->is.name, RR_NS))
		err = tx->err ? tx->err
		              : fail(&c->req.why, ERR_INVALID, "%s: '%.200s' is the "
		                     "apex, which must have an NS record",
		                     commit_place(c, zone->is.name, RR_SOA),
		                     zone->is.name);
	if (!err && store_import_changes_set(tx, step, zone->is.name, RR_DS))
		err = commit_refuse(c, zone->is.name, RR_DS,
		                    "is the apex, which cannot have a DS record (RFC "
		                    "4035 2.4)");
	if (!err)
		err = commit_refuse(c, store_import_ns_at_dname(tx, step, c->arena), 0,
		                    "cannot have both NS and DNAME records, because the "
		                    "name is not the apex of the domain (RFC 6672 2.3)");
	if (!err)
		err = commit_refuse(c, store_import_below_dname(tx, step, c->arena), 0,
		                    "cannot have records, because a higher name has a "
		                    "DNAME record (RFC 6672 2.4)");
	if (!err)
		err = commit_refuse(c, store_import_not_hash(tx, step, c->arena),
		                    RR_NSEC3, "cannot have NSEC3 records, because its "
		                    "first label is not a hash in base32hex (RFC 5155 "
		                    "3), for example the 32 characters of a SHA-1 hash");
	if (!err)
		err = commit_refuse(c, store_import_too_large(tx, step, RULES_SET_MAX,
		                                              c->arena),
		                    0, "has records of one type that do not fit into "
		                    "one DNS message");
	if (!err && zone->has_children)
		err = commit_refuse(c, store_import_inside_child(tx, step, c->arena), 0,
		                    "belongs to a domain below this domain");
	return err;
}

/* BEFORE: the domain before the step. */
static enum err commit_check_size(struct commit *c, const struct zone *before)
{
	struct zone *zone = &c->write.zone;
	int64_t sets = edit_quota(&c->write, zone->quota_recordsets,
	                          c->central->config.quota_recordsets);
	int64_t records = edit_quota(&c->write, zone->quota_domain_records,
	                             c->central->config.quota_domain_records);

	if (sets >= 0 && zone->recordsets > sets &&
	    zone->recordsets > before->recordsets)
		return fail(&c->req.why, ERR_QUOTA,
		            "records: the domain would have %u record sets, but the "
		            "quota (domain_recordsets) is %lld", zone->recordsets,
		            (long long)sets);
	if (records >= 0 && zone->records > records && zone->records > before->records)
		return fail(&c->req.why, ERR_QUOTA,
		            "records: the domain would have %u records, but the quota "
		            "(domain_records) is %lld", zone->records,
		            (long long)records);
	return OK;
}

static enum err commit_check_quotas(struct commit *c, const struct zone *before,
                                    const struct import_step *step)
{
	struct zone *zone = &c->write.zone;
	int64_t records = edit_quota(&c->write, zone->quota_records,
	                             c->central->config.quota_records);
	enum err err = commit_check_size(c, before);
	const char *name;

	if (err)
		return err;
	name = records < 0 ? NULL : store_import_above_quota(&c->tx, step, records,
	                                                     c->arena);
	if (!name)
		return c->tx.err;
	return fail(&c->req.why, ERR_QUOTA,
	            "%s: a record set of '%.200s' has more records than the quota "
	            "(recordset_records) of %lld", commit_place(c, name, 0), name,
	            (long long)records);
}

/* The journal of the step: the RRs with its serial, before and after the insertion. */
struct journal {
	struct buf removed, added;
	bool fits;
};

static void commit_write_records(struct commit *c, const struct import_step *step,
                                 struct journal *journal, bool created)
{
	struct tx *tx = &c->tx;
	int64_t max = created ? 0 : c->central->config.journal_change_bytes;

	c->deleted = store_import_delete(tx, step);
	/* a new domain has only its NS records, under the same serial */
	c->updated = created ? 0 : store_import_touch(tx, step);
	journal->fits = max && store_import_affected(tx, step, false, max, c->arena,
	                                             &journal->removed);
	store_import_recordsets(tx, step);
	store_import_records(tx, step);
	if (!created)
		store_import_date_recordsets(tx, step);
	journal->fits = journal->fits &&
	                store_import_affected(tx, step, true, max, c->arena,
	                                      &journal->added);
	c->added = store_import_count(tx, step) - c->updated;
	store_import_totals(tx, &c->write.zone);
}

static void commit_write_journal(struct commit *c, const struct zone *before,
                                 const struct import_step *step, struct journal *journal)
{
	struct buf removed = { 0 }, added = { 0 };

	zone_append_soa(&removed, before, before->is.state.serial);
	zone_append_soa(&added, &c->write.zone, step->serial);
	buf_append(&removed, journal->removed.data, journal->removed.len);
	buf_append(&added, journal->added.data, journal->added.len);
	if (journal->fits &&
	    (int64_t)(removed.len + added.len) <= c->central->config.journal_change_bytes)
		store_buffer_journal(c->write.buffer, before->is.id,
		                     before->is.state.serial, step->serial, &removed,
		                     &added);
	store_buffer_flush(c->write.buffer, &c->tx);
	buf_clear(&removed);
	buf_clear(&added);
}

static void commit_note_domain(const struct commit *c)
{
	changed_domain(&c->write, (struct changed_records){ c->added, c->updated,
	                                                    c->deleted });
}

/* Writes the row of the domain, unless nothing has changed. */
static void commit_write_domain(struct commit *c, const struct zone *before,
                                const struct import_step *step, struct journal *journal,
                                bool created)
{
	struct zone *zone = &c->write.zone;
	bool resigned = zone_set_soa(zone, &c->spec.soa) ||
	                commit_takes_serial(c, &before->is.state);

	c->changed = created || resigned || c->added || c->updated || c->deleted;
	if (!c->changed)
		return;
	if (!created) {
		zone->is.state = status_changed(zone->is.state, TASK_UPDATE,
		                                step->serial);
		commit_write_journal(c, before, step, journal);
	}
	zone->reason = "";
	store_buffer_domain(c->write.buffer, zone);
	store_buffer_flush(c->write.buffer, &c->tx);
	c->write.cast_method = created ? "create_domain" : "update_domain";
	commit_note_domain(c);
}

static enum err commit_write_zone(struct commit *c, bool created)
{
	struct zone before = c->write.zone;
	struct journal journal = { .fits = false };
	struct import_step step = {
		.import_id = c->id, .zone = &c->write.zone,
		.serial = commit_pick_serial(c, created),
		.only_named = c->mode == IMPORT_UPSERT,
	};
	enum err err;

	err = import_fold(&c->tx, &step);
	if (err)
		return err;
	commit_write_records(c, &step, &journal, created);
	commit_write_domain(c, &before, &step, &journal, created);
	buf_clear(&journal.removed);
	buf_clear(&journal.added);
	err = c->tx.err;
	if (!err && !created)
		err = commit_check_managed(c, &step);
	if (!err && !created)
		err = commit_check_tenants(c, &step);
	if (!err)
		err = commit_check_records(c, &step);
	return err ? err : commit_check_quotas(c, &before, &step);
}

/* The names at which the import changed records are not known: looks at some of all. */
static json_t *commit_advise(struct commit *c, bool created)
{
	const char *names[2 * ADVISED_MAX + LIMIT_NAMES_MAX];
	size_t count = store_import_host_names(&c->tx, &c->write.zone, c->arena, names,
	                                       ADVISED_MAX);

	count += store_limit_names(&c->tx, &c->write.zone, ADVISED_SETS_MAX, c->arena,
	                           names + count);
	count += store_import_doubtful_names(&c->tx, &c->write.zone, ADVISED_SETS_MAX,
	                                     c->arena, names + count, ADVISED_MAX);

	json_t *list = count ? advise_names(&c->write, names, count) : json_array();

	if (created)
		advise_domain(&c->write, list);
	store_import_ttl_names(&c->tx, c->id, c->arena, ADVISED_TTLS_MAX, list);
	service_domain_warn_kept(&c->write.zone, &c->spec, list);
	return list;
}

static void commit_write_result(struct commit *c, bool created)
{
	const struct zone *zone = &c->write.zone;
	json_t *result = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o}",
		"domain", zone->is.id, "name", zone->is.name,
		"serial", (json_int_t)zone->is.state.serial,
		"version", (json_int_t)zone->is.version,
		"records", (json_int_t)zone->records,
		"added", (json_int_t)c->added, "updated", (json_int_t)c->updated,
		"deleted", (json_int_t)c->deleted, "changed", c->changed,
		"warnings", commit_advise(c, created));
	char *text = json_dumps(result, JSON_COMPACT);

	store_import_set_state(&c->tx, c->id, IMPORT_DONE, text);
	free(text);
	json_decref(result);
}

static enum err commit_run_steps(struct commit *c)
{
	bool created = false;
	enum err err = commit_decode_spec(c);

	if (!err)
		err = commit_read_soa(c);
	if (!err)
		err = commit_read_ns(c);
	if (!err)
		err = commit_find_domain(c, &created);
	if (!err)
		err = commit_write_zone(c, created);
	if (!err && created)
		err = service_domain_check_race(&c->write, &c->spec);
	if (!err)
		commit_write_result(c, created);
	return err;
}

static void commit_reset(struct commit *c)
{
	struct store_buffer *buffer = c->write.buffer;

	if (!buffer)
		buffer = store_buffer_new();
	json_decref(c->spec_json);
	arena_reset(c->arena);
	store_buffer_clear(buffer);
	c->spec_json = NULL;
	c->mode = IMPORT_DEFAULT;
	c->changed = false;
	c->req = (struct request){ .method = "commit_import", .unique_id = c->id,
	                           .account = "", .arena = c->arena };
	c->write = (struct write){ .central = c->central, .req = &c->req, .tx = &c->tx,
	                           .arena = c->arena, .buffer = buffer, .on_lane = true };
}

/*
 * For a previous try that has committed the import, but got no answer to COMMIT: sends
 * its cast, and notes the change.
 */
static void commit_repeat_cast(struct commit *c)
{
	struct domain_key key = { .name = c->import.domain_name };

	if (c->in_doubt && !commit_decode_spec(c) &&
	    store_domain_get(&c->tx, &key, &c->write.access, c->arena, &c->write.zone)) {
		c->write.cast_method = c->in_doubt;
		commit_note_domain(c);
	}
}

/*
 * One try. tx_retry() repeats it after ERR_RACE. Another central may have finished the
 * import.
 */
static enum err commit_try(void *self, struct why *why)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct commit *c = self;
	enum err err = OK;

	commit_reset(c);
	c->tx = tx_begin(c->central->import_db, &c->req.why);
	store_import_take_session(&c->tx, c->id, 0);
	if (!store_import_lock(&c->tx, c->id, &everyone, c->arena, &c->import))
		c->import.state = IMPORT_ERROR;
	if (c->import.state == IMPORT_COMMITTING)
		err = commit_run_steps(c);
	else if (c->import.state == IMPORT_DONE)
		commit_repeat_cast(c);
	if (err && !c->tx.err)
		tx_fail(&c->tx, err, "%s", c->req.why.text);
	usage_write(&c->tx, &c->write, 1);
	err = tx_commit(&c->tx);
	if (err == ERR_RACE && c->write.cast_method)
		c->in_doubt = c->write.cast_method;
	*why = c->req.why;
	return err;
}

/*
 * Writes a final error to the row of the import. After another error a process claims the
 * import again.
 */
static void commit_fail(struct commit *c)
{
	bool is_final = err_retry(c->err) == RETRY_NEVER;
	struct why why;
	struct tx tx;

	log_warn("%s: import=%s err=%s reason=\"%s\"",
	         is_final ? "import failed"
	                  : "import not committed, so central will try again",
	         c->id, err_name(c->err), c->req.why.text);
	if (!is_final)
		return;
	tx = tx_autocommit(c->central->import_db, &why);
	store_import_set_error(&tx, c->id, c->err, c->req.why.text);
	tx_commit(&tx);
}

/*
 * Runs in its own transaction, because worker and attempts must be visible during the
 * commit.
 */
static enum err import_claim(void *self, struct why *why)
{
	struct commit *c = self;
	char id[ID_LEN + 1];
	struct membership *membership = c->central->runtime->membership;
	struct tx tx = tx_begin(c->central->import_db, why);
	bool found;
	enum err err;

	memcpy(id, c->id, sizeof id);
	found = store_import_claim(&tx, membership_name(membership), id);
	err = tx_commit(&tx);
	if (err || !found)
		*id = '\0';
	else if (!*c->id)
		log_info("commit of an import begins: import=%s", id);
	memcpy(c->id, id, sizeof id);
	return err;
}

/*
 * A process that died may leave a session that still runs a long statement. Its row lock
 * keeps others from the import, so this ends the session, and waits for the rollback.
 */
static void import_end_dead_session(struct commit *c)
{
	struct why why;
	struct tx tx = tx_autocommit(c->central->import_db, &why);
	char id[ID_LEN + 1];
	int64_t connection;
	enum err err;

	if (!store_import_dead_session(&tx, id, &connection)) {
		tx_commit(&tx);
		return;
	}
	store_import_end_session(&tx, connection);
	store_import_take_session(&tx, id, ROLLBACK_S);
	err = tx_commit(&tx);
	if (!err)
		log_info("database session of a dead process ended: import=%s "
		         "connection_id=%" PRId64, id, connection);
	else if (log_is_due(&c->central->import_log_limit, QUIET_MS))
		log_warn("database session of a dead process not ended: import=%s "
		         "connection_id=%" PRId64 " err=%s reason=\"%s\"", id, connection,
		         err_name(err), why.text);
	if (!err)
		memcpy(c->id, id, sizeof c->id);
}

static void import_leave_session(struct commit *c)
{
	struct why why;
	struct tx tx = tx_autocommit(c->central->import_db, &why);

	store_import_leave_session(&tx);
	tx_commit(&tx);
}

/* The next import_fire() tries again. A lost connection has its own log line. */
static void import_log_no_claim(struct central *central, enum err err,
                                const struct why *why)
{
	if (err != ERR_RACE && err != ERR_UNREACHABLE &&
	    log_is_due(&central->import_log_limit, QUIET_MS))
		log_warn("commit of an import not begun: err=%s reason=\"%s\"",
		         err_name(err),
		         why->text);
}

static void import_commit(struct commit *c)
{
	struct why why;

	c->arena = arena_new();
	c->err = tx_retry(commit_try, c, &why);
	if (c->err) {
		c->req.why = why;
		commit_fail(c);
	}
}

/* On the lane. */
static void import_work(void *job)
{
	struct commit *c = job;
	struct why why;
	enum err err;

	if (!*c->id)
		import_end_dead_session(c);
	err = import_claim(c, &why);
	if (err)
		import_log_no_claim(c->central, err, &why);
	else if (*c->id)
		import_commit(c);
	import_leave_session(c);
}

/* On the loop. */
static void import_done(void *job)
{
	struct commit *c = job;

	if (c->arena && !c->err && c->write.cast_method) {
		poolmgr_cast_send(c->central,
		                  &(struct poolmgr_cast){ c->write.cast_method,
		                                          &c->write.zone,
		                                          &c->req.context }, 1);
		log_request(c->req.context.request_id);
		rpc_log_changed(&c->req);
		log_request(NULL);
	}
	if (c->arena && !c->err && c->write.catalog_changed)
		catalog_schedule(c->central);
	json_decref(c->spec_json);
	store_buffer_free(&c->write.buffer);
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

static bool import_submit_job(struct central *central, const char *id)
{
	struct commit *c = xcalloc(1, sizeof(*c));

	c->central = central;
	snprintf(c->id, sizeof c->id, "%s", id);
	if (lane_submit(central->import_lane, import_work, import_done, c))
		return true;
	free(c);
	return false;
}

enum err import_submit(struct central *central, const char *id, struct why *why)
{
	if (import_submit_job(central, id))
		return OK;
	return fail(why, ERR_BUSY, "too many imports are waiting for central (at most %d "
	            "may wait): try again later", WAITING_MAX);
}

void import_fire(void *self)
{
	struct central *central = self;

	if (central->import_lane && !lane_waiting(central->import_lane))
		import_submit_job(central, "");
}
