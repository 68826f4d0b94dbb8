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
	PERIOD_MS = 30 * 1000,		/* resolvers mostly cache for longer */
	SOONEST_MS = 1000,		/* between two lookups of one name */
};

/* The pauses while no address is known. */
static const struct backoff unknown = { .first_ms = SOONEST_MS, .max_ms = PERIOD_MS };

/* A lookup on the lane. */
struct lookup_job {
	struct lookup *lookup;		/* NULL: it was freed */
	char *host;
	uint16_t port;
	struct addresses found;
	enum err err;
	struct why why;
};

struct lookup {
	struct lookup_config config;
	struct loop_timer *timer;	/* NULL: the host is an address */
	struct lookup_job *job;
	struct addresses known;
	size_t at;			/* index of the address in use */
	int64_t started_ms;
	bool is_unknown;		/* the failure of the resolver was logged */
	int failures;			/* in a row */
};

/* ---- the resolver ---- */

static bool addresses_have(const struct addresses *addresses,
                           const struct address *address)
{
	for (size_t i = 0; i < addresses->count; i++)
		if (address_same_host(&addresses->item[i], address))
			return true;
	return false;
}

static void lookup_add_results(const struct addrinfo *list, uint16_t port,
                               struct addresses *found)
{
	for (; list && found->count < LOOKUP_MAX; list = list->ai_next) {
		struct sockaddr_storage socket = { 0 };
		struct address address;

		if (list->ai_addrlen > sizeof(socket))
			continue;
		memcpy(&socket, list->ai_addr, list->ai_addrlen);
		if (!address_from_socket(&socket, &address) ||
		    addresses_have(found, &address))
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
		return fail(why, ERR_BUSY, "host '%.255s': cannot ask the resolver, "
		            "because no file descriptor is free",
		            host);
	if (code)
		return fail(why, ERR_UNREACHABLE, "host '%.255s': %s", host,
		            gai_strerror(code));
	lookup_add_results(list, port, found);
	freeaddrinfo(list);
	return found->count ? OK : fail(why, ERR_UNREACHABLE,
	                                "host '%.255s' has no IPv4 or IPv6 address",
	                                host);
}

/* ---- on the lane ---- */

static void lookup_run(void *self)
{
	struct lookup_job *job = self;

	job->err = lookup_now(job->host, job->port, &job->found, &job->why);
}

bool lookup_same(const struct addresses *a, const struct addresses *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (!addresses_have(b, &a->item[i]))
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

static void lookup_log_change(struct lookup *lookup, const struct address *last)
{
	const struct address *address = lookup_address(lookup);
	char text[ADDRESS_TEXT];

	if (!address || (last && address_same_host(last, address)))
		return;
	address_format(address, text);
	log_info("address selected: host=%s address=%s addresses=%zu",
	         lookup->config.host, text, lookup->known.count);
	if (lookup->config.changed)
		lookup->config.changed(lookup->config.self, address);
}

static void lookup_on_answer(struct lookup *lookup, const struct lookup_job *job)
{
	const struct address *used = lookup_address(lookup);
	struct address last = used ? *used : (struct address){ 0 };
	bool is_new;

	if (job->err) {
		if (!lookup->is_unknown)
			log_warn("host not resolved: host=%s reason=\"%s\"",
			         lookup->config.host, job->why.text);
		lookup->is_unknown = true;
		lookup->failures++;
		return;
	}
	lookup->is_unknown = false;
	lookup->failures = 0;
	is_new = !lookup_same(&lookup->known, &job->found);
	lookup->at = lookup_keep(&job->found, used ? &last : NULL);
	lookup->known = job->found;
	if (is_new && lookup->config.listed)
		lookup->config.listed(lookup->config.self, &lookup->known);
	lookup_log_change(lookup, used ? &last : NULL);
}

static void lookup_set_timer(struct lookup *lookup, int64_t after_ms)
{
	loop_timer_set(lookup->timer, after_ms);
}

static int64_t lookup_next_ms(const struct lookup *lookup)
{
	if (lookup->known.count)
		return PERIOD_MS * 9 / 10 + random_u32() % (PERIOD_MS / 5);
	return backoff_ms(&unknown, lookup->failures, random_u32());
}

static void lookup_job_free(struct lookup_job *job)
{
	free(job->host);
	free(job);
}

static void lookup_done(void *self)
{
	struct lookup_job *job = self;
	struct lookup *lookup = job->lookup;

	if (lookup) {
		lookup->job = NULL;
		lookup_set_timer(lookup, lookup_next_ms(lookup));
		if (lane_job_ran(lookup->config.lane))
			lookup_on_answer(lookup, job);
	}
	lookup_job_free(job);
}

static void lookup_start(void *self)
{
	struct lookup *lookup = self;
	struct lookup_job *job = xcalloc(1, sizeof(*job));

	job->lookup = lookup;
	job->host = xstrdup(lookup->config.host);
	job->port = lookup->config.port;
	lookup->started_ms = clock_ms();
	if (lane_submit(lookup->config.lane, lookup_run, lookup_done, job)) {
		lookup->job = job;
	} else {
		lookup_job_free(job);
		lookup_set_timer(lookup, SOONEST_MS);
	}
}

/* ---- for the user ---- */

const struct address *lookup_address(const struct lookup *lookup)
{
	return lookup->known.count ? &lookup->known.item[lookup->at] : NULL;
}

static void lookup_start_soon(struct lookup *lookup)
{
	int64_t wait_ms = lookup->started_ms + SOONEST_MS - clock_ms();

	if (!lookup->job)
		lookup_set_timer(lookup, wait_ms > 1 ? wait_ms : 1);
}

void lookup_failed(struct lookup *lookup, const struct address *address)
{
	const struct address *used = lookup_address(lookup);
	struct address last;

	if (!lookup->timer || (used && !address_same_host(used, address)))
		return;
	lookup_start_soon(lookup);
	if (!used)
		return;
	last = *used;
	lookup->at = (lookup->at + 1) % lookup->known.count;
	lookup_log_change(lookup, &last);
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
	lookup->timer = loop_timer_new(config->loop, lookup_start, lookup);
	lookup_set_timer(lookup, 1);
	return lookup;
}

void lookup_free(struct lookup **lookup)
{
	struct lookup *old = *lookup;

	*lookup = NULL;
	if (!old)
		return;
	if (old->job)
		old->job->lookup = NULL;
	loop_timer_free(&old->timer);
	free((char *)old->config.host);
	free(old);
}
