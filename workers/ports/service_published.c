#include "model/json.h"
#include "service_private.h"

enum { DOMAINS_MAX = 1000 };

/* A port, or all ports of a network if no port is given. */
struct published_query {
	char port_id[ID_LEN + 1], network_id[ID_LEN + 1];
};

static enum err published_query_decode(struct request *req, struct published_query *query)
{
	enum err err;

	*query = (struct published_query){ 0 };
	err = json_get_id(req->args, "port", 0, query->port_id, &req->why);
	if (!err)
		err = json_get_id(req->args, "network", 0, query->network_id, &req->why);
	if (!err && !*query->port_id && !*query->network_id)
		err = fail(&req->why, ERR_INVALID,
		           "set the argument port or the argument network");
	return err;
}

/* A deleted port may still have records. */
static void published_check_port(struct request *req, struct tx *tx, const char *id)
{
	struct port_row port;

	if (!store_port_read(tx, req->arena, id, &port) ||
	    access_check(req, port.project_id))
		tx_fail(tx, ERR_NOT_FOUND, "there is no port %.32s", id);
}

static void published_add_zone(void *self, const char *zone)
{
	json_array_append_new(self, json_string(zone));
}

/* The answer: the sums over all domains, and a line for each domain. */
struct published {
	json_t *waiting;
	int64_t open, refused;
	const char *reason;		/* of refused records, if there are any */
};

static void published_add(void *self, const struct published_row *row)
{
	struct published *all = self;

	if (!*all->reason || (row->refused && !all->refused))
		all->reason = row->reason;
	all->open += row->open;
	all->refused += row->refused;
	json_array_append_new(all->waiting, json_pack(
		"{s:s, s:I, s:I, s:s, s:s}", "domain", row->zone,
		"open", (json_int_t)row->open, "refused", (json_int_t)row->refused,
		"reason", row->reason, "port", row->port_id));
}

enum err service_get_published(void *self, struct request *req)
{
	struct ports *ports = self;
	struct published all = { .reason = "" };
	struct published_query query;
	enum err err = published_query_decode(req, &query);
	const char *port = *query.port_id ? query.port_id : NULL;

	if (err)
		return err;

	struct tx tx = tx_begin_snapshot(ports->runtime.db, &req->why);
	json_t *domains = json_array();

	all.waiting = json_array();
	if (port)
		published_check_port(req, &tx, port);
	else
		service_check_network(req, &tx, query.network_id);
	store_published(&tx, req->arena, query.network_id, port, DOMAINS_MAX,
	                published_add, &all);
	store_published_zones(&tx, req->arena, query.network_id, port, DOMAINS_MAX,
	                      published_add_zone, domains);
	req->result = json_pack("{s:I, s:I, s:s, s:f, s:o, s:o}", "open",
	                        (json_int_t)all.open, "refused", (json_int_t)all.refused,
	                        "reason", all.reason,
	                        "retry_seconds", ports->settings.retry_ms / 1000.0,
	                        "domains", domains, "waiting", all.waiting);
	return tx_commit(&tx);
}
