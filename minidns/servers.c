#include "servers.h"

#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/access.h"
#include "base/map.h"
#include "minidns.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "store.h"

enum {
	PERIOD_MS = 10000,
	/* between two reads that this program or a server causes */
	SOONEST_MS = 200,
	STRANGER_MS = 2000,		/* between two reads that any client may cause */
	MAX_WAITING = 1024,
};

static const struct backoff retry = { .first_ms = SOONEST_MS, .max_ms = PERIOD_MS };

struct waiter {
	struct waiter *next;
	struct access_ask ask;
	allowed_fn *fn;
	void *self;
};

struct reading {
	struct servers *servers;
	struct waiter *waiters;		/* those that came before this read began */
	struct store_servers found;
	enum err err;
	struct why why;
};

struct servers {
	struct loop *loop;
	struct lane *lane;
	struct db *db;			/* used by the lane */
	struct loop_timer *timer;
	struct access access;
	const struct figures *figures;
	struct map *hosts;		/* hosts of the servers: host_key -> not NULL */
	struct map *ends;		/* addresses with ports, by end_key */
	struct waiter *waiting;
	size_t waiting_count;
	int64_t read_ms;		/* start of the last read */
	/* start of the last read that an unknown client caused */
	int64_t stranger_ms;
	/* of the next read: the timer's time, or the latest time while a read runs */
	int64_t due_ms;
	bool due_for_stranger;
	bool reading, was_read, was_cut;
	int failures;			/* failed reads in a row */
};

static void servers_start_read(struct servers *servers);

static void servers_on_timer(void *self)
{
	servers_start_read(self);
}

struct servers *servers_new(struct loop *loop, const struct db_config *config,
                            const struct figures *figures)
{
	struct servers *servers = xcalloc(1, sizeof(*servers));

	servers->figures = figures;
	servers->loop = loop;
	servers->lane = lane_new(loop, "servers", 1);
	servers->db = db_new(config);
	servers->hosts = map_new(random_u32());
	servers->ends = map_new(random_u32());
	servers->timer = loop_timer_new(loop, servers_on_timer, servers);
	servers->read_ms = servers->stranger_ms = INT64_MIN / 2;
	servers_start_read(servers);
	return servers;
}

enum err servers_allow(struct servers *servers, const struct option_texts *prefixes,
                       struct why *why)
{
	return prefixes_set(&servers->access.always, "allow_transfer", prefixes, why);
}

enum err servers_set_keys(struct servers *servers, const char *text, struct why *why)
{
	return keyring_parse(&servers->access.own, text, why);
}

/* ---- reading ---- */

static void servers_read_run(void *job)
{
	struct reading *reading = job;

	reading->err =
	    store_servers(reading->servers->db, &reading->found, &reading->why);
}

static void servers_answer_waiting(struct servers *servers, struct waiter *waiter)
{
	for (struct waiter *next; waiter; waiter = next) {
		next = waiter->next;
		servers->waiting_count--;
		waiter->fn(waiter->self,
		           access_allows(&servers->access, &waiter->ask));
		free(waiter);
	}
}

/* Only octets, so that there is no padding. */
struct end_key {
	struct host_key host;
	uint8_t port[2];
};

static struct end_key servers_end_key(const struct address *address)
{
	return (struct end_key){
		.host = address_host_key(address),
		.port = { address->port >> 8, address->port & 0xff },
	};
}

static void servers_note_hosts(struct servers *servers)
{
	map_free(&servers->hosts);
	map_free(&servers->ends);
	servers->hosts = map_new(random_u32());
	servers->ends = map_new(random_u32());
	for (size_t i = 0; i < servers->access.server_count; i++) {
		struct end_key key = servers_end_key(&servers->access.servers[i].address);

		map_put(servers->hosts, &key.host, sizeof(key.host), servers);
		map_put(servers->ends, &key, sizeof(key), servers);
	}
	metric_set(servers->figures->servers_known, map_count(servers->ends));
}

bool servers_may_hear(const struct servers *servers, const struct address *server,
                      bool notify)
{
	struct end_key key = servers_end_key(server);

	return map_get(servers->ends, &key, sizeof(key)) ||
	       (notify && prefixes_cover(&servers->access.always, server));
}

bool servers_of_pool(const struct servers *servers, const struct address *peer)
{
	struct host_key key = address_host_key(peer);

	return map_get(servers->hosts, &key, sizeof(key));
}

bool servers_knows(const struct servers *servers, const struct address *peer)
{
	return servers_of_pool(servers, peer) ||
	       prefixes_cover(&servers->access.always, peer);
}

/* Logs once when it begins. */
static void servers_note_cut(struct servers *servers, bool cut)
{
	if (cut && !servers->was_cut)
		log_warn("access list too long: servers=%d keys=%d reason=\"mini-DNS "
		         "uses at most this many servers and keys, and ignores the "
		         "others\"",
		         STORE_SERVERS, STORE_KEYS);
	servers->was_cut = cut;
}

