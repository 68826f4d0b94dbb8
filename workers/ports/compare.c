#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "codec.h"
#include "model/json.h"
#include "ovo.h"
#include "pull.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "telling.h"

enum {
	APART_MS = 5000,		/* from the end of the first look to the second */
	AT_ONCE = 20,			/* objects of a question of the second */
	DIFFERING_MAX = 20000,		/* of a round; then the next one goes on */
	SOON_S = 30,
};

static struct figures {
	struct metric *rounds, *failed, *looked_at, *differing, *repaired;
} figures;

void compare_metrics(void)
{
	figures.rounds = metric_new(METRIC_COUNTER, "ports_comparisons_total",
	    "comparisons with Neutron that ended", NULL, NULL);
	figures.failed = metric_new(METRIC_COUNTER, "ports_comparisons_failed_total",
	    "comparisons with Neutron that failed. The log has the reason", NULL, NULL);
	figures.looked_at = metric_new(METRIC_COUNTER, "ports_compared_total",
	    "networks, subnets and ports of Neutron that were compared", NULL, NULL);
	figures.differing = metric_new(METRIC_COUNTER, "ports_differing_total",
	    "objects that differed at the first look, mostly because their news is "
	    "on the way", NULL, NULL);
	figures.repaired = metric_new(METRIC_COUNTER, "ports_repaired_total",
	    "objects that were corrected after the second look: their news was lost",
	    NULL, NULL);
}

struct sights {
	struct sight *list;
	size_t count, size;
};

static void push(struct sights *sights, const struct sight *sight)
{
	if (sights->count == sights->size) {
		sights->size = 2 * sights->size + 64;
		sights->list = xrealloc(sights->list, sights->size *
		                                      sizeof(*sights->list));
	}
	sights->list[sights->count++] = *sight;
}

static void drop(struct sights *sights)
{
	free(sights->list);
	*sights = (struct sights){ 0 };
}

struct comparison {
	struct ports *ports;
	struct pull *pull;
	struct loop_timer *timer;	/* to the second look */
	struct arena *arena;		/* of an answer */
	bool is_running, is_known;	/* the row is there */
	/* of the round under way */
	int64_t began_ms;
	struct sights networks;		/* that there are, and were */
	size_t at;			/* of them, or of what differs */
	struct sights differing[NEUTRON_KINDS];
	enum neutron_kind kind;		/* of the second look */
	int left_wrong;			/* objects that cannot be put right, */
	struct why first_wrong;		/* and what the first one is like */
	struct comparison_row row;
};

static const char *feed_of(const struct comparison *comparison)
{
	return comparison->ports->settings.feed;
}

/* ---- the end of a round ---- */

/* REASON "": all of it was looked at. Else the next one comes soon. */
static void end(struct comparison *comparison, const char *reason)
{
	struct why why, wrong;
	struct tx tx = tx_begin(comparison->ports->runtime.db, &why);

	metric_add(*reason ? figures.failed : figures.rounds, 1);
	log_info("compared with Neutron: looked_at=%d differing=%d repaired=%d wrong=%d ms=%"
	         PRId64 " reason=\"%s\"", comparison->row.looked_at,
	         comparison->row.differing, comparison->row.repaired,
	         comparison->left_wrong, clock_ms() - comparison->began_ms, reason);
	comparison->row.reason = reason;
	if (!*reason && comparison->left_wrong) {
		snprintf(wrong.text, sizeof(wrong.text), "%d could not be put right: %.400s",
		         comparison->left_wrong, comparison->first_wrong.text);
		comparison->row.reason = wrong.text;
	}
	store_comparison_put(&tx, feed_of(comparison), &comparison->row);
	if (*reason)
		store_comparison_due(&tx, feed_of(comparison), SOON_S);
	if (tx_commit(&tx))
		log_warn("comparison not written down: reason=\"%s\"", why.text);
	comparison->row.reason = "";
	drop(&comparison->networks);
	for (int kind = 0; kind < NEUTRON_KINDS; kind++)
		drop(&comparison->differing[kind]);
	comparison->is_running = false;
}

static size_t differing_count(const struct comparison *comparison)
{
	size_t count = 0;

	for (int kind = 0; kind < NEUTRON_KINDS; kind++)
		count += comparison->differing[kind].count;
	return count;
}

/* ---- the second look: what is still so, by its id ---- */

