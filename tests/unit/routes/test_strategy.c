#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/strategy.h"

enum { MAX = 24, TEXT = 33, ROUNDS = 400 };

/* Routers by name, and what they have. */
struct field {
	char names[MAX][TEXT], labels[MAX][TEXT];
	struct candidate all[MAX];
	size_t count;
	uint64_t positions[MAX + 1];	/* of the group of each label, "" last */
};

static void add(struct field *field, const char *name, const char *label, int capacity)
{
	size_t at = field->count++;

	snprintf(field->names[at], TEXT, "%s", name);
	snprintf(field->labels[at], TEXT, "%s", label);
	field->all[at] = (struct candidate){
		.name = field->names[at], .label = field->labels[at],
		.has_capacity = capacity >= 0,
		.capacity = (uint32_t)(capacity < 0 ? 0 : capacity),
	};
}

/* "a:2 b/zone=east -c": names in their order, with labels and capacities; c is down. */
static void build(struct field *field, const char *text)
{
	char words[256], *rest, *word;

	*field = (struct field){ .count = 0 };
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		char *capacity = strchr(word, ':'), *label;
		bool is_down = *word == '-';

		if (capacity)
			*capacity++ = '\0';
		label = strchr(word, '/');
		if (label)
			*label++ = '\0';
		add(field, word + is_down, label ? label : "",
		    capacity ? atoi(capacity) : -1);
		field->all[field->count - 1].is_down = is_down;
	}
}

static void build_many(struct field *field, size_t count)
{
	*field = (struct field){ .count = 0 };
	for (size_t i = 0; i < count; i++) {
		char name[TEXT];

		snprintf(name, sizeof(name), "router%02zu", i);
		add(field, name, "", -1);
	}
}

static uint64_t *position_of(struct field *field, const char *group)
{
	for (size_t i = 0; *group && i < field->count; i++)
		if (!strcmp(field->labels[i], group))
			return &field->positions[i];
	return &field->positions[MAX];
}

static const struct strategy *by_word(const char *name)
{
	int word = 0;

	while (strcmp(strategy_words[word], name))
		word++;
	return strategy_at(word);
}

/* One more route: the index of its router, or COUNT and WHY. */
static size_t place(struct field *field, const char *name, const struct applicant *route,
                    struct why *why)
{
	const struct strategy *strategy = by_word(name);
	const char *group = strategy_group(strategy, route, field->all, field->count);
	uint64_t *position = position_of(field, group);
	size_t picked;

	if (strategy_pick(strategy, route, field->all, field->count, *position, &picked,
	                  why))
		return field->count;
	assert_true(picked < field->count);
	field->all[picked].bound++;
	*position += strategy->has_position;
	return picked;
}

static void make_id(char id[TEXT], size_t number)
{
	snprintf(id, TEXT, "%08zx%08zx%016zx", number * 2654435761u % 0xffffffffu, number,
	         number * 40503u);
}

static size_t place_number(struct field *field, const char *name, size_t number)
{
	char id[TEXT];
	struct why why;

	make_id(id, number);
	return place(field, name, &(struct applicant){ .id = id }, &why);
}

/* ---- tables ---- */

