#include "edit.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/map.h"
#include "changed.h"
#include "core/advice_set.h"
#include "core/rules.h"
#include "core/status.h"
#include "edit_dname.h"
#include "model/json.h"
#include "model/presentation.h"
#include "model/serial.h"
#include "store_share.h"

enum { PREFETCH_MAX = 8 };	/* changes of a call in a common read */

int64_t edit_quota(const struct write *write, int64_t own, int configured)
{
	if (write->req->context.is_admin)
		return -1;
	return own == QUOTA_DEFAULT ? configured : own;
}

/* The group may have locked and read the zone already (write.c). */
static bool edit_lock_zone(struct write *write, const struct domain_key *key,
                           const struct access *access)
{
	if (!write->locked_zone) {
		/* the buffer may have rows of an earlier call about this domain */
		store_buffer_flush(write->buffer, write->tx);
		return store_domain_lock(write->tx, key, access, write->req->may_wait,
		                         write->arena, &write->zone);
	}
	write->zone = *write->locked_zone;
	return store_domain_is_visible(access, &write->zone);
}

/*
 * For a caller that has a share of the domain. Looks for the share first, so that other
 * callers neither lock the domain nor see that it is locked.
 */
static bool edit_lock_by_share(struct write *write, const struct domain_key *key)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct share_rights *rights = arena_alloc(write->arena, sizeof(*rights));

	if (write->tx->err || !store_share_domain(write->tx, key, write->access.tenant) ||
	    !edit_lock_zone(write, key, &everyone) ||
	    !store_share_rights(write->tx, write->zone.is.id, &write->access,
	                        write->arena, rights))
		return false;
	write->share = rights;
	return true;
}

/*
 * True: only the serial is raised above that of a server, for the pool manager. The
 * members of the catalog zone do not change.
 */
static bool edit_is_new_serial_only(const struct write *write)
{
	const struct edit *edit = write->edit;

	return write->req->context.is_admin && edit && edit->has_serial && !edit->count &&
	       !edit->has_ttl && !edit->description && !edit->attributes &&
	       !json_object_get(write->req->args, "soa");
}

enum err edit_check_open(struct write *write)
{
	const struct zone *zone = &write->zone;

	if (zone->is.is_catalog && !edit_is_new_serial_only(write))
		return tx_fail(write->tx, ERR_CONFLICT,
		               "the domain %.200s is the catalog zone of the pool "
		               "'%.64s': only central may change this domain",
		               zone->is.name,
		               zone->pool);
	if (zone->is.state.task == TASK_DELETE)
		return tx_fail(write->tx, ERR_CONFLICT,
		               "the domain %.200s is being deleted", zone->is.name);
	return OK;
}

enum err edit_check_version(struct write *write)
{
	int64_t version = (int64_t)write->zone.is.version;
	enum err err = json_get_int(write->req->args, "version", 0, 0, INT64_MAX,
	                            &version, &write->req->why);

	if (err || (uint64_t)version == write->zone.is.version)
		return err;
	return tx_fail(write->tx, ERR_CONFLICT,
	               "the domain %.200s has changed: the version is %" PRIu64 ", not %"
	               PRId64 ": read the domain again", write->zone.is.name,
	               write->zone.is.version, version);
}

static enum err edit_check_access(struct write *write, const struct domain_key *key,
                                  bool by_share)
{
	if (!edit_lock_zone(write, key, &write->access) &&
	    !edit_lock_by_share(write, key))
		return tx_fail(write->tx, ERR_NOT_FOUND, "there is no domain '%.200s'",
		               *key->id ? key->id : key->name);
	if (write->share && !by_share)
		return tx_fail(write->tx, ERR_DENIED, DOMAIN_IS_SHARED,
		               write->zone.is.name);
	return OK;
}

static enum err edit_lock_any(struct write *write, const struct domain_key *key,
                              bool by_share)
{
	enum err err = edit_check_access(write, key, by_share);

	if (err)
		return err;
	err = edit_check_open(write);
	if (!err)
		err = edit_read_force(write);
	return err ? err : edit_check_version(write);
}

enum err edit_lock(struct write *write, const struct domain_key *key)
{
	return edit_lock_any(write, key, false);
}

