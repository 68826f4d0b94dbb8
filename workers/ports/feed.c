#include "feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "codec.h"
#include "neutron.h"
#include "renaming.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/metrics.h"
#include "writing.h"

enum {
	PREFETCH = 64,
	ATTEMPTS_MAX = 20,		/* through the delay queue */
	RETRY_MS = 5000,
};

struct feed {
	struct ports *ports;
	struct broker *in;
	struct arena *arena;		/* of the delivery in hand */
};

static struct figures {
	struct metric *taken, *stale, *refused, *conflicts;
} figures;

void feed_metrics(void)
{
	figures.taken = metric_new(METRIC_COUNTER, "ports_events_total",
	    "notifications of Neutron that were taken", NULL, NULL);
	figures.stale = metric_new(METRIC_COUNTER, "ports_events_stale_total",
	    "objects of them of which something newer is known", NULL, NULL);
	figures.refused = metric_new(METRIC_COUNTER, "ports_events_refused_total",
	    "notifications that cannot be read: they are dead letters", NULL, NULL);
	figures.conflicts = metric_new(METRIC_COUNTER, "ports_conflicts_total",
	    "ports whose name another one of their network has", NULL, NULL);
}

/* What is told of an object is done in a transaction that may run again. */
struct telling {
	struct feed *feed;
	const json_t *json;		/* of what is there */
	const char *id;			/* of what is gone */
};

/* ---- networks ---- */

/* Its own domain, or that of all who have none, which is ours. */
static void settle_domain(const struct feed *feed, struct network_row *network,
                          struct arena *arena)
{
	const char *domain = feed->ports->settings.domain;
	char text[NAME_MAX_TEXT + 1];
	struct why why;

	if (network->domain.len || codec_domain(domain, &network->domain, &why) ||
	    !network->domain.len)
		return;
	name_format(&network->domain, text);
	network->domain_text = arena_strdup(arena, text);
	network->is_default = true;
}

static bool is_stale(uint64_t told, uint64_t known)
{
	bool is_old = told && known && told <= known;

	if (is_old)
		metric_add(figures.stale, 1);
	return is_old;
}

static void put_network(struct feed *feed, struct renaming *renaming,
                        struct network_row *network, struct tx *tx)
{
	struct network_row was;
	bool is_there = store_network_lock(tx, feed->arena, network->id, &was);

	if (tx->err || store_network_is_gone(tx, network->id) ||
	    (is_there && is_stale(network->revision, was.revision)))
		return;
	store_network_put(tx, network);
	if (is_there && strcmp(was.domain_text, network->domain_text))
		renaming_all(renaming, tx);
}

static enum err tell_network(void *self, struct why *why)
{
	const struct telling *telling = self;
	struct feed *feed = telling->feed;
	struct network_row network;
	struct renaming renaming = { .ports = feed->ports, .arena = feed->arena,
	                             .network = &network, .unnamed = json_array() };
	enum err err = neutron_network(telling->json, feed->arena, &network, why);

	if (!err) {
		struct tx tx = tx_begin(feed->ports->runtime.db, why);

		settle_domain(feed, &network, feed->arena);
		put_network(feed, &renaming, &network, &tx);
		err = renaming_commit(&renaming, &tx);
	}
	json_decref(renaming.unnamed);
	return err;
}

/* Nothing is named in it any more, whatever was told of its ports. */
static enum err end_network(void *self, struct why *why)
{
	const struct telling *telling = self;
	struct feed *feed = telling->feed;
	struct network_row network;
	struct renaming renaming = { .ports = feed->ports, .arena = feed->arena,
	                             .network = &network, .unnamed = json_array() };
	struct tx tx = tx_begin(feed->ports->runtime.db, why);

