#include "write.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "catalog.h"
#include "codec_domain.h"
#include "poolmgr_cast.h"
#include "runtime/db.h"
#include "service.h"
#include "usage.h"

enum {
	GROUP_MAX = 32,
	GROUP_MS = 20,
	ROWS_MAX = 1000,	/* in the write buffer of a group */
	BUDGET_MS = 5000,	/* of one batch: the loop has other work */
	NO_DOMAIN = GROUP_MAX,
};

/* ---- stored answers ---- */

static bool answer_find(struct tx *tx, struct request *req, struct kept_answer *kept,
                        struct zone *zone)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct domain_key key = { .name = "" };

	*kept = (struct kept_answer){ .result = NULL };
	rpc_stored_id(req, kept->id);
	rpc_digest(req, kept->digest);
	if (!store_request_get(tx, req->arena, kept))
		return false;
	if (kept->is_other)
		rpc_digest_conflict(tx, req);
	if (!kept->cast_method || !kept->domain_id ||
	    !id_parse(kept->domain_id, key.id) ||
	    !store_domain_get(tx, &key, &everyone, req->arena, zone))
		kept->cast_method = NULL;
	return true;
}

/*
 * Repeats the stored answer of an earlier delivery, if there is one: *found. The process
 * that gave it may have died before its cast to the pool manager, so the cast is
 * repeated, too. ERR_CONFLICT: another call had the id of this message.
 */
static enum err answer_look_up(struct central *central, struct request *req, bool *found)
{
	struct why why;
	struct tx tx = tx_begin_snapshot(central->runtime->db, &why);
	struct kept_answer kept;
	struct zone zone;

	*found = answer_find(&tx, req, &kept, &zone);
	if (tx_commit(&tx))
		return fail(&req->why, tx.err, "%s", why.text);
	if (!*found)
		return OK;
	if (kept.result)
		req->result = json_loads(kept.result, JSON_DECODE_ANY, NULL);
	if (kept.cast_method)
		poolmgr_cast_send(central,
		                  &(struct poolmgr_cast){ kept.cast_method, &zone,
		                                          &req->context }, 1);
	return OK;
}

static void writes_drop_outcomes(struct write *writes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_decref(writes[i].req->result);
		writes[i].req->result = NULL;
		writes[i].req->changed = NULL;
	}
}

static void writes_keep_answers(struct tx *tx, const struct write *writes, size_t count)
{
	struct kept_answer kept[GROUP_MAX] = { { .result = NULL } };
	char *texts[GROUP_MAX];

	for (size_t i = 0; i < count; i++) {
		const struct write *write = &writes[i];
		const json_t *result = write->req->result;

		texts[i] = result ? json_dumps(result, JSON_COMPACT | JSON_ENCODE_ANY)
		                  : NULL;
		kept[i] = (struct kept_answer){
			.result = texts[i],
			.cast_method = write->cast_method,
			.domain_id = write->cast_method ? write->zone.is.id : NULL,
		};
		rpc_stored_id(write->req, kept[i].id);
		rpc_digest(write->req, kept[i].digest);
	}
	store_requests_insert(tx, kept, count);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
}

/* ---- a transaction ---- */

enum store_wait write_wait(const struct write *write)
{
	if (write->on_lane)
		return STORE_WAIT_LONG;
	return write->req->may_wait ? STORE_WAIT_SHORT : STORE_WAIT_NONE;
}

static enum err write_init(struct central *central, struct request *req,
                           struct write *write)
{
	*write = (struct write){ .central = central, .req = req, .arena = req->arena };
	return access_of(req, &write->access);
}

struct call {
	struct request *req;
	enum err *err;
	struct edit *edit;		/* NULL: not decoded yet, or no edit */
	/* what a run has changed whose COMMIT got no answer, for the log line */
	struct changed *in_doubt;
};

/* Decodes a call once, even if the call runs several times. */
static enum err call_decode(struct call *call, const struct write_method *method,
                            struct write *write)
{
	enum err err = OK;

	write->edit = call->edit;
	if (!write->edit && method->decode)
		err = method->decode(write);
	if (!err)
		call->edit = write->edit;
	return err;
}

/* An error of the transaction gets its reason in the request of this call. */
static enum err write_run_handler(struct write *write, struct tx *tx,
                                  const struct write_method *method)
{
	struct why *why = tx->why;
	enum err err;

	write->tx = tx;
	tx->why = &write->req->why;
	err = method->run(write);
	if (err)
		tx_fail(tx, err, "%s", write->req->why.text);
	tx->why = why;
	return tx->err;
}

/*
 * Runs the calls until the time or the buffer of the group is used up, but at least one
 * call, and commits. *count: number of these calls. The reason of a failure is in the
 * first request.
 */
