#include "round_private.h"

#include <jansson.h>
#include <openssl/evp.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "model/presentation.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

/* Limits of the plan as JSON: items, octets, and records of an item. */
enum { ITEMS_MAX = 1000, OCTETS_MAX = 512 * 1024, RECORDS_MAX = 20 };

/* ---- one item ---- */

static json_t *report_records(const struct rrset *set)
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

/* Another program may have written the mark, so the text is quoted. */
static json_t *report_resource(const struct plan_item *item)
{
	const char *resource = item->desired ? item->desired->resource
	                                     : view_set_resource(item->set);
	char quoted[MARK_RESOURCE_MAX + 1];

	return resource ? json_string(err_quote(resource, quoted, sizeof(quoted)))
	                : json_null();
}

static json_t *report_item(const struct plan_item *item)
{
	char name[NAME_MAX_TEXT + 1], type[16];
	struct name owner;

	node_name(item->node, &owner);
	name_format(&owner, name);
	rrtype_format(item->type, type);
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:s, s:o, s:o}",
		"name", name, "type", type, "step", plan_step_name(item->step),
		"reason", plan_reason_name(item->reason), "held", item->is_held,
		"resource", report_resource(item), "words", item->detail,
		"is", report_records(&item->set->rrset),
		"becomes", report_records(&item->becomes));
}

/* Sets that are as desired are left out. */
static bool report_includes(const struct plan_item *item)
{
	return item->step != STEP_NONE || item->reason != REASON_WANTED;
}

/* ---- the plan ---- */

static json_t *report_counts(const size_t *count, size_t n, const char *(*name)(size_t))
{
	json_t *object = json_object();

	for (size_t i = 0; i < n; i++)
		if (count[i])
			json_object_set_new(object, name(i),
			                    json_integer((json_int_t)count[i]));
	return object;
}

static const char *report_step_name(size_t i)
{
	return plan_step_name((enum plan_step)i);
}

static const char *report_reason_name(size_t i)
{
	return plan_reason_name((enum plan_reason)i);
}

static const char *report_outcome_name(size_t i)
{
	return outcome_name((enum outcome)i);
}

/* The items that the limits allow. */
struct listing {
	json_t *items;
	size_t octets, more;
	bool is_full;
};

static void listing_add(struct listing *listing, const struct plan_item *item)
{
	json_t *json = report_item(item);

	listing->octets += json_dumpb(json, NULL, 0, JSON_COMPACT);
	json_array_append_new(listing->items, json);
	listing->is_full = json_array_size(listing->items) == ITEMS_MAX ||
	                   listing->octets > OCTETS_MAX;
}

/* Call it for held items first, because the operator must see them. */
static void listing_add_all(const struct round *round, bool is_held,
                            struct listing *listing)
{
	for (size_t i = 0; i < round->plan.count; i++) {
		const struct plan_item *item = &round->plan.items[i];

		if (item->is_held != is_held || !report_includes(item))
			continue;
		if (listing->is_full)
			listing->more++;
		else
			listing_add(listing, item);
	}
}

void round_describe(const struct round *round, struct buf *text)
{
	const struct plan *plan = &round->plan;
	struct listing listing = { .items = json_array() };

	listing_add_all(round, true, &listing);
	listing_add_all(round, false, &listing);

	json_t *json = json_pack(
		"{s:I, s:I, s:I, s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:I}",
		"serial", (json_int_t)round->serial, "ours", (json_int_t)plan->ours,
		"held", (json_int_t)plan->held, "digest", round->digest,
		"complete", round->is_complete,
		"dry_run", round->registry->settings->dry_run,
		"steps", report_counts(plan->steps, STEP_COUNT, report_step_name),
		"reasons", report_counts(plan->reasons, REASON_COUNT, report_reason_name),
		"outcomes", report_counts(round->outcomes, OUTCOME_COUNT,
		                          report_outcome_name),
		"items", listing.items, "more", (json_int_t)listing.more);
	char *dump = json_dumps(json, JSON_COMPACT);
	buf_text(text, dump);
	free(dump);
	json_decref(json);
}

/* ---- digests ---- */

/* The records of a set, now and after the step. */
static void item_digest_change(EVP_MD_CTX *hash, const struct plan_item *item)
{
	struct buf octets = { 0 };

	buf_append(&octets, item->node->wire, item->node->len);
	buf_u16(&octets, item->type);
	buf_u8(&octets, (uint8_t)item->step);
	rrset_pack(&item->set->rrset, &octets);
	buf_u8(&octets, 0);
	rrset_pack(&item->becomes, &octets);
	EVP_DigestUpdate(hash, octets.data, octets.len);
	buf_clear(&octets);
}

static void item_digest_reason(EVP_MD_CTX *hash, const struct plan_item *item)
{
	const uint8_t what[] = { (uint8_t)(item->type >> 8), (uint8_t)item->type,
	                         (uint8_t)item->reason };

	EVP_DigestUpdate(hash, item->node->wire, item->node->len);
	EVP_DigestUpdate(hash, what, sizeof(what));
}

/*
 * The digest of the items for which IS_IN is true, as hexadecimal digits; "" without
 * items.
 */