	if (!store_network_lock(&tx, feed->arena, telling->id, &network))
		network = (struct network_row){ .project_id = "" };
	memcpy(network.id, telling->id, sizeof(network.id));
	network.domain_text = "";
	network.domain.len = 0;
	store_network_put(&tx, &network);
	renaming_all(&renaming, &tx);
	store_network_delete(&tx, network.id);
	json_decref(renaming.unnamed);
	return renaming_commit(&renaming, &tx);
}

/* ---- ports ---- */

/* One that nobody has told of yet has no domain until somebody does. */
static void find_network(struct writing *writing, struct tx *tx, const char *id)
{
	if (store_network_share(tx, writing->arena, id, &writing->network) || tx->err)
		return;
	writing->network = (struct network_row){ .project_id = "", .domain_text = "" };
	memcpy(writing->network.id, id, sizeof(writing->network.id));
	store_network_put(tx, &writing->network);
}

static void tell_conflict(const struct writing *writing, const struct port_row *port,
                          const char *rival)
{
	json_t *payload = json_pack("{s:s, s:s, s:s, s:s}", "port", port->id, "network",
	                            port->network_id, "dns_name", port->dns_name,
	                            "taken_by", rival);
	struct why why;

	metric_add(figures.conflicts, 1);
	log_warn("name taken: network=%s port=%s name=%s by=%s", port->network_id,
	         port->id, port->dns_name, rival);
	if (rpc_notify(writing->ports->runtime.rpc, "dns.port.conflict", payload, &why))
		log_warn("notification not sent: reason=\"%s\"", why.text);
	json_decref(payload);
}

static void name_port(struct writing *writing, struct tx *tx, struct port_row *port)
{
	const char *rival;
	struct why why;

	if (writing_name(&writing->network, port, LABELS_RFC1123, writing->arena, &why))
		log_warn("name left out: port=%s reason=\"%s\"", port->id, why.text);
	rival = writing_rival(writing, tx, port);
	if (!rival)
		return;
	tell_conflict(writing, port, rival);
	port->dns_fqdn = NULL;
}

static void put_port(struct writing *writing, struct tx *tx, struct port_row *port)
{
	writing_read(writing, tx, port->id);
	if (tx->err || (writing->is_there && (writing->was.is_gone ||
	                is_stale(port->revision, writing->was.revision))) ||
	    store_network_is_gone(tx, port->network_id))
		return;
	find_network(writing, tx, port->network_id);
	name_port(writing, tx, port);
	if (writing->is_there)
		store_port_update(tx, port);
	else
		store_port_insert(tx, port);
	writing_records(writing, tx, port);
}

static enum err tell_port(void *self, struct why *why)
{
	const struct telling *telling = self;
	struct feed *feed = telling->feed;
	struct writing writing = { .ports = feed->ports, .arena = feed->arena };
	struct port_row port;
	enum err err = neutron_port(telling->json, feed->arena, &port, why);

	if (err)
		return err;

	struct tx tx = tx_begin(feed->ports->runtime.db, why);
	put_port(&writing, &tx, &port);
	if (tx.err == ERR_EXISTS)	/* its name came to another one just now */
		tx.err = ERR_RACE;
	return writing_commit(&writing, &tx);
}

/* Remembered also if it was never heard of: what tells of it may come yet. */
static enum err end_port(void *self, struct why *why)
{
	const struct telling *telling = self;
	struct feed *feed = telling->feed;
	struct writing writing = { .ports = feed->ports, .arena = feed->arena };
	struct tx tx = tx_begin(feed->ports->runtime.db, why);

	writing_read(&writing, &tx, telling->id);
	if (!writing.is_there && !tx.err) {
		store_port_never(&tx, telling->id);
	} else if (!writing.was.is_gone && !tx.err) {
		writing.was.is_gone = true;
		store_port_delete(&tx, telling->id);
		writing_records(&writing, &tx, &writing.was);
	}
	return writing_commit(&writing, &tx);
}

/* ---- a delivery ---- */

static enum err (*const tellers[])(void *self, struct why *why) = {
	[NEUTRON_PORT] = tell_port, [NEUTRON_NETWORK] = tell_network,
};

