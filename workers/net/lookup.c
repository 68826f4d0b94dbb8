#include "net/lookup.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/offload.h"

enum {
	PERIOD_MS = 30 * 1000,		/* as resolvers keep what they know for longer, if at all */
	SOONEST_MS = 1000,		/* between two of one name */
};

/* While no address is known. */
static const struct backoff unknown = { .first_ms = SOONEST_MS, .max_ms = PERIOD_MS };

/* A name on its way to the resolver. */
struct question {
	struct lookup *lookup;		/* NULL: it is gone */
	char *host;
	uint16_t port;
	struct addresses found;
	enum err err;
	struct why why;
};

struct lookup {
	struct lookup_config config;
	struct loop_timer *timer;	/* NULL: the host is an address */
	struct question *asked;
	struct addresses known;
	size_t at;			/* the one in use */
	int64_t asked_ms;
	bool is_unknown;		/* the log has that the resolver knows nothing */
	int failures;			/* in a row */
};

/* ---- the resolver ---- */

static bool has(const struct addresses *addresses, const struct address *address)
{
	for (size_t i = 0; i < addresses->count; i++)
		if (address_same_host(&addresses->item[i], address))
			return true;
	return false;
}

static void take_all(const struct addrinfo *list, uint16_t port, struct addresses *found)
{
	for (; list && found->count < LOOKUP_MAX; list = list->ai_next) {
		struct sockaddr_storage socket = { 0 };
		struct address address;

		if (list->ai_addrlen > sizeof(socket))
			continue;
		memcpy(&socket, list->ai_addr, list->ai_addrlen);
		if (!address_from_socket(&socket, &address) || has(found, &address))
			continue;
		address.port = port;
		found->item[found->count++] = address;
	}
}

enum err lookup_now(const char *host, uint16_t port, struct addresses *found,
                    struct why *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int code;

	*found = (struct addresses){ .count = 0 };
	if (address_parse(host, port, &found->item[0])) {
		found->count = 1;
		return OK;
	}
	errno = 0;
	code = getaddrinfo(host, NULL, &hints, &list);
	if (code && descriptors_lack("the resolver"))
		return fail(why, ERR_BUSY, "host \"%.255s\": no descriptor is left", host);
	if (code)
		return fail(why, ERR_UNREACHABLE, "host \"%.255s\": %s", host,
		            gai_strerror(code));
	take_all(list, port, found);
	freeaddrinfo(list);
	return found->count ? OK : fail(why, ERR_UNREACHABLE,
	                                "host \"%.255s\" has no address", host);
}

/* ---- beside the loop ---- */

static void ask_run(void *self)
{
	struct question *question = self;

	question->err = lookup_now(question->host, question->port, &question->found,
	                           &question->why);
}

bool lookup_same(const struct addresses *a, const struct addresses *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!has(b, &a->item[i]))
			return false;
	return a->count == b->count;
}

size_t lookup_keep(const struct addresses *found, const struct address *last)
{
	for (size_t i = 0; last && i < found->count; i++)
		if (address_same_host(&found->item[i], last))
			return i;
	return 0;
}

static void note_change(struct lookup *lookup, const struct address *last)
{
	const struct address *address = lookup_address(lookup);
	char text[ADDRESS_TEXT];

	if (!address || (last && address_same_host(last, address)))
		return;
	address_format(address, text);
	log_info("host has %s address: host=%s address=%s of=%zu",
	         last ? "another" : "an", lookup->config.host, text,
	         lookup->known.count);
	if (lookup->config.changed)
		lookup->config.changed(lookup->config.self, address);
}

static void take_answer(struct lookup *lookup, const struct question *question)
{
	const struct address *used = lookup_address(lookup);
	struct address last = used ? *used : (struct address){ 0 };
	bool is_new;

	if (question->err) {
		if (!lookup->is_unknown)
			log_warn("host not looked up: host=%s reason=\"%s\"",
			         lookup->config.host, question->why.text);
		lookup->is_unknown = true;
		lookup->failures++;
		return;
	}
	lookup->is_unknown = false;
	lookup->failures = 0;
	is_new = !lookup_same(&lookup->known, &question->found);
	lookup->at = lookup_keep(&question->found, used ? &last : NULL);
	lookup->known = question->found;
	if (is_new && lookup->config.listed)
		lookup->config.listed(lookup->config.self, &lookup->known);
	note_change(lookup, used ? &last : NULL);
}

static void arm(struct lookup *lookup, int64_t after_ms)
{
	loop_timer_set(lookup->timer, after_ms);
}

static int64_t next_ms(const struct lookup *lookup)
{
	if (lookup->known.count)
		return PERIOD_MS * 9 / 10 + random_u32() % (PERIOD_MS / 5);
	return backoff_ms(&unknown, lookup->failures, random_u32());
}

static void question_free(struct question *question)
{
	free(question->host);
	free(question);
}

static void ask_done(void *self)
{
	struct question *question = self;
	struct lookup *lookup = question->lookup;

	if (lookup) {
		lookup->asked = NULL;
		arm(lookup, next_ms(lookup));
		if (lane_job_ran(lookup->config.lane))
			take_answer(lookup, question);
	}
	question_free(question);
}

static void ask(void *self)
{
	struct lookup *lookup = self;
	struct question *question = xcalloc(1, sizeof(*question));

	question->lookup = lookup;
	question->host = xstrdup(lookup->config.host);
	question->port = lookup->config.port;
	lookup->asked_ms = clock_ms();
	if (lane_submit(lookup->config.lane, ask_run, ask_done, question)) {
		lookup->asked = question;
	} else {
		question_free(question);
		arm(lookup, SOONEST_MS);
	}
}

/* ---- what its user has of it ---- */

const struct address *lookup_address(const struct lookup *lookup)
{
	return lookup->known.count ? &lookup->known.item[lookup->at] : NULL;
}

static void ask_soon(struct lookup *lookup)
{
	int64_t wait_ms = lookup->asked_ms + SOONEST_MS - clock_ms();

	if (!lookup->asked)
		arm(lookup, wait_ms > 1 ? wait_ms : 1);
}

void lookup_failed(struct lookup *lookup, const struct address *address)
{
	const struct address *used = lookup_address(lookup);
	struct address last;

	if (!lookup->timer || (used && !address_same_host(used, address)))
		return;
	ask_soon(lookup);
	if (!used)
		return;
	last = *used;
	lookup->at = (lookup->at + 1) % lookup->known.count;
	note_change(lookup, &last);
}

struct lookup *lookup_new(const struct lookup_config *config)
{
	struct lookup *lookup = xcalloc(1, sizeof(*lookup));
	struct address literal;

	lookup->config = *config;
	lookup->config.host = xstrdup(config->host);
	lookup->known = config->known;
	if (address_parse(config->host, config->port, &literal)) {
		lookup->known = (struct addresses){ { literal }, 1 };
		return lookup;
	}
	lookup->timer = loop_timer_new(config->loop, ask, lookup);
	arm(lookup, 1);
	return lookup;
}

void lookup_free(struct lookup **lookup)
{
	struct lookup *old = *lookup;

	*lookup = NULL;
	if (!old)
		return;
	if (old->asked)
		old->asked->lookup = NULL;
	loop_timer_free(&old->timer);
	free((char *)old->config.host);
	free(old);
}
