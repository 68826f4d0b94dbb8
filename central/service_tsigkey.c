#include "service.h"

#include <string.h>

#include "base/base64.h"
#include "base/id.h"
#include "codec_domain.h"
#include "codec_find.h"
#include "codec_tsigkey.h"
#include "core/tsigkey.h"
#include "page.h"

/*
 * A secret leaves central in the answer of get_tsigkey and in no other: the
 * answers of writing calls are kept (once.h), and so they are without it.
 */

static enum err not_found(struct tx *tx, const struct tsigkey_key *by)
{
	return tx_fail(tx, ERR_NOT_FOUND, "there is no TSIG key '%.200s'",
	               *by->id ? by->id : by->name);
}

/* As many random octets as the hash has: RFC 8945 8. */
static const char *make_secret(const char *algorithm, struct arena *arena)
{
	uint8_t octets[TSIGKEY_HASH_MAX];
	size_t len = tsigkey_hash_octets(algorithm);
	char *text = arena_alloc(arena, BASE64_LEN(len) + 1);

	random_fill(octets, len);
	base64_encode(octets, len, text);
	explicit_bzero(octets, sizeof octets);
	return text;
}

/* The times of a row that was just written are the database's: read it back as it is. */
static enum err answer(struct write *write, const char *id)
{
	struct tsigkey_key by = { .name = NULL };
	struct tsigkey key;

	memcpy(by.id, id, sizeof by.id);
	if (store_tsigkey_get(write->tx, &by, write->arena, &key))
		write->req->result = codec_tsigkey_encode(&key);
	return write->tx->err;
}

/* ---- create ---- */

static enum err decode_wish(struct request *req, struct tsigkey_wish *wish)
{
	const json_t *json;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "tsigkey", &json);
	return err ? err : codec_tsigkey_wish(json, req->arena, wish, &req->why);
}

static enum err find_domain(struct write *write, const struct tsigkey_wish *wish,
                            struct tsigkey *key)
{
	const struct domain_key *by = &wish->domain;
	struct zone zone;

	if (!wish->has_domain)
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
	struct tsigkey_wish wish;
	struct tsigkey key = { .algorithm = TSIGKEY_ALGORITHM };
	enum err err = decode_wish(write->req, &wish);

	if (!err)
		err = find_domain(write, &wish, &key);
	if (err)
		return err;
	id_new(key.id);
	key.name = wish.name;
	if (wish.algorithm)
		key.algorithm = wish.algorithm;
	key.secret = wish.secret ? wish.secret
	                         : make_secret(key.algorithm, write->arena);
	store_tsigkey_insert(write->tx, &key, write_wait(write));
	if (write->tx->err == ERR_EXISTS)
		return fail(&write->req->why, ERR_EXISTS,
		            "a TSIG key %.200s exists already", key.name);
	return answer(write, key.id);
}

/* ---- update, delete ---- */

static enum err lock(struct write *write, struct tsigkey *key)
{
	struct request *req = write->req;
	struct tsigkey_key by;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_tsigkey_key(req->args, write->arena, &by, &req->why);
	if (err)
		return err;
	if (!store_tsigkey_lock(write->tx, &by, write_wait(write), write->arena, key))
		return not_found(write->tx, &by);
	return OK;
}

static enum err decode_values(struct request *req, struct tsigkey_wish *wish)
{
	const json_t *json;
	enum err err = access_require_admin(req);

	if (!err)
		err = service_object(req, "values", &json);
	return err ? err : codec_tsigkey_values(json, wish, &req->why);
}

enum err service_update_tsigkey(struct write *write)
{
	struct tsigkey_wish wish;
	struct tsigkey key;
	enum err err = decode_values(write->req, &wish);

	if (!err)
		err = lock(write, &key);
	if (err)
		return err;
	if (wish.algorithm)
		key.algorithm = wish.algorithm;
	if (wish.secret)
		key.secret = wish.secret;
	if (wish.is_rotated)
		key.secret = make_secret(key.algorithm, write->arena);
	store_tsigkey_update(write->tx, &key);
	return answer(write, key.id);
}

enum err service_delete_tsigkey(struct write *write)
{
	const char *pool, *server;
	struct tsigkey key;
	enum err err = lock(write, &key);

	if (err)
		return err;
	if (store_tsigkey_user(write->tx, key.name, write->arena, &pool, &server))
		return tx_fail(write->tx, ERR_CONFLICT,
		               "the server '%s' of the pool '%s' has the TSIG key "
		               "%.200s: take it from the server first", server, pool,
		               key.name);
	store_tsigkey_delete(write->tx, key.id);
	return write->tx->err;
}

/* ---- get, find ---- */

static json_t *encode_with_secret(const struct tsigkey *key)
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
		req->result = encode_with_secret(&key);
	else
		not_found(&tx, &by);
	return tx_commit(&tx);
}

enum err service_find_tsigkeys(void *self, struct request *req)
{
	struct central *central = self;
	struct paging paging;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_find_nothing(req->args, &req->why);
	if (!err)
		err = codec_find_paging(req->args, store_tsigkey_sort_keys, &paging,
		                        &req->why);
	if (err)
		return err;

	struct tx tx = tx_autocommit(central->runtime->db, &req->why);
	struct tx_rows rows;
	struct tsigkey key;
	struct page page;

	page_begin(&page, paging.limit);
	store_tsigkey_find(&tx, &paging, req->arena, &rows);
	while (store_tsigkey_next(&rows, &key))
		if (!page_add(&page, codec_tsigkey_encode(&key), key.id))
			break;
	tx_select_end(&rows);
	req->result = page_end(&page, "tsigkeys");
	return tx_commit(&tx);
}
