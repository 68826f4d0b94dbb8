#include "consistency/hosts_versions.h"

#include "model/json.h"
#include "runtime/access.h"
#include "runtime/tx_list.h"

static void hosts_versions_take(void *versions, const char *name, uint64_t version)
{
	json_object_set_new(versions, name, json_integer((json_int_t)version));
}

enum err hosts_versions(struct request *req, struct db *db, enum hosts_of of,
                        const char *keys, hosts_name_fn *name)
{
	const char *names[TX_LIST_MAX];
	const json_t *list;
	size_t count;
	enum err err = access_require_admin(req);

	if (!err)
		err = json_get_array(req->args, keys, JSON_REQUIRED, TX_LIST_MAX, &list,
		                     &req->why);
	if (err)
		return err;
	count = json_array_size(list);
	for (size_t i = 0; i < count; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		names[i] = text ? name(req->arena, text) : NULL;
		if (!names[i])
			return fail(&req->why, ERR_INVALID, "%s[%zu]: must be %s", keys,
			            i, of == HOSTS_OF_NETWORK ? "an id" : "a name");
	}
	req->result = json_pack("{s:{}}", "versions");
	if (!count)
		return OK;

	struct tx tx = tx_autocommit(db, &req->why);
	store_hosts_versions(&tx, req->arena, of, names, count, hosts_versions_take,
	                     json_object_get(req->result, "versions"));
	return tx_commit(&tx);
}
