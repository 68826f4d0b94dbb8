#include "codec.h"
#include "document.h"
#include "ownership.h"
#include "runtime/rpc_reference.h"

#define FIELDS(...) (const struct json_field[]){ __VA_ARGS__, { 0 } }
#define OWNER RPC_OWNER
#define REGISTRY "'storage_id': 'cluster-1', 'zone': 'shared.example.'"

static const struct json_field args[] = {
	{ "storage_id", "string", "the `storage_id` of the registry",
	  .max = MARK_OWNER_MAX },
	{ "zone", "name", "the zone, with or without a final dot" },
	{ "selector", "[selector]", "the order applies only to record sets that match "
	  "this selector" },
	{ "dry_run", "true or false", "true: show the changes, but do not make them",
	  "false" },
	{ 0 }
};

static const struct rpc_method_doc words[] = {
	{ "apply_endpoints", "Stores the endpoints of a resource. The next round writes "
	  "the endpoints to the zone. `changed`: number of endpoints that changed. "
	  "`endpoints`: number of endpoints of the resource after the call. In the "
	  "answer, `complete` is false in two cases: it is false in the call, or the "
	  "list is empty although the resource had at least `min_records` endpoints and "
	  "still owns record sets.",
	  OWNER, "`changed`: number; `endpoints`: number; `complete`: true or false",
	  "{" REGISTRY ", 'resource': 'ingress/shop/web', 'complete': true, 'endpoints': "
	  "[{'dnsname': 'www.shared.example.', 'type': 'A', 'targets': ['192.0.2.80']}]}",
	  FIELDS({ "resource", "string", "the name of the resource; letters, digits and "
	  "`. _ : / @ -`",
	           .max = MARK_RESOURCE_MAX },
	         { "endpoints", "list of [endpoint]", "the endpoints that the resource "
	           "wants",
	           .max = ENDPOINTS_MAX },
	         { "complete", "true or false", "true: the list contains all endpoints "
	           "of the resource; false: the endpoints that are not in the list "
	           "stay" },
	         { "rev", "number", "the number of the list. The number must grow with "
	           "each list. The call fails with `Conflict` if an earlier list had a "
	           "larger number",
	           "0: no check", INT64_MAX }) },
	{ "plan_calculate", "Begins a round immediately. The round has ended when "
	  "`rounds` in the answer to `get_plan` has grown.",
	  OWNER, "[registry]", "{" REGISTRY "}" },
	{ "plan_approve", "Approves the held changes of the plan with this digest. The "
	  "call fails with `Conflict` if no held plan has this digest.", OWNER, "null",
	  "{" REGISTRY ", 'digest': "
	  "'0000000000000000000000000000000000000000000000000000000000000000'}",
	  FIELDS({ "digest", "string", "`digest` of the plan", .max = 64 }) },
	{ "get_plan", "Shows a registry with the plan of its last round.", OWNER,
	  "[registry]", "{" REGISTRY "}" },
	{ "find_registries", "Lists the registries of the tenant. In this list, `plan` "
	  "is null.", OWNER,
	  "`registries`: list of [registry]", "{}" },
	{ "ownership_adopt", "Orders zonefleet-ownership to adopt a record set. The "
	  "record set must have no owner and must contain exactly these records.",
	  OWNER, "`order`: id",
	  "{" REGISTRY ", 'dnsname': 'www.shared.example.', 'type': 'A', 'targets': "
	  "['192.0.2.80']}",
	  FIELDS({ "dnsname", "name", "the name of the record set" },
	         { "type", "string", "the type" },
	         { "targets", "list of strings", "the data of the records",
	           .max = TARGETS_MAX }) },
	{ "ownership_adopt_wanted", "Orders zonefleet-ownership to adopt the selected "
	  "record sets. Each record set must have no owner and must contain exactly the "
	  "records that a resource wants.", OWNER, "`order`: id",
	  "{" REGISTRY ", 'selector': {'name': 'www.shared.example.'}, 'dry_run': "
	  "true}" },
	{ "ownership_release", "Orders zonefleet-ownership to remove the ownership "
	  "marks of the selected record sets. The record sets stay in the zone.",
	  OWNER, "`order`: id",
	  "{" REGISTRY ", 'selector': {'name': 'www.shared.example.'}, 'dry_run': "
	  "true}" },
	{ "ownership_transfer", "Orders zonefleet-ownership to give the selected record "
	  "sets to another registry of the zone.", OWNER, "`order`: id",
	  "{" REGISTRY ", 'to': 'cluster-2', 'selector': {'below': true, "
	  "'name': 'shop.shared.example.'}, 'dry_run': true}",
	  FIELDS({ "to", "string", "the `storage_id` of the other registry",
	           .max = MARK_OWNER_MAX }) },
	{ "get_order", "Shows the state of an order: OPEN or DONE.", OWNER,
	  "`order`: id; `state`: string; `result`: [order result] or null",
	  "{" REGISTRY ", 'order': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}",
	  FIELDS({ "order", "id", "the order" }) },
	{ "storage_records", "Lists the records that zonefleet-ownership last read from "
	  "the zone, with their owners. The zone can change between two pages, so "
	  "compare the `serial` of all pages.", OWNER,
	  "`serial`: number; `read_at`: time or null; `records`: list of [owned record]; "
	  "`marker`: string or null", "{" REGISTRY ", 'limit': 100}",
	  FIELDS({ "marker", "string", "the `marker` of the previous page",
	           "the first page" },
	         { "limit", "number from 1", "the largest number of record sets in the "
	           "answer", "1000", 1000 }) },
	{ "storage_import", "Imports the owners of records from a list. The `storage` "
	  "of the registry must be `table`. `claimed`: number of record sets of this "
	  "registry. `others`: number of records of other owners. `unmanaged`: number "
	  "of records without an owner. `outside`: number of records outside the zone. "
	  "`unreadable`: number of records that are not valid.", OWNER,
	  "`claimed`: number; `others`: number; `unmanaged`: number; `outside`: number; "
	  "`unreadable`: number",
	  "{" REGISTRY ", 'records': [{'dnsname': 'www.shared.example', 'owner': "
	  "'cluster-1', 'target': '192.0.2.80', 'type': 'A'}]}",
	  FIELDS({ "records", "list of [owned record]", "the records with their owners",
	           .max = DOCUMENT_ENTRIES_MAX }) },
	{ 0 }
};

