#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "codec.h"
#include "model/json.h"
#include "neutron_apply.h"
#include "ovo.h"
#include "pull.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	PASS_PAUSE_MS = 5000,		/* between the first and the second pass */
	QUERY_IDS_MAX = 20,		/* objects in a query of the second pass */
	DIFFERING_MAX = 20000,		/* in one round; the next round has the others */
	RETRY_MS = 30 * 1000,		/* after a failed round, or after lost events */
};

static struct figures {
	struct metric *rounds, *failed, *looked_at, *differing, *repaired;
} figures;

void compare_metrics(void)
{
	figures.rounds = metric_new(METRIC_COUNTER, "ports_comparisons_total",
	    "completed comparisons of Neutron's objects with the database", NULL, NULL);
	figures.failed = metric_new(METRIC_COUNTER, "ports_comparisons_failed_total",
	    "failed comparisons of Neutron's objects with the database. The log "
	    "contains the reason", NULL, NULL);
	figures.looked_at = metric_new(METRIC_COUNTER, "ports_compared_total",
	    "networks, subnets, ports and other objects of Neutron that zonefleet-ports "
	    "compared with the database", NULL, NULL);
	figures.differing = metric_new(METRIC_COUNTER, "ports_differing_total",
	    "objects that differed in the first pass of a comparison. In most cases, "
	    "zonefleet-ports has not received the notification about the object "
	    "yet", NULL, NULL);
	figures.repaired = metric_new(METRIC_COUNTER, "ports_repaired_total",
	    "objects that zonefleet-ports corrected in the second pass of a comparison. "
	    "The notifications about these objects were lost",
	    NULL, NULL);
}

struct revision_list {
	struct revision *list;
	size_t count, size;
};

static void revision_list_add(struct revision_list *revisions,
                              const struct revision *revision)
{
	if (revisions->count == revisions->size) {
		revisions->size = 2 * revisions->size + 64;
		revisions->list = xrealloc(revisions->list, revisions->size *
		                                              sizeof(*revisions->list));
	}
	revisions->list[revisions->count++] = *revision;
}

static void revision_list_clear(struct revision_list *revisions)
{
	free(revisions->list);
	*revisions = (struct revision_list){ 0 };
}

struct comparison {
	struct ports *ports;
	struct pull *pull;
	struct loop_timer *timer;	/* starts the second pass */
	struct arena *arena;		/* for one answer */
	bool is_running, has_row;
	/* about the present round */
	int64_t began_ms;
	struct revision_list networks;	/* networks of both sides */
	/* index of the next network, or of the next differing object */
	size_t at;
	struct revision_list differing[NEUTRON_KINDS];
	enum neutron_kind kind;		/* of the second pass */
	int failures;			/* objects that the round could not correct */
	struct why first_failure;	/* the reason of the first one */
	struct comparison_row row;
};

static const char *comparison_feed(const struct comparison *comparison)
{
	return comparison->ports->settings.feed;
}

/* ---- the end of a round ---- */

/* REASON "": the round is complete. Otherwise the next round begins soon. */
static void comparison_end(struct comparison *comparison, const char *reason)
{
	struct why why, wrong;
	struct tx tx = tx_begin(comparison->ports->runtime.db, &why);

	metric_add(*reason ? figures.failed : figures.rounds, 1);
	log_info("comparison with Neutron ended: looked_at=%d differing=%d repaired=%d "
	         "failed=%d ms=%" PRId64 " reason=\"%s\"", comparison->row.looked_at,
	         comparison->row.differing, comparison->row.repaired,
	         comparison->failures, clock_ms() - comparison->began_ms, reason);
	comparison->row.reason = reason;
	if (!*reason && comparison->failures) {
		snprintf(wrong.text, sizeof(wrong.text), "%d objects not repaired. The "
		         "first error: %.400s",
		         comparison->failures, comparison->first_failure.text);
		comparison->row.reason = wrong.text;
	}
	store_comparison_put(&tx, comparison_feed(comparison), &comparison->row);
	if (*reason)
		store_comparison_due(&tx, comparison_feed(comparison), RETRY_MS);
	if (tx_commit(&tx))
		log_warn("result of the comparison with Neutron not stored: "
		         "reason=\"%s\"", why.text);
	comparison->row.reason = "";
	revision_list_clear(&comparison->networks);
	for (int kind = 0; kind < NEUTRON_KINDS; kind++)
		revision_list_clear(&comparison->differing[kind]);
	comparison->is_running = false;
}