static enum err (*const enders[])(void *self, struct why *why) = {
	[NEUTRON_PORT] = end_port, [NEUTRON_NETWORK] = end_network,
};

/* One that is broken is no reason to leave the others of its message out. */
static enum err tell_all(struct feed *feed, const struct neutron_event *event,
                         struct why *why)
{
	enum err worst = OK;

	for (size_t i = 0; i < neutron_count(event); i++) {
		struct telling telling = { feed, neutron_item(event, i), NULL };
		struct why reason;
		enum err err = tx_redo(tellers[event->of], &telling, &reason);

		if (err && (!worst || err_fate(err) != FATE_FINAL)) {
			worst = err;
			*why = reason;
		}
	}
	return worst;
}

static enum err take(struct feed *feed, const struct envelope_notification *message,
                     struct why *why)
{
	struct neutron_event event;
	enum err err = neutron_event(message->event_type, message->payload, &event, why);

	if (err || event.of == NEUTRON_OTHER)
		return err;
	metric_add(figures.taken, 1);
	if (!event.is_gone)
		return tell_all(feed, &event, why);

	struct telling telling = { feed, NULL, event.id };
	return tx_redo(enders[event.of], &telling, why);
}

static enum err read_delivery(struct feed *feed, const struct broker_delivery *delivery,
                              struct why *why)
{
	struct envelope_notification message;
	enum err err;

	if (!delivery->is_json)
		return fail(why, ERR_INVALID, "no JSON, or too large");
	err = envelope_notification_decode(delivery->body, delivery->len,
	    (size_t)feed->ports->runtime.broker_config->max_message_bytes, &message, why);
	if (err)
		return err;
	err = take(feed, &message, why);
	envelope_notification_clear(&message);
	return err;
}

static void on_delivery(void *self, const struct broker_delivery *delivery)
{
	struct feed *feed = self;
	struct broker *out = feed->ports->runtime.out;
	struct why why;
	enum err err = read_delivery(feed, delivery, &why);

	arena_reset(feed->arena);
	if (!err) {
		broker_ack(feed->in, delivery);
	} else if (err_fate(err) == FATE_FINAL || delivery->attempts >= ATTEMPTS_MAX) {
		metric_add(figures.refused, 1);
		log_warn("notification refused: reason=\"%s\"", why.text);
		broker_bury(feed->in, out, delivery, why.text);
	} else {
		broker_retry(feed->in, out, delivery, RETRY_MS, why.text);
	}
}

/* ---- life ---- */

static void on_up(void *self)
{
	log_info("feed is up: exchange=%s",
	         ((const struct feed *)self)->ports->settings.feed);
}

static void on_down(void *self)
{
	(void)self;
	log_warn("feed is down");
}

static void on_drained(void *self)
{
	(void)self;
}

struct feed *feed_open(struct ports *ports)
{
	const struct ports_settings *settings = &ports->settings;
	struct feed *feed;

	if (!*settings->feed)
		return NULL;
	feed = xcalloc(1, sizeof(*feed));
	feed->ports = ports;
	feed->arena = arena_new();

	const struct broker_queue queues[] = {
		{ .kind = BROKER_NOTIFY, .name = settings->feed_queue,
		  .source = settings->feed, .key = "notifications.info",
		  .prefetch = PREFETCH },
		{ .prefetch = 0 },
	};
	const struct broker_hooks hooks = { on_up, on_down, on_delivery, on_drained,
	                                    feed };
	feed->in = broker_open(ports->runtime.loop, ports->runtime.broker_config,
	                       "feed", queues, &hooks);
	return feed;
}

void feed_pause(struct feed *feed)
{
	if (feed)
		broker_pause(feed->in);
}

void feed_close(struct feed **feed)
{
	if (!*feed)
		return;
	broker_close(&(*feed)->in);
	arena_free(&(*feed)->arena);
	free(*feed);
	*feed = NULL;
}
