#include "round_private.h"

#include <jansson.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/log.h"
#include "model/presentation.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

enum { ITEMS_MAX = 1000, RECORDS_MAX = 20 };	/* of a plan, of an item: shown */

/* ---- one item ---- */

static json_t *records_of(const struct rrset *set)
{
	json_t *list = json_array();
	struct buf text = { 0 };
	struct why why;

	for (size_t i = 0; i < set->count && i < RECORDS_MAX; i++) {
		buf_reset(&text);
		if (!rdata_format(set->type, set->records[i].octets, set->records[i].len,
		                  &text, &why))
			json_array_append_new(list, json_string(buf_string(&text)));
	}
	if (set->count > RECORDS_MAX)
		json_array_append_new(list, json_sprintf("and %zu more",
		                                         set->count - RECORDS_MAX));
	buf_clear(&text);
	return list;
}

static const char *resource_of(const struct plan_item *item)
{
	if (item->wish)
		return item->wish->resource;
	return item->holding->ours && item->holding->ours->mark
	       ? mark_get(item->holding->ours->mark, "resource") : NULL;
}

static json_t *item_json(const struct plan_item *item)
{
	char name[NAME_MAX_TEXT + 1], type[16];
	struct name owner;

	node_name(item->node, &owner);
	name_format(&owner, name);
	rrtype_format(item->type, type);
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?, s:s, s:o, s:o}",
		"name", name, "type", type, "step", plan_step_name(item->step),
		"reason", plan_reason_name(item->reason), "held", item->is_held,
		"resource", resource_of(item), "words", item->words,
		"is", records_of(&item->holding->is),
		"becomes", records_of(&item->becomes));
}

/* Nothing is to be said of what is as it should be. */
static bool is_worth_telling(const struct plan_item *item)
{
	return item->step != STEP_NONE || item->reason != REASON_WANTED;
}

/* ---- the whole ---- */

static json_t *counts(const size_t *count, size_t n, const char *(*name)(size_t))
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		if (count[i])
			json_object_set_new(object, name(i),
			                    json_integer((json_int_t)count[i]));
	return object;
}

static const char *step_name(size_t i)
{
	return plan_step_name((enum plan_step)i);
}

static const char *reason_name(size_t i)
{
	return plan_reason_name((enum plan_reason)i);
}

static const char *result_name(size_t i)
{
	return outcome_name((enum outcome)i);
}

/* What is held comes first, for somebody has to look at it. */
static void list_items(const struct round *round, bool is_held, json_t *list,
                       size_t *more)
{
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];

		if (item->is_held != is_held || !is_worth_telling(item))
			continue;
		if (json_array_size(list) < ITEMS_MAX)
			json_array_append_new(list, item_json(item));
		else
			++*more;
	}
}

void round_describe(const struct round *round, struct buf *text)
{
	const struct plan *plan = &round->plan;
	json_t *items = json_array();
	size_t more = 0;

	list_items(round, true, items, &more);
	list_items(round, false, items, &more);

	json_t *json = json_pack(
		"{s:I, s:I, s:I, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:I}",
		"serial", (json_int_t)round->serial, "ours", (json_int_t)plan->ours,
		"held", (json_int_t)plan->held, "digest", round->digest,
		"complete", round->is_complete,
		"dry_run", round->registry->settings->dry_run,
		"steps", counts(plan->steps, STEP_COUNT, step_name),
		"reasons", counts(plan->reasons, REASON_COUNT, reason_name),
		"outcomes", counts(round->outcomes, OUTCOME_COUNT, result_name),
		"items", items, "more", (json_int_t)more);
	char *dump = json_dumps(json, JSON_COMPACT);
	buf_text(text, dump);
	free(dump);
	json_decref(json);
}

static void digest_item(EVP_MD_CTX *hash, const struct plan_item *item)
{
	struct buf octets = { 0 };

	buf_append(&octets, item->node->wire, item->node->len);
	buf_u16(&octets, item->type);
	buf_u8(&octets, (uint8_t)item->step);
	rrset_pack(&item->holding->is, &octets);
	buf_u8(&octets, 0);
	rrset_pack(&item->becomes, &octets);
	EVP_DigestUpdate(hash, octets.data, octets.len);
	buf_clear(&octets);
}