static enum err writes_commit(struct tx *tx, struct write *writes, size_t *count,
                              const struct write_method *method)
{
	struct why *why = &writes->req->why;
	int64_t until_ms = clock_ms() + GROUP_MS;
	struct store_buffer *buffer = store_buffer_new();
	size_t n = 0;

	while (!tx->err && n < *count &&
	       (!n || (clock_ms() < until_ms && store_buffer_count(buffer) < ROWS_MAX))) {
		writes[n].buffer = buffer;
		if (write_run_handler(&writes[n], tx, method) && n)
			*why = writes[n].req->why;
		n++;
	}
	store_buffer_flush(buffer, tx);
	store_buffer_free(&buffer);
	if (!tx->err)
		writes_keep_answers(tx, writes, n);
	usage_write(tx, writes, n);
	if (n)
		*count = n;
	return tx_commit(tx);
}

static bool writes_change_catalog(const struct write *writes, size_t count)
{
	size_t i = 0;

	while (i < count && !writes[i].catalog_changed)
		i++;
	return i < count;
}

static void writes_send_casts(const struct write *writes, size_t count)
{
	struct poolmgr_cast casts[GROUP_MAX] = { { NULL } };
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (writes[i].cast_method)
			casts[n++] = (struct poolmgr_cast){ writes[i].cast_method,
			                                    &writes[i].zone,
			                                    &writes[i].req->context };
	poolmgr_cast_send(writes->central, casts, n);
	if (writes_change_catalog(writes, count))
		catalog_schedule(writes->central);
}

/* ---- one call ---- */

/* True: the connection broke before the answer to COMMIT. */
static bool commit_is_in_doubt(const struct central *central, enum err err)
{
	return err == ERR_RACE && !db_is_up(central->runtime->db);
}

/*
 * Looks up the stored answer immediately. The call runs again later, perhaps after the
 * caller's time limit, and would then not find out that the commit succeeded.
 */
static enum err commit_look_up(struct central *central, struct call *call)
{
	struct request *req = call->req;
	struct why reason = req->why;
	bool found;

	if (!answer_look_up(central, req, &found) && found) {
		req->changed = call->in_doubt;
		return OK;
	}
	req->why = reason;
	return ERR_RACE;
}

static enum err call_run_alone(struct central *central, struct call *call,
                               const struct write_method *method)
{
	struct request *req = call->req;
	struct write write;
	struct tx tx;
	size_t one = 1;
	enum err err = write_init(central, req, &write);
	bool found = false;

	if (!err && req->redelivered)
		err = answer_look_up(central, req, &found);
	if (err || found)
		return err;
	err = call_decode(call, method, &write);
	if (err)
		return err;
	tx_set_deadline(req->deadline_ms);
	tx = tx_begin(central->runtime->db, &req->why);
	err = writes_commit(&tx, &write, &one, method);
	if (!err) {
		writes_send_casts(&write, 1);
		return OK;
	}
	if (commit_is_in_doubt(central, err))
		call->in_doubt = req->changed;
	writes_drop_outcomes(&write, 1);
	if (commit_is_in_doubt(central, err))
		return commit_look_up(central, call);
	if (err_retry(err) != RETRY_NEVER)
		return err;

	struct why reason = req->why;
	enum err look_err = answer_look_up(central, req, &found);

	if (!look_err && found)
		req->changed = call->in_doubt;
	if (look_err || found)
		return look_err;
	req->why = reason;
	return err;
}

/* ---- a group ---- */

/* The id or name of the call's domain; "": the call names no existing domain. */
static const char *call_key(const struct request *req)
{
	const char *domain = json_string_value(json_object_get(req->args, "domain"));

	return domain ? domain : "";
}

static bool calls_share_key(const struct call *a, const struct call *b)
{
	return *call_key(a->req) && !strcmp(call_key(a->req), call_key(b->req));
}

/* Calls that name a domain in the same way keep the order of their arrival. */
static int calls_compare(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	int order = strcmp(call_key(x->req), call_key(y->req));

	return order ? order : (x->err > y->err) - (x->err < y->err);
}

/*
 * Returns the number of calls, from the first one on, that are valid and not redelivered.
 */
static size_t group_gather(struct central *central, struct call *calls, size_t count,
                           const struct write_method *method, struct write *writes)
{
	size_t n = 0;

	while (n < count && n < GROUP_MAX && !calls[n].req->redelivered &&
	       !write_init(central, calls[n].req, &writes[n]) &&
	       !call_decode(&calls[n], method, &writes[n]))
		n++;
	return n;
}

/* The domains of the calls. Calls that name a domain in the same way share a key. */
struct group_keys {
	struct domain_key keys[GROUP_MAX];
	size_t key_count;
	size_t key_at[GROUP_MAX];	/* for each call; or NO_DOMAIN */
	bool locked[GROUP_MAX];		/* by key */
};

/* Returns the number of calls before the first one with an invalid key. */
static size_t group_keys_find(struct group_keys *group, const struct call *calls,
                              size_t count)
{
	*group = (struct group_keys){ .key_count = 0 };
	for (size_t i = 0; i < count; i++) {
		struct request *req = calls[i].req;
		bool known = i && calls_share_key(&calls[i - 1], &calls[i]);

		group->key_at[i] = NO_DOMAIN;
		if (!*call_key(req))
			continue;
		if (!known && codec_domain_key(req->args, req->arena,
		                               &group->keys[group->key_count],
		                               &req->why))
			return i;
		group->key_count += !known;
		group->key_at[i] = group->key_count - 1;
	}
	return count;
}