/* The last list stays in use while the database is away. */
static void servers_note_change(struct servers *servers, struct reading *reading)
{
	bool down = reading->err;

	if (!down) {
		servers->was_read = true;
		access_set_servers(&servers->access, &reading->found.servers,
		                   reading->found.server_count);
		servers_note_hosts(servers);
		keyring_replace(&servers->access.keys, &reading->found.keys);
		servers_note_cut(servers, reading->found.cut);
	}
	if (down && !servers->failures)
		log_warn("access list not read: err=%s reason=\"%s\"",
		         err_name(reading->err), reading->why.text);
	servers->failures = down ? servers->failures + 1 : 0;
}

static void servers_set_timer(struct servers *servers)
{
	int64_t left_ms = servers->due_ms - loop_now_ms(servers->loop);

	loop_timer_set(servers->timer, left_ms > 0 ? left_ms : 0);
}

/* Makes the next read due at DUE_MS, if it is not due earlier. */
static void servers_make_due(struct servers *servers, int64_t due_ms, bool for_stranger)
{
	if (due_ms >= servers->due_ms)
		return;
	servers->due_ms = due_ms;
	servers->due_for_stranger = for_stranger;
	if (!servers->reading)
		servers_set_timer(servers);
}

/* The pause before the next regular read. */
static int64_t servers_pause_ms(const struct servers *servers)
{
	if (!servers->failures)
		return PERIOD_MS;
	return backoff_ms(&retry, servers->failures - 1, random_u32());
}

static void servers_read_done(void *job)
{
	struct reading *reading = job;
	struct servers *servers = reading->servers;

	servers->reading = false;
	if (lane_job_ran(servers->lane))
		servers_note_change(servers, reading);
	servers_answer_waiting(servers, reading->waiters);
	free(reading);
	if (!servers->timer)
		return;
	servers_make_due(servers, loop_now_ms(servers->loop) + servers_pause_ms(servers),
	                 false);
	servers_set_timer(servers);
}

static void servers_start_read(struct servers *servers)
{
	struct reading *reading;

	if (servers->reading)
		return;
	reading = xcalloc(1, sizeof(*reading));
	reading->servers = servers;
	reading->waiters = servers->waiting;
	servers->waiting = NULL;
	servers->read_ms = loop_now_ms(servers->loop);
	if (servers->due_for_stranger)
		servers->stranger_ms = servers->read_ms;
	servers->due_ms = INT64_MAX;
	servers->due_for_stranger = false;
	servers->reading = true;
	bug_if(!lane_submit(servers->lane, servers_read_run, servers_read_done, reading));
}

void servers_reload(struct servers *servers)
{
	servers_make_due(servers, loop_now_ms(servers->loop), false);
}

/* ---- ask ---- */

bool servers_were_read(const struct servers *servers)
{
	return servers->was_read;
}

struct address servers_main_address(const struct servers *servers,
                                    const struct address *address)
{
	return access_main_address(&servers->access, address);
}

bool servers_share_address(const struct servers *servers, const struct address *address)
{
	return access_is_shared(&servers->access, address);
}

void servers_hurry(struct servers *servers, const struct address *peer)
{
	bool stranger = peer && !servers_knows(servers, peer);
	int64_t due_ms = servers->read_ms + SOONEST_MS;

	if (stranger && due_ms < servers->stranger_ms + STRANGER_MS)
		due_ms = servers->stranger_ms + STRANGER_MS;
	servers_make_due(servers, due_ms, stranger);
}

void servers_ask(struct servers *servers, const struct access_ask *ask, allowed_fn *fn,
                 void *self)
{
	bool allowed = access_allows(&servers->access, ask);
	struct waiter *waiter;

	if (allowed || servers->waiting_count >= MAX_WAITING) {
		fn(self, allowed);
		return;
	}
	waiter = xcalloc(1, sizeof(*waiter));
	waiter->ask = *ask;
	waiter->fn = fn;
	waiter->self = self;
	waiter->next = servers->waiting;
	servers->waiting = waiter;
	servers->waiting_count++;
	servers_hurry(servers, ask->is_proven ? NULL : &ask->peer);
}

const struct tsig_key *servers_key(struct servers *servers, const struct name *name,
                                   const struct address *peer)
{
	const struct tsig_key *key = access_key(&servers->access, name);

	if (!key)
		servers_hurry(servers, peer);
	return key;
}

void servers_free(struct servers **servers)
{
	struct servers *old = *servers;

	*servers = NULL;
	if (!old)
		return;
	loop_timer_free(&old->timer);
	lane_free(&old->lane);
	servers_answer_waiting(old, old->waiting);
	db_free(&old->db);
	access_clear(&old->access);
	map_free(&old->hosts);
	map_free(&old->ends);
	free(old);
}
