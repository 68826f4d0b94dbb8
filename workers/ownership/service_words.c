#include "codec.h"
#include "document.h"
#include "ownership.h"
#include "runtime/rpc_reference.h"

#define FIELDS(...) (const struct json_field[]){ __VA_ARGS__, { 0 } }
#define OWNER RPC_OWNER
#define REGISTRY "'storage_id': 'cluster-1', 'zone': 'shared.example.'"

static const struct json_field args[] = {
	{ "storage_id", "text", "the `storage_id` of the registry", .max = MARK_OWNER_MAX },
	{ "zone", "name", "the zone, with or without the final dot" },
	{ "selector", "[selector]", "which record sets" },
	{ "dry_run", "true or false", "true: only show the changes", "false" },
	{ 0 }
};

static const struct rpc_method_doc words[] = {
	{ "apply_endpoints", "Stores a resource's endpoints. The next round writes them. "
	  "`complete` of the answer is false while the source of the resource is in doubt.",
	  OWNER, "`changed`: number; `endpoints`: number; `complete`: true or false",
	  "{" REGISTRY ", 'resource': 'ingress/shop/web', 'complete': true, 'endpoints': "
	  "[{'dnsname': 'www.shared.example.', 'type': 'A', 'targets': ['192.0.2.80']}]}",
	  FIELDS({ "resource", "text", "the resource; letters, digits and `. _ : / @ -`",
	           .max = MARK_RESOURCE_MAX },
	         { "endpoints", "list of [endpoint]", "its wanted endpoints",
	           .max = ENDPOINTS_MAX },
	         { "complete", "true or false", "true: the resource wants nothing else; "
	           "false: its former "
	           "endpoints stay" },
	         { "rev", "number", "a growing number; `Conflict` for a smaller number",
	           "0: not counted", INT64_MAX }) },
	{ "plan_calculate", "Begins a round at once. The round is over when `rounds` of `get_plan` has "
	  "grown.", OWNER, "[registry]", "{" REGISTRY "}" },
	{ "plan_approve", "Approves the held changes of the plan with this digest. `Conflict` if no such "
	  "plan is held.", OWNER, "null",
	  "{" REGISTRY ", 'digest': "
	  "'0000000000000000000000000000000000000000000000000000000000000000'}",
	  FIELDS({ "digest", "text", "`digest` of the plan", .max = 64 }) },
	{ "get_plan", "Shows a registry with the plan of its last round.", OWNER, "[registry]",
	  "{" REGISTRY "}" },
	{ "find_registries", "Lists the registries of the tenant. Their `plan` is null.", OWNER,
	  "`registries`: list of [registry]", "{}" },
	{ "ownership_adopt", "Orders to own a record set that has no owner and exactly these records.",
	  OWNER, "`order`: id",
	  "{" REGISTRY ", 'dnsname': 'www.shared.example.', 'type': 'A', 'targets': ['192.0.2.80']}",
	  FIELDS({ "dnsname", "name", "the name of the record set" },
	         { "type", "text", "the type" },
	         { "targets", "list of texts", "the data of the records",
	           .max = TARGETS_MAX }) },
	{ "ownership_adopt_wanted", "Orders zonefleet-ownership to adopt the selected record sets. They "
	  "must have no owner and must be as a resource wants them.", OWNER, "`order`: id",
	  "{" REGISTRY ", 'selector': {'name': 'www.shared.example.'}, 'dry_run': true}" },
	{ "ownership_release", "Orders to give up the selected record sets; they stay in the zone.",
	  OWNER, "`order`: id",
	  "{" REGISTRY ", 'selector': {'name': 'www.shared.example.'}, 'dry_run': true}" },
	{ "ownership_transfer", "Orders to give the selected record sets to another registry of the "
	  "zone.", OWNER, "`order`: id",
	  "{" REGISTRY ", 'to': 'cluster-2', 'selector': {'below': true, "
	  "'name': 'shop.shared.example.'}, 'dry_run': true}",
	  FIELDS({ "to", "text", "the `storage_id` of that registry", .max = MARK_OWNER_MAX }) },
	{ "get_order", "Shows how far an order is. `state` is OPEN or DONE.", OWNER,
	  "`order`: id; `state`: text; `result`: [order result] or null",
	  "{" REGISTRY ", 'order': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}",
	  FIELDS({ "order", "id", "the order" }) },
	{ "storage_records", "Lists the records of the zone at the last reading, with their owners. The "
	  "zone may change between two pages: compare `serial`.", OWNER,
	  "`serial`: number; `read_at`: time or null; `records`: list of [owned record]; "
	  "`marker`: text or null", "{" REGISTRY ", 'limit': 100}",
	  FIELDS({ "marker", "text", "the `marker` of the previous page", "the first page" },
	         { "limit", "number from 1", "the largest number of record sets in the "
	           "answer", "1000", 1000 }) },
	{ "storage_import", "Takes over the owners of records from a list, for a registry with the "
	  "storage `table`. `claimed`: own record sets. `others`, `unmanaged`, `outside` and "
	  "`unreadable` count the other records: of other owners, without owner, outside of the "
	  "zone, and impossible records.", OWNER,
	  "`claimed`: number; `others`: number; `unmanaged`: number; `outside`: number; "
	  "`unreadable`: number",
	  "{" REGISTRY ", 'records': [{'dnsname': 'www.shared.example', 'owner': 'cluster-1', "
	  "'target': '192.0.2.80', 'type': 'A'}]}",
	  FIELDS({ "records", "list of [owned record]", "the list",
	           .max = DOCUMENT_ENTRIES_MAX }) },
	{ 0 }
};

