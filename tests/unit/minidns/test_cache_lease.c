#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../rounds.h"
#include "core/cache_lease.h"

/*
 * A fleet and its broker, in steps of a millisecond, driven by chance: each message comes
 * into each queue with a delay of its own, so that two queues have two messages in
 * different orders; an instance reads its queue, or sleeps; its queue is lost and made
 * anew. All cache one zone, whose serial grows. The property: once the news of a serial
 * are settled, no instance with a lease has an older one in memory.
 */

enum { INSTANCES = 4, IN_FLIGHT = 4096, STEPS = 15000, NEWS = 4096 };

struct message {
	int from;
	uint64_t number;
	bool is_news;
	int acks;			/* an instance; -1: none */
	uint64_t acked;
};

struct delivery {
	int64_t at;			/* when it is in the queue; 0: free */
	struct message message;
};

struct queue {
	struct delivery on_way[IN_FLIGHT];	/* per sender in its order */
	struct message in[IN_FLIGHT];
	size_t first, end;
	int64_t last_at[INSTANCES];	/* of each sender nothing overtakes */
};

struct confirm {
	int64_t at;			/* 0: none */
	uint64_t number;
};

struct instance {
	struct cache_lease lease;
	char id[ID_LEN + 1];
	struct queue queue;
	struct confirm confirms[CACHE_LEASE_OUT * 2];
	int64_t offset_ms;		/* of its clock */
	int64_t asleep_until;
	int64_t no_queue_until;		/* it has no queue, and does not know yet */
	int cached;			/* serial in memory; 0: none */
	uint64_t news_number[NEWS];	/* by serial: announced under this number */
	int announced_up_to;
	int64_t sent_at;
};

static struct instance fleet[INSTANCES];
static int64_t now;
static int serial;			/* in the database */
static int settled_serial;		/* its NOTIFY has left */
static int max_skew;			/* ms, between two queues */
static unsigned leases_seen, settlements;

static int64_t clock_of(const struct instance *instance)
{
	return now + instance->offset_ms;
}

static void deliver(struct queue *queue, int64_t at, const struct message *message)
{
	if (at < queue->last_at[message->from])
		at = queue->last_at[message->from];
	queue->last_at[message->from] = at;
	for (int i = 0; i < IN_FLIGHT; i++)
		if (!queue->on_way[i].at) {
			queue->on_way[i] = (struct delivery){ at, *message };
			return;
		}
	abort();
}

static void publish(int from, struct message message)
{
	struct instance *instance = &fleet[from];
	int64_t confirmed_at = 0;

	if (!cache_lease_may_send(&instance->lease))
		return;
	message.from = from;
	message.number = cache_lease_send(&instance->lease, clock_of(instance));
	if (message.is_news) {
		instance->announced_up_to = serial;
		instance->news_number[serial % NEWS] = message.number;
	}
	for (int i = 0; i < INSTANCES; i++) {
		if (now < fleet[i].no_queue_until)
			continue;
		deliver(&fleet[i].queue, now + 1 + rand() % max_skew, &message);
		if (fleet[i].queue.last_at[from] > confirmed_at)
			confirmed_at = fleet[i].queue.last_at[from];
	}
	for (size_t i = 0; i < CACHE_LEASE_OUT * 2; i++)
		if (!instance->confirms[i].at) {
			instance->confirms[i] = (struct confirm){
				confirmed_at + 1 + rand() % 5, message.number,
			};
			break;
		}
	instance->sent_at = now;
}

/* What is due comes into the queue: of each sender in its order. */
static void fill_queue(struct queue *queue)
{
	for (int from = 0; from < INSTANCES; from++)
		for (;;) {
			struct delivery *next = NULL;

			for (int i = 0; i < IN_FLIGHT; i++) {
				struct delivery *at = &queue->on_way[i];

				if (at->at && at->message.from == from && at->at <= now &&
				    (!next || at->message.number < next->message.number))
					next = at;
			}
			if (!next)
				break;
			queue->in[queue->end++ % IN_FLIGHT] = next->message;
			next->at = 0;
		}
}

