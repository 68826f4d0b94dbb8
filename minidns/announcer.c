#include "announcer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/cache_lease.h"
#include "core/soa_cache.h"
#include "minidns.h"
#include "model/json.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

enum {
	LEASE_WANTED_MS = 2000,		/* a question keeps the lease this long */
	/* unsettled announcements are sent again after this time */
	RESEND_MS = 1500,
	GIVE_UP_MS = 5000,
	GAP_MS = 5,			/* between two messages */
	BURST_MS = 8 * GAP_MS,		/* eight messages together, after a pause */
	ZONES_MAX = 500,		/* in one message */
	ACKS_MAX = 64,			/* in one message */
	RELEASED_A_TURN = 256,
};

#define NUMBER_MAX (INT64_C(1) << 62)

/* A changed zone, until all instances know it. */
struct announcement {
	struct announcement *next, **link;
	struct name zone;
	struct edition edition;
	announcer_fn *fn;
	void *self;
	uint64_t number;		/* of the message; 0: not sent yet */
	int64_t began_ms, sent_ms;
};

/* A message of another instance that the next message acknowledges. */
struct ack {
	char from[ID_LEN + 1];
	uint64_t number;
};

struct announcer {
	struct loop *loop;
	struct announcer_config config;
	struct cache_lease *lease;
	char id[ID_LEN + 1];
	struct loop_timer *timer;
	struct announcement *first, **end;
	LIST_HEAD(, unconfirmed) sent;
	struct ack acks[ACKS_MAX];
	size_t ack_count;
	bool due;			/* announcer_on_turn_end() is scheduled */
	bool releasing;			/* announcer_release_again() is scheduled */
	bool wants_echo;		/* send a message so that it comes back */
	int64_t lease_asked_ms, last_sent_ms;
	int64_t paid_until_ms;		/* each message costs GAP_MS */
};

/* A message that is not confirmed yet. */
struct unconfirmed {
	LIST_ENTRY(unconfirmed) link;
	struct announcer *announcer;	/* NULL: the announcer was freed */
	uint64_t number;
};

static void announcer_send_later(struct announcer *announcer);
static void announcer_on_timer(void *self);
static void announcer_release_again(void *self);

struct announcer *announcer_new(struct loop *loop, const struct announcer_config *config)
{
	struct announcer *announcer = xcalloc(1, sizeof(*announcer));

	announcer->loop = loop;
	announcer->config = *config;
	announcer->lease = xcalloc(1, sizeof(*announcer->lease));
	announcer->end = &announcer->first;
	announcer->timer = loop_timer_new(loop, announcer_on_timer, announcer);
	id_new(announcer->id);
	cache_lease_reset(announcer->lease, clock_boot_ms());
	return announcer;
}

/* The messages are freed when their confirms come. */
static void announcer_forget_unconfirmed(struct announcer *announcer)
{
	struct unconfirmed *sent;

	while ((sent = LIST_FIRST(&announcer->sent))) {
		LIST_REMOVE(sent, link);
		sent->announcer = NULL;
	}
}

void announcer_free(struct announcer **announcer)
{
	struct announcer *old = *announcer;

	*announcer = NULL;
	if (!old)
		return;
	while (old->first) {
		struct announcement *announcement = old->first;

		old->first = announcement->next;
		free(announcement);
	}
	announcer_forget_unconfirmed(old);
	loop_later_cancel(old->loop, old);
	loop_timer_free(&old->timer);
	free(old->lease);
	free(old);
}

/* ---- announcements ---- */

struct announcement *announcer_send(struct announcer *announcer, const struct name *zone,
                                    const struct edition *edition, announcer_fn *fn,
                                    void *self)
{
	struct announcement *announcement = xcalloc(1, sizeof(*announcement));

	announcement->zone = *zone;
	announcement->edition = *edition;
	announcement->fn = fn;
	announcement->self = self;
	announcement->began_ms = clock_boot_ms();
	announcement->link = announcer->end;
	*announcer->end = announcement;
	announcer->end = &announcement->next;
	announcer_send_later(announcer);
	return announcement;
}

void announcer_cancel(struct announcer *announcer, struct announcement **announcement)
{
	struct announcement *old = *announcement;

	*announcement = NULL;
	if (!old)
		return;
	*old->link = old->next;
	if (old->next)
		old->next->link = old->link;
	else
		announcer->end = old->link;
	free(old);
}