static void second_look(struct comparison *comparison);

/* Of an object that an answer is about: a port may only keep a floating IP's address. */
static bool read_id(const json_t *data, enum neutron_kind kind, char id[ID_LEN + 1])
{
	struct why why;

	return !json_get_id(data, kind == NEUTRON_FLOATING ? "device_id" : "id",
	                    JSON_REQUIRED, id, &why);
}

static const json_t *find_object(const json_t *list, enum neutron_kind kind,
                                 const char *id)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *object = json_array_get(list, i);
		char own[ID_LEN + 1];

		if (read_id(ovo_data(object), kind, own) && !strcmp(own, id))
			return object;
	}
	return NULL;
}

/*
 * What its source itself has wrong, or what something of ours is in the way of, stays so,
 * however often all is compared: the round goes on with the others, and its result says so.
 */
static enum err left_wrong(struct comparison *comparison, const char *id, enum err err,
                           const struct why *why)
{
	log_warn("not put right: id=%s reason=\"%s\"", id, why->text);
	if (err_retry(err) != RETRY_NEVER)
		return err;
	if (!comparison->left_wrong++)
		snprintf(comparison->first_wrong.text, sizeof(comparison->first_wrong.text),
		         "%.32s: %.300s", id, why->text);
	return OK;
}

/* What its port tells of a floating IP: NULL: it has no address yet. */
static json_t *floating_plain(json_t *port)
{
	const char *address = json_string_value(json_object_get(json_array_get(
	                      json_object_get(port, "fixed_ips"), 0), "ip_address"));

	return !address ? NULL : json_pack("{s:O, s:O?, s:s}",
		"id", json_object_get(port, "device_id"),
		"floating_network_id", json_object_get(port, "network_id"),
		"floating_ip_address", address);
}

static json_t *plain_of(const struct comparison *comparison, const json_t *object)
{
	json_t *plain = ovo_plain(object), *floating;

	if (!plain || comparison->kind != NEUTRON_FLOATING)
		return plain;
	floating = floating_plain(plain);
	json_decref(plain);
	return floating;
}

/* Fails if none of the others could be put right either. */
static enum err settle(struct comparison *comparison, const char *id, const json_t *object,
                       struct why *why)
{
	struct told told = { .ports = comparison->ports, .arena = comparison->arena,
	                     .of = comparison->kind, .id = id };
	json_t *plain = NULL;
	enum err err;

	told.is_hint = object && told.of == NEUTRON_FLOATING;
	if (object)
		told.json = plain = plain_of(comparison, object);
	if (told.is_hint && !plain)
		return OK;
	err = object ? tell(&told, why) : tell_gone(&told, why);
	if (!err && told.has_changed) {
		comparison->row.repaired++;
		metric_add(figures.repaired, 1);
	}
	if (err)
		err = left_wrong(comparison, id, err, why);
	json_decref(plain);
	arena_reset(comparison->arena);
	return err;
}

static size_t chunk(const struct comparison *comparison)
{
	size_t left = comparison->differing[comparison->kind].count - comparison->at;

	return left < AT_ONCE ? left : AT_ONCE;
}

static void on_second(void *self, const json_t *list, const struct why *why)
{
	struct comparison *comparison = self;
	const struct sights *differing = &comparison->differing[comparison->kind];
	size_t count = chunk(comparison);
	struct why reason;
	enum err err = OK;

	if (!list) {
		end(comparison, why->text);
		return;
	}
	for (size_t i = 0; i < count && !err; i++) {
		const char *id = differing->list[comparison->at + i].id;

		err = settle(comparison, id, find_object(list, comparison->kind, id),
		             &reason);
	}
	if (err) {
		end(comparison, reason.text);
		return;
	}
	comparison->at += count;
	second_look(comparison);
}

static const char *sight_id(const void *ids, size_t i)
{
	return ((const struct sight *)ids)[i].id;
}

/*
 * Networks come first, for their ports' names are of their domains, and subnets before
 * ports, so that nothing is published for a moment that is not to be.
 */
static const enum neutron_kind kinds[] = { NEUTRON_NETWORK, NEUTRON_SUBNET, NEUTRON_PORT,
                                           NEUTRON_FLOATING };

static bool next_kind(struct comparison *comparison)
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

