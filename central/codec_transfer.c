#include "codec_transfer.h"

#include <openssl/sha.h>
#include <string.h>

#include "base/hex.h"
#include "base/log.h"
#include "codec.h"
#include "codec_domain.h"
#include "codec_find.h"
#include "model/identity.h"

enum {
	KEY_MIN = 32, KEY_MAX = 128,		/* octets of a key */
	EXPIRES_MIN_S = 60, EXPIRES_DEFAULT_S = 7 * 86400, EXPIRES_MAX_S = 90 * 86400,
};

#define TARGET \
	"the only tenant that can accept the request with the key; empty: each tenant " \
	"can accept the request with the key"
#define DESCRIPTION \
	"any text; zonefleet does not use this text. All tenants that can see the " \
	"request can read it"

const struct json_field codec_transfer_fields[] = {
	{ "domain", "id or name", "the domain that gets another tenant" },
	{ "key_hash", "string", "the SHA-256 of the key, as 64 lower-case hexadecimal "
	  "digits. The key is a text of 32 to 128 octets, for example 16 random octets "
	  "in hexadecimal. central gets the key only with `accept_transfer`" },
	{ "target_tenant", "string", TARGET, "empty", TENANT_MAX },
	{ "expires_in", "number", "the time in seconds until the request expires, from "
	  "60 to 7776000 (90 days)", "604800 (7 days)" },
	{ "description", "string", DESCRIPTION, "empty", DESCRIPTION_MAX },
	{ 0 }
};

const struct json_field codec_transfer_change_fields[] = {
	{ "target_tenant", "string", TARGET, "unchanged", TENANT_MAX },
	{ "description", "string", DESCRIPTION, "unchanged", DESCRIPTION_MAX },
	{ 0 }
};

const struct json_field codec_transfer_find_fields[] = {
	{ "domain", "id or name", "the domain", "all domains" },
	{ "state", "string", "OPEN, ACCEPTED, WITHDRAWN or EXPIRED", "all states" },
	{ 0 }
};

const struct json_field codec_transfer_shown[] = {
	{ "id", "id", "the id of the request" },
	{ "domain", "name", "the name of the domain" },
	{ "domain_id", "id", "the id of the domain" },
	{ "tenant", "string", "the tenant that made the request" },
	{ "target_tenant", "string", TARGET },
	{ "state", "string", "OPEN, ACCEPTED, WITHDRAWN or EXPIRED. If a caller "
	  "deletes the domain, an open request expires" },
	{ "accepted_by", "string", "the tenant that accepted the request, or empty" },
	{ "description", "string", "a text of the tenant that made the request" },
	{ "created_at", "time", "when the tenant made the request" },
	{ "updated_at", "time", "when the request last changed" },
	{ "expires_at", "time", "when an open request expires" },
	{ 0 }
};

static enum err transfer_get_hash(const json_t *json, const char **hash, struct why *why)
{
	enum err err = json_get_text(json, "key_hash", JSON_REQUIRED, TRANSFER_HASH_LEN,
	                             hash, why);

	if (!err && (strlen(*hash) != TRANSFER_HASH_LEN ||
	             (*hash)[strspn(*hash, HEX_DIGITS)]))
		return fail(why, ERR_INVALID, "key_hash: must be the SHA-256 of the key, "
		            "as 64 lower-case hexadecimal digits, not %zu octets",
		            strlen(*hash));
	return err;
}

static enum err transfer_get_target(const json_t *json, const char **target,
                                    struct why *why)
{
	enum err err = json_get_text(json, "target_tenant", 0, TENANT_MAX, target, why);

	return err || !*target || !**target
	           ? err : identity_check(*target, "target_tenant", why);
}

static enum err transfer_get_values(const json_t *json, struct transfer_spec *spec,
                                    struct why *why)
{
	enum err err = transfer_get_target(json, &spec->target_tenant, why);

	return err ? err : json_get_text(json, "description", 0, DESCRIPTION_MAX,
	                                 &spec->description, why);
}