/* Where routes go one after another, by the first letter; "!": none, as WORDS say. */
static const struct {
	const char *strategy, *routers, *labels, *want, *words;
} rows[] = {
	{ "roundrobin",  "a b c",         "",       "abcabca", NULL },
	{ "roundrobin",  "a:1 b c:2",     "",       "abcbbcb", NULL },
	{ "roundrobin",  "a:0 b:0",       "",       "!",       "full" },
	{ "roundrobin",  "a:2 b:1",       "",       "aba!",    "full" },
	{ "roundrobin",  "a/k=v b",       "k=v",    "abab",    NULL },
	{ "roundrobin",  "",              "",       "!",       "no router accepts" },
	{ "leastloaded", "a b c",         "",       "abcabca", NULL },
	{ "leastloaded", "a:1 b c:2",     "",       "abcbcbb", NULL },
	{ "leastloaded", "a:1",           "",       "a!",      "full" },
	{ "leastloaded", "",              "",       "!",       "no router accepts" },
	{ "label",       "a/k=v b c/k=v", "k=v",    "acac",    NULL },
	{ "label",       "a/k=v b c/k=v", "",       "bbb",     NULL },
	{ "label",       "a/k=v b c/k=v", "k=w",    "bbb",     NULL },
	{ "label",       "a/k=v b c/k=v", "x=y k=v", "acac",   NULL },
	{ "label",       "a/k=v",         "",       "!",       "that the route lacks" },
	{ "label",       "a/k=v",         "k=w",    "!",       "that the route lacks" },
	{ "label",       "a/k=v:1 b",     "k=v",    "a!",      "full" },
	{ "label",       "a/k=v:1 b/x=y c", "k=v x=y", "abbb", NULL },
	{ "label",       "a/k=v:1 b/x=y:1", "x=y k=v", "ab!",  "full" },
	{ "label",       "",              "k=v",    "!",       "no router accepts" },
	{ "roundrobin",  "a -b c d",      "",       "acdacda", NULL },
	{ "roundrobin",  "-a -b",         "",       "!",       "no instance that is up" },
	{ "roundrobin",  "-a b:1",        "",       "b!",
	  "full or have no instance" },
	{ "leastloaded", "-a b c",        "",       "bcbc",    NULL },
	{ "leastloaded", "-a",            "",       "!",       "no instance that is up" },
	{ "label",       "-a/k=v b",      "k=v",    "!",       "no instance that is up" },
	{ "label",       "-a/k=v b/x=y",  "k=v x=y", "bb",     NULL },
	{ "label",       "-a/k=v c/k=v",  "k=v",    "cc",      NULL },
	{ "hash",        "-a b",          "",       "bbbb",    NULL },
	{ "hash",        "-a",            "",       "!",       "no instance that is up" },
	{ "hash",        "a:0",           "",       "!",       "full" },
	{ "hash",        "",              "",       "!",       "no router accepts" },
};

static size_t split(char *words, const char **labels)
{
	size_t count = 0;
	char *rest;

	for (char *word = strtok_r(words, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		labels[count++] = word;
	return count;
}

static void each_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char words[64], got[16] = "";
		const char *labels[8];
		struct applicant route = { .id = "1", .labels = labels };
		struct field field;
		struct why why = { "" };

		build(&field, rows[i].routers);
		snprintf(words, sizeof(words), "%s", rows[i].labels);
		route.label_count = split(words, labels);
		for (size_t at = 0; rows[i].want[at]; at++) {
			size_t picked = place(&field, rows[i].strategy, &route, &why);

			got[at] = picked < field.count ? field.names[picked][0] : '!';
		}
		print_message("  %s \"%s\" [%s]: %s %s\n", rows[i].strategy,
		              rows[i].routers, rows[i].labels, got, why.text);
		assert_string_equal(got, rows[i].want);
		assert_true(!rows[i].words || strstr(why.text, rows[i].words));
	}
}

static void by_name(void **state)
{
	(void)state;
	for (enum strategy_word word = 0; word < STRATEGY_EXTERNAL; word++) {
		assert_non_null(strategy_at(word)->pick);
		assert_string_equal(strategy_name(strategy_at(word)),
		                    strategy_words[word]);
	}
	assert_null(strategy_at(STRATEGY_EXTERNAL));
	assert_null(strategy_words[STRATEGY_EXTERNAL + 1]);
}

/* ---- whatever there is ---- */

static uint32_t least(const struct field *field)
{
	uint32_t found = UINT32_MAX;

	for (size_t i = 0; i < field->count; i++)
		if ((!field->all[i].has_capacity ||
		     field->all[i].bound < field->all[i].capacity) &&
		    field->all[i].bound < found)
			found = field->all[i].bound;
	return found;
}

static uint32_t most(const struct field *field)
{
	uint32_t found = 0;

	for (size_t i = 0; i < field->count; i++)
		if (field->all[i].bound > found)
			found = field->all[i].bound;
	return found;
}

static void one_after_the_other(void **state)
{
	struct field field;

	(void)state;
	for (size_t count = 1; count <= MAX; count++) {
		build_many(&field, count);
		field.positions[MAX] = UINT32_MAX - 7u;	/* wherever it stands */
		for (size_t route = 0; route < 5 * MAX + 3; route++) {
			assert_true(place_number(&field, "roundrobin", route) < count);
			assert_true(most(&field) - least(&field) <= 1);
		}
	}
}

