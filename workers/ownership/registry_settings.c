#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/identity.h"
#include "model/presentation.h"
#include "provider.h"
#include "registry.h"
#include "storage.h"

#define AT(field) offsetof(struct registry_settings, field)
#define EVERYTHING "A, AAAA, CNAME, PTR, TXT, SRV, MX"

static void *settings;
static size_t settings_count;

enum { FORM_TYPED, FORM_SAME, FORM_NONE };
enum { SCOPE_NAME, SCOPE_RRSET };

static const char *const storage_words[] = { "txt", "table", "memory", NULL };
static const struct storage *const storages[] = { &storage_txt, &storage_table,
                                                  &storage_memory };
static const char *const provider_words[] = { "rfc2136", "managed", NULL };
static const struct provider *const providers[] = { &provider_rfc2136,
                                                    &provider_managed };
static const char *const form_words[] = {
	[FORM_TYPED] = "typed", [FORM_SAME] = "same", NULL
};
static const char *const former_words[] = {
	[FORM_TYPED] = "typed", [FORM_SAME] = "same", [FORM_NONE] = "none", NULL
};
static const char *const policy_words[] = {
	[POLICY_SYNC] = "sync", [POLICY_UPSERT_ONLY] = "upsert-only",
	[POLICY_CREATE_ONLY] = "create-only", NULL
};
static const char *const scope_words[] = {
	[SCOPE_NAME] = "name", [SCOPE_RRSET] = "rrset", NULL
};