static size_t comparison_count_differing(const struct comparison *comparison)
{
	size_t count = 0;

	for (int kind = 0; kind < NEUTRON_KINDS; kind++)
		count += comparison->differing[kind].count;
	return count;
}

/* ---- the second pass: reads the differing objects by id ---- */

static void comparison_second_pass(struct comparison *comparison);

/* The id of an object. The port of a floating IP has its id as device_id. */
static bool comparison_read_id(const json_t *data, enum neutron_kind kind,
                               char id[ID_LEN + 1])
{
	struct why why;

	return !json_get_id(data, kind == NEUTRON_FLOATING ? "device_id" : "id",
	                    JSON_REQUIRED, id, &why);
}

static const json_t *comparison_find_object(const json_t *list, enum neutron_kind kind,
                                            const char *id)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *object = json_array_get(list, i);
		char own[ID_LEN + 1];

		if (comparison_read_id(ovo_data(object), kind, own) && !strcmp(own, id))
			return object;
	}
	return NULL;
}

/*
 * An object that is wrong in Neutron, or that conflicts with a row here, fails in each
 * round. So the round continues with the other objects, and its result has the reason.
 */
static enum err comparison_note_failure(struct comparison *comparison, const char *id,
                                        enum err err, const struct why *why)
{
	log_warn("object of Neutron not repaired: id=%s reason=\"%s\"", id, why->text);
	if (err_retry(err) != RETRY_NEVER)
		return err;
	if (!comparison->failures++)
		snprintf(comparison->first_failure.text,
		         sizeof(comparison->first_failure.text), "%.32s: %.300s", id,
		         why->text);
	return OK;
}

/* The floating IP of PORT. NULL: it has no address yet. */
static json_t *comparison_floating_of_port(json_t *port)
{
	const char *address = json_string_value(json_object_get(json_array_get(
	                      json_object_get(port, "fixed_ips"), 0), "ip_address"));

	return !address ? NULL : json_pack("{s:O, s:O?, s:s}",
		"id", json_object_get(port, "device_id"),
		"floating_network_id", json_object_get(port, "network_id"),
		"floating_ip_address", address);
}

static json_t *comparison_plain_object(const struct comparison *comparison,
                                       const json_t *object)
{
	json_t *plain = ovo_plain(object), *floating;

	if (!plain || comparison->kind != NEUTRON_FLOATING)
		return plain;
	floating = comparison_floating_of_port(plain);
	json_decref(plain);
	return floating;
}

/* OBJECT NULL: Neutron has no such object. */
static enum err comparison_apply(struct comparison *comparison, const char *id,
                                 const json_t *object, struct why *why)
{
	struct neutron_apply apply = { .ports = comparison->ports,
	                               .arena = comparison->arena,
	                               .kind = comparison->kind, .id = id };
	json_t *plain = NULL;
	enum err err;

	apply.is_partial = object && apply.kind == NEUTRON_FLOATING;
	if (object)
		apply.json = plain = comparison_plain_object(comparison, object);
	if (apply.is_partial && !plain)
		return OK;
	err = object ? neutron_apply(&apply, why) : neutron_apply_gone(&apply, why);
	if (!err && apply.has_changed) {
		comparison->row.repaired++;
		metric_add(figures.repaired, 1);
	}
	if (err)
		err = comparison_note_failure(comparison, id, err, why);
	json_decref(plain);
	arena_reset(comparison->arena);
	return err;
}

