#include "once.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "catalog.h"
#include "codec_domain.h"
#include "peers.h"
#include "runtime/db.h"
#include "service.h"

enum {
	GROUP_MAX = 32,
	GROUP_MS = 20,
	ROWS_MAX = 1000,	/* that a group leaves to be written at its end */
	BUDGET_MS = 5000,	/* of what waits at a time: the loop wants its turn */
	NO_KEY = GROUP_MAX,
};

/* ---- the answers that were given ---- */

static bool find_again(struct tx *tx, struct request *req, struct kept *kept,
                       struct zone *zone)
{
	static const struct access everyone = { .tenant = "", .all = true };
	struct domain_key key = { .name = "" };

	*kept = (struct kept){ .unique_id = req->unique_id };
	rpc_digest(req, kept->digest);
	if (!store_request_get(tx, req->arena, kept))
		return false;
	if (kept->is_other)
		rpc_digest_conflict(tx, req);
	if (!kept->tell || !kept->domain_id || !id_parse(kept->domain_id, key.id) ||
	    !store_domain_get(tx, &key, &everyone, req->arena, zone))
		kept->tell = NULL;
	return true;
}

/*
 * The answer of before, if there is one: *found. Whoever gave it may have
 * died before the pool manager heard of the change: it hears of it again.
 * ERR_CONFLICT: another call had this message's id.
 */
static enum err look_up(struct central *central, struct request *req, bool *found)
{
	struct why why;
	struct tx tx = tx_begin_snapshot(central->runtime->db, &why);
	struct kept kept;
	struct zone zone;

	*found = find_again(&tx, req, &kept, &zone);
	if (tx_commit(&tx))
		return fail(&req->why, tx.err, "%s", why.text);
	if (!*found)
		return OK;
	if (kept.result)
		req->result = json_loads(kept.result, JSON_DECODE_ANY, NULL);
	if (kept.tell)
		peers_tell(central, &(struct news){ kept.tell, &zone, &req->context }, 1);
	return OK;
}

static void drop_results(struct write *writes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_decref(writes[i].req->result);
		writes[i].req->result = NULL;
	}
}