static void second_look(struct comparison *comparison)
{
	struct pull_question question = {
		.key = "id", .id = sight_id,
	};

	if (!chunk(comparison) && !next_kind(comparison)) {
		end(comparison, differing_count(comparison) < DIFFERING_MAX
		                ? "" : "more differs than one round puts right");
		return;
	}
	question.of = comparison->kind;
	question.ids = comparison->differing[comparison->kind].list + comparison->at;
	question.count = chunk(comparison);
	if (comparison->kind == NEUTRON_FLOATING) {
		question.of = NEUTRON_PORT;
		question.key = "device_id";
	}
	pull_ask(comparison->pull, &question, on_second, comparison);
}

static void on_timer(void *self)
{
	struct comparison *comparison = self;

	comparison->kind = NEUTRON_OTHER;
	comparison->at = 0;
	second_look(comparison);
}

/* ---- the first look: networks, subnets, the ports of one network after another ---- */

/* Theirs, by what it says of itself. */
static void push_theirs(struct sights *theirs, const json_t *data)
{
	struct sight sight = { .revision = neutron_revision(data) };

	sight.is_hint = neutron_is_of_floating(data);
	if (read_id(data, sight.is_hint ? NEUTRON_FLOATING : NEUTRON_PORT, sight.id))
		push(theirs, &sight);
}

static void read_theirs(struct comparison *comparison, const json_t *list,
                        struct sights *theirs)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *data = ovo_data(json_array_get(list, i));

		if (data)
			push_theirs(theirs, data);
	}
	sights_sort(theirs->list, theirs->count);
	comparison->row.looked_at += (int)theirs->count;
	metric_add(figures.looked_at, theirs->count);
}

struct first_look {
	struct comparison *comparison;
	struct sights ours, theirs;
	struct sights floating;		/* which of ours are such */
};

static bool is_floating(const struct first_look *look, const struct sight *found)
{
	return found->is_hint || sights_have(look->floating.list, look->floating.count,
	                                     found->id);
}

static void find_differing(struct first_look *look, enum neutron_kind kind)
{
	struct comparison *comparison = look->comparison;
	size_t room = look->ours.count + look->theirs.count;
	struct sight *found = xcalloc(room + 1, sizeof(*found));
	size_t count;

	sights_sort(look->ours.list, look->ours.count);
	sights_sort(look->floating.list, look->floating.count);
	count = sights_differing(look->ours.list, look->ours.count, look->theirs.list,
	                         look->theirs.count, found);
	for (size_t i = 0; i < count; i++)
		push(&comparison->differing[is_floating(look, &found[i])
		                            ? NEUTRON_FLOATING : kind], &found[i]);
	comparison->row.differing += (int)count;
	metric_add(figures.differing, count);
	free(found);
	drop(&look->ours);
	drop(&look->theirs);
	drop(&look->floating);
}

static void first_look(struct comparison *comparison);

static void take_our_port(void *self, const struct sight *sight, bool is_floating)
{
	struct first_look *look = self;

	push(&look->ours, sight);
	if (is_floating)
		push(&look->floating, sight);
}

static void on_ports(void *self, const json_t *list, const struct why *reason)
{
	struct comparison *comparison = self;
	struct first_look look = { .comparison = comparison };
	struct why why;

	if (!list) {
		end(comparison, reason->text);
		return;
	}

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	read_theirs(comparison, list, &look.theirs);
	store_port_sights(&tx, comparison->networks.list[comparison->at].id,
	                  take_our_port, &look);
	if (tx_commit(&tx)) {
		drop(&look.ours);
		drop(&look.theirs);
		drop(&look.floating);
		end(comparison, why.text);
		return;
	}
	find_differing(&look, NEUTRON_PORT);
	comparison->at++;
	first_look(comparison);
}

static void first_look(struct comparison *comparison)
{
	const struct sights *networks = &comparison->networks;
	const struct pull_question question = {
		.of = NEUTRON_PORT, .key = "network_id", .id = sight_id,
		.ids = networks->list + comparison->at, .count = 1, .is_light = true,
	};

	if (comparison->at < networks->count &&
	    differing_count(comparison) < DIFFERING_MAX)
		pull_ask(comparison->pull, &question, on_ports, comparison);
	else
		loop_timer_set(comparison->timer, differing_count(comparison) ? APART_MS
		                                                              : 0);
}

static void take_ours(void *self, const struct sight *sight)
{
	push(&((struct first_look *)self)->ours, sight);
}