static bool announcer_is_over(const struct announcer *announcer,
                              const struct announcement *announcement, uint64_t settled)
{
	if (announcement->number && announcement->number <= settled)
		return true;
	if (clock_boot_ms() - announcement->began_ms < GIVE_UP_MS)
		return false;
	metric_add(announcer->config.figures->news_unsettled, 1);
	log_warn("announcement of serials not confirmed: reason=\"some mini-DNS "
	         "processes did not answer within %d ms\"", GIVE_UP_MS);
	return true;
}

/* A callback may change the list, so each search begins at its start. */
static bool announcer_release_one(struct announcer *announcer, uint64_t settled)
{
	for (struct announcement *at = announcer->first; at; at = at->next) {
		announcer_fn *fn = at->fn;
		void *self = at->self;

		if (!announcer_is_over(announcer, at, settled))
			continue;
		announcer_cancel(announcer, &at);
		fn(self);
		return true;
	}
	return false;
}

/* Each callback causes work, so the rest follows in the next turn. */
static void announcer_release(struct announcer *announcer)
{
	uint64_t settled = cache_lease_settled(announcer->lease);
	int released = 0;

	while (released < RELEASED_A_TURN && announcer_release_one(announcer, settled))
		released++;
	if (released == RELEASED_A_TURN && !announcer->releasing)
		loop_later(announcer->loop, announcer_release_again, announcer);
	announcer->releasing |= released == RELEASED_A_TURN;
}

static void announcer_release_again(void *self)
{
	struct announcer *announcer = self;

	announcer->releasing = false;
	announcer_release(announcer);
}

/* ---- messages out ---- */

static void announcer_resend(struct announcer *announcer, uint64_t number)
{
	for (struct announcement *at = announcer->first; at; at = at->next)
		if (at->number == number)
			at->number = 0;
	announcer_send_later(announcer);
}

static void announcer_on_confirm(void *self, enum err err)
{
	struct unconfirmed *sent = self;
	struct announcer *announcer = sent->announcer;

	if (!announcer) {
		free(sent);
		return;
	}
	LIST_REMOVE(sent, link);
	if (err) {
		cache_lease_given_up(announcer->lease, sent->number);
		announcer_resend(announcer, sent->number);
	} else {
		cache_lease_confirmed(announcer->lease, sent->number);
		announcer->wants_echo = true;
		announcer_send_later(announcer);
	}
	free(sent);
}

static json_t *announcer_encode_zone(const struct announcement *announcement)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(&announcement->zone, text);
	return json_pack("[s, s, I, I]", text, announcement->edition.id,
	                 (json_int_t)announcement->edition.version,
	                 (json_int_t)announcement->edition.serial);
}

/* The zones that are not sent yet, up to ZONES_MAX. */
static json_t *announcer_encode_zones(struct announcer *announcer, uint64_t number)
{
	json_t *zones = json_array();
	const struct announcement *last = NULL;
	int64_t now_ms = clock_boot_ms();

	for (struct announcement *at = announcer->first; at; at = at->next) {
		if (at->number)
			continue;
		if (json_array_size(zones) == ZONES_MAX)
			break;
		at->number = number;
		at->sent_ms = now_ms;
		/* an order to several servers has the same zone several times */
		if (last && name_equal(&last->zone, &at->zone) &&
		    edition_equal(&last->edition, &at->edition))
			continue;
		last = at;
		json_array_append_new(zones, announcer_encode_zone(at));
	}
	return zones;
}

static json_t *announcer_encode_acks(struct announcer *announcer)
{
	json_t *acks = json_object();

	for (size_t i = 0; i < announcer->ack_count; i++)
		json_object_set_new(acks, announcer->acks[i].from,
		                    json_integer((json_int_t)announcer->acks[i].number));
	announcer->ack_count = 0;
	return acks;
}

static void announcer_publish(struct announcer *announcer, const json_t *args,
                              uint64_t number)
{
	static const struct rpc_target target = { .topic = "minidns", .fanout = true };
	struct unconfirmed *sent = xcalloc(1, sizeof(*sent));
	struct why why;

	sent->announcer = announcer;
	sent->number = number;
	LIST_INSERT_HEAD(&announcer->sent, sent, link);
	if (!rpc_cast_confirmed(announcer->config.rpc, &target, "news", args, NULL,
	                        announcer_on_confirm, sent, &why))
		return;
	LIST_REMOVE(sent, link);
	log_debug("announcement of serials not sent: reason=\"%s\"", why.text);
	cache_lease_given_up(announcer->lease, number);
	for (struct announcement *at = announcer->first; at; at = at->next)
		if (at->number == number)
			at->number = 0;		/* the timer tries again */
	free(sent);
}