void round_digest(struct round *round)
{
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	uint8_t octets[EVP_MAX_MD_SIZE];
	unsigned len;

	EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
	for (size_t i = 0; i < round->plan.count; i++)
		if (round->plan.items[i].is_held)
			digest_item(hash, &round->plan.items[i]);
	EVP_DigestFinal_ex(hash, octets, &len);
	EVP_MD_CTX_free(hash);
	round->digest[0] = '\0';
	for (unsigned i = 0; round->plan.held && i < len; i++)
		snprintf(round->digest + 2 * i, 3, "%02x", octets[i]);
}

/* ---- log, metrics, notifications ---- */

static struct metric *rounds, *quiet_rounds, *changes_of[OUTCOME_COUNT];

void round_metrics(void)
{
	rounds = metric_new(METRIC_COUNTER, "ownership_rounds_total",
	                    "Rounds that planned a zone", NULL, NULL);
	quiet_rounds = metric_new(METRIC_COUNTER, "ownership_quiet_rounds_total",
	                          "Rounds that found a zone as it was, by its serial",
	                          NULL, NULL);
	for (size_t i = 0; i < OUTCOME_COUNT; i++)
		changes_of[i] = metric_new(METRIC_COUNTER, "ownership_updates_total",
		                           "Names that were updated, by what came of it",
		                           "outcome", outcome_name((enum outcome)i));
}

void round_count_quiet(void)
{
	metric_add(quiet_rounds, 1);
}

void round_notify(const struct round *round, const char *event, json_t *payload)
{
	struct why why;

	json_object_set_new(payload, "zone", json_string(round->registry->zone_text));
	json_object_set_new(payload, "storage_id",
	                    json_string(round->registry->settings->storage_id));
	if (rpc_notify(round->ownership->runtime.rpc, event, payload, &why))
		log_warn("notification lost: event=%s reason=\"%s\"", event, why.text);
	json_decref(payload);
}

static void tell_held(const struct round *round)
{
	round_notify(round, "dns.plan.held",
	             json_pack("{s:I, s:s}", "held", (json_int_t)round->plan.held,
	                       "digest", round->digest));
}

static void tell_applied(const struct round *round)
{
	round_notify(round, "dns.plan.applied",
	             json_pack("{s:o, s:o}",
	                       "steps", counts(round->plan.steps, STEP_COUNT, step_name),
	                       "outcomes", counts(round->outcomes, OUTCOME_COUNT,
	                                          result_name)));
}

/* What we want and somebody else has, or might have. */
static const enum plan_reason mismatches[] = {
	REASON_UNMANAGED_EQUAL, REASON_UNMANAGED, REASON_FOREIGN, REASON_FOREIGN_ORPHAN,
	REASON_FOREIGN_CNAME, REASON_NAME_SHARED, REASON_BAD_MARK, REASON_CONTESTED,
	REASON_VAGUE_MARK, REASON_MARK_LOST,
};

/* Each time that there are more or fewer of them than there were. */
static void tell_mismatch(struct round *round)
{
	size_t reasons[REASON_COUNT] = { 0 }, count = 0;

	for (size_t i = 0; i < sizeof(mismatches) / sizeof(mismatches[0]); i++) {
		reasons[mismatches[i]] = round->plan.reasons[mismatches[i]];
		count += reasons[mismatches[i]];
	}
	if (count == round->registry->mismatches)
		return;
	round->registry->mismatches = count;
	round_notify(round, "dns.owner.mismatch",
	             json_pack("{s:I, s:o}", "count", (json_int_t)count, "reasons",
	                       counts(reasons, REASON_COUNT, reason_name)));
}

void round_tell(struct round *round)
{
	const struct registry *registry = round->registry;
	size_t applied = round->outcomes[OUTCOME_APPLIED];

	metric_add(rounds, 1);
	for (size_t i = 0; i < OUTCOME_COUNT; i++)
		metric_add(changes_of[i], (int64_t)round->outcomes[i]);
	if (round->errand_count || round->plan.held)
		log_info("zone planned: zone=%s storage=%s serial=%u names=%zu "
		         "applied=%zu held=%zu%s", registry->zone_text,
		         registry->settings->storage_id, round->serial,
		         round->errand_count, applied, round->plan.held,
		         registry->settings->dry_run ? " dry_run=true" : "");
	tell_mismatch(round);
	if (*round->digest && strcmp(round->digest, round->row.held_digest))
		tell_held(round);
	if (applied)
		tell_applied(round);
}
