#include "announcer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/cache_lease.h"
#include "core/known.h"
#include "minidns.h"
#include "model/json.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

enum {
	INTEREST_MS = 2000,		/* how long a question keeps us holding */
	AGAIN_MS = 1500,		/* then unsettled news are told once more */
	GIVE_UP_MS = 5000,
	GAP_MS = 5,			/* between messages, while they go on */
	BURST_MS = 8 * GAP_MS,		/* as many at once, after a pause */
	ZONES_MAX = 500,		/* of a message */
	HEARD_MAX = 64,			/* likewise; more wait for the next one */
	RELEASED_A_TURN = 256,
};

#define NUMBER_MAX (INT64_C(1) << 62)

/* Somebody who waits for a zone's news to be settled. */
struct telling {
	struct telling *next, **link;
	struct name zone;
	struct edition edition;
	herald_fn *fn;
	void *self;
	uint64_t number;		/* of the message; 0: it was not sent yet */
	int64_t began_ms, sent_ms;
};

/* What a peer's message said that we have to say we heard. */
struct heard {
	char from[ID_LEN + 1];
	uint64_t number;
};

struct herald {
	struct loop *loop;
	struct herald_config config;
	struct cache_lease *lease;
	char id[ID_LEN + 1];
	struct loop_timer *timer;
	struct telling *first, **end;
	LIST_HEAD(, sent) sent;
	struct heard heard[HEARD_MAX];
	size_t heard_count;
	bool due;			/* say() runs at the end of the turn */
	bool releasing;			/* release() does, once more */
	bool wants_back;		/* a message is to be sent, to come back */
	int64_t asked_ms, said_ms;
	int64_t paid_until_ms;		/* each message costs GAP_MS */
};

/* A message that is not confirmed yet. */
struct sent {
	LIST_ENTRY(sent) link;
	struct herald *herald;		/* NULL: it has ended meanwhile */
	uint64_t number;
};

static void say_later(struct herald *herald);
static void on_timer(void *self);
static void release_again(void *self);

struct herald *herald_new(struct loop *loop, const struct herald_config *config)
{
	struct herald *herald = xcalloc(1, sizeof(*herald));

	herald->loop = loop;
	herald->config = *config;
	herald->lease = xcalloc(1, sizeof(*herald->lease));
	herald->end = &herald->first;
	herald->timer = loop_timer_new(loop, on_timer, herald);
	id_new(herald->id);
	cache_lease_reset(herald->lease, clock_boot_ms());
	return herald;
}

/* They are freed when their confirms come. */
static void forget_sent(struct herald *herald)
{
	struct sent *sent;

	while ((sent = LIST_FIRST(&herald->sent))) {
		LIST_REMOVE(sent, link);
		sent->herald = NULL;
	}
}

void herald_free(struct herald **herald)
{
	struct herald *old = *herald;

	*herald = NULL;
	if (!old)
		return;
	while (old->first) {
		struct telling *telling = old->first;

		old->first = telling->next;
		free(telling);
	}
	forget_sent(old);
	loop_later_cancel(old->loop, old);
	loop_timer_free(&old->timer);
	free(old->lease);
	free(old);
}

/* ---- who waits ---- */

struct telling *herald_tell(struct herald *herald, const struct name *zone,
                            const struct edition *edition, herald_fn *fn, void *self)
{
	struct telling *telling = xcalloc(1, sizeof(*telling));

	telling->zone = *zone;
	telling->edition = *edition;
	telling->fn = fn;
	telling->self = self;
	telling->began_ms = clock_boot_ms();
	telling->link = herald->end;
	*herald->end = telling;
	herald->end = &telling->next;
	say_later(herald);
	return telling;
}

void herald_cancel(struct herald *herald, struct telling **telling)
{
	struct telling *old = *telling;

	*telling = NULL;
	if (!old)
		return;
	*old->link = old->next;
	if (old->next)
		old->next->link = old->link;
	else
		herald->end = old->link;
	free(old);
}

static bool is_over(const struct herald *herald, const struct telling *telling,
                    uint64_t settled)
{
	if (telling->number && telling->number <= settled)
		return true;
	if (clock_boot_ms() - telling->began_ms < GIVE_UP_MS)
		return false;
	metric_add(herald->config.figures->news_unsettled, 1);
	log_warn("news not settled: reason=not all instances could be heard in %d ms",
	         GIVE_UP_MS);
	return true;
}

/* A callback may tell, or cancel: the list is looked at from its beginning each time. */
static bool release_one(struct herald *herald, uint64_t settled)
{
	for (struct telling *at = herald->first; at; at = at->next) {
		herald_fn *fn = at->fn;
		void *self = at->self;

		if (!is_over(herald, at, settled))
			continue;
		herald_cancel(herald, &at);
		fn(self);
		return true;
	}
	return false;
}

/* Who waited will be busy: the others come in the next turn. */
static void release(struct herald *herald)
{
	uint64_t settled = cache_lease_settled(herald->lease);
	int released = 0;

	while (released < RELEASED_A_TURN && release_one(herald, settled))
		released++;
	if (released == RELEASED_A_TURN && !herald->releasing)
		loop_later(herald->loop, release_again, herald);
	herald->releasing |= released == RELEASED_A_TURN;
}