static const struct option rows[] = {
	{ "zone", OPTION_TEXT, AT(zone), "example.org", 1, 255,
	  "name of the shared zone. zonefleet-ownership changes and deletes only record "
	  "sets whose ownership mark names the storage_id of this group",
	  .required = true },
	{ "storage_id", OPTION_TEXT, AT(storage_id), "cluster-1", 1, MARK_OWNER_MAX,
	  "owner in the ownership marks of zonefleet-ownership. You can use the same "
	  "storage_id for several zones. Other programs that write to this zone must "
	  "use a different owner", .required = true },
	{ "tenant", OPTION_TEXT, AT(tenant), "", 0, 255,
	  "tenant that may make calls about this zone. Administrators may always make "
	  "such calls. \"\": only administrators may make such calls" },
	{ "storage", OPTION_WORD, AT(storage), "txt", .words = storage_words,
	  .help = "place of the ownership marks. txt: TXT records of the zone, which "
	  "external-dns also reads; table: the database, for a zone that must not "
	  "contain ownership marks; memory: the memory of the program, for tests" },
	{ "txt_form", OPTION_WORD, AT(txt_form), "typed", .words = form_words,
	  .help = "form of the ownership marks. typed: the name of the TXT record "
	  "contains the type of the record set; same: the TXT record has the name of "
	  "the record set and contains only the storage_id. With same, the marks of "
	  "CNAME, NS and TXT record sets have the same names as the marks of "
	  "external-dns" },
	{ "txt_prefix", OPTION_TEXT, AT(txt_prefix), "_own-%{record_type}.", 0,
	  MARK_AFFIX_MAX,
	  "text at the beginning of the name of an ownership mark. The name of the "
	  "record set follows this text. zonefleet-ownership replaces %{record_type} "
	  "with the record type. Without %{record_type}, zonefleet-ownership adds the "
	  "record type after this text. \"\": the default of external-dns" },
	{ "txt_suffix", OPTION_TEXT, AT(txt_suffix), "", 0, MARK_AFFIX_MAX,
	  "text in the name of an ownership mark. zonefleet-ownership adds this text to "
	  "the end of the first label of the record set's name. If you set txt_suffix, "
	  "set txt_prefix to \"\"" },
	{ "txt_wildcard", OPTION_TEXT, AT(txt_wildcard), "_wildcard", 0, NAME_MAX_LABEL,
	  "text that replaces \"*\" in the name of an ownership mark" },
	{ "txt_encrypt_key", OPTION_SECRET, AT(txt_encrypt_key), NULL, 0, 0,
	  "key for the encryption of the ownership marks: 32 octets, plain or in "
	  "base64. zonefleet-ownership encrypts the marks in the same way as "
	  "external-dns (AES-256-GCM). All programs that share the zone need the same "
	  "key" },
	{ "former_form", OPTION_WORD, AT(former_form), "none", .words = former_words,
	  .help = "former form of the ownership marks. zonefleet-ownership reads marks "
	  "of this form and replaces them. none: no former form" },
	{ "former_prefix", OPTION_TEXT, AT(former_prefix), "", 0, MARK_AFFIX_MAX,
	  "value of txt_prefix for the ownership marks in former_form" },
	{ "former_suffix", OPTION_TEXT, AT(former_suffix), "", 0, MARK_AFFIX_MAX,
	  "value of txt_suffix for the ownership marks in former_form" },
	{ "provider", OPTION_WORD, AT(provider), "rfc2136", .words = provider_words,
	  .help = "where the zone is. rfc2136: on a primary server that accepts dynamic "
	  "updates; managed: in zonefleet itself, as a domain of central" },
	{ "host", OPTION_TEXT, AT(host), "", 0, 255,
	  "address or host name of the primary. Required if provider is rfc2136" },
	{ "port", OPTION_INT, AT(port), "53", 1, 65535,
	  "TCP port of the primary" },
	{ "tsig_key", OPTION_TEXT, AT(tsig_key), "", 0, 255,
	  "name of the TSIG key that signs transfers and updates. \"\": no signature" },
	{ "tsig_algorithm", OPTION_TEXT, AT(tsig_algorithm), "hmac-sha256", 1, 32,
	  "algorithm of tsig_key" },
	{ "tsig_secret", OPTION_SECRET, AT(tsig_secret), NULL, 0, 0,
	  "secret of tsig_key in base64, or \"@\" and the path of a file that contains "
	  "the secret" },
	{ "timeout", OPTION_DURATION, AT(timeout_ms), "10s", 100, 600 * 1000,
	  "time limit for an answer from the primary. If the primary does not "
	  "answer within this time, the round fails" },
	{ "resync_period", OPTION_DURATION, AT(resync_ms), "60s", 100, 86400 * 1000,
	  "time between two checks of the zone. A call or an approval can start a round "
	  "earlier" },
	{ "reread_period", OPTION_SECONDS, AT(reread_s), "1h", 1, 30 * 86400,
	  "time between two complete reads of the zone. After this time, "
	  "zonefleet-ownership reads the whole zone even if the serial of the zone has "
	  "not changed" },
	{ "interval", OPTION_DURATION, AT(interval_ms), "1s", 0, 3600 * 1000,
	  "shortest time between two rounds. The interval limits the load on the "
	  "primary" },
	{ "batch_changes", OPTION_INT, AT(batch_changes), "50", 1, 1000,
	  "largest number of changes in one update message" },
	{ "batch_bytes", OPTION_BYTES, AT(batch_bytes), "16K", 512, 60000,
	  "largest size of one update message" },
	{ "max_endpoints", OPTION_INT, AT(max_endpoints), "100000", 1, 10000000,
	  "largest total number of endpoints in the zone. Each resource counts as at "
	  "least one endpoint" },
	{ "policy", OPTION_WORD, AT(policy), "sync", .words = policy_words,
	  .help = "changes that zonefleet-ownership may make. sync: all changes; "
	  "upsert-only: all changes except deletions of record sets; create-only: only "
	  "new record sets" },
	{ "ownership_scope", OPTION_WORD, AT(scope), "rrset", .words = scope_words,
	  .help = "unit of ownership. rrset: the record sets of a name can have "
	  "different owners; name: all record sets of a name have the same owner, "
	  "except the NS records of the apex. If txt_form is same, the unit is always "
	  "the name" },
	{ "managed_types", OPTION_TEXTS, AT(types), EVERYTHING, 0, 0,
	  "record types that zonefleet-ownership may write" },
	{ "domain_filter", OPTION_TEXTS, AT(within), NULL, 0, 0,
	  "names at which zonefleet-ownership may write records. zonefleet-ownership "
	  "may also write records below these names. Empty list: all names" },
	{ "exclude_domains", OPTION_TEXTS, AT(without), NULL, 0, 0,
	  "names at which zonefleet-ownership writes no records. zonefleet-ownership "
	  "also writes no records below these names" },
	{ "max_delete_pct", OPTION_PERCENT, AT(max_delete_pct), "30", 0, 100,
	  "limit for deletions in one round, in percent of the record sets that have an "
	  "ownership mark of this storage_id. If a round would exceed this limit, an "
	  "operator must approve the deletions" },
	{ "max_update_pct", OPTION_PERCENT, AT(max_update_pct), "30", 0, 100,
	  "limit for updates in one round, in percent of the record sets that have an "
	  "ownership mark of this storage_id. The limit applies only to updates that "
	  "remove records. If a round would exceed this limit, an operator must approve "
	  "these updates" },
	{ "min_records", OPTION_INT, AT(min_records), "10", 0, 1000000,
	  "smallest number of record sets for max_delete_pct and max_update_pct. If "
	  "fewer record sets have an ownership mark of this storage_id, these two "
	  "limits do not apply. min_records also protects each resource with at least "
	  "this number of endpoints. If a call empties the list of such a resource, an "
	  "operator must approve the deletion of the resource's record sets" },
	{ "ttl", OPTION_SECONDS, AT(ttl), "300", 0, INT32_MAX,
	  "TTL of a new record set if its endpoint has no TTL. An existing record set "
	  "keeps its TTL" },
	{ "mark_ttl", OPTION_SECONDS, AT(mark_ttl), "300", 0, INT32_MAX,
	  "TTL of ownership marks" },
	{ "dry_run", OPTION_BOOL, AT(dry_run), "false", 0, 0,
	  "plan the changes, but write nothing to the zone" },
	{ "keep_drift", OPTION_BOOL, AT(keep_drift), "false", 0, 0,
	  "keep the changes of other programs to record sets with an ownership mark. "
	  "false: undo these changes" },
	{ "reclaim", OPTION_BOOL, AT(reclaim), "false", 0, 0,
	  "write a lost ownership mark again. zonefleet-ownership writes the mark only "
	  "if it created the record set and the records are unchanged" },
	{ 0 }
};

