#include "feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "compare.h"
#include "model/json.h"
#include "neutron.h"
#include "neutron_apply.h"
#include "ovo.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/metrics.h"

enum {
	PREFETCH = 64,
	ATTEMPTS_MAX = 20,		/* through the delay queue */
	RETRY_MS = 5000,
	LOCKED_MAX = 200,		/* the same, if a row is locked again and again */
	LOCKED_TRIES = 10,		/* the first attempts after a locked row */
	LOCKED_MS = 1000,
};

struct feed {
	struct ports *ports;
	struct broker *in;
	struct arena *arena;		/* of one delivery */
	struct log_limit refused;
};

static struct figures {
	struct metric *taken, *refused;
} figures;

void feed_metrics(void)
{
	figures.taken = metric_new(METRIC_COUNTER, "ports_events_total",
	    "notifications from Neutron about networks, subnets, ports or other objects "
	    "that zonefleet-ports uses", NULL, NULL);
	figures.refused = metric_new(METRIC_COUNTER, "ports_events_refused_total",
	    "notifications from Neutron that zonefleet-ports could not read. "
	    "zonefleet-ports keeps these notifications as dead letters",
	    NULL, NULL);
}

/* ---- notifications ---- */

/* An invalid object does not stop the other objects of its message. */
static void feed_keep_worst(enum err *worst, enum err err, struct why *why,
                            const struct why *reason)
{
	if (!err || (*worst && err_retry(err) == RETRY_NEVER))
		return;
	*worst = err;
	*why = *reason;
}

static enum err feed_apply_all(struct feed *feed, const struct neutron_event *event,
                               struct why *why)
{
	enum err worst = OK;

	for (size_t i = 0; i < neutron_count(event); i++) {
		struct neutron_apply apply = {
			.ports = feed->ports, .arena = feed->arena, .kind = event->kind,
			.json = neutron_item(event, i),
		};
		struct why reason;

		feed_keep_worst(&worst, neutron_apply(&apply, &reason), why, &reason);
	}
	return worst;
}

static enum err feed_apply_notification(struct feed *feed,
                                        const struct envelope_notification *message,
                                        struct why *why)
{
	struct neutron_event event;
	enum err err = neutron_event(message->event_type, message->payload, &event, why);

	if (err || event.kind == NEUTRON_OTHER)
		return err;
	metric_add(figures.taken, 1);
	if (!event.is_gone)
		return feed_apply_all(feed, &event, why);

	struct neutron_apply apply = { .ports = feed->ports, .arena = feed->arena,
	                               .kind = event.kind, .id = event.id };
	return neutron_apply_gone(&apply, why);
}

static enum err feed_read_notification(struct feed *feed,
                                       const struct broker_delivery *delivery,
                                       struct why *why)
{
	struct envelope_notification message;
	enum err err = envelope_notification_decode(delivery->body, delivery->len,
	    (size_t)feed->ports->runtime.broker_config->max_message_bytes, &message, why);

	if (err)
		return err;
	err = feed_apply_notification(feed, &message, why);
	envelope_notification_clear(&message);
	return err;
}

/* ---- pushed objects ---- */

/* A deleted object has only its id. */
static enum err feed_apply_object(struct feed *feed, const json_t *object, bool is_gone,
                                  struct why *why)
{
	struct neutron_apply apply = { .ports = feed->ports, .arena = feed->arena,
	                               .kind = ovo_kind(object) };
	char id[ID_LEN + 1];
	json_t *plain;
	enum err err;

	if (apply.kind == NEUTRON_OTHER)
		return OK;
	plain = ovo_plain(object);
	apply.json = plain;
	apply.id = id;
	err = json_get_id(plain, "id", JSON_REQUIRED, id, why);
	if (!err)
		err = is_gone ? neutron_apply_gone(&apply, why)
		              : neutron_apply(&apply, why);
	json_decref(plain);
	return err;
}

static enum err feed_apply_push(struct feed *feed, const json_t *args, struct why *why)
{
	const json_t *list = json_object_get(args, "resource_list");
	const char *event = json_string_value(json_object_get(args, "event_type"));
	enum err worst = OK;

	if (!json_is_array(list) || !event)
		return fail(why, ERR_INVALID, "push: must contain resource_list (a list) "
		            "and event_type (a string)");
	metric_add(figures.taken, 1);
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct why reason;
		enum err err = feed_apply_object(feed, json_array_get(list, i),
		                                 !strcmp(event, "deleted"), &reason);

		feed_keep_worst(&worst, err, why, &reason);
	}
	return worst;
}

