#include "codec.h"
#include "codec_domain.h"
#include "codec_find.h"
#include "codec_pool.h"
#include "codec_recordset.h"
#include "codec_transfer.h"
#include "codec_tsigkey.h"
#include "model/quota.h"
#include "runtime/rpc_reference.h"
#include "service.h"

#define FIELDS(...) (const struct json_field[]){ __VA_ARGS__, { 0 } }
#define OWNER RPC_OWNER
/* of methods that a tenant with a share may call */
#define SHARED "the tenant of the domain, a tenant with a share, and administrators"
#define ADMIN RPC_ADMINISTRATOR
#define NOTHING "null"
#define WARNINGS { "warnings", "list of strings", "at most 38 warnings. Possible " \
	"causes are: an NS, MX or SRV record whose host is inside the domain and has " \
	"no address, or has a CNAME record; records of one set that contradict each " \
	"other, for example two SPF records; a record set or a new domain that name " \
	"servers of the pool do not accept (`limits` of `get_pool`); a new domain " \
	"without NS records in the domain above it, if the caller owns that domain; a " \
	"record set with several TTLs in an import; a worker that the pool needs and " \
	"that is not running" }

static const struct json_field args[] = {
	{ "domain", "id or name", "the domain" },
	{ "version", "number", "the `version` that the domain had when the caller read "
	  "it. The call fails with `Conflict` if the domain has changed since then",
	  "any" },
	{ "criterion", "object", "must be an empty object, because this list has no "
	  "criteria", "all" },
	{ "marker", "id", "the `marker` of the previous page", "the first page" },
	{ "limit", "number from 1", "the largest number of items in the answer",
	  "100", FIND_LIMIT_MAX },
	{ "sort_key", "string", "must be `name`", "`name`" },
	{ "sort_dir", "string", "`asc` or `desc`", "`asc`" },
	{ "recordset", "id", "the record set" },
	{ "force", "true or false", "true: the call may also delete and replace records "
	  "that a producer manages (`managed_by`). The producer adds these records again "
	  "if the producer needs the records. All callers that may change the domain may "
	  "set `force`",
	  "false: such a call fails with `Conflict`" },
	{ "pool", "string", "the id or the name of a pool", .max = POOL_NAME_MAX },
	{ "import", "id", "the import" },
	{ "tsigkey", "id or name", "the TSIG key" },
	{ "blacklist", "id", "the entry" },
	{ "tld", "id or name", "the entry. The name is the suffix" },
	{ "transfer", "id", "the transfer request" },
	{ "share", "id", "the share" },
	{ "tenant", "string", "the tenant", .max = TENANT_MAX },
	{ 0 }
};

static const struct json_field find_domains[] = {
	{ "criterion", "[domain criterion]", "list only domains that match this "
	  "criterion",
	  "all" },
	{ "sort_key", "string", "`name`, `created_at`, `updated_at` or `serial`",
	  "`name`" },
	{ 0 }
};
static const struct json_field find_recordsets[] = {
	{ "domain", "id or name", "list only record sets of this domain", "all domains" },
	{ "criterion", "[record criterion]", "list only record sets that match this "
	  "criterion",
	  "all" },
	{ "sort_key", "string", "`name`, `created_at` or `updated_at`", "`name`" },
	{ 0 }
};
static const struct json_field find_records[] = {
	{ "domain", "id or name", "list only records of this domain", "all domains" },
	{ "criterion", "[record criterion]", "list only records that match this "
	  "criterion", "all" },
	{ "sort_key", "string", "`id` or `updated_at`", "`id`" },
	{ 0 }
};