static void keep_results(struct tx *tx, const struct write *writes, size_t count)
{
	struct kept kept[GROUP_MAX] = { { 0 } };
	char *texts[GROUP_MAX];

	for (size_t i = 0; i < count; i++) {
		const struct write *write = &writes[i];
		const json_t *result = write->req->result;

		texts[i] = result ? json_dumps(result, JSON_COMPACT | JSON_ENCODE_ANY)
		                  : NULL;
		kept[i] = (struct kept){
			.unique_id = write->req->unique_id,
			.result = texts[i],
			.tell = write->tell,
			.domain_id = write->tell ? write->zone.is.id : NULL,
		};
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
	return write->req->may_wait ? STORE_WAIT_A_MOMENT : STORE_WAIT_NOT;
}

static enum err write_new(struct central *central, struct request *req,
                          struct write *write)
{
	*write = (struct write){ .central = central, .req = req, .arena = req->arena };
	return access_of(req, &write->access);
}

struct member {
	struct request *req;
	enum err *err;
	struct edit *edit;		/* decoded; NULL: not yet, or there is none */
};

/* Once, however often it is tried. */
static enum err decode(struct member *member, const struct once_method *method,
                       struct write *write)
{
	enum err err = OK;

	write->edit = member->edit;
	if (!write->edit && method->decode)
		err = method->decode(write);
	if (!err)
		member->edit = write->edit;
	return err;
}

/* What goes wrong meanwhile is told in the words of its own request. */
static enum err run_member(struct write *write, struct tx *tx,
                           const struct once_method *method)
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
 * Runs as many as time allows, at least one: *count. A failure's reason is in
 * the first one's request.
 */
static enum err attempt(struct tx *tx, struct write *writes, size_t *count,
                        const struct once_method *method)
{
	struct why *why = &writes->req->why;
	int64_t until_ms = clock_ms() + GROUP_MS;
	struct later *later = store_later_new();
	size_t n = 0;

	while (!tx->err && n < *count &&
	       (!n || (clock_ms() < until_ms && store_later_count(later) < ROWS_MAX))) {
		writes[n].later = later;
		if (run_member(&writes[n], tx, method) && n)
			*why = writes[n].req->why;
		n++;
	}
	store_later_write(later, tx);
	store_later_free(&later);
	if (!tx->err)
		keep_results(tx, writes, n);
	if (n)
		*count = n;
	return tx_commit(tx);
}

static bool touch_catalog(const struct write *writes, size_t count)
{
	size_t i = 0;

	while (i < count && !writes[i].in_catalog)
		i++;
	return i < count;
}

static void tell(const struct write *writes, size_t count)
{
	struct news news[GROUP_MAX] = { { NULL } };
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (writes[i].tell)
			news[n++] = (struct news){ writes[i].tell, &writes[i].zone,
			                           &writes[i].req->context };
	peers_tell(writes->central, news, n);
	if (touch_catalog(writes, count))
		catalog_soon(writes->central);
}

/* ---- one call ---- */

/* It was committed, or it was not: the answer to its COMMIT was lost with the connection. */
static bool is_in_doubt(const struct central *central, enum err err)
{
	return err == ERR_RACE && !db_is_up(central->runtime->db);
}

/*
 * Looks up the kept answer before the call runs again. By then the caller's time limit
 * may be over: the call would not run, and would not tell what the lost commit did.
 */
static enum err settle_doubt(struct central *central, struct request *req)
{
	struct why reason = req->why;
	bool found;

	if (!look_up(central, req, &found) && found)
		return OK;
	req->why = reason;
	return ERR_RACE;
}

static enum err run_alone(struct central *central, struct member *member,
                          const struct once_method *method)
{
	struct request *req = member->req;
	struct write write;
	struct tx tx;
	size_t one = 1;
	enum err err = write_new(central, req, &write);
	bool found = false;

	if (!err && req->redelivered)
		err = look_up(central, req, &found);
	if (err || found)
		return err;
	err = decode(member, method, &write);
	if (err)
		return err;
	tx_set_deadline(req->deadline_ms);
	tx = tx_begin(central->runtime->db, &req->why);
	err = attempt(&tx, &write, &one, method);
	if (!err) {
		tell(&write, 1);
		return OK;
	}
	drop_results(&write, 1);
	if (is_in_doubt(central, err))
		return settle_doubt(central, req);
	if (err_retry(err) != RETRY_NEVER)
		return err;

	struct why reason = req->why;
	enum err look_err = look_up(central, req, &found);

	if (look_err || found)
		return look_err;
	req->why = reason;
	return err;
}

/* ---- several ---- */

/* The domain that it is about, by id or by name; "" if there is none yet. */
static const char *key_of(const struct request *req)
{
	const char *domain = json_string_value(json_object_get(req->args, "domain"));

	return domain ? domain : "";
}

static bool same_key(const struct member *a, const struct member *b)
{
	return *key_of(a->req) && !strcmp(key_of(a->req), key_of(b->req));
}

/* Calls about one domain stay in the order in which they came, if they name it alike. */
static int compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(key_of(x->req), key_of(y->req));

	return order ? order : (x->err > y->err) - (x->err < y->err);
}

/* Those from the first on that may share: nobody who is refused, nothing seen before. */
static size_t gather(struct central *central, struct member *members, size_t count,
                     const struct once_method *method, struct write *writes)
{
	size_t n = 0;

	while (n < count && n < GROUP_MAX && !members[n].req->redelivered &&
	       !write_new(central, members[n].req, &writes[n]) &&
	       !decode(&members[n], method, &writes[n]))
		n++;
	return n;
}

/* What the members are about: a key each, which those about the same domain share. */
struct about {
	struct domain_key keys[GROUP_MAX];
	size_t key_count;
	size_t key_at[GROUP_MAX];	/* by member; or NO_KEY */
	bool locked[GROUP_MAX];		/* by key */
};

/* Returns how many members there are up to the first whose key is not one. */
static size_t find_keys(struct about *about, const struct member *members, size_t count)
{
	*about = (struct about){ .key_count = 0 };
	for (size_t i = 0; i < count; i++) {
		struct request *req = members[i].req;
		bool known = i && same_key(&members[i - 1], &members[i]);

		about->key_at[i] = NO_KEY;
		if (!*key_of(req))
			continue;
		if (!known && codec_domain_key(req->args, req->arena,
		                               &about->keys[about->key_count],
		                               &req->why))
			return i;
		about->key_count += !known;
		about->key_at[i] = about->key_count - 1;
	}
	return count;
}