static const struct rpc_object objects[] = {
	{ "endpoint", "One record set that a resource wants.", codec_endpoint_fields },
	{ "selector", "Selects the record sets of an order. All fields must match.",
	  codec_selector_fields },
	{ "registry", "A registry and its last round.", FIELDS(
		{ "storage_id", "text", "the owner in the marks" },
		{ "zone", "name", "the zone of the registry" },
		{ "state", "text", "NEW, OK, HELD, FAILED or PARKED" },
		{ "reason", "text", "why the registry is FAILED or PARKED" },
		{ "rev", "number", "grows with each change of the endpoints" },
		{ "planned_rev", "number", "`rev` at the last round" },
		{ "rounds", "number", "grows with each round" },
		{ "planned_at", "time or null", "when the last plan was made" },
		{ "approved_by", "text", "the user who approved held changes" },
		{ "plan", "[plan] or null", "the plan of the last round" }), true },
	{ "plan", "The plan of a round.", FIELDS(
		{ "serial", "number", "the serial of the zone" },
		{ "ours", "number", "record sets that the registry owns" },
		{ "held", "number", "held changes" },
		{ "digest", "text", "names the held changes" },
		{ "complete", "true or false", "all resources have sent complete lists" },
		{ "dry_run", "true or false", "the registry only plans" },
		{ "steps", "object", "how many record sets get each step" },
		{ "reasons", "object", "how many sets have each reason" },
		{ "outcomes", "object", "how the changes ended" },
		{ "items", "list of [plan item]", "record sets, held sets first" },
		{ "more", "number", "how many more there are" }), true },
	{ "plan item", "What a round does with a record set.", FIELDS(
		{ "name", "name", "the name of the record set" },
		{ "type", "text", "the type of the record set" },
		{ "step", "text", "the step of the round" },
		{ "reason", "text", "the reason: see docs/ownership.md" },
		{ "held", "true or false", "true: the change waits for approval" },
		{ "resource", "text or null", "the resource" },
		{ "words", "text", "the reason in words" },
		{ "is", "list of texts", "the first 20 records" },
		{ "becomes", "list of texts", "the first 20 records after the change" }),
		  true },
	{ "order result", "The result of an order.", FIELDS(
		{ "matched", "number", "record sets that the order selected" },
		{ "done", "number", "record sets that the order changed" },
		{ "refused", "object", "for each reason, how many record sets the order "
		  "did not change" },
		{ "names", "list of texts", "`name type` of the first record sets" },
		{ "dry_run", "true or false", "true: no changes" }), true },
	{ "owned record", "A record of a shared zone with its owner.", document_fields },
	{ 0 }
};

static const struct rpc_method *service_words_methods(void)
{
	return ownership_methods;
}

const struct rpc_topic rpc_topics[] = {
	{ "ownership", "Records in shared zones.", service_words_methods, words, args,
	  objects },
	{ 0 }
};