enum err edit_lock_shared(struct write *write, const struct domain_key *key)
{
	return edit_lock_any(write, key, true);
}

static enum err edit_next_serial(const struct edit *edit, const struct zone *zone,
                                 uint32_t *serial, struct why *why)
{
	uint32_t now = zone->is.state.serial;

	if (!edit->has_serial) {
		*serial = serial_next(now, (uint32_t)clock_unix());
		return OK;
	}
	if (!serial_newer(edit->serial, now))
		return fail(why, ERR_CONFLICT, "serial: %" PRIu32 " must be newer than "
		            "the serial of the domain, %" PRIu32, edit->serial, now);
	*serial = edit->serial;
	return OK;
}

/* ---- read ---- */

static enum err edit_check_changes(const struct write *write,
                                   const struct change *changes, size_t count)
{
	uint32_t min_ttl = (uint32_t)write->central->config.min_ttl;
	enum err err = OK;

	if (write->share)
		err = share_check_changes(write->share, &write->zone, changes, count,
		                          &write->req->why);
	for (size_t i = 0; !err && i < count; i++) {
		err = rules_owner(&write->zone, &changes[i], &write->req->why);
		if (!err && changes[i].ttl_op == TTL_GIVEN && changes[i].ttl < min_ttl &&
		    !write->req->context.is_admin)
			return fail(&write->req->why, ERR_INVALID, "%s.ttl: must be %"
			            PRIu32 " or more (central.min_ttl), not %" PRIu32,
			            changes[i].field, min_ttl, changes[i].ttl);
	}
	return err;
}

/* Reads each name once, because a set that is read twice would have its records twice. */
static void edit_read_sets(struct write *write, const struct change *changes,
                           size_t count, struct rrsets *sets)
{
	const char *names[STORE_NAMES_MAX];
	struct map *seen = map_new(random_u32());
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const char *owner = changes[i].owner;

		if (map_get(seen, owner, strlen(owner)))
			continue;
		map_put(seen, owner, strlen(owner), (void *)owner);
		names[n++] = owner;
		if (n < STORE_NAMES_MAX)
			continue;
		store_recordset_read(write->tx, write->zone.is.id, names, n, sets);
		n = 0;
	}
	if (n)
		store_recordset_read(write->tx, write->zone.is.id, names, n, sets);
	map_free(&seen);
}

void edit_prefetch(struct tx *tx, struct write *writes, size_t count)
{
	struct sets_wanted wanted[TX_LIST_MAX];
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		struct write *write = &writes[i];
		const struct edit *edit = write->edit;

		if (!write->locked_zone || !edit || !edit->count ||
		    edit->count > PREFETCH_MAX || n + edit->count > TX_LIST_MAX)
			continue;
		write->prefetched = arena_alloc(write->arena, sizeof(*write->prefetched));
		rrsets_init(write->prefetched, write->arena);
		for (size_t c = 0; c < edit->count; c++)
			wanted[n++] = (struct sets_wanted){
				write->locked_zone->is.id, edit->changes[c].owner,
				write->prefetched };
	}
	if (n)
		store_recordset_read_several(tx, writes->arena, wanted, n);
}

static bool rrsets_have_name(const struct rrsets *sets, const struct name *name)
{
	for (size_t i = 0; i < sets->count; i++)
		if (sets->items[i]->was_count &&
		    name_equal(&sets->items[i]->name, name))
			return true;
	return false;
}

static bool edit_is_expected(const struct write *write, const struct change *change,
                             struct rrsets *sets)
{
	if (change->type == RR_ANY)
		return !rrsets_have_name(sets, &change->name);
	return rrset_is_expected(rrsets_get(sets, &change->name, change->owner,
	                                    change->type), change, write->arena);
}

/* Checks CHANGE_EXPECT before all changes. */
static enum err edit_check_expected(struct write *write, const struct change *changes,
                                    size_t count, struct rrsets *sets)
{
	for (size_t i = 0; i < count; i++) {
		const struct change *change = &changes[i];
		char type[16];

		if (change->op != CHANGE_EXPECT || edit_is_expected(write, change, sets))
			continue;
		if (change->type == RR_ANY)
			return fail(&write->req->why, ERR_CONFLICT, "%s: the change "
			            "expects no records at %.255s, but this name has "
			            "records: read the domain again", change->field,
			            change->owner);
		rrtype_format(change->type, type);
		return fail(&write->req->why, ERR_CONFLICT,
		            "%s: the records of the record set %.255s %s are not the "
		            "expected records: read the record set again",
		            change->field, change->owner, type);
	}
	return OK;
}

