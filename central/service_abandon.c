/*
 * service_abandon -- abandon_domain: an administrator ends the deletion of a domain. It
 * becomes DELETED, although servers still serve it, and its name becomes free. The answer
 * and the log name these servers. The pool manager still tries to delete it there, until
 * the name exists again.
 */
#include "service.h"

#include "base/buf.h"
#include "base/log.h"
#include "changed.h"
#include "codec_domain.h"
#include "core/status.h"

static json_t *abandon_list_servers(struct tx *tx, const struct zone *zone,
                                    struct arena *arena)
{
	json_t *servers = json_array();
	const char *id, *reason;
	struct tx_rows rows;

	store_status_undeleted(tx, zone, arena, &rows);
	while (store_status_next_undeleted(&rows, &id, &reason))
		json_array_append_new(servers, json_pack("{s:s, s:s}", "id", id, "reason",
		                                         reason));
	return servers;
}

static void abandon_log(const struct write *write, const json_t *servers)
{
	struct buf text = { 0 };
	const json_t *server;
	size_t i;

	json_array_foreach(servers, i, server)
		buf_printf(&text, "%s%s: %s", i ? "; " : "",
		           json_string_value(json_object_get(server, "id")),
		           json_string_value(json_object_get(server, "reason")));
	log_warn("deletion of a domain abandoned: req=%s domain=%s id=%s tenant=%s "
	         "servers=\"%s\"",
	         write->req->context.request_id, write->zone.is.name, write->zone.is.id,
	         write->zone.is.tenant, buf_string(&text));
	buf_clear(&text);
}

enum err service_abandon_domain(struct write *write)
{
	struct request *req = write->req;
	struct zone *zone = &write->zone;
	const char *ids[] = { zone->is.id };
	struct domain_key key;
	json_t *servers;
	enum err err = access_require_admin(req);

	if (!err)
		err = codec_domain_key(req->args, write->arena, &key, &req->why);
	if (err)
		return err;
	if (!store_domain_lock(write->tx, &key, &write->access, write->req->may_wait,
	                       write->arena, zone))
		return tx_fail(write->tx, ERR_NOT_FOUND, "there is no domain '%.200s'",
		               *key.id ? key.id : key.name);
	if (zone->is.state.task != TASK_DELETE)
		return tx_fail(write->tx, ERR_CONFLICT, "the domain %.200s is not being "
		               "deleted: delete the domain first", zone->is.name);
	zone->is.state = status_next(SUBJECT_DOMAIN, zone->is.state, REPORT_NO_DOMAIN,
	                             zone->is.state.serial);
	zone->reason = "";
	servers = abandon_list_servers(write->tx, zone, write->arena);
	store_domain_set_states(write->tx, write->arena, ids, 1, &zone->is.state, "");
	write->usage[0] = (struct usage_change){ zone->is.tenant, -1, -1 };
	abandon_log(write, servers);
	changed_domain(write, (struct changed_records){ 0 });
	req->result = codec_domain_encode(zone, write->arena);
	json_object_set_new(req->result, "servers", servers);
	return write->tx->err;
}