static enum err feed_read_push(struct feed *feed, const struct broker_delivery *delivery,
                               struct why *why)
{
	struct envelope_request message;
	enum err err = envelope_request_decode(delivery->body, delivery->len,
	    (size_t)feed->ports->runtime.broker_config->max_message_bytes, &message, why);

	if (err)
		return err;
	if (!strcmp(message.method, "push"))
		err = feed_apply_push(feed, message.args, why);
	envelope_request_clear(&message);
	return err;
}

/* ---- a delivery ---- */

static enum err feed_read(struct feed *feed, const struct broker_delivery *delivery,
                          struct why *why)
{
	if (!delivery->is_json)
		return fail(why, ERR_INVALID, "the message must have the content type "
		            "application/json and at most broker.max_message_bytes "
		            "bytes");
	if (!strcmp(delivery->queue, feed->ports->settings.feed_queue))
		return feed_read_notification(feed, delivery, why);
	return feed_read_push(feed, delivery, why);
}

static void feed_refuse(struct feed *feed, const struct broker_delivery *delivery,
                        const struct why *why)
{
	metric_add(figures.refused, 1);
	if (log_is_due(&feed->refused, LOG_STRANGER_MS))
		log_warn("notification of Neutron refused: queue=%s unlogged=%llu "
		         "reason=\"%s\"",
		         delivery->queue, (unsigned long long)feed->refused.unlogged,
		         why->text);
	broker_dead_letter(feed->in, feed->ports->runtime.out, delivery, why->text);
}

/* A row is mostly locked for a moment. */
static int feed_pause_ms(enum err err, const struct broker_delivery *delivery)
{
	return err == ERR_LOCKED && delivery->attempts < LOCKED_TRIES ? LOCKED_MS
	                                                              : RETRY_MS;
}

static bool feed_must_refuse(enum err err, const struct broker_delivery *delivery)
{
	return err_retry(err) == RETRY_NEVER ||
	       delivery->attempts >= (err == ERR_LOCKED ? LOCKED_MAX : ATTEMPTS_MAX);
}

static void feed_on_delivery(void *self, const struct broker_delivery *delivery)
{
	struct feed *feed = self;
	struct why why;
	enum err err = feed_read(feed, delivery, &why);

	arena_reset(feed->arena);
	if (!err) {
		broker_ack(feed->in, delivery);
	} else if (feed_must_refuse(err, delivery)) {
		feed_refuse(feed, delivery, &why);
	} else {
		broker_retry(feed->in, feed->ports->runtime.out, delivery,
		             feed_pause_ms(err, delivery), why.text);
	}
}

/* ---- life ---- */

static void feed_on_up(void *self)
{
	struct ports *ports = ((struct feed *)self)->ports;

	log_info("feed of Neutron connected: exchange=%s", ports->settings.feed);
	compare_soon(ports->comparison);
}

static void feed_on_down(void *self)
{
	const struct ports *ports = ((struct feed *)self)->ports;

	log_warn("feed of Neutron disconnected: exchange=%s", ports->settings.feed);
}

static void feed_on_drained(void *self)
{
	(void)self;
}

/* ---- the queues ---- */

static void feed_list_queues(struct feed *feed, struct broker_queue *queues)
{
	const struct ports_settings *settings = &feed->ports->settings;
	const char *objects = settings->feed_objects;
	char word[OVO_WORD_MAX + 1];
	size_t count = 0;

	queues[count++] = (struct broker_queue){
		.kind = BROKER_NOTIFY, .name = settings->feed_queue,
		.source = settings->feed, .key = "notifications.info",
		.prefetch = PREFETCH,
	};
	while (ovo_list_next(&objects, word))
		queues[count++] = (struct broker_queue){
			.kind = BROKER_FOREIGN_FANOUT,
			.name = arena_printf(feed->arena, "%s.%s", settings->feed_queue,
			                     word),
			.source = arena_printf(feed->arena, "neutron-vo-%s_fanout", word),
			.prefetch = PREFETCH,
		};
}

struct feed *feed_open(struct ports *ports)
{
	struct broker_queue queues[1 + OVO_LIST_MAX + 1] = { 0 };
	struct feed *feed;

	if (!*ports->settings.feed)
		return NULL;
	feed = xcalloc(1, sizeof(*feed));
	feed->ports = ports;
	feed->arena = arena_new();

	const struct broker_hooks hooks = {
		.up = feed_on_up, .down = feed_on_down, .delivery = feed_on_delivery,
		.drained = feed_on_drained,
		.self = feed,
	};
	feed_list_queues(feed, queues);
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