static void release_again(void *self)
{
	struct herald *herald = self;

	herald->releasing = false;
	release(herald);
}

/* ---- what is said ---- */

static void tell_again(struct herald *herald, uint64_t number)
{
	for (struct telling *at = herald->first; at; at = at->next)
		if (at->number == number)
			at->number = 0;
	say_later(herald);
}

static void on_confirm(void *self, enum err err)
{
	struct sent *sent = self;
	struct herald *herald = sent->herald;

	if (!herald) {
		free(sent);
		return;
	}
	LIST_REMOVE(sent, link);
	if (err) {
		cache_lease_given_up(herald->lease, sent->number);
		tell_again(herald, sent->number);
	} else {
		cache_lease_confirmed(herald->lease, sent->number);
		herald->wants_back = true;
		say_later(herald);
	}
	free(sent);
}

static json_t *encode_zone(const struct telling *telling)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(&telling->zone, text);
	return json_pack("[s, s, I, I]", text, telling->edition.id,
	                 (json_int_t)telling->edition.version,
	                 (json_int_t)telling->edition.serial);
}

/* The zones that were not told yet, as many as fit. */
static json_t *zones_to_tell(struct herald *herald, uint64_t number)
{
	json_t *zones = json_array();
	const struct telling *last = NULL;
	int64_t now_ms = clock_boot_ms();

	for (struct telling *at = herald->first; at; at = at->next) {
		if (at->number)
			continue;
		if (json_array_size(zones) == ZONES_MAX)
			break;
		at->number = number;
		at->sent_ms = now_ms;
		/* an order to several servers is several times the same zone */
		if (last && name_equal(&last->zone, &at->zone) &&
		    edition_equal(&last->edition, &at->edition))
			continue;
		last = at;
		json_array_append_new(zones, encode_zone(at));
	}
	return zones;
}

static json_t *heard_to_tell(struct herald *herald)
{
	json_t *heard = json_object();

	for (size_t i = 0; i < herald->heard_count; i++)
		json_object_set_new(heard, herald->heard[i].from,
		                    json_integer((json_int_t)herald->heard[i].number));
	herald->heard_count = 0;
	return heard;
}

static void publish(struct herald *herald, const json_t *args, uint64_t number)
{
	static const struct rpc_target target = { .topic = "minidns", .fanout = true };
	struct sent *sent = xcalloc(1, sizeof(*sent));
	struct why why;

	sent->herald = herald;
	sent->number = number;
	LIST_INSERT_HEAD(&herald->sent, sent, link);
	if (!rpc_cast_confirmed(herald->config.rpc, &target, "news", args, NULL,
	                        on_confirm, sent, &why))
		return;
	LIST_REMOVE(sent, link);
	log_debug("news not published: reason=%s", why.text);
	cache_lease_given_up(herald->lease, number);
	for (struct telling *at = herald->first; at; at = at->next)
		if (at->number == number)
			at->number = 0;		/* the timer tries again */
	free(sent);
}

static void say(struct herald *herald)
{
	uint64_t number;
	json_t *args;

	if (!cache_lease_may_send(herald->lease))
		return;
	herald->said_ms = clock_boot_ms();
	if (herald->paid_until_ms < herald->said_ms)
		herald->paid_until_ms = herald->said_ms;
	herald->paid_until_ms += GAP_MS;
	herald->wants_back = false;
	number = cache_lease_send(herald->lease, herald->said_ms);
	args = json_pack("{s:s, s:I, s:o, s:o}", "from", herald->id, "number",
	                 (json_int_t)number, "zones", zones_to_tell(herald, number),
	                 "heard", heard_to_tell(herald));
	publish(herald, args, number);
	json_decref(args);
}

static bool has_untold(const struct herald *herald)
{
	for (const struct telling *at = herald->first; at; at = at->next)
		if (!at->number)
			return true;
	return false;
}

static bool wants_hold(const struct herald *herald)
{
	return herald->asked_ms && clock_boot_ms() - herald->asked_ms < INTEREST_MS;
}

/* Only what somebody waits for has to come back at once. */
static bool has_to_say(const struct herald *herald)
{
	if (has_untold(herald) || herald->heard_count)
		return true;
	if (!herald->wants_back)
		return false;
	return herald->first || (wants_hold(herald) &&
				 !cache_lease_is_valid(herald->lease, clock_boot_ms()));
}

/* Now, or a little later if much was said lately; what comes meanwhile goes along. */
static void on_turn_end(void *self)
{
	struct herald *herald = self;
	int64_t early_ms = herald->paid_until_ms - BURST_MS - clock_boot_ms();

	herald->due = false;
	if (!has_to_say(herald)) {
		herald->wants_back = false;
	} else if (early_ms > 0) {
		loop_timer_set(herald->timer, early_ms);
		return;
	} else {
		say(herald);
	}
	if (herald->first || wants_hold(herald))
		loop_timer_set(herald->timer, CACHE_LEASE_RENEW_MS);
}

