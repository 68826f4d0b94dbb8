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
 * anew. All cache one zone, whose serial grows. What must hold: once the news of a serial
 * are settled, nobody who holds has an older one in memory.
 */

enum { INSTANCES = 4, IN_FLIGHT = 4096, STEPS = 15000, NEWS = 4096 };

struct letter {
	int from;
	uint64_t number;
	bool is_news;
	int heard_of;			/* -1: nobody */
	uint64_t heard;
};

struct delivery {
	int64_t at;			/* when it is in the queue; 0: free */
	struct letter letter;
};

struct queue {
	struct delivery on_way[IN_FLIGHT];	/* per sender in its order */
	struct letter in[IN_FLIGHT];
	size_t first, end;
	int64_t last_at[INSTANCES];	/* of each sender nothing overtakes */
};

struct confirm {
	int64_t at;			/* 0: none */
	uint64_t number;
};

struct instance {
	struct accord accord;
	char id[ID_LEN + 1];
	struct queue queue;
	struct confirm confirms[ACCORD_OUT * 2];
	int64_t offset_ms;		/* of its clock */
	int64_t asleep_until;
	int64_t deaf_until;		/* it has no queue, and does not know yet */
	int cached;			/* serial in memory; 0: none */
	uint64_t news_number[NEWS];	/* by serial: told under this number */
	int told_up_to;
	int64_t spoke_at;
};

static struct instance fleet[INSTANCES];
static int64_t now;
static int serial;			/* in the database */
static int settled_serial;		/* its NOTIFY has left */
static int max_skew;			/* ms, between two queues */
static unsigned holds_seen, settlements;

static int64_t clock_of(const struct instance *instance)
{
	return now + instance->offset_ms;
}

static void deliver(struct queue *queue, int64_t at, const struct letter *letter)
{
	if (at < queue->last_at[letter->from])
		at = queue->last_at[letter->from];
	queue->last_at[letter->from] = at;
	for (int i = 0; i < IN_FLIGHT; i++)
		if (!queue->on_way[i].at) {
			queue->on_way[i] = (struct delivery){ at, *letter };
			return;
		}
	abort();
}

static void publish(int from, struct letter letter)
{
	struct instance *instance = &fleet[from];
	int64_t confirmed_at = 0;

	if (!accord_may_send(&instance->accord))
		return;
	letter.from = from;
	letter.number = accord_send(&instance->accord, clock_of(instance));
	if (letter.is_news) {
		instance->told_up_to = serial;
		instance->news_number[serial % NEWS] = letter.number;
	}
	for (int i = 0; i < INSTANCES; i++) {
		if (now < fleet[i].deaf_until)
			continue;
		deliver(&fleet[i].queue, now + 1 + rand() % max_skew, &letter);
		if (fleet[i].queue.last_at[from] > confirmed_at)
			confirmed_at = fleet[i].queue.last_at[from];
	}
	for (size_t i = 0; i < ACCORD_OUT * 2; i++)
		if (!instance->confirms[i].at) {
			instance->confirms[i] = (struct confirm){
				confirmed_at + 1 + rand() % 5, letter.number,
			};
			break;
		}
	instance->spoke_at = now;
}

/* What is due comes into the queue: of each sender in its order. */
static void fill_queue(struct queue *queue)
{
	for (int from = 0; from < INSTANCES; from++)
		for (;;) {
			struct delivery *next = NULL;

			for (int i = 0; i < IN_FLIGHT; i++) {
				struct delivery *at = &queue->on_way[i];

				if (at->at && at->letter.from == from && at->at <= now &&
				    (!next || at->letter.number < next->letter.number))
					next = at;
			}
			if (!next)
				break;
			queue->in[queue->end++ % IN_FLIGHT] = next->letter;
			next->at = 0;
		}
}

static void read_letter(int self, const struct letter *letter)
{
	struct instance *instance = &fleet[self];

	if (letter->from == self) {
		accord_came_back(&instance->accord, letter->number);
	} else {
		accord_saw(&instance->accord, fleet[letter->from].id, clock_of(instance));
		if (letter->heard_of == self)
			accord_was_heard(&instance->accord, fleet[letter->from].id,
			                 letter->heard);
	}
	if (letter->is_news) {
		instance->cached = 0;
		if (letter->from != self)
			publish(self, (struct letter){ .heard_of = letter->from,
			                               .heard = letter->number });
	}
}

static void lose_queue(struct instance *instance)
{
	struct queue *queue = &instance->queue;

	memset(queue->on_way, 0, sizeof(queue->on_way));
	queue->first = queue->end = 0;
	instance->deaf_until = now + 1 + rand() % 2000;
}

static void make_queue(struct instance *instance)
{
	instance->deaf_until = 0;
	accord_reset(&instance->accord, clock_of(instance));
	instance->cached = 0;
}

/* A question comes: the answer is from memory, or from the database. */
static void answer(struct instance *instance)
{
	if (!accord_holds(&instance->accord, clock_of(instance))) {
		return;
	}
	holds_seen++;
	if (!instance->cached)
		instance->cached = serial;
	else if (instance->cached < settled_serial)
		fail_msg("at %ld: serial %d from memory, and %d was told",
		         (long)now, instance->cached, settled_serial);
}