static size_t comparison_chunk_size(const struct comparison *comparison)
{
	size_t left = comparison->differing[comparison->kind].count - comparison->at;

	return left < QUERY_IDS_MAX ? left : QUERY_IDS_MAX;
}

static void comparison_on_objects(void *self, const json_t *list, const struct why *why)
{
	struct comparison *comparison = self;
	const struct revision_list *differing = &comparison->differing[comparison->kind];
	size_t count = comparison_chunk_size(comparison);
	struct why reason;
	enum err err = OK;

	if (!list) {
		comparison_end(comparison, why->text);
		return;
	}
	for (size_t i = 0; i < count && !err; i++) {
		const char *id = differing->list[comparison->at + i].id;
		const json_t *object = comparison_find_object(list, comparison->kind, id);

		err = comparison_apply(comparison, id, object, &reason);
	}
	if (err) {
		comparison_end(comparison, reason.text);
		return;
	}
	comparison->at += count;
	comparison_second_pass(comparison);
}

static const char *revision_id(const void *ids, size_t i)
{
	return ((const struct revision *)ids)[i].id;
}

/*
 * Networks come first, because a port's name is in the domain of its network. Subnets
 * come before ports: otherwise an address of a hidden subnet would be published for a
 * moment.
 */
static const enum neutron_kind kinds[] = { NEUTRON_NETWORK, NEUTRON_SUBNET, NEUTRON_PORT,
                                           NEUTRON_FLOATING };

static bool comparison_next_kind(struct comparison *comparison)
{
	size_t count = sizeof(kinds) / sizeof(kinds[0]), i = 0;

	if (comparison->kind != NEUTRON_OTHER)
		while (kinds[i++] != comparison->kind)
			;
	while (i < count && !comparison->differing[kinds[i]].count)
		i++;
	if (i == count)
		return false;
	comparison->kind = kinds[i];
	comparison->at = 0;
	return true;
}

static void comparison_second_pass(struct comparison *comparison)
{
	struct pull_query query = {
		.key = "id", .id = revision_id,
	};

	if (!comparison_chunk_size(comparison) && !comparison_next_kind(comparison)) {
		comparison_end(comparison,
		               comparison_count_differing(comparison) < DIFFERING_MAX
		               ? "" : "more objects differ than one comparison can "
		                       "repair: the next comparison repairs more "
		                       "objects");
		return;
	}
	query.kind = comparison->kind;
	query.ids = comparison->differing[comparison->kind].list + comparison->at;
	query.count = comparison_chunk_size(comparison);
	if (comparison->kind == NEUTRON_FLOATING) {
		query.kind = NEUTRON_PORT;
		query.key = "device_id";
	}
	pull_ask(comparison->pull, &query, comparison_on_objects, comparison);
}

static void comparison_on_timer(void *self)
{
	struct comparison *comparison = self;

	comparison->kind = NEUTRON_OTHER;
	comparison->at = 0;
	comparison_second_pass(comparison);
}

/* ---- the first pass: networks, then subnets, then the ports of each network ---- */

static void revision_list_add_object(struct revision_list *theirs, const json_t *data)
{
	struct revision revision = { .revision = neutron_revision(data) };

	revision.is_partial = neutron_is_of_floating(data);
	if (comparison_read_id(data,
	                       revision.is_partial ? NEUTRON_FLOATING : NEUTRON_PORT,
	                       revision.id))
		revision_list_add(theirs, &revision);
}

static void first_pass_read_theirs(struct comparison *comparison, const json_t *list,
                                   struct revision_list *theirs)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *data = ovo_data(json_array_get(list, i));

		if (data)
			revision_list_add_object(theirs, data);
	}
	revisions_sort(theirs->list, theirs->count);
	comparison->row.looked_at += (int)theirs->count;
	metric_add(figures.looked_at, theirs->count);
}

struct first_pass {
	struct comparison *comparison;
	struct revision_list ours, theirs;
	struct revision_list floating;	/* the floating IPs among ours */
};

