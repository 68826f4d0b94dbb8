#include "feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "compare.h"
#include "model/json.h"
#include "neutron.h"
#include "ovo.h"
#include "runtime/broker.h"
#include "runtime/envelope.h"
#include "runtime/metrics.h"
#include "telling.h"

enum {
	PREFETCH = 64,
	ATTEMPTS_MAX = 20,		/* through the delay queue */
	RETRY_MS = 5000,
};

struct feed {
	struct ports *ports;
	struct broker *in;
	struct arena *arena;		/* of the delivery in hand */
	struct log_limit refused;
};

static struct figures {
	struct metric *taken, *refused;
} figures;

void feed_metrics(void)
{
	figures.taken = metric_new(METRIC_COUNTER, "ports_events_total",
	    "notifications of Neutron that were applied", NULL, NULL);
	figures.refused = metric_new(METRIC_COUNTER, "ports_events_refused_total",
	    "notifications that cannot be read: dead letters of ports.feed_queue",
	    NULL, NULL);
}

/* ---- notifications ---- */

/* One that is broken is no reason to leave the others of its message out. */
static void keep_worst(enum err *worst, enum err err, struct why *why,
                       const struct why *reason)
{
	if (!err || (*worst && err_retry(err) == RETRY_NEVER))
		return;
	*worst = err;
	*why = *reason;
}

static enum err tell_all(struct feed *feed, const struct neutron_event *event,
                         struct why *why)
{
	enum err worst = OK;

	for (size_t i = 0; i < neutron_count(event); i++) {
		struct told told = { .ports = feed->ports, .arena = feed->arena,
		                     .of = event->of, .json = neutron_item(event, i) };
		struct why reason;

		keep_worst(&worst, tell(&told, &reason), why, &reason);
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

	struct told told = { .ports = feed->ports, .arena = feed->arena, .of = event.of,
	                     .id = event.id };
	return tell_gone(&told, why);
}

static enum err read_notification(struct feed *feed,
                                  const struct broker_delivery *delivery,
                                  struct why *why)
{
	struct envelope_notification message;
	enum err err = envelope_notification_decode(delivery->body, delivery->len,
	    (size_t)feed->ports->runtime.broker_config->max_message_bytes, &message, why);

	if (err)
		return err;
	err = take(feed, &message, why);
	envelope_notification_clear(&message);
	return err;
}

/* ---- objects that are pushed ---- */

/* Of one that is gone there is no more than its id. */
static enum err take_object(struct feed *feed, const json_t *object, bool is_gone,
                            struct why *why)
{
	struct told told = { .ports = feed->ports, .arena = feed->arena,
	                     .of = ovo_kind(object) };
	char id[ID_LEN + 1];
	json_t *plain;
	enum err err;

	if (told.of == NEUTRON_OTHER)
		return OK;
	plain = ovo_plain(object);
	told.json = plain;
	told.id = id;
	err = json_get_id(plain, "id", JSON_REQUIRED, id, why);
	if (!err)
		err = is_gone ? tell_gone(&told, why) : tell(&told, why);
	json_decref(plain);
	return err;
}

static enum err take_push(struct feed *feed, const json_t *args, struct why *why)
{
	const json_t *list = json_object_get(args, "resource_list");
	const char *event = json_string_value(json_object_get(args, "event_type"));
	enum err worst = OK;

	if (!json_is_array(list) || !event)
		return fail(why, ERR_INVALID, "push: has no resource_list or event_type");
	metric_add(figures.taken, 1);
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct why reason;

		keep_worst(&worst, take_object(feed, json_array_get(list, i),
		                               !strcmp(event, "deleted"), &reason),
		           why, &reason);
	}
	return worst;
}

static enum err read_push(struct feed *feed, const struct broker_delivery *delivery,
                          struct why *why)
{
	struct envelope_request message;
	enum err err = envelope_request_decode(delivery->body, delivery->len,
	    (size_t)feed->ports->runtime.broker_config->max_message_bytes, &message, why);

	if (err)
		return err;
	if (!strcmp(message.method, "push"))
		err = take_push(feed, message.args, why);
	envelope_request_clear(&message);
	return err;
}

/* ---- a delivery ---- */

static enum err read_delivery(struct feed *feed, const struct broker_delivery *delivery,
                              struct why *why)
{
	if (!delivery->is_json)
		return fail(why, ERR_INVALID, "no JSON, or too large");
	if (!strcmp(delivery->queue, feed->ports->settings.feed_queue))
		return read_notification(feed, delivery, why);
	return read_push(feed, delivery, why);
}

static void feed_refuse(struct feed *feed, const struct broker_delivery *delivery,
                        const struct why *why)
{
	metric_add(figures.refused, 1);
	if (log_is_due(&feed->refused, LOG_STRANGER_MS))
		log_warn("notification refused: queue=%s unlogged=%llu reason=\"%s\"",
		         delivery->queue, (unsigned long long)feed->refused.unlogged,
		         why->text);
	broker_dead_letter(feed->in, feed->ports->runtime.out, delivery, why->text);
}

static void on_delivery(void *self, const struct broker_delivery *delivery)
{
	struct feed *feed = self;
	struct why why;
	enum err err = read_delivery(feed, delivery, &why);

	arena_reset(feed->arena);
	if (!err) {
		broker_ack(feed->in, delivery);
	} else if (err_retry(err) == RETRY_NEVER || delivery->attempts >= ATTEMPTS_MAX) {
		feed_refuse(feed, delivery, &why);
	} else {
		broker_retry(feed->in, feed->ports->runtime.out, delivery, RETRY_MS,
		             why.text);
	}
}

/* ---- life ---- */

static void on_up(void *self)
{
	struct ports *ports = ((struct feed *)self)->ports;

	log_info("feed is up: exchange=%s", ports->settings.feed);
	compare_soon(ports->comparison);
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

/* ---- which queues ---- */

static void list_queues(struct feed *feed, struct broker_queue *queues)
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
		.up = on_up, .down = on_down, .delivery = on_delivery,
		.drained = on_drained,
		.self = feed,
	};
	list_queues(feed, queues);
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