static const struct rpc_method_doc words[] = {
	{ "create_domain", "Creates a domain with its SOA and NS records. The answer "
	  "also contains `warnings`, as in [outcome].", OWNER, "[domain]",
	  "{'domain': {'name': 'example.org.', 'email': 'dns@example.org'}}",
	  FIELDS({ "domain", "[new domain]", "the domain" }) },
	{ "get_domain", "Shows a domain.", SHARED, "[domain]",
	  "{'domain': 'example.org.'}" },
	{ "find_domains", "Lists the domains of the tenant. If the context of an "
	  "administrator has `all_tenants`, the list contains the domains of all "
	  "tenants.",
	  SHARED,
	  "`domains`: list of [domain]; `marker`: id or null",
	  "{'criterion': {'name': '*example.org.'}, 'limit': 50}", find_domains },
	{ "update_domain",
	  "Changes the SOA values, the TTL, the description or the attributes of a "
	  "domain. New attributes do not move the domain to a different pool. The answer "
	  "also contains `warnings`, as in [outcome].", OWNER,
	  "[domain]", "{'domain': 'example.org.', 'values': {'ttl': 600}}",
	  FIELDS({ "values", "[new domain] (changeable fields)", "the new values" }) },
	{ "delete_domain", "Deletes a domain. The answer also contains `warnings`, as in "
	  "[outcome]. The domain has the task DELETE as long as "
	  "a name server serves it. During this time, the name of the domain is not "
	  "free, and a second call of `delete_domain` without `version` succeeds. After "
	  "the deletion, all calls about this domain fail with `NotFound`. The call "
	  "fails with `Conflict` if there are domains below this domain, or if the "
	  "domain contains records that a producer manages or record sets of other "
	  "tenants.",
	  OWNER, "[domain]",
	  "{'domain': 'example.org.', 'if_empty': false}",
	  FIELDS({ "if_empty", "true or false", "true: the call also fails with "
	           "`Conflict` if the domain has records in addition to the SOA record "
	           "and the NS records at its apex", "false" },
	         { "force", "true or false", "true: delete the domain although it "
	           "contains records that a producer manages (`managed_by`), or record "
	           "sets of other tenants. A call with `if_empty` does not need `force`",
	           "false" }) },
	{ "abandon_domain", "Ends the deletion of a domain. The domain becomes DELETED "
	  "although name servers still serve it. The answer also contains `servers`: "
	  "for each of these name servers, its `id` and the `reason`.",
	  ADMIN, "[domain]", "{'domain': 'example.org.'}" },
	{ "create_recordset", "Creates a record set. The call fails with `Duplicate` if "
	  "the name already has records of this type. The answer contains no `warnings`. "
	  "To get `warnings`, call `apply_changes` instead.",
	  SHARED, "[recordset]",
	  "{'domain': 'example.org.', 'recordset': {'name': 'www.example.org.', 'type': "
	  "'A', 'ttl': 300, 'records': ['192.0.2.80']}}",
	  FIELDS({ "recordset", "[new recordset]", "the record set" }) },
	{ "get_recordset", "Shows a record set.", SHARED, "[recordset]",
	  "{'domain': 'example.org.', 'recordset': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "find_recordsets", "Lists record sets with their records, without the SOA "
	  "record.", SHARED,
	  "`recordsets`: list of [recordset]; `marker`: id or null",
	  "{'domain': 'example.org.', 'criterion': {'type': 'A'}}", find_recordsets },
	{ "update_recordset", "Changes the TTL of a record set, or replaces its records.",
	  SHARED,
	  "[recordset]",
	  "{'domain': 'example.org.', 'recordset': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', "
	  "'values': {'records': ['192.0.2.81']}}",
	  FIELDS({ "values", "[new recordset] (changeable fields)", "the new values" }) },
	{ "delete_recordset", "Deletes a record set. In the answer, `members` contains "
	  "the deleted records, with the task DELETE, and `records` is empty.",
	  SHARED, "[recordset]",
	  "{'domain': 'example.org.', 'recordset': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "find_records", "Lists records, without the SOA record.", SHARED,
	  "`records`: list of [record]; `marker`: id or null",
	  "{'domain': 'example.org.', 'criterion': {'data': '192.0.2.80'}}",
	  find_records },
	{ "apply_changes", "Makes all changes in a list under one serial. If one change "
	  "fails, the call changes nothing. A list with too many changes is `Invalid`. "
	  "An empty list is valid, for example to change only `soa`.",
	  SHARED, "[outcome]",
	  "{'domain': 'example.org.', 'changes': [{'op': 'set', 'name': "
	  "'www.example.org.', 'type': 'A', 'ttl': 300, 'records': ['192.0.2.80']}]}",
	  FIELDS({ "changes", "list of [change]", "the changes, in the order in which "
	           "central makes them", .max = CHANGES_MAX },
	         { "serial", "number", "the new serial. If the new serial is not newer "
	           "than the serial of the domain, the call fails with `Conflict`",
	           "the next serial", UINT32_MAX },
	         { "soa", "[SOA values]", "new values of the SOA record",
	           "unchanged" },
	         { "replace", "true or false", "false: the call fails with `Conflict` if "
	           "a change with the operation `set` and with `managed_by` would "
	           "replace records that no producer manages", "true" }) },
	{ "create_pool", "Creates a pool of name servers. The answer also contains "
	  "`warnings`: one string for each host in `ns_records` that is an IPv4 "
	  "address, and one string if no server of the pool reads a new catalog zone.",
	  ADMIN, "[pool]",
	  "{'pool': {'name': 'edge', 'ns_records': ['ns1.example.net.']}}",
	  FIELDS({ "pool", "[new pool]", "the pool" }) },
	{ "get_pool", "Shows a pool.", ADMIN, "[pool with limits]", "{'pool': 'edge'}" },
	{ "find_pools", "Lists the pools.", ADMIN,
	  "`pools`: list of [pool]; `marker`: id or null",
	  "{'limit': 10}",
	  FIELDS({ "sort_key", "string", "`name` or `created_at`", "`name`" }) },
	{ "update_pool", "Changes the values of a pool. Existing domains keep their NS "
	  "records and stay in the pool. The answer also contains `warnings`, as in "
	  "`create_pool`.", ADMIN,
	  "[pool]",
	  "{'pool': 'edge', 'values': {'description': 'at the edge'}}",
	  FIELDS({ "values", "[new pool] (changeable fields)", "the new values" }) },
	{ "delete_pool", "Deletes a pool and all data about its name servers. The call "
	  "fails with `Conflict` if the pool has domains or a catalog zone, or if a pool "
	  "manager of the pool is running. The call also fails with `Conflict` if the "
	  "database contains more than 1000 deleted domains of the pool. It fails with "
	  "`Busy` while central is removing the records of deleted domains.",
	  ADMIN,
	  NOTHING, "{'pool': 'edge'}" },
	{ "begin_import", "Begins an import of a zone of any size. The import replaces "
	  "the records of a domain, or creates the domain, as one change. Next, call "
	  "`add_to_import` and `commit_import`. Unless the mode is `upsert`, the records "
	  "must contain the NS records at the apex. The mode `replace` also replaces "
	  "changes that other calls make after `begin_import`. To prevent this, use the "
	  "argument `version` of `commit_import`. An import in the state OPEN or "
	  "COMMITTING counts towards the quota `central.quota_imports` of the tenant. No "
	  "call lists imports, so keep the `id`. A new domain gets the serial of the SOA "
	  "record in the import. But the domain gets a new serial if the import has no "
	  "SOA record, or if an earlier domain of this name had this serial or a newer "
	  "serial.", OWNER, "`id`: id",
	  "{'domain': {'name': 'example.org.'}, 'mode': 'upsert'}",
	  FIELDS({ "domain", "[new domain]", "the domain. If the records contain an SOA "
	           "record, the import uses the values of this record instead of "
	           "`email`, `primary`, `refresh`, `retry`, `expire` and `minimum`. If "
	           "the domain exists, the import uses only `name` and these six fields, "
	           "in all modes. A warning names each value of `pool`, `ttl`, "
	           "`description` or `attributes` that differs from the domain. For a "
	           "new domain, the "
	           "import uses all fields. But if the import contains NS records at the "
	           "apex, these records replace `ns`, so `ns` has an effect only in the "
	           "mode `upsert`" },
	         { "mode", "string", "`create`: create a new domain; it must not exist. "
	                           "`replace`: replace all records of the domain, which "
	                           "must exist. `upsert`: replace only the record sets "
	                           "that the import names",
	           "`replace` if the domain exists, otherwise `create`", 16 },
	         { "force", "true or false", "true: the import may also delete records "
	           "that a producer manages (`managed_by`), and change record sets of "
	           "other tenants. false: such an import ends in ERROR and changes "
	           "nothing", "false" }) },
	{ "add_to_import", "Adds a part with records to an import. A new part replaces "
	  "an earlier part with the same number. If a record set has several TTLs in the "
	  "import, it gets the TTL of its last record. The call checks each record. If "
	  "one record is not valid, the call fails with `Invalid`, and central does not "
	  "store the part. The import stays OPEN, so correct the part and send the part "
	  "again. Some checks need the whole zone, for example the check for a CNAME "
	  "record beside other records. central makes these checks after "
	  "`commit_import`. An error about one record begins with the number of the part "
	  "and the index of the record in `records`, both from 0. In the answer to "
	  "`get_import`, `reason` or a warning about one record begins in the same "
	  "way.", OWNER,
	  "`records`: number",
	  "{'import': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'part': 0, "
	  "'records': [['www.example.org.', 300, 'A', '192.0.2.80']]}",
	  FIELDS({ "part", "number", "the number of this part. Number the parts from 0, "
	           "without a gap. You can send the parts in any order",
	           .max = INT32_MAX },
	         { "records", "list of `[name, ttl, type, data]`", "the records. `name` "
	           "is a full name with a final dot. `ttl` is a number and must not be "
	           "null. Leave out the class. `data` has the form of `records` in a "
	           "[change], also with full names. A relative name such as `@` or `www` "
	           "is not valid. One record may be the SOA record. An existing domain "
	           "gets the serial of this record if this serial is newer than the "
	           "serial of the domain", .max = RECORDS_MAX }) },
	{ "commit_import", "Starts the execution of an import. `get_import` shows the "
	  "result. If the numbers of the parts have a gap, or if a part before the last "
	  "part is empty, the call fails with `Conflict` and the import stays OPEN. "
	  "central does not know how many parts you sent. So compare `parts` and "
	  "`records` of `get_import` with the parts that you sent. If the import is not "
	  "OPEN, the call succeeds and changes nothing. So check `state` in the answer.",
	  OWNER,
	  "[import]", "{'import': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}",
	  FIELDS({ "version", "number", "the `version` that the domain had when the "
	           "caller read it. If the domain has changed since then, or does not "
	           "exist, the import ends in ERROR and changes nothing", "any" }) },
	{ "get_import", "Shows an import.", OWNER, "[import]",
	  "{'import': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "cancel_import", "Cancels an import that is not committed yet. "
	  "`get_import` then shows the state ERROR and the reason `cancelled`. An "
	  "import in ERROR keeps its reason. The call fails with `Conflict` if the state "
	  "is COMMITTING or DONE.", OWNER, NOTHING,
	  "{'import': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "export_domain", "Exports a domain as lines of a master file. Each line has "
	  "the form `NAME TTL IN TYPE DATA`, with single blanks and full names, for "
	  "example `www.example.org. 300 IN A 192.0.2.80`. The first line of the first "
	  "page is the SOA record. The domain can change between two pages, so compare "
	  "the `serial` of all pages. The call fails with `OverQuota` if the domain has "
	  "more record sets than the quota `export_recordsets` of the tenant allows.",
	  OWNER,
	  "`lines`: list of strings; `marker`: string or null; `serial`: number",
	  "{'domain': 'example.org.', 'limit': 1000}",
	  FIELDS({ "marker", "string", "the `marker` of the previous page",
	           "the first page" },
	         { "limit", "number from 2", "the largest number of lines in the answer",
	           "20000",
	           RECORDS_MAX }) },
	{ "create_blacklist", "Adds a name or a pattern to the blacklist. While the "
	  "entry exists, it reserves the name and all names below it, or all names that "
	  "match the pattern. Only administrators can create reserved names. If the "
	  "blacklist already has 100 patterns, a call with a new pattern fails with "
	  "`OverQuota`.",
	  ADMIN, "[blacklist]", "{'blacklist': {'name': 'internal.example.'}}",
	  FIELDS({ "blacklist", "[new blacklist]", "the entry" }) },
	{ "get_blacklist", "Shows an entry of the blacklist.", ADMIN, "[blacklist]",
	  "{'blacklist': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "find_blacklists", "Lists the entries of the blacklist. The sort key `name` is "
	  "the name or the pattern of an entry.", ADMIN,
	  "`blacklists`: list of [blacklist]; `marker`: id or null", "{'limit': 10}" },
	{ "update_blacklist", "Changes an entry of the blacklist.", ADMIN, "[blacklist]",
	  "{'blacklist': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'values': {'pattern': "
	  "'^ns[0-9]+'}}",
	  FIELDS({ "values", "[blacklist values]", "the new values" }) },
	{ "delete_blacklist", "Deletes an entry of the blacklist.", ADMIN, NOTHING,
	  "{'blacklist': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "create_tld", "Adds a suffix to the list of permitted suffixes. If the list "
	  "has an entry, a tenant can create only domains whose names are below a "
	  "suffix. Tenants cannot create the suffix itself. Administrators can create "
	  "domains with all names. If several entries match a name, central uses the "
	  "exception. Without an exception, it uses the entry with the most labels.",
	  ADMIN,
	  "[tld]", "{'tld': {'name': 'co.uk.'}}",
	  FIELDS({ "tld", "[new tld]", "the entry" }) },
	{ "get_tld", "Shows an entry of the list of permitted suffixes.", ADMIN, "[tld]",
	  "{'tld': 'co.uk.'}" },
	{ "find_tlds", "Lists the permitted suffixes.", ADMIN,
	  "`tlds`: list of [tld]; `marker`: id or null",
	  "{'criterion': {'name': '*uk.'}, 'limit': 50}",
	  FIELDS({ "criterion", "[tld criterion]", "list only suffixes that match this "
	           "criterion", "all" }) },
	{ "update_tld", "Changes the description of an entry.", ADMIN, "[tld]",
	  "{'tld': 'co.uk.', 'values': {'description': 'from 2026'}}",
	  FIELDS({ "values", "[tld values]", "the new values" }) },
	{ "delete_tld", "Deletes an entry of the list of permitted suffixes.", ADMIN,
	  NOTHING, "{'tld': 'co.uk.'}" },
	{ "apply_tlds", "Removes and then adds several permitted suffixes, in one "
	  "transaction. The call skips a suffix in `add` that already exists and a "
	  "suffix in `remove` that is absent. The call fails with `Invalid` if both "
	  "lists together have more than 1000 entries.", ADMIN,
	  "`added`: number; `removed`: number",
	  "{'add': ['net.', '*.ck.', '!www.ck.'], 'remove': ['org.']}",
	  FIELDS({ "add", "list of strings", "suffixes, as `name` of [new tld]", "empty",
	           1000 },
	         { "remove", "list of strings", "suffixes", "empty", 1000 }) },
	{ "create_share", "Gives another tenant the right to create record sets in a "
	  "domain, at a name and at all names below. The tenant may change and delete "
	  "the record sets that it created, and may read the domain, its status and "
	  "these record sets. It may not create record sets at the apex, records of the "
	  "types NS, DS and DNAME, and record sets for which a kind of name server "
	  "refuses the whole zone. The quotas of the tenant of the domain apply.",
	  OWNER, "[share]",
	  "{'share': {'domain': 'example.org.', 'target_tenant': 'acme', 'name': "
	  "'acme.example.org.'}}",
	  FIELDS({ "share", "[new share]", "the share" }) },
	{ "get_share", "Shows a share.",
	  "the tenant of the domain, the target tenant, and administrators", "[share]",
	  "{'share': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "find_shares", "Lists the shares that the caller can see, the oldest first.",
	  "each tenant, and administrators",
	  "`shares`: list of [share]; `marker`: id or null",
	  "{'criterion': {'domain': 'example.org.'}}",
	  FIELDS({ "criterion", "[share criterion]", "list only shares that match this "
	           "criterion", "all" },
	         { "sort_key", "string", "must be `created_at`", "`created_at`" }) },
	{ "delete_share", "Deletes a share. The target tenant can also make this call. "
	  "If the target tenant has record sets that no "
	  "other share covers, `recordsets` decides what central does with these record "
	  "sets.", "the tenant of the domain, the target tenant, and administrators",
	  "`recordsets`: number of these record sets",
	  "{'share': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'recordsets': 'keep'}",
	  FIELDS({ "recordsets", "string", "`refuse`: the call fails with `Conflict`; "
	           "`delete`: central deletes the record sets; `keep`: the record sets "
	           "belong to the tenant of the domain", "`refuse`" }) },
	{ "create_transfer", "Makes a transfer request: an offer to give a domain to "
	  "another tenant. The domain keeps its tenant until another tenant "
	  "accepts the request. Generate a random key and send only its hash. "
	  "Then give the key and the id of the request to the other tenant. A domain has "
	  "at most one open request.",
	  OWNER, "[transfer]",
	  "{'transfer': {'domain': 'example.org.', 'target_tenant': 'acme', 'key_hash': "
	  "'67212462231402852f818d095bb0c2bf1f422ede8b9025878ff2a89fc383f6ef'}}",
	  FIELDS({ "transfer", "[new transfer]", "the request" }) },
	{ "get_transfer", "Shows a transfer request.",
	  "the tenant that made the request, its target tenant, the tenant that accepted "
	  "it, and administrators", "[transfer]",
	  "{'transfer': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "find_transfers", "Lists the transfer requests that the caller can see, the "
	  "oldest first. central deletes a request 30 days after it was accepted or "
	  "withdrawn, or expired.",
	  "each tenant, and administrators",
	  "`transfers`: list of [transfer]; `marker`: id or null",
	  "{'criterion': {'state': 'OPEN'}}",
	  FIELDS({ "criterion", "[transfer criterion]", "list only requests that match "
	           "this criterion", "all" },
	         { "sort_key", "string", "must be `created_at`", "`created_at`" }) },
	{ "update_transfer", "Changes the target tenant or the description of an open "
	  "transfer request.", OWNER, "[transfer]",
	  "{'transfer': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'values': "
	  "{'target_tenant': ''}}",
	  FIELDS({ "values", "[transfer values]", "the new values" }) },
	{ "withdraw_transfer", "Withdraws an open transfer request. After that, no "
	  "tenant can accept the request.", OWNER, "[transfer]",
	  "{'transfer': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "accept_transfer", "Gives the domain of an open transfer request and all its "
	  "record sets to the tenant of the caller. The name servers serve the domain as "
	  "before. TSIG keys of the domain stay valid. The call fails with `OverQuota` "
	  "if the tenant would exceed "
	  "its quota of domains. It also fails if the domain has too many record sets or "
	  "records for the quotas of the tenant. The call does not check the quota "
	  "recordset_records. Quotas do not apply to administrators. If several calls "
	  "accept one request, "
	  "only the first call succeeds. The other calls fail with `Conflict`.",
	  "the target tenant; if the request has no target tenant, each tenant. The "
	  "caller must have the key",
	  "[transfer]",
	  "{'transfer': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'key': "
	  "'9f86d081884c7d659a2feaa0c55ad015'}",
	  FIELDS({ "key", "string", "the key, 32 to 128 octets", .max = 128 }) },
	{ "set_quota", "Sets a quota of a tenant. If no call has set a quota, the "
	  "setting `central.quota_domains`, `central.quota_recordsets`, "
	  "`central.quota_domain_records`, `central.quota_records` or "
	  "`central.quota_export_recordsets` applies.", ADMIN, "[quotas]",
	  "{'tenant': 'acme', 'resource': 'domains', 'hard_limit': 500}",
	  FIELDS({ "resource", "string", "the quota: the name of a field of [quotas]" },
	         { "hard_limit", "number from -1, or null", "the limit; -1: no limit; "
	           "null: the setting applies", .max = INT32_MAX }) },
	{ "reset_quotas", "Deletes all quotas that calls have set for a tenant, so that "
	  "the settings of central apply.", ADMIN, "[quotas]", "{'tenant': 'acme'}" },
	{ "find_quotas", "Lists the tenants for which a call has set a quota, in the "
	  "order of their names.", ADMIN,
	  "`quotas`: list of [quotas]; `marker`: string or null", "{'limit': 10}",
	  FIELDS({ "marker", "string", "the `marker` of the previous page",
	           "the first page", TENANT_MAX }) },
	{ "get_quotas", "Shows the quotas of a tenant.", OWNER, "[quotas]",
	  "{'tenant': 'acme'}",
	  FIELDS({ "tenant", "string", "the tenant. Only an administrator may name "
	           "another tenant", .max = TENANT_MAX }) },
	{ "create_tsigkey", "Creates a TSIG key. The answer does not contain the secret.",
	  ADMIN, "[tsigkey]",
	  "{'tsigkey': {'name': 'pool-key.'}}",
	  FIELDS({ "tsigkey", "[new tsigkey]", "the key" }) },
	{ "get_tsigkey", "Shows a TSIG key. The answer also contains the `secret` in "
	  "base64.", ADMIN,
	  "[tsigkey]", "{'tsigkey': 'pool-key.'}" },
	{ "find_tsigkeys", "Lists the TSIG keys without their secrets.", ADMIN,
	  "`tsigkeys`: list of [tsigkey]; `marker`: id or null", "{'limit': 10}" },
	{ "update_tsigkey", "Changes the secret or the algorithm of a TSIG key.", ADMIN,
	  "[tsigkey]",
	  "{'tsigkey': 'pool-key.', 'values': {'new_secret': true}}",
	  FIELDS({ "values", "[tsigkey values]", "the new values" }) },
	{ "delete_tsigkey", "Deletes a TSIG key. The call fails with `Conflict` if a "
	  "name server uses the key.", ADMIN, NOTHING,
	  "{'tsigkey': 'pool-key.'}" },
	{ "get_status", "Shows the state of the name servers and the status of a domain. "
	  "Only administrators get `servers`, `missing_workers` and "
	  "`pools_out_of_service`. `servers` contains a [server] for each name server. "
	  "`missing_workers` contains the topic of each worker that has work, but no "
	  "running process: `minidns`, `pool_manager.POOL` if the pool has domains, and "
	  "`ports`, `routes` or `ownership` if a process of this worker was running "
	  "during the last 30 days. `pools_out_of_service` contains each pool that has "
	  "domains, but no name server in service. Tenants see the name servers of their "
	  "domain in `domain.servers`, as [server status]. Only administrators may leave "
	  "out the argument `domain`. Without this argument, the answer has no `domain`.",
	  SHARED, "`servers`: list of [server]; `missing_workers`: list of strings; "
	  "`pools_out_of_service`: list of strings; "
	  "`domain`: [domain status]",
	  "{'domain': 'example.org.'}",
	  FIELDS({ "domain", "id or name", "the domain", "none: the answer contains "
	  "only the name servers" },
	         { "pool", "string", "`servers`, `missing_workers` and "
	           "`pools_out_of_service` leave out other pools",
	           "all pools", POOL_NAME_MAX }) },
	{ "find_workers", "Lists the processes of the fleet, at most 1000.", ADMIN,
	  "`workers`: list of [worker]", "{}" },
	{ "find_locks", "Lists the locks that processes hold, at most 1000.", ADMIN,
	  "`locks`: list of [lock]", "{}" },
	{ "find_repairs", "Lists drifts and the newest repairs, at most 1000 of each.",
	  ADMIN,
	  "`repairs`: list of [repair]", "{}" },
	{ "update_server", "Sets the state of a name server.", ADMIN,
	  "`pool`: string; `id`: string; `state`: string",
	  "{'pool': 'default', 'server': 'bind', 'state': 'ACTIVE'}",
	  FIELDS({ "server", "string", "the id of the name server", .max = 32 },
	         { "pool", "string", "the name of the pool", .max = POOL_NAME_MAX },
	         { "state", "string", "`ACTIVE`, `DRAINED` or `REMOVED`. `DRAINED`: the "
	           "pool manager does not change or poll the name server, and the name "
	           "server does not count for the consensus. `REMOVED`: the pool manager "
	           "also deletes its data about the name server" }) },
	{ "sync_domain", "Orders the pool manager to compare the domain on its name "
	  "servers with the database immediately.", OWNER,
	  "`id`: id; `name`: name; `warnings`: list of strings, as in [outcome]",
	  "{'domain': 'example.org.'}",
	  FIELDS({ "deep", "true or false", "true: also compare the records",
	           "false" }) },
	{ "update_status", "Reports the consensus on a domain to central." },
	{ "update_statuses", "Reports the consensus on several domains to central." },
	{ 0 }
};