static void read_message(int self, const struct message *message)
{
	struct instance *instance = &fleet[self];

	if (message->from == self) {
		cache_lease_echoed(&instance->lease, message->number);
	} else {
		cache_lease_saw(&instance->lease, fleet[message->from].id,
		                clock_of(instance));
		if (message->acks == self)
			cache_lease_acked(&instance->lease, fleet[message->from].id,
			                  message->acked);
	}
	if (message->is_news) {
		instance->cached = 0;
		if (message->from != self)
			publish(self, (struct message){ .acks = message->from,
			                                .acked = message->number });
	}
}

static void lose_queue(struct instance *instance)
{
	struct queue *queue = &instance->queue;

	memset(queue->on_way, 0, sizeof(queue->on_way));
	queue->first = queue->end = 0;
	instance->no_queue_until = now + 1 + rand() % 2000;
}

static void make_queue(struct instance *instance)
{
	instance->no_queue_until = 0;
	cache_lease_reset(&instance->lease, clock_of(instance));
	instance->cached = 0;
}

/* A question comes: the answer is from memory, or from the database. */
static void answer(struct instance *instance)
{
	if (!cache_lease_is_valid(&instance->lease, clock_of(instance))) {
		return;
	}
	leases_seen++;
	if (!instance->cached)
		instance->cached = serial;
	else if (instance->cached < settled_serial)
		fail_msg("at %ld: serial %d from memory, and %d was announced",
		         (long)now, instance->cached, settled_serial);
}

static void check_settled(struct instance *instance)
{
	uint64_t number = cache_lease_settled(&instance->lease);

	for (int announced = settled_serial + 1; announced <= instance->announced_up_to;
	     announced++)
		if (instance->news_number[announced % NEWS] &&
		    instance->news_number[announced % NEWS] <= number) {
			settled_serial = announced;
			settlements++;
		}
}

static void step(int self)
{
	struct instance *instance = &fleet[self];
	struct queue *queue = &instance->queue;

	fill_queue(queue);
	for (size_t i = 0; i < CACHE_LEASE_OUT * 2; i++)
		if (instance->confirms[i].at && instance->confirms[i].at <= now &&
		    now >= instance->asleep_until) {
			cache_lease_confirmed(&instance->lease,
			                      instance->confirms[i].number);
			instance->confirms[i].at = 0;
		}
	if (now < instance->asleep_until)
		return;
	/* a question may come before the queue is read, and after */
	answer(instance);
	for (int i = rand() % 4; i > 0 && queue->first < queue->end; i--)
		read_message(self, &queue->in[queue->first++ % IN_FLIGHT]);
	check_settled(instance);
	answer(instance);
	if (now - instance->sent_at >= (rand() % 100 ? CACHE_LEASE_RENEW_MS : 900) ||
	    (instance->announced_up_to > settled_serial && now - instance->sent_at >= 10))
		publish(self, (struct message){ .acks = -1 });
	if (rand() % 1000 == 0)
		instance->asleep_until = now + rand() % 3000;
	if (rand() % 6000 == 0)
		lose_queue(instance);
	if (instance->no_queue_until && now >= instance->no_queue_until)
		make_queue(instance);
}

static void begin(unsigned seed)
{
	srand(seed);
	max_skew = seed % 2 ? 40 : 600;
	memset(fleet, 0, sizeof(fleet));
	now = 100000, serial = 1, settled_serial = 0;
	for (int i = 0; i < INSTANCES; i++) {
		snprintf(fleet[i].id, sizeof(fleet[i].id), "%d", i);
		fleet[i].offset_ms = rand() % 100000;
		cache_lease_reset(&fleet[i].lease, clock_of(&fleet[i]));
	}
}