static size_t edit_apply_changes(struct write *write, const struct change *changes,
                                 size_t count, struct rrsets *sets)
{
	size_t unchanged = 0;

	for (size_t i = 0; i < sets->count; i++)
		rrset_begin(sets->items[i], write->arena);
	for (size_t i = 0; i < count; i++) {
		if (changes[i].op == CHANGE_EXPECT)
			continue;

		struct rrset *set = rrsets_get(sets, &changes[i].name, changes[i].owner,
		                               changes[i].type);

		unchanged += rrset_apply(set, &changes[i], write->arena);
	}
	rrsets_sort(sets);
	return unchanged;
}

/* ---- decide ---- */

/* Lists the names between the changed owners and the apex, which may be domains below. */
static size_t edit_list_child_names(struct write *write, const struct rrsets *sets,
                                    const char ***candidates)
{
	const char *above[STORE_ANCESTORS_MAX];
	const char **list = NULL;
	size_t count = 0, size = 0;

	for (size_t i = 0; i < sets->count; i++) {
		const struct rrset *set = sets->items[i];
		int depth = name_labels(&set->name) - name_labels(&write->zone.apex);

		if (!set->field || !set->wanted_count || depth <= 0 ||
		    (i && name_equal(&set->name, &sets->items[i - 1]->name) &&
		     sets->items[i - 1]->field && sets->items[i - 1]->wanted_count))
			continue;
		store_ancestors(&set->name, true, write->arena, above);
		if (count + (size_t)depth > size) {
			const char **old = list;

			size = 2 * (count + (size_t)depth);
			list = arena_alloc(write->arena, size * sizeof(*list));
			if (count)
				memcpy(list, old, count * sizeof(*list));
		}
		memcpy(list + count, above, (size_t)depth * sizeof(*above));
		count += (size_t)depth;
	}
	*candidates = list;
	return count;
}

static enum err edit_check_children(struct write *write, const struct rrsets *sets)
{
	const char **candidates;
	size_t count, found = 0;
	struct name *children;

	/* a catalog zone answers no queries, so domains below it do not matter */
	if (!write->zone.has_children || write->zone.is.is_catalog)
		return OK;
	count = edit_list_child_names(write, sets, &candidates);
	children = arena_alloc(write->arena, (count + 1) * sizeof(*children));
	for (size_t at = 0; at < count; at += STORE_NAMES_MAX)
		found += store_domain_existing(write->tx, candidates + at,
			count - at < STORE_NAMES_MAX ? count - at : STORE_NAMES_MAX,
			write->arena, children + found);
	if (write->tx->err)
		return write->tx->err;
	return rules_children(sets, children, found, &write->req->why);
}

static enum err edit_check_record_quota(const struct write *write,
                                        const struct plan *plan)
{
	const struct zone *zone = &write->zone;
	int64_t max = edit_quota(write, zone->quota_domain_records,
	                         write->central->config.quota_domain_records);

	if (max < 0 || plan->record_delta <= 0 ||
	    (int64_t)zone->records + plan->record_delta <= max)
		return OK;
	return fail(&write->req->why, ERR_QUOTA,
	            "the domain %.200s would have %" PRId64 " records, but the quota "
	            "(domain_records) is %" PRId64, zone->is.name,
	            (int64_t)zone->records + plan->record_delta, max);
}

static enum err edit_check_recordset_quota(const struct write *write,
                                           const struct plan *plan)
{
	const struct zone *zone = &write->zone;
	int64_t max = edit_quota(write, zone->quota_recordsets,
	                         write->central->config.quota_recordsets);

	if (max < 0 || plan->recordset_delta <= 0 ||
	    (int64_t)zone->recordsets + plan->recordset_delta <= max)
		return OK;
	return fail(&write->req->why, ERR_QUOTA,
	            "the domain %.200s would have %" PRId64 " record sets, but the quota "
	            "(domain_recordsets) is %" PRId64, zone->is.name,
	            (int64_t)zone->recordsets + plan->recordset_delta, max);
}