/* One may be called by its id and by its name: whoever comes second has to look again. */
static bool is_single(const struct zone *const *zones, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++)
		if (i != at && zones[i] && !strcmp(zones[i]->is.id, zones[at]->is.id))
			return false;
	return true;
}

/* The first member about a domain has what was read of it; the others look again. */
static void hand_out(const struct about *about, const struct zone *const *zones,
                     struct write *writes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t key = about->key_at[i];

		if (key != NO_KEY && (!i || about->key_at[i - 1] != key) && zones[key] &&
		    is_single(zones, about->key_count, key))
			writes[i].locked = zones[key];
	}
}

/*
 * The domains of all members are locked before anything is read, so that what
 * is read is not older than the locks; those that another holds are passed
 * over, so that it holds up nobody else's. Returns how many members there are
 * up to the first whose domain was not locked; it runs alone, and finds out why.
 */
static size_t lock_all(struct tx *tx, const struct member *members, struct write *writes,
                       size_t count)
{
	const struct zone *zones[GROUP_MAX] = { NULL };
	struct arena *arena = members->req->arena;
	struct about about;
	size_t n = 0;

	count = find_keys(&about, members, count);
	if (!about.key_count)
		return count;
	store_domain_try_lock(tx, arena, about.keys, about.key_count, about.locked);
	while (n < count && (about.key_at[n] == NO_KEY || about.locked[about.key_at[n]]))
		n++;
	if (n < 2)
		return n;
	store_domain_read_locked(tx, arena, about.keys, about.key_count, zones);
	hand_out(&about, zones, writes, n);
	return n;
}

/*
 * One call of the batch has waited for a row that another transaction holds. If each of
 * the others waited as long, the loop would stand still for the sum of these waits.
 */
static void wait_no_more(const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		members[i].req->may_wait = false;
}

/*
 * A call that has to be made again takes those behind it about the same
 * domain along: they keep their order. Returns how many that are.
 */
static size_t run_first(struct central *central, struct member *members,
                        size_t count, const struct once_method *method)
{
	enum err err = run_alone(central, members, method);
	size_t n = 1;

	*members->err = err;
	if (err == ERR_LOCKED)
		wait_no_more(members, count);
	while (err_retry(err) != RETRY_NEVER && n < count &&
	       same_key(members, &members[n])) {
		*members[n].err = err;
		members[n].req->why = members->req->why;
		n++;
	}
	return n;
}

/* What they share must be in time for each of them. */
static int64_t earliest_deadline(const struct member *members, size_t count)
{
	int64_t earliest_ms = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t ms = members[i].req->deadline_ms;

		if (ms && (!earliest_ms || ms < earliest_ms))
			earliest_ms = ms;
	}
	return earliest_ms;
}

/* Returns how many of them are done with: at least one. */
static size_t run_some(struct central *central, struct member *members,
                       size_t count, const struct once_method *method)
{
	struct write writes[GROUP_MAX];
	size_t n = gather(central, members, count, method, writes), done = 0;
	struct tx tx;
	enum err err;

	if (n < 2)
		return run_first(central, members, count, method);
	tx_set_deadline(earliest_deadline(members, n));
	tx = tx_begin(central->runtime->db, &members->req->why);
	n = lock_all(&tx, members, writes, n);
	if (tx.err || n < 2) {
		tx_rollback(&tx);
		return run_first(central, members, count, method);
	}
	if (method->read_ahead)
		method->read_ahead(&tx, writes, n);
	err = attempt(&tx, writes, &n, method);
	if (!err) {
		tell(writes, n);
		for (size_t i = 0; i < n; i++)
			*members[i].err = OK;
		return n;
	}
	drop_results(writes, n);
	if (err == ERR_LOCKED)
		wait_no_more(members, count);
	while (done < n)
		done += run_first(central, members + done, count - done, method);
	return done;
}

static void put_off(const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		*members[i].err = fail(&members[i].req->why, ERR_BUSY,
		                       "there is too much to do: try again");
}

void once_run(struct central *central, struct request *const *reqs, size_t count,
              const struct once_method *method, enum err *errs)
{
	struct member *members = arena_alloc(reqs[0]->arena, count * sizeof(*members));
	int64_t until_ms = clock_ms() + BUDGET_MS;
	size_t at = 0;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){ .req = reqs[i], .err = &errs[i] };
	qsort(members, count, sizeof(*members), compare);
	while (at < count && clock_ms() < until_ms)
		at += run_some(central, members + at, count - at, method);
	put_off(members + at, count - at);
}