/* Full is full; and as long as one has room, there is a router for the next. */
static void no_more_than_its_capacity(void **state)
{
	static const char *const names[] = {
		"roundrobin", "leastloaded", "hash", "label",
	};
	struct field field;

	(void)state;
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		size_t room = 0;

		build_many(&field, 1 + (size_t)rand() % MAX);
		for (size_t i = 0; i < field.count; i++) {
			field.all[i].has_capacity = true;
			field.all[i].capacity = (uint32_t)rand() % 7;
			room += field.all[i].capacity;
		}
		for (size_t route = 0; route < room; route++)
			assert_true(place_number(&field, names[round % 4], route) <
			            field.count);
		assert_int_equal(place_number(&field, names[round % 4], room),
		                 field.count);
		for (size_t i = 0; i < field.count; i++)
			assert_int_equal(field.all[i].bound, field.all[i].capacity);
	}
}

static void the_least_loaded(void **state)
{
	struct field field;

	(void)state;
	srand(2);
	for (int round = 0; round < ROUNDS; round++) {
		build_many(&field, 1 + (size_t)rand() % MAX);
		for (size_t i = 0; i < field.count; i++) {
			field.all[i].bound = (uint32_t)rand() % 9;
			field.all[i].has_capacity = rand() % 2;
			field.all[i].capacity = (uint32_t)rand() % 12;
		}
		for (size_t route = 0; route < 50; route++) {
			uint32_t wanted = least(&field);
			size_t picked = place_number(&field, "leastloaded", route);

			if (wanted == UINT32_MAX) {
				assert_int_equal(picked, field.count);
				break;
			}
			assert_int_equal(field.all[picked].bound, wanted + 1);
		}
	}
}

/* ---- by hash ---- */

/*
 * What a route would have, best first: found out by taking away whatever it was given.
 * From then on it has the first of them that is there: so nothing moves but what has to.
 */
static void preferences(struct field *field, size_t route, size_t order[MAX])
{
	for (size_t i = 0; i < field->count; i++) {
		order[i] = place_number(field, "hash", route);
		assert_true(order[i] < field->count);
		field->all[order[i]].has_capacity = true;	/* of 0 */
	}
	build_many(field, field->count);
}

static size_t first_there(const size_t order[MAX], const bool *is_there)
{
	while (!is_there[*order])
		order++;
	return *order;
}

/* Of FIELD, those that are there, in their order; INDEX is where each is in FIELD. */
static void take_there(const struct field *field, const bool *is_there,
                       struct field *some, size_t index[MAX])
{
	*some = (struct field){ .count = 0 };
	for (size_t i = 0; i < field->count; i++)
		if (is_there[i]) {
			index[some->count] = i;
			add(some, field->names[i], "", -1);
		}
}

static void moves_only_what_must(void **state)
{
	static size_t order[1000][MAX];
	struct field field, some;
	bool is_there[MAX];
	size_t index[MAX], routers = 12;

	(void)state;
	build_many(&field, routers);
	for (size_t route = 0; route < 1000; route++)
		preferences(&field, route, order[route]);
	srand(3);
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < routers; i++)
			is_there[i] = rand() % 2;
		is_there[(size_t)rand() % routers] = true;
		take_there(&field, is_there, &some, index);
		for (size_t route = 0; route < 1000; route++)
			assert_int_equal(index[place_number(&some, "hash", route)],
			                 first_there(order[route], is_there));
	}
}

static void shares_are_fair(void **state)
{
	enum { ROUTES = 12000 };
	struct field field;

	(void)state;
	build_many(&field, 12);
	for (size_t route = 0; route < ROUTES; route++)
		place_number(&field, "hash", route);
	print_message("  %u to %u of %d each\n", least(&field), most(&field),
	              ROUTES / 12);
	assert_true(least(&field) > 850 && most(&field) < 1150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row),
		cmocka_unit_test(by_name),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(no_more_than_its_capacity),
		cmocka_unit_test(the_least_loaded),
		cmocka_unit_test(moves_only_what_must),
		cmocka_unit_test(shares_are_fair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