static void check_settled(struct instance *instance)
{
	uint64_t number = accord_settled(&instance->accord);

	for (int told = settled_serial + 1; told <= instance->told_up_to; told++)
		if (instance->news_number[told % NEWS] &&
		    instance->news_number[told % NEWS] <= number) {
			settled_serial = told;
			settlements++;
		}
}

static void step(int self)
{
	struct instance *instance = &fleet[self];
	struct queue *queue = &instance->queue;

	fill_queue(queue);
	for (size_t i = 0; i < ACCORD_OUT * 2; i++)
		if (instance->confirms[i].at && instance->confirms[i].at <= now &&
		    now >= instance->asleep_until) {
			accord_confirmed(&instance->accord, instance->confirms[i].number);
			instance->confirms[i].at = 0;
		}
	if (now < instance->asleep_until)
		return;
	/* a question may come before the queue is read, and after */
	answer(instance);
	for (int i = rand() % 4; i > 0 && queue->first < queue->end; i--)
		read_letter(self, &queue->in[queue->first++ % IN_FLIGHT]);
	check_settled(instance);
	answer(instance);
	if (now - instance->spoke_at >= (rand() % 100 ? ACCORD_BEAT_MS : 900) ||
	    (instance->told_up_to > settled_serial && now - instance->spoke_at >= 10))
		publish(self, (struct letter){ .heard_of = -1 });
	if (rand() % 1000 == 0)
		instance->asleep_until = now + rand() % 3000;
	if (rand() % 6000 == 0)
		lose_queue(instance);
	if (instance->deaf_until && now >= instance->deaf_until)
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
		accord_reset(&fleet[i].accord, clock_of(&fleet[i]));
	}
}

static void nobody_is_behind_the_news(void **state)
{
	const struct letter news = { .is_news = true, .heard_of = -1 };
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
	print_message("%u answers from memory, %u settlements\n", holds_seen,
	              settlements);
	assert_true(holds_seen > seeds * 8000);
	assert_true(settlements > seeds * 30);
}

/* ---- alone, step by step ---- */

static void one_alone(void **state)
{
	struct accord accord = { .sent = 0 };
	uint64_t first, second;

	(void)state;
	accord_reset(&accord, 1000);
	first = accord_send(&accord, 1000);
	accord_came_back(&accord, first);
	assert_false(accord_holds(&accord, 1001));	/* nothing was confirmed before */
	accord_confirmed(&accord, first);
	second = accord_send(&accord, 1002);
	assert_false(accord_holds(&accord, 1003));
	accord_came_back(&accord, second);
	assert_true(accord_holds(&accord, 1003));
	assert_true(accord_holds(&accord, 1001 + ACCORD_HOLD_MS));
	assert_false(accord_holds(&accord, 1002 + ACCORD_HOLD_MS));
	accord_reset(&accord, 1000);
	assert_false(accord_holds(&accord, 1003));
	assert_int_equal(accord_settled(&accord), 0);	/* there may be strangers */
	accord_confirmed(&accord, second);
	accord_came_back(&accord, accord_send(&accord, 1000 + ACCORD_GONE_MS));
	assert_int_equal(accord_settled(&accord), second);
}

static void a_long_silence_begins_anew(void **state)
{
	struct accord accord = { .sent = 0 };
	uint64_t number;

	(void)state;
	accord_reset(&accord, 1000);
	accord_confirmed(&accord, accord_send(&accord, 1000));
	number = accord_send(&accord, 1001 + ACCORD_HOLD_MS / 2);
	accord_came_back(&accord, number);
	assert_false(accord_holds(&accord, 1002 + ACCORD_HOLD_MS / 2));
}

static void who_is_gone_is_not_waited_for(void **state)
{
	struct accord accord = { .sent = 0 };
	uint64_t news;
	int64_t at = 10000;

	(void)state;
	accord_saw(&accord, "other", at);
	news = accord_send(&accord, at);
	accord_confirmed(&accord, news);
	accord_came_back(&accord, accord_send(&accord, at + 1));
	assert_int_equal(accord_settled(&accord), 0);
	accord_came_back(&accord, accord_send(&accord, at + ACCORD_GONE_MS - 1));
	assert_int_equal(accord_settled(&accord), 0);
	accord_came_back(&accord, accord_send(&accord, at + ACCORD_GONE_MS));
	assert_int_equal(accord_settled(&accord), news);
	accord_saw(&accord, "other", at + ACCORD_GONE_MS);
	assert_int_equal(accord_settled(&accord), 0);
	accord_was_heard(&accord, "other", news);
	assert_int_equal(accord_settled(&accord), news);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_alone),
		cmocka_unit_test(a_long_silence_begins_anew),
		cmocka_unit_test(who_is_gone_is_not_waited_for),
		cmocka_unit_test(nobody_is_behind_the_news),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