static void plan_digest_items(const struct plan *plan,
                              bool (*is_in)(const struct plan_item *item),
                              void (*digest)(EVP_MD_CTX *hash,
                                             const struct plan_item *item),
                              char text[PLAN_DIGEST + 1])
{
	EVP_MD_CTX *hash = EVP_MD_CTX_new();
	uint8_t octets[EVP_MAX_MD_SIZE];
	unsigned len;
	bool any = false;

	EVP_DigestInit_ex(hash, EVP_sha256(), NULL);
	for (size_t i = 0; i < plan->count; i++) {
		if (!is_in(&plan->items[i]))
			continue;
		digest(hash, &plan->items[i]);
		any = true;
	}
	EVP_DigestFinal_ex(hash, octets, &len);
	EVP_MD_CTX_free(hash);
	hex_encode(octets, any ? len : 0, text);
}

static bool item_is_held(const struct plan_item *item)
{
	return item->is_held;
}

/* A resource wants the set, and another owner has it or may have it. */
static const bool mismatches[REASON_COUNT] = {
	[REASON_UNMANAGED_EQUAL] = true, [REASON_UNMANAGED] = true,
	[REASON_FOREIGN] = true,         [REASON_FOREIGN_ORPHAN] = true,
	[REASON_FOREIGN_CNAME] = true,   [REASON_NAME_SHARED] = true,
	[REASON_BAD_MARK] = true,        [REASON_CONTESTED] = true,
	[REASON_VAGUE_MARK] = true,      [REASON_MARK_LOST] = true,
};

static bool item_is_mismatch(const struct plan_item *item)
{
	return mismatches[item->reason];
}

void round_digest(struct round *round)
{
	plan_digest_items(&round->plan, item_is_held, item_digest_change, round->digest);
	plan_digest_items(&round->plan, item_is_mismatch, item_digest_reason,
	                  round->mismatches);
}

/* ---- log, metrics, notifications ---- */

static struct metric *rounds, *quiet_rounds, *failed, *parked;
static struct metric *changes_of[OUTCOME_COUNT];

void round_metrics(void)
{
	rounds = metric_new(METRIC_COUNTER, "ownership_rounds_total",
	                    "rounds in which zonefleet-ownership read a zone and "
	                    "planned the changes to the zone",
	                    NULL, NULL);
	quiet_rounds = metric_new(METRIC_COUNTER, "ownership_quiet_rounds_total",
	                          "rounds that ended early because the serial of the "
	                          "zone had not changed since the last plan",
	                          NULL, NULL);
	failed = metric_new(METRIC_COUNTER, "ownership_bad_rounds_total",
	                    "failed rounds, by state. parked: the primary refuses all "
	                    "changes",
	                    "state", "failed");
	parked = metric_new(METRIC_COUNTER, "ownership_bad_rounds_total",
	                    "failed rounds, by state. parked: the primary refuses all "
	                    "changes",
	                    "state", "parked");
	for (size_t i = 0; i < OUTCOME_COUNT; i++)
		changes_of[i] = metric_new(METRIC_COUNTER, "ownership_updates_total",
		                           "updates at a primary, by outcome. Each "
		                           "update changes the records of one name",
		                           "outcome", outcome_name((enum outcome)i));
}

void round_skip_count(void)
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
		log_warn("notification not sent: event=%s reason=\"%s\"",
		         event, why.text);
	json_decref(payload);
}

static void report_held(const struct round *round)
{
	round_notify(round, "dns.plan.held",
	             json_pack("{s:I, s:s}", "held", (json_int_t)round->plan.held,
	                       "digest", round->digest));
}

static void report_applied(const struct round *round)
{
	round_notify(round, "dns.plan.applied",
	             json_pack("{s:o, s:o}",
	                       "steps", report_counts(round->plan.steps, STEP_COUNT,
	                                              report_step_name),
	                       "outcomes", report_counts(round->outcomes, OUTCOME_COUNT,
	                                                 report_outcome_name)));
}

/* Notifies only when the mismatches have changed since the last round. */
static void report_mismatch(const struct round *round)
{
	size_t reasons[REASON_COUNT] = { 0 }, count = 0;

	if (!strcmp(round->mismatches, round->row.mismatches))
		return;
	for (size_t i = 0; i < REASON_COUNT; i++) {
		reasons[i] = mismatches[i] ? round->plan.reasons[i] : 0;
		count += reasons[i];
	}
	round_notify(round, "dns.owner.mismatch",
	             json_pack("{s:I, s:o}", "count", (json_int_t)count, "reasons",
	                       report_counts(reasons, REASON_COUNT, report_reason_name)));
}

static void report_plan(const struct round *round)
{
	const struct registry *registry = round->registry;
	size_t applied = round->outcomes[OUTCOME_APPLIED];

	metric_add(rounds, 1);
	for (size_t i = 0; i < OUTCOME_COUNT; i++)
		metric_add(changes_of[i], (int64_t)round->outcomes[i]);
	if (round->update_count || round->plan.held)
		log_info("round with changes ended: zone=%s storage_id=%s serial=%u "
		         "names=%zu applied=%zu held=%zu dry_run=%s", registry->zone_text,
		         registry->settings->storage_id, round->serial,
		         round->update_count, applied, round->plan.held,
		         registry->settings->dry_run ? "true" : "false");
	report_mismatch(round);
	if (*round->digest && strcmp(round->digest, round->row.held_digest))
		report_held(round);
	if (applied)
		report_applied(round);
}

void round_report(struct round *round, enum registry_state state)
{
	if (round->is_planned)
		report_plan(round);
	if (registry_state_failed(state))
		metric_add(state == REGISTRY_PARKED ? parked : failed, 1);
}