const struct option_list registry_lists[] = {
	{ "registries", "zones",
	  "shared zones, and the owner in the ownership marks of each zone",
	  rows, sizeof(struct registry_settings), &settings, &settings_count },
	{ 0 }
};

/* ---- evaluate the settings ---- */

static enum err registry_parse_zone(const char *text, const char *field,
                                    struct name *name, struct why *why)
{
	struct name root = { .len = 1 };
	enum err err = name_parse_in(text, &root, field, name, why);

	if (!err)
		name_fold(name);
	return err;
}

static enum err registry_parse_marks(struct registry *registry, struct why *why)
{
	const struct registry_settings *from = registry->settings;
	enum err err;

	if (!mark_owner_is_valid(from->storage_id))
		return fail(why, ERR_INVALID,
		            "storage_id: may contain only letters, digits, '.', '_', "
		            "':', '/', '@' and '-', not '%s'", from->storage_id);
	registry->marks.owner = from->storage_id;
	if (from->txt_encrypt_key) {
		err = mark_key_parse(from->txt_encrypt_key, "txt_encrypt_key",
		                     registry->mark_key, why);
		if (err)
			return err;
		registry->marks.key = registry->mark_key;
	}
	registry->marks.form = registry->former = mark_form_seed;
	if (from->txt_form == FORM_TYPED) {
		err = mark_form_parse(from->txt_prefix, from->txt_suffix,
		                      from->txt_wildcard, "txt_prefix",
		                      &registry->marks.form, why);
		if (err)
			return err;
	}
	if (from->former_form == FORM_NONE)
		return OK;
	registry->marks.former = &registry->former;
	if (from->former_form == FORM_SAME)
		return OK;
	return mark_form_parse(from->former_prefix, from->former_suffix,
	                       from->txt_wildcard, "former_prefix",
	                       &registry->former, why);
}

static enum err registry_parse_names(const struct option_texts *texts, const char *field,
                                     const struct name **names, size_t *count,
                                     struct why *why)
{
	struct name *parsed = xcalloc(texts->count + 1, sizeof(*parsed));
	enum err err = OK;

	for (size_t i = 0; i < texts->count && !err; i++)
		err = registry_parse_zone(texts->item[i], field, &parsed[i], why);
	*names = parsed;
	*count = texts->count;
	return err;
}

static enum err registry_parse_types(const struct option_texts *texts,
                                     struct plan_rules *rules, struct why *why)
{
	enum err err = OK;