static void say_later(struct herald *herald)
{
	if (herald->due)
		return;
	herald->due = true;
	loop_later(herald->loop, on_turn_end, herald);
}

/* What was told long ago, and is not settled, may have been lost on the way. */
static void tell_old_again(struct herald *herald)
{
	int64_t now_ms = clock_boot_ms();

	for (struct telling *at = herald->first; at; at = at->next)
		if (at->number && now_ms - at->sent_ms >= AGAIN_MS)
			at->number = 0;
}

static void on_timer(void *self)
{
	struct herald *herald = self;
	bool beat = clock_boot_ms() - herald->said_ms >= CACHE_LEASE_RENEW_MS;

	release(herald);
	tell_old_again(herald);
	if (has_to_say(herald) || (beat && (herald->first || wants_hold(herald))))
		say(herald);
	if (herald->first || wants_hold(herald))
		loop_timer_set(herald->timer, CACHE_LEASE_RENEW_MS);
}

bool herald_holds(struct herald *herald)
{
	int64_t now_ms = clock_boot_ms();
	bool holds = cache_lease_is_valid(herald->lease, now_ms);
	bool was_idle = !wants_hold(herald);

	herald->asked_ms = now_ms;
	if (was_idle) {
		herald->wants_back = true;
		say_later(herald);
	}
	return holds;
}

/* ---- what is heard ---- */

static void note_heard(struct herald *herald, const char *from, uint64_t number)
{
	size_t i = 0;

	while (i < herald->heard_count && strcmp(herald->heard[i].from, from))
		i++;
	if (i == HEARD_MAX)
		return;			/* it tells us again */
	if (i == herald->heard_count)
		herald->heard_count++;
	memcpy(herald->heard[i].from, from, sizeof(herald->heard[i].from));
	herald->heard[i].number = number;
	say_later(herald);
}

static enum err decode_zone(const json_t *json, struct name *zone,
                            struct edition *edition, struct why *why)
{
	const char *name = json_string_value(json), *id;
	json_int_t version, serial;

	*edition = (struct edition){ .version = 0 };
	if (name)	/* of an instance that knows no versions */
		return name_parse(name, "zones", zone, why);
	if (json_unpack((json_t *)json, "[s, s, I, I!]", &name, &id, &version, &serial) ||
	    version < 0 || serial < 0 || serial > UINT32_MAX ||
	    !id_parse(id, edition->id))
		return fail(why, ERR_INVALID, "zones: not [name, id, version, serial]");
	edition->version = (uint64_t)version;
	edition->serial = (uint32_t)serial;
	return name_parse(name, "zones", zone, why);
}

/* Of what cannot be read, it may be any zone. */
static enum err take_zones(struct herald *herald, const json_t *zones, bool soon,
                           struct why *why)
{
	const json_t *item;
	size_t i;

	json_array_foreach(zones, i, item) {
		struct edition edition;
		struct name zone;
		enum err err = decode_zone(item, &zone, &edition, why);

		if (err) {
			herald->config.missed(herald->config.self);
			return err;
		}
		herald->config.news(herald->config.self, &zone, &edition, soon);
	}
	return OK;
}

struct news {
	const char *from;
	int64_t number;
	const json_t *zones, *heard;
};

/* By instance, the number of the last of its messages that was heard. */
static enum err check_heard(const json_t *heard, struct why *why)
{
	char id[ID_LEN + 1];
	const char *key;
	json_t *number;

	json_object_foreach((json_t *)heard, key, number)
		if (!id_parse(key, id) || !json_is_integer(number))
			return fail(why, ERR_INVALID, "heard: not numbers by instance");
	return OK;
}

static enum err decode(const json_t *args, struct news *news, struct why *why)
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
		err = json_get_object(args, "heard", JSON_REQUIRED, &news->heard, why);
	if (!err && !id_parse(news->from, id))
		return fail(why, ERR_INVALID, "from: not an id");
	return err ? err : check_heard(news->heard, why);
}

enum err herald_take(struct herald *herald, const json_t *args, struct why *why)
{
	struct news news;
	enum err err = decode(args, &news, why);
	bool ours;

	if (err)
		return err;
	ours = !strcmp(news.from, herald->id);
	err = take_zones(herald, news.zones,
	                 ours && cache_lease_is_valid(herald->lease,
	                                              clock_boot_ms()), why);
	if (ours) {
		cache_lease_echoed(herald->lease, (uint64_t)news.number);
	} else {
		const json_t *heard = json_object_get(news.heard, herald->id);

		cache_lease_saw(herald->lease, news.from, clock_boot_ms());
		if (json_is_integer(heard) && json_integer_value(heard) > 0)
			cache_lease_acked(herald->lease, news.from,
			                  (uint64_t)json_integer_value(heard));
		if (json_array_size(news.zones))
			note_heard(herald, news.from, (uint64_t)news.number);
	}
	release(herald);
	return err;
}

void herald_queue_is_new(struct herald *herald)
{
	herald->config.missed(herald->config.self);
	cache_lease_reset(herald->lease, clock_boot_ms());
	if (herald->first || wants_hold(herald))
		say_later(herald);
}