/* False: one call names the domain by id and another by name. Then both read it again. */
static bool zone_is_unique(const struct zone *const *zones, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++)
		if (i != at && zones[i] && !strcmp(zones[i]->is.id, zones[at]->is.id))
			return false;
	return true;
}

/* The first call of a key gets the zone. Later calls read it again. */
static void group_hand_out_zones(const struct group_keys *group,
                                 const struct zone *const *zones,
                                 struct write *writes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t key = group->key_at[i];

		if (key != NO_DOMAIN && (!i || group->key_at[i - 1] != key) &&
		    zones[key] && zone_is_unique(zones, group->key_count, key))
			writes[i].locked_zone = zones[key];
	}
}

/*
 * Locks the domains of all calls before any read, so that the snapshot is not older than
 * the locks. Skips domains that another transaction has locked. Returns the number of
 * calls before the first one whose domain could not be locked; that call runs alone.
 */
static size_t group_lock_domains(struct tx *tx, const struct call *calls,
                                 struct write *writes, size_t count)
{
	const struct zone *zones[GROUP_MAX] = { NULL };
	struct arena *arena = calls->req->arena;
	struct group_keys group;
	size_t n = 0;

	count = group_keys_find(&group, calls, count);
	if (!group.key_count)
		return count;
	store_domain_try_lock(tx, arena, group.keys, group.key_count, group.locked);
	while (n < count && (group.key_at[n] == NO_DOMAIN ||
	                     group.locked[group.key_at[n]]))
		n++;
	if (n < 2)
		return n;
	store_domain_read_locked(tx, arena, group.keys, group.key_count, zones);
	group_hand_out_zones(&group, zones, writes, n);
	return n;
}

/*
 * A call of the batch has waited in vain for a locked row. If each of the others waited,
 * too, the loop would block for the sum of these waits.
 */
static void calls_forbid_waits(const struct call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		calls[i].req->may_wait = false;
}

/*
 * If the call must run again, later calls about its domain get the same error, so that
 * they keep their order. Returns the number of calls with a result.
 */
static size_t calls_run_first(struct central *central, struct call *calls,
                              size_t count, const struct write_method *method)
{
	enum err err = call_run_alone(central, calls, method);
	size_t n = 1;

	*calls->err = err;
	if (err == ERR_LOCKED)
		calls_forbid_waits(calls, count);
	while (err_retry(err) != RETRY_NEVER && n < count &&
	       calls_share_key(calls, &calls[n])) {
		*calls[n].err = err;
		calls[n].req->why = calls->req->why;
		n++;
	}
	return n;
}

static int64_t calls_earliest_deadline(const struct call *calls, size_t count)
{
	int64_t earliest_ms = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t ms = calls[i].req->deadline_ms;

		if (ms && (!earliest_ms || ms < earliest_ms))
			earliest_ms = ms;
	}
	return earliest_ms;
}

/* Returns the number of calls with a result: at least one. */
static size_t group_run(struct central *central, struct call *calls,
                        size_t count, const struct write_method *method)
{
	struct write writes[GROUP_MAX];
	size_t n = group_gather(central, calls, count, method, writes), done = 0;
	struct tx tx;
	enum err err;

	if (n < 2)
		return calls_run_first(central, calls, count, method);
	tx_set_deadline(calls_earliest_deadline(calls, n));
	tx = tx_begin(central->runtime->db, &calls->req->why);
	n = group_lock_domains(&tx, calls, writes, n);
	if (tx.err || n < 2) {
		tx_rollback(&tx);
		return calls_run_first(central, calls, count, method);
	}
	if (method->prefetch)
		method->prefetch(&tx, writes, n);
	err = writes_commit(&tx, writes, &n, method);
	if (!err) {
		writes_send_casts(writes, n);
		for (size_t i = 0; i < n; i++)
			*calls[i].err = OK;
		return n;
	}
	for (size_t i = 0; i < n && commit_is_in_doubt(central, err); i++)
		calls[i].in_doubt = writes[i].req->changed;
	writes_drop_outcomes(writes, n);
	if (err == ERR_LOCKED)
		calls_forbid_waits(calls, count);
	while (done < n)
		done += calls_run_first(central, calls + done, count - done, method);
	return done;
}

static void calls_refuse(const struct call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*calls[i].err = fail(&calls[i].req->why, ERR_BUSY,
		                     "central did not start this call within %d s, "
		                     "because too many calls are waiting: try again "
		                     "later",
		                     BUDGET_MS / 1000);
}

void write_run(struct central *central, struct request *const *reqs, size_t count,
               const struct write_method *method, enum err *errs)
{
	struct call *calls = arena_alloc(reqs[0]->arena, count * sizeof(*calls));
	int64_t until_ms = clock_ms() + BUDGET_MS;
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		calls[i] = (struct call){ .req = reqs[i], .err = &errs[i] };
	qsort(calls, count, sizeof(*calls), calls_compare);
	while (at < count && clock_ms() < until_ms)
		at += group_run(central, calls + at, count - at, method);
	calls_refuse(calls + at, count - at);
}