	if (texts->count > PLAN_TYPES_MAX)
		return fail(why, ERR_INVALID,
		            "managed_types: must have at most %d types, not %zu",
		            PLAN_TYPES_MAX, texts->count);
	rules->type_count = texts->count;
	for (size_t i = 0; i < texts->count && !err; i++) {
		err = rrtype_parse(texts->item[i], "managed_types", &rules->types[i],
		                   why);
		if (!err && !mark_type_is_known(rules->types[i]))
			err = fail(why, ERR_INVALID, "managed_types: zonefleet-ownership "
			           "cannot write ownership marks for records of type %s",
			           texts->item[i]);
	}
	return err;
}

static enum err registry_parse_rules(struct registry *registry, struct why *why)
{
	const struct registry_settings *from = registry->settings;
	struct plan_rules *rules = &registry->rules;
	enum err err = registry_parse_types(&from->types, rules, why);

	if (!err)
		err = registry_parse_names(&from->within, "domain_filter", &rules->within,
		                           &rules->within_count, why);
	if (!err)
		err = registry_parse_names(&from->without, "exclude_domains",
		                           &rules->without, &rules->without_count, why);
	if (err)
		return err;
	rules->policy = (enum plan_policy)from->policy;
	rules->by_set = from->scope == SCOPE_RRSET;
	rules->keeps_drift = from->keep_drift;
	rules->reclaims = from->reclaim;
	rules->ttl = (uint32_t)from->ttl;
	rules->max_delete_pct = (unsigned)from->max_delete_pct;
	rules->max_update_pct = (unsigned)from->max_update_pct;
	rules->min_records = (size_t)from->min_records;
	return OK;
}

static enum err registry_parse_provider(struct registry *registry, struct why *why)
{
	const struct registry_settings *from = registry->settings;

	registry->provider = providers[from->provider];
	registry->limits = (struct batch_limits){ (size_t)from->batch_changes,
	                                          (size_t)from->batch_bytes };
	if (registry->provider == &provider_managed)
		return OK;
	if (!*from->host)
		return fail(why, ERR_INVALID,
		            "host: must be set if provider is \"rfc2136\"");
	registry->has_key = *from->tsig_key;
	if (!registry->has_key)
		return OK;
	if (!from->tsig_secret)
		return fail(why, ERR_INVALID, "tsig_secret: must be set if tsig_key is "
		            "set");
	return tsig_key_parse(from->tsig_key, from->tsig_algorithm, from->tsig_secret,
	                      &registry->key, why);
}

static void registry_set_storage(struct registry *registry)
{
	registry->storage = storages[registry->settings->storage];
	if (!registry->storage->is_in_zone)
		registry->marks.form = mark_form_none;
}

static enum err registry_build(struct registry *registry, struct why *why)
{
	const char *tenant = registry->settings->tenant;
	enum err err =
	    registry_parse_zone(registry->settings->zone, "zone", &registry->zone, why);

	if (!err && *tenant)
		err = identity_check(tenant, "tenant", why);
	if (!err)
		err = registry_parse_marks(registry, why);
	registry_set_storage(registry);
	if (!err)
		err = registry_parse_rules(registry, why);
	if (!err)
		err = registry_parse_provider(registry, why);
	if (err)
		return err;
	name_format(&registry->zone, registry->zone_text);
	snprintf(registry->lock, sizeof(registry->lock), "registry:%.80s:%.*s",
	         registry->settings->storage_id, REGISTRY_LOCK_ZONE,
	         registry->zone_text);
	return OK;
}

static enum err registry_explain(const struct registry *registry, enum err err,
                                 struct why *why)
{
	struct why said = *why;

	return err ? fail(why, err, "registries: zone %.255s: %.240s",
	                  registry->settings->zone, said.text) : OK;
}

enum err registries_build(struct registries *registries, struct why *why)
{
	struct registry_settings *from = settings;
	enum err err = OK;

	*registries = (struct registries){ xcalloc(settings_count + 1,
	                                           sizeof(struct registry)), 0 };
	for (size_t i = 0; i < settings_count && !err; i++) {
		struct registry *registry = &registries->item[i];

		registry->settings = &from[i];
		err = registry_build(registry, why);
		if (!err && registries_find(registries, from[i].storage_id,
		                            registry->zone_text))
			err = fail(why, ERR_INVALID,
			           "storage_id: '%s' is listed twice for this zone: list "
			           "each storage_id once for a zone", from[i].storage_id);
		err = registry_explain(registry, err, why);
		registries->count++;
	}
	if (!err && !registries->count)
		return fail(why, ERR_INVALID,
		            "registries.zones: must contain at least one zone");
	return err;
}