static void announcer_send_message(struct announcer *announcer)
{
	uint64_t number;
	json_t *args;

	if (!cache_lease_may_send(announcer->lease))
		return;
	announcer->last_sent_ms = clock_boot_ms();
	if (announcer->paid_until_ms < announcer->last_sent_ms)
		announcer->paid_until_ms = announcer->last_sent_ms;
	announcer->paid_until_ms += GAP_MS;
	announcer->wants_echo = false;
	number = cache_lease_send(announcer->lease, announcer->last_sent_ms);
	args = json_pack("{s:s, s:I, s:o, s:o}", "from", announcer->id, "number",
	                 (json_int_t)number, "zones", announcer_encode_zones(announcer,
	                                                                     number),
	                 "heard", announcer_encode_acks(announcer));
	announcer_publish(announcer, args, number);
	json_decref(args);
}

static bool announcer_has_unsent(const struct announcer *announcer)
{
	for (const struct announcement *at = announcer->first; at; at = at->next)
		if (!at->number)
			return true;
	return false;
}

static bool announcer_wants_lease(const struct announcer *announcer)
{
	return announcer->lease_asked_ms &&
	clock_boot_ms() - announcer->lease_asked_ms < LEASE_WANTED_MS;
}

/*
 * True: a message must come back immediately, because an announcement or the lease
 * waits for it.
 */
static bool announcer_has_to_send(const struct announcer *announcer)
{
	if (announcer_has_unsent(announcer) || announcer->ack_count)
		return true;
	if (!announcer->wants_echo)
		return false;
	return announcer->first || (announcer_wants_lease(announcer) &&
				    !cache_lease_is_valid(announcer->lease,
				                          clock_boot_ms()));
}

/* Sends now, or a little later after a burst. Later zones share the message. */
static void announcer_on_turn_end(void *self)
{
	struct announcer *announcer = self;
	int64_t early_ms = announcer->paid_until_ms - BURST_MS - clock_boot_ms();

	announcer->due = false;
	if (!announcer_has_to_send(announcer)) {
		announcer->wants_echo = false;
	} else if (early_ms > 0) {
		loop_timer_set(announcer->timer, early_ms);
		return;
	} else {
		announcer_send_message(announcer);
	}
	if (announcer->first || announcer_wants_lease(announcer))
		loop_timer_set(announcer->timer, CACHE_LEASE_RENEW_MS);
}

static void announcer_send_later(struct announcer *announcer)
{
	if (announcer->due)
		return;
	announcer->due = true;
	loop_later(announcer->loop, announcer_on_turn_end, announcer);
}

/* An announcement that is not settled for long may be lost. */
static void announcer_resend_old(struct announcer *announcer)
{
	int64_t now_ms = clock_boot_ms();

	for (struct announcement *at = announcer->first; at; at = at->next)
		if (at->number && now_ms - at->sent_ms >= RESEND_MS)
			at->number = 0;
}

static void announcer_on_timer(void *self)
{
	struct announcer *announcer = self;
	bool beat = clock_boot_ms() - announcer->last_sent_ms >= CACHE_LEASE_RENEW_MS;

	announcer_release(announcer);
	announcer_resend_old(announcer);
	if (announcer_has_to_send(announcer) ||
	    (beat && (announcer->first || announcer_wants_lease(announcer))))
		announcer_send_message(announcer);
	if (announcer->first || announcer_wants_lease(announcer))
		loop_timer_set(announcer->timer, CACHE_LEASE_RENEW_MS);
}

bool announcer_has_lease(struct announcer *announcer)
{
	int64_t now_ms = clock_boot_ms();
	bool has_lease = cache_lease_is_valid(announcer->lease, now_ms);
	bool was_idle = !announcer_wants_lease(announcer);

	announcer->lease_asked_ms = now_ms;
	if (was_idle) {
		announcer->wants_echo = true;
		announcer_send_later(announcer);
	}
	return has_lease;
}

/* ---- messages in ---- */

static void announcer_note_ack(struct announcer *announcer, const char *from,
                               uint64_t number)
{
	size_t i = 0;

	while (i < announcer->ack_count && strcmp(announcer->acks[i].from, from))
		i++;
	if (i == ACKS_MAX)
		return;			/* the sender announces it again */
	if (i == announcer->ack_count)
		announcer->ack_count++;
	memcpy(announcer->acks[i].from, from, sizeof(announcer->acks[i].from));
	announcer->acks[i].number = number;
	announcer_send_later(announcer);
}