static void first_pass_diff(struct first_pass *pass, enum neutron_kind kind)
{
	struct comparison *comparison = pass->comparison;
	size_t room = pass->ours.count + pass->theirs.count;
	struct revision *found = xcalloc(room + 1, sizeof(*found));
	size_t count;

	revisions_sort(pass->ours.list, pass->ours.count);
	revisions_sort(pass->floating.list, pass->floating.count);
	count = revisions_diff(pass->ours.list, pass->ours.count, pass->theirs.list,
	                       pass->theirs.count, found);
	for (size_t i = 0; i < count; i++) {
		bool is_floating = found[i].is_partial ||
		                   revisions_have(pass->floating.list,
		                                  pass->floating.count, found[i].id);

		revision_list_add(&comparison->differing[is_floating ? NEUTRON_FLOATING
		                                                     : kind], &found[i]);
	}
	comparison->row.differing += (int)count;
	metric_add(figures.differing, count);
	free(found);
}

/* Compares both lists. Ends the round if TX failed. */
static bool first_pass_end(struct first_pass *pass, struct tx *tx, enum neutron_kind kind)
{
	bool is_read = !tx_commit(tx);

	if (is_read)
		first_pass_diff(pass, kind);
	else
		comparison_end(pass->comparison, tx->why->text);
	revision_list_clear(&pass->ours);
	revision_list_clear(&pass->theirs);
	revision_list_clear(&pass->floating);
	return is_read;
}

static void comparison_first_pass(struct comparison *comparison);

static void first_pass_add_port(void *self, const struct revision *revision,
                                bool is_floating)
{
	struct first_pass *pass = self;

	revision_list_add(&pass->ours, revision);
	if (is_floating)
		revision_list_add(&pass->floating, revision);
}

static void comparison_on_ports(void *self, const json_t *list, const struct why *reason)
{
	struct comparison *comparison = self;
	struct first_pass pass = { .comparison = comparison };
	struct why why;

	if (!list) {
		comparison_end(comparison, reason->text);
		return;
	}

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	first_pass_read_theirs(comparison, list, &pass.theirs);
	store_port_revisions(&tx, comparison->networks.list[comparison->at].id,
	                     first_pass_add_port, &pass);
	if (!first_pass_end(&pass, &tx, NEUTRON_PORT))
		return;
	comparison->at++;
	comparison_first_pass(comparison);
}

static void comparison_first_pass(struct comparison *comparison)
{
	const struct revision_list *networks = &comparison->networks;
	const struct pull_query query = {
		.kind = NEUTRON_PORT, .key = "network_id", .id = revision_id,
		.ids = networks->list + comparison->at, .count = 1, .ids_only = true,
	};

	if (comparison->at < networks->count &&
	    comparison_count_differing(comparison) < DIFFERING_MAX)
		pull_ask(comparison->pull, &query, comparison_on_ports, comparison);
	else
		loop_timer_set(comparison->timer,
		               comparison_count_differing(comparison) ? PASS_PAUSE_MS
		                                                      : 0);
}

static void first_pass_add(void *self, const struct revision *revision)
{
	revision_list_add(&((struct first_pass *)self)->ours, revision);
}

static void comparison_on_subnets(void *self, const json_t *list,
                                  const struct why *reason)
{
	struct comparison *comparison = self;
	struct first_pass pass = { .comparison = comparison };
	struct why why;

	if (!list) {
		comparison_end(comparison, reason->text);
		return;
	}

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	first_pass_read_theirs(comparison, list, &pass.theirs);
	store_subnet_revisions(&tx, ports_publishes_all(comparison->ports),
	                       first_pass_add, &pass);
	if (first_pass_end(&pass, &tx, NEUTRON_SUBNET))
		comparison_first_pass(comparison);
}

/*
 * Adds networks of both sides: ports here may be in a network that Neutron no longer has.
 */