static void on_subnets(void *self, const json_t *list, const struct why *reason)
{
	struct comparison *comparison = self;
	struct first_look look = { .comparison = comparison };
	struct why why;

	if (!list) {
		end(comparison, reason->text);
		return;
	}

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	read_theirs(comparison, list, &look.theirs);
	store_subnet_sights(&tx, ports_publishes_all(comparison->ports), take_ours,
	                    &look);
	if (tx_commit(&tx)) {
		drop(&look.ours);
		drop(&look.theirs);
		end(comparison, why.text);
		return;
	}
	find_differing(&look, NEUTRON_SUBNET);
	first_look(comparison);
}

/* Those that either has: what of ours is in none of theirs has no ports any more. */
static void take_networks(struct comparison *comparison, const struct first_look *look)
{
	size_t j = 0;

	for (size_t i = 0; i < look->theirs.count; i++)
		push(&comparison->networks, &look->theirs.list[i]);
	for (size_t i = 0; i < look->ours.count; i++) {
		const struct sight *our = &look->ours.list[i];
		int order = -1;

		while (j < look->theirs.count &&
		       (order = strcmp(look->theirs.list[j].id, our->id)) < 0)
			j++;
		if (order && !our->is_gone)
			push(&comparison->networks, our);
	}
}

static void on_networks(void *self, const json_t *list, const struct why *reason)
{
	struct comparison *comparison = self;
	struct first_look look = { .comparison = comparison };
	const char *domain;
	struct why why;

	if (!list) {
		end(comparison, reason->text);
		return;
	}
	if (codec_domain_text(comparison->ports->settings.domain, comparison->arena,
	                      &domain, &why))
		domain = NULL;

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	read_theirs(comparison, list, &look.theirs);
	store_network_sights(&tx, domain ? domain : "", take_ours, &look);
	arena_reset(comparison->arena);
	if (tx_commit(&tx)) {
		drop(&look.ours);
		drop(&look.theirs);
		end(comparison, why.text);
		return;
	}
	sights_sort(look.ours.list, look.ours.count);
	take_networks(comparison, &look);
	find_differing(&look, NEUTRON_NETWORK);
	pull_ask(comparison->pull, &(struct pull_question){ .of = NEUTRON_SUBNET,
	                                                    .is_light = true },
	         on_subnets, comparison);
}

/* ---- its beginning ---- */

static void begin(struct comparison *comparison)
{
	const struct pull_question question = { .of = NEUTRON_NETWORK, .is_light = true };

	comparison->is_running = true;
	comparison->began_ms = clock_ms();
	comparison->row = (struct comparison_row){ .reason = "" };
	comparison->left_wrong = 0;
	comparison->at = 0;
	comparison->kind = NEUTRON_OTHER;
	pull_ask(comparison->pull, &question, on_networks, comparison);
}

static bool is_due(struct comparison *comparison)
{
	int period_ms = comparison->ports->settings.compare_ms;
	struct why why;
	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	bool taken;

	if (!comparison->is_known)
		store_comparison_due(&tx, feed_of(comparison), period_ms);
	taken = store_comparison_take(&tx, feed_of(comparison), period_ms);
	if (tx_commit(&tx)) {
		log_warn("comparison not begun: reason=\"%s\"", why.text);
		return false;
	}
	comparison->is_known = true;
	return taken;
}

void compare_fire(struct comparison *comparison)
{
	if (comparison && !comparison->is_running && is_due(comparison))
		begin(comparison);
}

void compare_soon(struct comparison *comparison)
{
	struct why why;

	if (!comparison)
		return;

	struct tx tx = tx_autocommit(comparison->ports->runtime.db, &why);
	store_comparison_due(&tx, feed_of(comparison), SOON_S);
	if (tx_commit(&tx))
		log_warn("comparison not made due: reason=\"%s\"", why.text);
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
	comparison->timer = loop_timer_new(ports->runtime.loop, on_timer, comparison);
	return comparison;
}

void compare_free(struct comparison **comparison)
{
	struct comparison *own = *comparison;

	if (!own)
		return;
	pull_free(&own->pull);
	loop_timer_free(&own->timer);
	drop(&own->networks);
	for (int kind = 0; kind < NEUTRON_KINDS; kind++)
		drop(&own->differing[kind]);
	arena_free(&own->arena);
	free(own);
	*comparison = NULL;
}