static const struct rpc_object objects[] = {
	{ "endpoint", "One record set that a resource wants.", codec_endpoint_fields },
	{ "selector", "A condition for the record sets of an order. The order applies "
	  "only to record sets that match all fields.",
	  codec_selector_fields },
	{ "registry", "A registry and its last round.", FIELDS(
		{ "storage_id", "string", "the owner in the ownership marks" },
		{ "zone", "name", "the zone of the registry" },
		{ "state", "string", "NEW, OK, HELD, FAILED or PARKED" },
		{ "reason", "string", "why the registry is FAILED or PARKED" },
		{ "rev", "number", "a number that grows with each change to the "
		  "endpoints" },
		{ "planned_rev", "number", "the value of `rev` in the last round" },
		{ "rounds", "number", "a number that grows with each round" },
		{ "planned_at", "time or null", "when zonefleet-ownership made the last "
		  "plan" },
		{ "approved_by", "string", "the user who approved held changes" },
		{ "plan", "[plan] or null", "the plan of the last round" }), true },
	{ "plan", "The plan of a round.", FIELDS(
		{ "serial", "number", "the serial of the zone" },
		{ "ours", "number", "number of record sets that the registry owns" },
		{ "held", "number", "number of held changes" },
		{ "digest", "string", "an id of the held changes" },
		{ "complete", "true or false", "true: all resources have sent complete "
		  "lists" },
		{ "dry_run", "true or false", "true: the registry makes plans but no "
		  "changes" },
		{ "steps", "object", "number of record sets for each step" },
		{ "reasons", "object", "number of record sets for each reason" },
		{ "outcomes", "object", "number of changes for each outcome" },
		{ "items", "list of [plan item]", "the record sets of the plan; record "
		  "sets with held changes come first" },
		{ "more", "number", "number of record sets that `items` leaves "
		  "out" }), true },
	{ "plan item", "The step of a round for one record set.", FIELDS(
		{ "name", "name", "the name of the record set" },
		{ "type", "string", "the type of the record set" },
		{ "step", "string", "the step of the round for the record set" },
		{ "reason", "string", "the reason for the step: see docs/ownership.md" },
		{ "held", "true or false", "true: the change is waiting for approval" },
		{ "resource", "string or null", "the resource" },
		{ "words", "string", "an explanation of the reason" },
		{ "is", "list of strings", "the first 20 records before the change" },
		{ "becomes", "list of strings", "the first 20 records after the "
		  "change" }), true },
	{ "order result", "The result of an order.", FIELDS(
		{ "matched", "number", "number of record sets that the order selected" },
		{ "done", "number", "number of record sets that the order changed" },
		{ "refused", "object", "number of record sets that the order did not "
		  "change, for each reason" },
		{ "names", "list of strings", "the first record sets, each in the form "
		  "`name type`" },
		{ "dry_run", "true or false", "true: the order only showed the "
		  "changes" }), true },
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
