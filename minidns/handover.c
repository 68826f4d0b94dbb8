#include "handover.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/id.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "runtime/rpc.h"

/* A message that is not full yet: domains of one server, under the same terms. */
struct parcel {
	struct buf key;
	const char *method;
	json_t *args, *domains;		/* the domains are a list in args */
};

struct handover {
	struct rpc_client *rpc;
	char request_id[ID_LEN + 1];
	struct map *parcels;
	size_t orders, lost;
};

struct handover *handover_new(struct rpc_client *rpc)
{
	struct handover *handover = xcalloc(1, sizeof(*handover));

	handover->rpc = rpc;
	handover->parcels = map_new(random_u32());
	id_random(handover->request_id);
	return handover;
}

/*
 * Sends through the default exchange, because the account of mini-DNS may not send to its
 * own topic. Takes over ARGS.
 */
static void handover_cast(struct handover *handover, const char *method, json_t *args,
                          size_t orders)
{
	static const struct rpc_target others = { .topic = "minidns", .exchange = "" };
	json_t *context = context_encode(handover->request_id, true);
	struct why why;

	handover->orders += orders;
	if (rpc_cast(handover->rpc, &others, method, args, context, &why)) {
		if (!handover->lost)
			log_warn("orders not handed over: req=%s reason=\"%s\"",
			         handover->request_id, why.text);
		handover->lost += orders;
	}
	json_decref(context);
	json_decref(args);
}

/* ---- parcels ---- */

static void parcel_make_key(const struct poll_order *order, struct buf *key)
{
	const struct destination *to = &order->destination;

	buf_printf(key, "%s %s %u %s %d %d %d %d %d", to->id, to->host, to->port,
	           to->tsig_key ? to->tsig_key : "", to->patience_s, order->timeout_ms,
	           order->retry_interval_ms, order->max_retries, order->quiet);
}

/* Takes over KEY. */
static struct parcel *parcel_new(struct handover *handover,
                                 const struct poll_order *order, struct buf *key)
{
	struct parcel *parcel = xcalloc(1, sizeof(*parcel));
	struct destination destination = order->destination;
	const struct propagation propagation = {
		.destinations = &destination,
		.destination_count = 1,
		.terms = *order,
	};

	parcel->key = *key;
	parcel->method = order->quiet ? "poll_zones" : "propagate_zones";
	parcel->args = propagation_encode(&propagation);
	parcel->domains = json_object_get(parcel->args, "domains");
	map_put(handover->parcels, key->data, key->len, parcel);
	return parcel;
}

static void parcel_send(struct parcel *parcel, struct handover *handover)
{
	map_remove(handover->parcels, parcel->key.data, parcel->key.len);
	handover_cast(handover, parcel->method, parcel->args,
	              json_array_size(parcel->domains));
	buf_clear(&parcel->key);
	free(parcel);
}

static struct parcel *handover_parcel(struct handover *handover,
                                      const struct poll_order *order)
{
	struct buf key = { 0 };
	struct parcel *parcel;

	parcel_make_key(order, &key);
	parcel = map_get(handover->parcels, key.data, key.len);
	if (!parcel)
		return parcel_new(handover, order, &key);
	buf_clear(&key);
	return parcel;
}

/* A deleted zone gets no NOTIFY, so its order has a message of its own. */
void handover_add(void *self, const struct poll_order *order)
{
	struct handover *handover = self;
	struct parcel *parcel;

	if (order->domain.state.task == TASK_DELETE) {
		handover_cast(handover, "poll_for_serial_number",
		              poll_order_encode(order), 1);
		return;
	}
	parcel = handover_parcel(handover, order);
	json_array_append_new(parcel->domains, domain_ref_encode(&order->domain));
	if (json_array_size(parcel->domains) == LIST_MAX)
		parcel_send(parcel, handover);
}

void handover_send(struct handover **handover)
{
	struct handover *old = *handover;
	struct parcel *parcel;

	while ((parcel = map_any(old->parcels)))
		parcel_send(parcel, old);
	if (old->orders)
		log_info("orders handed over: req=%s count=%zu lost=%zu",
		         old->request_id, old->orders, old->lost);
	map_free(&old->parcels);
	free(old);
	*handover = NULL;
}