static void first_pass_add_networks(struct comparison *comparison,
                                    const struct first_pass *pass)
{
	size_t j = 0;

	for (size_t i = 0; i < pass->theirs.count; i++)
		revision_list_add(&comparison->networks, &pass->theirs.list[i]);
	for (size_t i = 0; i < pass->ours.count; i++) {
		const struct revision *our = &pass->ours.list[i];
		int order = -1;

		while (j < pass->theirs.count &&
		       (order = strcmp(pass->theirs.list[j].id, our->id)) < 0)
			j++;
		if (order && !our->is_gone)
			revision_list_add(&comparison->networks, our);
	}
}

static void comparison_on_networks(void *self, const json_t *list,
                                   const struct why *reason)
{
	struct comparison *comparison = self;
	struct first_pass pass = { .comparison = comparison };
	const struct pull_query query = { .kind = NEUTRON_SUBNET, .ids_only = true };
	const char *domain;
	struct why why;

	if (!list) {
		comparison_end(comparison, reason->text);
		return;
	}
	if (codec_domain_text(comparison->ports->settings.domain, comparison->arena,
	                      &domain, &why))
		domain = NULL;

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	first_pass_read_theirs(comparison, list, &pass.theirs);
	store_network_revisions(&tx, domain ? domain : "", first_pass_add, &pass);
	arena_reset(comparison->arena);
	revisions_sort(pass.ours.list, pass.ours.count);
	first_pass_add_networks(comparison, &pass);
	if (first_pass_end(&pass, &tx, NEUTRON_NETWORK))
		pull_ask(comparison->pull, &query, comparison_on_subnets, comparison);
}

/* ---- the beginning of a round ---- */

static void comparison_begin(struct comparison *comparison)
{
	const struct pull_query query = { .kind = NEUTRON_NETWORK, .ids_only = true };

	comparison->is_running = true;
	comparison->began_ms = clock_ms();
	comparison->row = (struct comparison_row){ .reason = "" };
	comparison->failures = 0;
	comparison->at = 0;
	comparison->kind = NEUTRON_OTHER;
	pull_ask(comparison->pull, &query, comparison_on_networks, comparison);
}

/* True: a round is due, and this process has claimed it. */
static bool comparison_claim(struct comparison *comparison)
{
	int period_ms = comparison->ports->settings.compare_ms;
	struct why why;
	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	bool is_claimed;

	if (!comparison->has_row)
		store_comparison_due(&tx, comparison_feed(comparison), period_ms);
	is_claimed = store_comparison_claim(&tx, comparison_feed(comparison), period_ms);
	if (tx_commit(&tx)) {
		log_warn("comparison with Neutron not started: reason=\"%s\"", why.text);
		return false;
	}
	comparison->has_row = true;
	return is_claimed;
}

void compare_fire(struct comparison *comparison)
{
	if (comparison && !comparison->is_running && comparison_claim(comparison))
		comparison_begin(comparison);
}

void compare_soon(struct comparison *comparison)
{
	struct why why;

	if (!comparison)
		return;

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	store_comparison_due(&tx, comparison_feed(comparison), RETRY_MS);
	if (tx_commit(&tx))
		log_warn("comparison with Neutron not scheduled: reason=\"%s\"",
		         why.text);
}

struct comparison *compare_new(struct ports *ports)
{
	struct comparison *comparison;

	if (!*ports->settings.feed)
		return NULL;
	comparison = xcalloc(1, sizeof(*comparison));
	comparison->ports = ports;
	comparison->arena = arena_new();
	comparison->pull = pull_new(ports);
	comparison->timer = loop_timer_new(ports->runtime.loop, comparison_on_timer,
	                                   comparison);
	return comparison;
}

void compare_free(struct comparison **comparison)
{
	struct comparison *own = *comparison;

	if (!own)
		return;
	pull_free(&own->pull);
	loop_timer_free(&own->timer);
	revision_list_clear(&own->networks);
	for (int kind = 0; kind < NEUTRON_KINDS; kind++)
		revision_list_clear(&own->differing[kind]);
	arena_free(&own->arena);
	free(own);
	*comparison = NULL;
}