static enum err announcer_decode_zone(const json_t *json, struct name *zone,
                                      struct edition *edition, struct why *why)
{
	const char *name = json_string_value(json), *id;
	json_int_t version, serial;

	*edition = (struct edition){ .version = 0 };
	if (name)	/* an instance without versions sends only the name */
		return name_parse(name, "zones", zone, why);
	if (json_unpack((json_t *)json, "[s, s, I, I!]", &name, &id, &version, &serial) ||
	    version < 0 || serial < 0 || serial > UINT32_MAX ||
	    !id_parse(id, edition->id))
		return fail(why, ERR_INVALID, "zones: an item must be [name, id, "
		            "version, serial]");
	edition->version = (uint64_t)version;
	edition->serial = (uint32_t)serial;
	return name_parse(name, "zones", zone, why);
}

/* An unreadable zone may be any zone, so all entries are in doubt. */
static enum err announcer_receive_zones(struct announcer *announcer, const json_t *zones,
                                        bool soon, struct why *why)
{
	const json_t *item;
	size_t i;

	json_array_foreach(zones, i, item) {
		struct edition edition;
		struct name zone;
		enum err err = announcer_decode_zone(item, &zone, &edition, why);

		if (err) {
			announcer->config.missed(announcer->config.self);
			return err;
		}
		announcer->config.news(announcer->config.self, &zone, &edition, soon);
	}
	return OK;
}

struct news {
	const char *from;
	int64_t number;
	const json_t *zones, *acks;
};

/*
 * Checks the acknowledgements: for each instance the number of its last received message.
 */
static enum err announcer_check_acks(const json_t *acks, struct why *why)
{
	char id[ID_LEN + 1];
	const char *key;
	json_t *number;

	json_object_foreach((json_t *)acks, key, number)
		if (!id_parse(key, id) || !json_is_integer(number))
			return fail(why, ERR_INVALID, "heard: must be an object with a "
			            "number for each mini-DNS process");
	return OK;
}

static enum err announcer_decode(const json_t *args, struct news *news, struct why *why)
{
	enum err err = json_get_text(args, "from", JSON_REQUIRED, ID_LEN, &news->from,
	                             why);
	char id[ID_LEN + 1];

	if (!err)
		err = json_get_int(args, "number", JSON_REQUIRED, 1, NUMBER_MAX,
		                   &news->number, why);
	if (!err)
		err = json_get_array(args, "zones", JSON_REQUIRED, ZONES_MAX,
		                     &news->zones, why);
	if (!err)
		err = json_get_object(args, "heard", JSON_REQUIRED, &news->acks, why);
	if (!err && !id_parse(news->from, id))
		return fail(why, ERR_INVALID, "from: must be an id of 32 hexadecimal "
		            "digits, not '%s'",
		            err_quote(news->from, (char[ID_LEN + 1]){ 0 }, ID_LEN + 1));
	return err ? err : announcer_check_acks(news->acks, why);
}

enum err announcer_receive(struct announcer *announcer, const json_t *args,
                           struct why *why)
{
	struct news news;
	enum err err = announcer_decode(args, &news, why);
	bool ours;

	if (err)
		return err;
	ours = !strcmp(news.from, announcer->id);
	err = announcer_receive_zones(announcer, news.zones,
	                              ours && cache_lease_is_valid(announcer->lease,
	                                                           clock_boot_ms()), why);
	if (ours) {
		cache_lease_echoed(announcer->lease, (uint64_t)news.number);
	} else {
		const json_t *ack = json_object_get(news.acks, announcer->id);

		cache_lease_saw(announcer->lease, news.from, clock_boot_ms());
		if (json_is_integer(ack) && json_integer_value(ack) > 0)
			cache_lease_acked(announcer->lease, news.from,
			                  (uint64_t)json_integer_value(ack));
		if (json_array_size(news.zones))
			announcer_note_ack(announcer, news.from, (uint64_t)news.number);
	}
	announcer_release(announcer);
	return err;
}

void announcer_queue_is_new(struct announcer *announcer)
{
	announcer->config.missed(announcer->config.self);
	cache_lease_reset(announcer->lease, clock_boot_ms());
	if (announcer->first || announcer_wants_lease(announcer))
		announcer_send_later(announcer);
}