static const struct rpc_object objects[] = {
	{ "new domain", "A domain that a caller creates or changes.",
	  codec_domain_fields },
	{ "SOA values", "New values of an SOA record.", codec_domain_soa_fields },
	{ "domain", "A domain in an answer.", codec_domain_shown, true },
	{ "new recordset", "A record set that a caller creates or changes.",
	  codec_recordset_fields },
	{ "change", "A change to one record set.", codec_change_fields },
	{ "outcome", "The result of `apply_changes`.", FIELDS(
		{ "id", "id", "the domain" },
		{ "serial", "number", "the serial of the domain after the call" },
		{ "version", "number", "the version of the domain after the call" },
		{ "added", "number", "number of records that the call added, without the "
		  "records in `updated`" },
		{ "updated", "number", "number of records that got a new TTL or, by "
		  "`set`, new data: `set` replaces an old record with a new record. The "
		  "records also count if their record set gets or loses a TTL that "
		  "equals the TTL of the domain" },
		{ "deleted", "number", "number of records that the call deleted, without "
		  "the records in `updated`" },
		{ "unchanged", "number", "number of records that needed no change: `add` "
		  "or `set` found the record, or `delete` did not find it. A whole "
		  "record set that `delete` did not find counts as one" },
		{ "changed", "true or false", "false: nothing changed, so the domain "
		  "keeps its serial" }, WARNINGS),
	  true },
	{ "recordset", "A record set in an answer.", codec_recordset_shown, true },
	{ "member", "A record of a record set.", codec_member_shown, true },
	{ "record", "A record in an answer.", codec_record_shown, true },
	{ "domain criterion", "A condition for the domains in a list. The list contains "
	  "only domains that match all fields.",
	  codec_find_domain_fields },
	{ "record criterion", "A condition for the record sets or records in a list. The "
	  "list contains only record sets or records that match all fields.",
	  codec_find_record_fields },
	{ "import", "An import in an answer.", FIELDS(
		{ "id", "id", "the id of the import" },
		{ "tenant", "string", "the tenant that began the import" },
		{ "domain", "name", "the name of the domain. `domain` in `result` is its "
		  "id" },
		{ "state", "string", "OPEN, COMMITTING, DONE or ERROR" },
		{ "parts", "number",
		  "number of parts of the import, without empty parts" },
		{ "records", "number", "number of records in the import, with the SOA "
		  "record" },
		{ "result", "[import result] or null",
		  "the result; null until the import is DONE" },
		{ "reason", "string", "why the import is in ERROR; `cancelled` after "
		  "`cancel_import`" },
		{ "error", "string", "the class of the error, for example `OverQuota`; "
		  "empty if the import has no error, after `cancel_import`, and if "
		  "central ended the import because no call used it" },
		{ "worker", "string", "the process that executes the import" },
		{ "attempts", "number", "number of times that a process started the "
		  "import" },
		{ "created_at", "time", "when the import began" },
		{ "updated_at", "time", "when the import last changed" }), true },
	{ "import result", "The result of an import.", FIELDS(
		{ "domain", "id", "the id of the domain" },
		{ "name", "name", "the name of the domain" },
		{ "serial", "number", "the serial of the domain after the import" },
		{ "version", "number", "the version of the domain after the import" },
		{ "records", "number", "number of records in the domain, without the SOA "
		  "record" },
		{ "added", "number", "number of records that the import added. Different "
		  "data counts as one deleted and one added record" },
		{ "updated", "number", "number of records that got only a new TTL" },
		{ "deleted", "number", "number of records that the import deleted" },
		{ "changed", "true or false", "false: nothing changed" }, WARNINGS),
	  true },
	{ "attributes", "The attributes of a pool or a domain: an object of at most 16 "
	  "strings, such as `{'tier': 'gold'}`. A key has 1 to 64 letters, digits and "
	  "characters of `_-.:/`. A value has 1 to 128 octets of UTF-8, without control "
	  "characters and without a blank at its beginning or end. All attributes "
	  "together have at most 4096 octets as JSON. A change replaces all attributes.",
	  (const struct json_field[]){ { 0 } } },
	{ "new pool", "A pool that a caller creates or changes.", codec_pool_fields },
	{ "pool", "A pool in an answer.", codec_pool_shown, true },
	{ "pool with limits", "A pool in the answer of `get_pool`.", codec_pool_limited,
	  true },
	{ "server limit", "Records that a kind of name server does not accept. zonefleet "
	  "stores and serves these records. The warnings of an [outcome] name these "
	  "records.", codec_pool_limits, true },
	{ "new blacklist", "An entry that a caller adds to the blacklist.",
	  service_blacklist_fields },
	{ "blacklist values", "New values of an entry of the blacklist. A call can set "
	  "`name` or `pattern`, not both.", service_blacklist_change_fields },
	{ "blacklist", "An entry of the blacklist.", FIELDS(
		{ "id", "id", "the id of the entry" },
		{ "name", "name or null", "the name; null: the entry has a pattern" },
		{ "pattern", "string or null", "the regular expression; null: the entry "
		  "has a name" },
		{ "description", "string", "any text. zonefleet does not use this text" },
		{ "created_at", "time", "when the entry was created" },
		{ "updated_at", "time", "when the entry last changed" }), true },
	{ "new tld", "An entry that a caller adds to the list of permitted suffixes.",
	  service_tld_fields },
	{ "tld values", "New values of an entry.", service_tld_change_fields },
	{ "tld", "An entry of the list of permitted suffixes.", FIELDS(
		{ "id", "id", "the id of the entry" },
		{ "name", "string", "the suffix, with a final dot" },
		{ "description", "string", "any text. zonefleet does not use this text" },
		{ "created_at", "time", "when the entry was created" },
		{ "updated_at", "time", "when the entry last changed" }), true },
	{ "tld criterion", "A condition for the permitted suffixes in a list.",
	  codec_find_tld_fields },
	{ "quotas", "The quotas of a tenant. -1 means no limit.", quota_fields, true },
	{ "usage", "What a tenant has used of its quotas.", FIELDS(
		{ "domains", "number", "number of domains of the tenant. A domain that "
		  "is being deleted counts until the deletion is complete" }), true },
	{ "new share", "A share that a caller makes.", service_share_fields },
	{ "share", "A share in an answer.", FIELDS(
		{ "id", "id", "the id of the share" },
		{ "domain", "name", "the name of the domain" },
		{ "domain_id", "id", "the id of the domain" },
		{ "tenant", "string", "the tenant of the domain" },
		{ "target_tenant", "string", "the tenant that may create record sets" },
		{ "name", "name", "the share covers this name and all names below" },
		{ "created_at", "time", "when the share was created" }), true },
	{ "share criterion", "A condition for the shares in a list.",
	  service_share_find_fields },
	{ "new transfer", "A transfer request that a caller makes.",
	  codec_transfer_fields },
	{ "transfer values", "New values of a transfer request.",
	  codec_transfer_change_fields },
	{ "transfer", "A transfer request in an answer.", codec_transfer_shown, true },
	{ "transfer criterion", "A condition for the transfer requests in a list.",
	  codec_transfer_find_fields },
	{ "new tsigkey", "A TSIG key that a caller creates.", codec_tsigkey_fields },
	{ "tsigkey values", "New values of a TSIG key.", codec_tsigkey_change_fields },
	{ "tsigkey", "A TSIG key in an answer.", codec_tsigkey_shown, true },
	{ "server", "A name server of a pool.", FIELDS(
		{ "id", "string", "the id of the server in the settings of the pool "
		  "manager" },
		{ "pool", "string", "the name of the pool" },
		{ "backend", "string", "the backend, for example `bind9`" },
		{ "state", "string", "ACTIVE, DRAINED or REMOVED" },
		{ "health", "string", "OK until three polls or three commands in a row "
		  "have failed; NO_DNS: the last polls got no answer; NO_CONTROL: the "
		  "last commands on the control channel got no answer; NO_ANSWER: both; "
		  "NO_POOL_MANAGER, NO_MINIDNS: no process of the pool manager or of "
		  "mini-DNS is running, so zonefleet does not know whether the server "
		  "answers; empty: the server is not ACTIVE or has no address" },
		{ "host", "string", "the address of the server" },
		{ "port", "number", "the DNS port of the server" },
		{ "domains_behind", "number", "number of domains whose newest serial the "
		  "server does not serve; a domain that is being deleted does not "
		  "count" },
		{ "domains_failed", "number", "number of domains whose last operation on "
		  "the server failed, or whose records on the server differ from the "
		  "database. A poll without an answer counts only if the server does not "
		  "serve the newest serial of the domain" },
		{ "zones_unchecked", "number", "number of zones whose settings (masters, "
		  "key, template or pattern) the pool manager has not compared with its "
		  "newest settings yet" },
		{ "last_error", "string", "the last error" }), true },
	{ "domain status", "All fields of [domain], and these fields.", FIELDS(
		{ "servers", "list of [server status]", "one item for each name server "
		  "and action" },
		{ "consensus", "object", "`current`: number of name servers that serve "
		  "the newest serial, or that no longer have the zone of a domain with "
		  "the task DELETE; `servers`: number of name servers of the "
		  "pool" }), true },
	{ "server status", "The state of a domain on a name server.", FIELDS(
		{ "id", "string", "the name server" },
		{ "state", "string", "ACTIVE, DRAINED or REMOVED" },
		{ "health", "string", "the `health` of the [server]" },
		{ "action", "string", "CREATE, UPDATE or DELETE" },
		{ "status", "string or null", "SUCCESS, ERROR or NO_DOMAIN; null: no "
		  "report yet. It is also ERROR while the records of the server differ "
		  "from the database" },
		{ "serial", "number or null", "the serial at the last poll" },
		{ "serials_behind", "number or null", "difference between the serial of "
		  "the domain and the serial of the name server: neither seconds nor a "
		  "number of changes; null: no poll has found a serial" },
		{ "reason", "string", "the last error; if there is no report yet, the "
		  "event for which the name server is waiting" },
		{ "attempts", "number", "number of failed attempts" },
		{ "next_attempt_at", "time or null", "when the next attempt is due" },
		{ "seen_at", "time or null", "when the pool manager last stored a "
		  "report; null: no report yet" }), true },
	{ "worker", "A process of the fleet.", FIELDS(
		{ "plugin_name", "string", "the name of the process" },
		{ "service", "string", "the topic of the process" },
		{ "role", "string", "`master` or `normal`. A dead process keeps its last "
		  "role until its service has a new master" },
		{ "status", "string", "`active`: the process has a share of the periodic "
		  "work; `down`: it has no share yet; `dead`: its last heartbeat is "
		  "older than `fleet.timeout`" },
		{ "hash_factor", "number or null",
		  "the number of the process's share of the periodic work" },
		{ "total_number", "number or null", "number of shares of the service; "
		  "null: the process is not the master" },
		{ "plugin_time", "time", "the time of the last heartbeat of the "
		  "process" },
		{ "age", "number with fraction", "seconds since the last heartbeat" },
		{ "generation", "number", "the generation of the share" },
		{ "up", "number with fraction", "seconds since the process started" },
		{ "version", "string", "the version of the program" }), true },
	{ "lock", "A lock that a process holds.", FIELDS(
		{ "object_uuid", "string", "the object of the lock: a domain, a tenant "
		  "or an election" },
		{ "domain", "name or null", "the name of the domain; null: the object "
		  "is not a domain" },
		{ "owner", "string", "the process that holds the lock" },
		{ "session_id", "string", "the session of the process that holds the "
		  "lock" },
		{ "fence", "number", "the fence, a number that grows each time another "
		  "process takes the lock" },
		{ "created_at", "time", "when the holder last renewed the lock" },
		{ "age", "number with fraction", "seconds since the last renewal" },
		{ "ttl", "number with fraction", "seconds until the lock ends if the "
		  "holder does not renew it" }),
		  true },
	{ "repair", "A drift or a repair.", FIELDS(
		{ "name", "name", "the zone" },
		{ "server", "string", "the name server" },
		{ "pool", "string", "the pool" },
		{ "kind", "string", "CONTENT, SERIAL, STRAY, OPTIONS or MISSING" },
		{ "state", "string", "the state of the repair (SEEN, CONFIRMED, "
		  "PARKED), or its result (ORDERED, DONE, FAILED, PARKED, ENDED)" },
		{ "detail", "string", "a description of the drift. If an operator must "
		  "act, it also says what to do. If the state is ENDED, there is "
		  "nothing to do" },
		{ "pass1_at", "time or null", "when the pool manager first found the "
		  "drift" },
		{ "pass2_at", "time or null", "when the pool manager found the drift "
		  "again" },
		{ "done_at", "time or null", "when the repair ended" },
		{ "worker", "string", "the process that repaired the drift" },
		{ "serial", "number", "the serial of the domain" },
		{ "age", "number with fraction", "seconds since the last step of the "
		  "repair" }), true },
	{ 0 }
};

const struct rpc_topic rpc_topics[] = {
	{ "central", "Domains, records, shares, transfers, pools, limits, TSIG keys and "
	  "the state of the fleet.",
	  service_methods, words, args, objects },
	{ 0 }
};