static enum err edit_check_rules(struct write *write, const struct rrsets *sets)
{
	enum err err = rules_outcome(&write->zone, sets, &write->req->why);

	if (!err)
		err = rules_managed(sets, (struct rules_may){
			.take_managed = write->is_forced,
			.replace_unmanaged = !write->keeps_unmanaged }, &write->req->why);
	if (!err)
		err = rules_sizes(sets, &write->req->why);
	if (!err)
		err = edit_check_children(write, sets);
	if (!err)
		err = edit_check_dname(write, sets);
	if (!err)
		err = rules_quota_records(sets,
		                          edit_quota(write, write->zone.quota_records,
			write->central->config.quota_records), &write->req->why);
	return err;
}

/* Reads, applies and checks the changes, and plans the rows under SERIAL. */
static enum err edit_make_plan(struct write *write, struct change *changes, size_t count,
                               uint32_t serial, struct plan *plan,
                               struct edit_outcome *outcome)
{
	struct rrsets sets;
	enum err err = edit_check_changes(write, changes, count);

	if (err)
		return err;
	if (write->prefetched) {
		sets = *write->prefetched;
	} else {
		rrsets_init(&sets, write->arena);
		edit_read_sets(write, changes, count, &sets);
	}
	if (write->tx->err)
		return write->tx->err;
	err = edit_check_expected(write, changes, count, &sets);
	if (err)
		return err;
	outcome->unchanged = edit_apply_changes(write, changes, count, &sets);
	if (write->share)
		err = share_check_sets(write->share, &sets, &write->req->why);
	if (!err)
		err = edit_check_rules(write, &sets);
	if (err)
		return err;
	share_assign(write->share, &sets);
	outcome->limits = limits_find(&sets);
	if (write->share)
		err = share_check_limits(outcome->limits, &write->req->why);
	if (err)
		return err;
	advice_set_check(&sets, write->arena, &outcome->advice);
	plan_make(plan, sets.items, sets.count, write->zone.is.ttl, serial, write->arena);
	err = edit_check_recordset_quota(write, plan);
	if (!err)
		err = edit_check_record_quota(write, plan);
	if (err)
		plan_clear(plan);
	return err;
}

/* ---- write ---- */

static void edit_write_plan(struct write *write, struct plan *plan)
{
	struct zone *zone = &write->zone;

	for (size_t i = 0; i < plan->set_count; i++)
		if (!plan->sets[i]->stored)
			id_new(plan->sets[i]->id);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->rows[i].op == ROW_INSERT)
			id_new(plan->rows[i].record.id);
	store_buffer_recordsets(write->buffer, zone->is.id, plan->sets, plan->set_count);
	store_buffer_records(write->buffer, zone->is.id, plan->rows, plan->count);
	zone->recordsets = (uint32_t)(zone->recordsets + plan->recordset_delta);
	zone->records = (uint32_t)(zone->records + plan->record_delta);
}

/* Moves BUF into the arena, for the write buffer. */
static struct buf edit_keep_buf(struct write *write, struct buf *buf)
{
	struct buf kept = { .data = arena_dup(write->arena, buf->data, buf->len),
	                    .len = buf->len };

	buf_clear(buf);
	return kept;
}

/*
 * The old SOA comes before the removed RRs, the new SOA before the added RRs (RFC 1995
 * 4).
 */
static void edit_write_journal(struct write *write, const struct zone *before,
                               const struct plan *plan)
{
	struct buf removed = { 0 }, added = { 0 };
	uint32_t previous = before->is.state.serial, serial = write->zone.is.state.serial;

	zone_append_soa(&removed, before, previous);
	zone_append_soa(&added, &write->zone, serial);
	buf_append(&removed, plan->removed.data, plan->removed.len);
	buf_append(&added, plan->added.data, plan->added.len);
	if ((int64_t)(removed.len + added.len) <=
	    write->central->config.journal_change_bytes) {
		removed = edit_keep_buf(write, &removed);
		added = edit_keep_buf(write, &added);
		store_buffer_journal(write->buffer, write->zone.is.id, previous, serial,
		                     &removed, &added);
		return;
	}
	buf_clear(&removed);
	buf_clear(&added);
}

