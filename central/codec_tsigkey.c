#include "codec_tsigkey.h"

#include "base/base64.h"
#include "base/log.h"
#include "codec.h"
#include "codec_domain.h"
#include "core/tsigkey.h"
#include "model/json.h"

#define ALGORITHMS "`hmac-sha1`, `hmac-sha224`, `hmac-sha256`, `hmac-sha384` or " \
	"`hmac-sha512`"

const struct json_field codec_tsigkey_fields[] = {
	{ "name", "name", "the name of the key" },
	{ "algorithm", "string", ALGORITHMS, "`" TSIGKEY_ALGORITHM "`" },
	{ "secret", "string", "the secret, 16 to 128 octets in base64",
	  "a random secret, as long as the hash" },
	{ "domain", "id or name", "the domain that clients with this key may transfer. "
	  "If `domain` is absent, the key is for name servers", "none" },
	{ 0 }
};

const struct json_field codec_tsigkey_change_fields[] = {
	{ "algorithm", "string", ALGORITHMS, "unchanged" },
	{ "secret", "string", "the secret, 16 to 128 octets in base64", "unchanged" },
	{ "new_secret", "true or false", "true: central generates a random secret",
	  "false" },
	{ 0 }
};

const struct json_field codec_tsigkey_shown[] = {
	{ "id", "id", "the id of the key" },
	{ "name", "name", "the name of the key" },
	{ "algorithm", "string", "the algorithm of the key" },
	{ "domain", "name or null", "the domain that clients with the key may transfer" },
	{ "domain_id", "id or null", "the id of the domain that clients with the key may "
	  "transfer" },
	{ "created_at", "time", "when the key was created" },
	{ "updated_at", "time", "when the key last changed" },
	{ 0 }
};

enum err codec_tsigkey_key(const json_t *args, struct arena *arena,
                           struct tsigkey_key *key, struct why *why)
{
	return codec_id_or_name(args, "tsigkey", arena, key->id, &key->name, why);
}

static enum err tsigkey_get_algorithm(const json_t *json, const char **algorithm,
                                      struct why *why)
{
	enum err err = json_get_text(json, "algorithm", 0, WORD_MAX, algorithm, why);

	return err || !*algorithm ? err : tsigkey_check_algorithm(*algorithm, why);
}

static enum err tsigkey_get_secret(const json_t *json, const char **secret,
                                   struct why *why)
{
	enum err err = json_get_text(json, "secret", 0, BASE64_LEN(TSIGKEY_OCTETS_MAX),
	                             secret, why);

	return err || !*secret ? err : tsigkey_check_secret(*secret, why);
}

static enum err tsigkey_get_name(const json_t *json, struct arena *arena,
                                 struct tsigkey_spec *spec, struct why *why)
{
	struct name name;
	enum err err = codec_owner(json, "name", JSON_REQUIRED, arena, &name, &spec->name,
	                           why);

	return err ? err : tsigkey_check_name(&name, why);
}

static enum err tsigkey_get_domain(const json_t *json, struct arena *arena,
                                   struct tsigkey_spec *spec, struct why *why)
{
	spec->has_domain = !json_is_absent(json, "domain");
	return spec->has_domain ? codec_domain_key(json, arena, &spec->domain, why) : OK;
}

static enum err tsigkey_get_spec(const json_t *json, struct arena *arena,
                                 struct tsigkey_spec *spec, struct why *why)
{
	enum err err = tsigkey_get_name(json, arena, spec, why);

	if (!err)
		err = tsigkey_get_algorithm(json, &spec->algorithm, why);
	if (!err)
		err = tsigkey_get_secret(json, &spec->secret, why);
	return err ? err : tsigkey_get_domain(json, arena, spec, why);
}

enum err codec_tsigkey_spec(const json_t *json, struct arena *arena,
                            struct tsigkey_spec *spec, struct why *why)
{
	enum err err = json_only_fields(json, codec_tsigkey_fields, "tsigkey", why);

	*spec = (struct tsigkey_spec){ 0 };
	return err ? err : codec_within("tsigkey",
	                                tsigkey_get_spec(json, arena, spec, why), why);
}

static enum err tsigkey_get_values(const json_t *json, struct tsigkey_spec *spec,
                                   struct why *why)
{
	enum err err = tsigkey_get_algorithm(json, &spec->algorithm, why);

	if (!err)
		err = tsigkey_get_secret(json, &spec->secret, why);
	if (!err)
		err = json_get_bool(json, "new_secret", 0, &spec->is_rotated, why);
	if (!err && spec->is_rotated && spec->secret)
		return fail(why, ERR_INVALID,
		            "new_secret: must be false or absent if secret is set");
	return err;
}

enum err codec_tsigkey_values(const json_t *json, struct tsigkey_spec *spec,
                              struct why *why)
{
	enum err err = json_only_fields(json, codec_tsigkey_change_fields,
	                                "a change to a TSIG key", why);

	*spec = (struct tsigkey_spec){ 0 };
	return err ? err : codec_within("values", tsigkey_get_values(json, spec, why),
	                                why);
}

json_t *codec_tsigkey_encode(const struct tsigkey *key)
{
	json_t *json = json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s, s:s}",
		"id", key->id, "name", key->name, "algorithm", key->algorithm,
		"domain", key->domain, "domain_id", key->domain_id,
		"created_at", key->created_at, "updated_at", key->updated_at);

	bug_if(!json);	/* all stored texts are ASCII */
	return json;
}
