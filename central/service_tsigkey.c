#include "service.h"

#include <string.h>

#include "base/base64.h"
#include "base/id.h"
#include "codec_domain.h"
#include "codec_tsigkey.h"
#include "core/tsigkey.h"
#include "result_page.h"

/*
 * Only the answer of get_tsigkey has the secret. Answers of writing calls are stored in
 * the database (write.h), so they must not have it.
 */

static enum err tsigkey_not_found(struct tx *tx, const struct tsigkey_key *by)
{
	return tx_fail(tx, ERR_NOT_FOUND, "there is no TSIG key '%.200s'",
	               *by->id ? by->id : by->name);
}

/* Makes a secret as long as the hash (RFC 8945 8). */
static const char *tsigkey_make_secret(const char *algorithm, struct arena *arena)
{
	uint8_t octets[TSIGKEY_HASH_MAX];
	size_t len = tsigkey_hash_octets(algorithm);
	char *text = arena_alloc(arena, BASE64_LEN(len) + 1);

	random_fill(octets, len);
	base64_encode(octets, len, text);
	explicit_bzero(octets, sizeof octets);
	return text;
}

/* Reads the row back, because the database has set its times. */
static enum err tsigkey_answer(struct write *write, const char *id)
{
	struct tsigkey_key by = { .name = NULL };
	struct tsigkey key;

	memcpy(by.id, id, sizeof by.id);
	if (store_tsigkey_get(write->tx, &by, write->arena, &key))
		write->req->result = codec_tsigkey_encode(&key);
	return write->tx->err;
}

/* ---- create ---- */

static enum err tsigkey_decode_spec(struct request *req, struct tsigkey_spec *spec)
{
	const json_t *json;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "tsigkey", &json);
	return err ? err : codec_tsigkey_spec(json, req->arena, spec, &req->why);
}

static enum err tsigkey_find_domain(struct write *write, const struct tsigkey_spec *spec,
                                    struct tsigkey *key)
{
	const struct domain_key *by = &spec->domain;
	struct zone zone;

	if (!spec->has_domain)
		return OK;
	if (!store_domain_get(write->tx, by, &write->access, write->arena, &zone))
		return tx_fail(write->tx, ERR_INVALID,
		               "tsigkey.domain: there is no domain '%.200s'",
		               *by->id ? by->id : by->name);
	if (zone.is.state.task == TASK_DELETE)
		return tx_fail(write->tx, ERR_CONFLICT,
		               "the domain %.200s is being deleted", zone.is.name);
	key->domain_id = arena_strdup(write->arena, zone.is.id);
	return OK;
}

enum err service_create_tsigkey(struct write *write)
{
	struct tsigkey_spec spec;
	struct tsigkey key = { .algorithm = TSIGKEY_ALGORITHM };
	enum err err = tsigkey_decode_spec(write->req, &spec);

	if (!err)
		err = tsigkey_find_domain(write, &spec, &key);
	if (err)
		return err;
	id_new(key.id);
	key.name = spec.name;
	if (spec.algorithm)
		key.algorithm = spec.algorithm;
	key.secret = spec.secret ? spec.secret
	                         : tsigkey_make_secret(key.algorithm, write->arena);
	store_tsigkey_insert(write->tx, &key, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&write->req->why, ERR_EXISTS,
		            "TSIG key %.200s already exists", key.name);
	rpc_changed(write->req, "tsigkey", key.name);
	return tsigkey_answer(write, key.id);
}

/* ---- update, delete ---- */

static enum err tsigkey_lock(struct write *write, struct tsigkey *key)
{
	struct request *req = write->req;
	struct tsigkey_key by;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_tsigkey_key(req->args, write->arena, &by, &req->why);
	if (err)
		return err;
	if (!store_tsigkey_lock(write->tx, &by, write_wait(write), write->arena, key))
		return tsigkey_not_found(write->tx, &by);
	return OK;
}

static enum err tsigkey_decode_values(struct request *req, struct tsigkey_spec *spec)
{
	const json_t *json;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "values", &json);
	return err ? err : codec_tsigkey_values(json, spec, &req->why);
}

enum err service_update_tsigkey(struct write *write)
{
	struct tsigkey_spec spec;
	struct tsigkey key;
	enum err err = tsigkey_decode_values(write->req, &spec);

	if (!err)
		err = tsigkey_lock(write, &key);
	if (err)
		return err;
	if (spec.algorithm)
		key.algorithm = spec.algorithm;
	if (spec.secret)
		key.secret = spec.secret;
	if (spec.is_rotated)
		key.secret = tsigkey_make_secret(key.algorithm, write->arena);
	store_tsigkey_update(write->tx, &key);
	rpc_changed(write->req, "tsigkey", key.name);
	return tsigkey_answer(write, key.id);
}

enum err service_delete_tsigkey(struct write *write)
{
	const char *pool, *server;
	struct tsigkey key;
	enum err err = tsigkey_lock(write, &key);

	if (err)
		return err;
	if (store_tsigkey_user(write->tx, key.name, write->arena, &pool, &server))
		return tx_fail(write->tx, ERR_CONFLICT,
		               "the server '%s' of the pool '%s' uses the TSIG key "
		               "%.200s: first remove tsig_key from this server in the "
		               "settings of the pool managers", server, pool, key.name);
	store_tsigkey_delete(write->tx, key.id);
	rpc_changed(write->req, "tsigkey", key.name);
	return write->tx->err;
}

/* ---- get, find ---- */

static json_t *tsigkey_encode_secret(const struct tsigkey *key)
{
	json_t *json = codec_tsigkey_encode(key);

	json_object_set_new(json, "secret", json_string(key->secret));
	return json;
}

enum err service_get_tsigkey(void *self, struct request *req)
{
	struct central *central = self;
	struct tsigkey_key by;
	struct tsigkey key;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_tsigkey_key(req->args, req->arena, &by, &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);

	if (store_tsigkey_get(&tx, &by, req->arena, &key))
		req->result = tsigkey_encode_secret(&key);
	else
		tsigkey_not_found(&tx, &by);
	return tx_commit(&tx);
}

static void tsigkey_read_page(struct tx *tx, const struct paging *paging,
                              struct arena *arena, struct result_page *page)
{
	struct tsigkey key;
	struct tx_rows rows;

	store_tsigkey_find(tx, paging, arena, &rows);
	while (store_tsigkey_next(&rows, &key))
		if (!result_page_add(page, codec_tsigkey_encode(&key), key.id))
			break;
	tx_select_end(&rows);
}

enum err service_find_tsigkeys(void *self, struct request *req)
{
	return result_page_find(self, req,
	                        &(struct result_list){ "tsigkeys",
	                                              store_tsigkey_sort_keys,
	                                               tsigkey_read_page });
}