static void no_answer_is_older_than_settled_news(void **state)
{
	const struct message news = { .is_news = true, .acks = -1 };
	unsigned seeds = (unsigned)rounds(6);

	(void)state;
	for (unsigned seed = 1; seed <= seeds; seed++) {
		begin(seed);
		for (int i = 0; i < STEPS; i++) {
			now++;
			if (rand() % 50 == 0) {
				serial++;
				publish(rand() % INSTANCES, news);
			}
			for (int k = 0; k < INSTANCES; k++)
				step(k);
		}
	}
	print_message("%u answers from memory, %u settlements\n", leases_seen,
	              settlements);
	assert_true(leases_seen > seeds * 8000);
	assert_true(settlements > seeds * 30);
}

/* ---- alone, step by step ---- */

static void one_instance_alone(void **state)
{
	struct cache_lease lease = { .sent = 0 };
	uint64_t first, second;

	(void)state;
	cache_lease_reset(&lease, 1000);
	first = cache_lease_send(&lease, 1000);
	cache_lease_echoed(&lease, first);
	/* nothing was confirmed before */
	assert_false(cache_lease_is_valid(&lease, 1001));
	cache_lease_confirmed(&lease, first);
	second = cache_lease_send(&lease, 1002);
	assert_false(cache_lease_is_valid(&lease, 1003));
	cache_lease_echoed(&lease, second);
	assert_true(cache_lease_is_valid(&lease, 1003));
	assert_true(cache_lease_is_valid(&lease, 1001 + CACHE_LEASE_MS));
	assert_false(cache_lease_is_valid(&lease, 1002 + CACHE_LEASE_MS));
	cache_lease_reset(&lease, 1000);
	assert_false(cache_lease_is_valid(&lease, 1003));
	/* unknown instances may have leases */
	assert_int_equal(cache_lease_settled(&lease), 0);
	cache_lease_confirmed(&lease, second);
	cache_lease_echoed(&lease, cache_lease_send(&lease, 1000 + CACHE_LEASE_GONE_MS));
	assert_int_equal(cache_lease_settled(&lease), second);
}

static void a_long_silence_ends_the_lease(void **state)
{
	struct cache_lease lease = { .sent = 0 };
	uint64_t number;

	(void)state;
	cache_lease_reset(&lease, 1000);
	cache_lease_confirmed(&lease, cache_lease_send(&lease, 1000));
	number = cache_lease_send(&lease, 1001 + CACHE_LEASE_MS / 2);
	cache_lease_echoed(&lease, number);
	assert_false(cache_lease_is_valid(&lease, 1002 + CACHE_LEASE_MS / 2));
}

static void a_gone_instance_delays_nothing(void **state)
{
	struct cache_lease lease = { .sent = 0 };
	uint64_t news;
	int64_t at = 10000;

	(void)state;
	cache_lease_saw(&lease, "other", at);
	news = cache_lease_send(&lease, at);
	cache_lease_confirmed(&lease, news);
	cache_lease_echoed(&lease, cache_lease_send(&lease, at + 1));
	assert_int_equal(cache_lease_settled(&lease), 0);
	cache_lease_echoed(&lease,
	                   cache_lease_send(&lease, at + CACHE_LEASE_GONE_MS - 1));
	assert_int_equal(cache_lease_settled(&lease), 0);
	cache_lease_echoed(&lease, cache_lease_send(&lease, at + CACHE_LEASE_GONE_MS));
	assert_int_equal(cache_lease_settled(&lease), news);
	cache_lease_saw(&lease, "other", at + CACHE_LEASE_GONE_MS);
	assert_int_equal(cache_lease_settled(&lease), 0);
	cache_lease_acked(&lease, "other", news);
	assert_int_equal(cache_lease_settled(&lease), news);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_instance_alone),
		cmocka_unit_test(a_long_silence_ends_the_lease),
		cmocka_unit_test(a_gone_instance_delays_nothing),
		cmocka_unit_test(no_answer_is_older_than_settled_news),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