static void edit_count_outcome(const struct plan *plan, struct edit_outcome *outcome)
{
	outcome->added = plan->inserted;
	outcome->updated = plan->updated;
	outcome->deleted = plan->deleted;
}

/* For the log line of the call. */
static void edit_note_outcome(const struct write *write,
                              const struct edit_outcome *outcome)
{
	changed_domain(write, (struct changed_records){ (int64_t)outcome->added,
	                                                (int64_t)outcome->updated,
	                                                (int64_t)outcome->deleted });
}

/* A new default TTL changes records that are not in the plan: the journal gets a gap. */
static bool edit_apply_ttl(struct write *write, const struct edit *edit, uint32_t serial,
                           struct edit_outcome *outcome)
{
	if (!edit->has_ttl || write->zone.is.ttl == edit->ttl)
		return false;
	write->zone.is.ttl = edit->ttl;
	outcome->updated += (size_t)store_record_touch_default(write->tx,
	                                                       write->zone.is.id, serial);
	return true;
}

static bool edit_apply_description(struct write *write, const struct edit *edit)
{
	struct zone *zone = &write->zone;

	if (!edit->description || !strcmp(edit->description, zone->is.description))
		return false;
	zone->is.description = edit->description;
	return true;
}

static bool edit_apply_attributes(struct write *write, const struct edit *edit)
{
	struct zone *zone = &write->zone;

	if (!edit->attributes || !strcmp(edit->attributes, zone->attributes))
		return false;
	zone->attributes = edit->attributes;
	store_domain_set_attributes(write->tx, zone);
	return true;
}

static enum err edit_write(struct write *write, const struct edit *edit,
                           struct plan *plan, uint32_t serial,
                           struct edit_outcome *outcome)
{
	struct zone *zone = &write->zone;
	struct zone before = *zone;
	bool attributed = edit_apply_attributes(write, edit);
	bool described = edit_apply_description(write, edit) || attributed;
	bool retimed = edit_apply_ttl(write, edit, serial, outcome);
	bool resigned = zone_set_soa(zone, &edit->soa);

	edit_write_plan(write, plan);
	/* a serial from the caller changes the SOA record */
	outcome->changed = plan->count > plan->marked || retimed || resigned ||
	                   edit->has_serial;
	/* a record set can have a new description, or its own TTL of the same value */
	described |= plan->set_count > 0;
	if (!outcome->changed && !described)
		return write->tx->err;
	if (outcome->changed)
		zone->is.state = status_changed(zone->is.state, TASK_UPDATE, serial);
	edit_note_outcome(write, outcome);
	if (!outcome->changed) {
		store_domain_set_description(write->tx, zone);
		return write->tx->err;
	}
	zone->reason = "";
	if (!retimed)
		edit_write_journal(write, &before, plan);
	store_buffer_domain(write->buffer, zone);
	write->cast_method = "update_domain";
	return write->tx->err;
}

enum err edit_apply(struct write *write, const struct edit *edit,
                    struct edit_outcome *outcome)
{
	struct plan plan = { 0 };
	uint32_t serial = 0;
	enum err err = edit_next_serial(edit, &write->zone, &serial, &write->req->why);

	*outcome = (struct edit_outcome){ 0 };
	if (!err && edit->count)
		err = edit_make_plan(write, edit->changes, edit->count, serial, &plan,
		                     outcome);
	if (err)
		return err;
	edit_count_outcome(&plan, outcome);
	err = edit_write(write, edit, &plan, serial, outcome);
	plan_clear(&plan);
	return err;
}

enum err edit_fill(struct write *write, struct change *changes, size_t count)
{
	struct plan plan = { 0 };
	struct edit_outcome outcome = { 0 };
	enum err err = edit_make_plan(write, changes, count, write->zone.is.state.serial,
	                              &plan, &outcome);

	if (err)
		return err;
	edit_write_plan(write, &plan);
	changed_domain(write, (struct changed_records){ (int64_t)plan.inserted });
	plan_clear(&plan);
	store_domain_set_counts(write->tx, &write->zone);
	return write->tx->err;
}