static enum err transfer_get_spec(const json_t *json, struct arena *arena,
                                  struct transfer_spec *spec, struct why *why)
{
	enum err err = codec_domain_key(json, arena, &spec->domain, why);

	if (!err)
		err = transfer_get_hash(json, &spec->key_hash, why);
	if (!err)
		err = transfer_get_values(json, spec, why);
	return err ? err : json_get_int(json, "expires_in", 0, EXPIRES_MIN_S,
	                                EXPIRES_MAX_S, &spec->expires_s, why);
}

enum err codec_transfer_spec(const json_t *json, struct arena *arena,
                             struct transfer_spec *spec, struct why *why)
{
	enum err err = json_only_fields(json, codec_transfer_fields, "transfer", why);

	*spec = (struct transfer_spec){ .expires_s = EXPIRES_DEFAULT_S };
	return err ? err : codec_within("transfer",
	                                transfer_get_spec(json, arena, spec, why), why);
}

enum err codec_transfer_values(const json_t *json, struct transfer_spec *spec,
                               struct why *why)
{
	enum err err = json_only_fields(json, codec_transfer_change_fields,
	                                "a change to a transfer request", why);

	*spec = (struct transfer_spec){ 0 };
	return err ? err : codec_within("values", transfer_get_values(json, spec, why),
	                                why);
}

enum err codec_transfer_key(const json_t *args, char hash[TRANSFER_HASH_LEN + 1],
                            struct why *why)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	const char *key;
	enum err err = json_get_text(args, "key", JSON_REQUIRED, KEY_MAX, &key, why);

	if (err)
		return err;
	if (strlen(key) < KEY_MIN)
		return fail(why, ERR_INVALID, "key: must have %d to %d octets, not %zu",
		            KEY_MIN, KEY_MAX, strlen(key));
	SHA256((const uint8_t *)key, strlen(key), digest);
	hex_encode(digest, sizeof digest, hash);
	return OK;
}

static enum err transfer_get_criterion(const json_t *json, struct arena *arena,
                                       struct transfer_criterion *criterion,
                                       struct why *why)
{
	struct domain_key domain = { .name = NULL };
	enum err err = OK;

	if (!json_is_absent(json, "domain"))
		err = codec_domain_key(json, arena, &domain, why);
	if (!err)
		err = json_get_text(json, "state", 0, WORD_MAX, &criterion->state, why);
	memcpy(criterion->domain_id, domain.id, sizeof domain.id);
	criterion->domain = domain.name;
	for (size_t i = 0; !err && criterion->state && i < TRANSFER_STATES; i++)
		if (!strcmp(criterion->state, transfer_state_names[i]))
			return OK;
	return err || !criterion->state
	           ? err : fail(why, ERR_INVALID, "state: must be OPEN, ACCEPTED, "
	                        "WITHDRAWN or EXPIRED, not '%s'",
	                        err_quote(criterion->state, (char[33]){ 0 }, 33));
}

enum err codec_transfer_criterion(const json_t *args, struct arena *arena,
                                  struct transfer_criterion *criterion,
                                  struct why *why)
{
	const json_t *json = NULL;
	enum err err = json_get_object(args, "criterion", 0, &json, why);

	*criterion = (struct transfer_criterion){ 0 };
	if (!err && json)
		err = json_only_fields(json, codec_transfer_find_fields, "criterion",
		                       why);
	if (!err && json)
		err = transfer_get_criterion(json, arena, criterion, why);
	return codec_within("criterion", err, why);
}

json_t *codec_transfer_encode(const struct transfer *transfer)
{
	json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, "
	                         "s:s}",
		"id", transfer->id, "domain", transfer->domain,
		"domain_id", transfer->domain_id, "tenant", transfer->tenant,
		"target_tenant", transfer->target_tenant,
		"state", transfer_state_names[transfer->state],
		"accepted_by", transfer->accepted_by,
		"description", transfer->description,
		"created_at", transfer->created_at, "updated_at", transfer->updated_at,
		"expires_at", transfer->expires_at);

	bug_if(!json);	/* central has checked all stored texts */
	return json;
}
