#include "servers.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/access.h"
#include "core/map.h"
#include "runtime/db.h"
#include "runtime/loop.h"
#include "runtime/offload.h"
#include "store.h"

enum {
	PERIOD_MS = 10000,
	SOONEST_MS = 200,		/* between readings that unknown peers cause */
	MAX_WAITING = 1024,
};

struct waiter {
	struct waiter *next;
	struct access_ask ask;
	allowed_fn *fn;
	void *self;
};

struct reading {
	struct servers *servers;
	struct waiter *waiters;		/* those that came before it began */
	struct store_servers found;
	enum err err;
	struct why why;
};

struct servers {
	struct loop *loop;
	struct lane *lane;
	struct db *db;			/* the lane's */
	struct loop_timer *timer;
	struct access access;
	struct map *hosts;		/* of the servers: host_key -> not NULL */
	struct waiter *waiting;
	size_t waiting_count;
	int64_t read_ms;		/* when the last reading began */
	bool reading, again, was_down;
};

static void start(struct servers *servers);

static void on_timer(void *self)
{
	start(self);
}

struct servers *servers_new(struct loop *loop, const struct db_config *config)
{
	struct servers *servers = xcalloc(1, sizeof(*servers));

	servers->loop = loop;
	servers->lane = lane_new(loop, "servers", 1);
	servers->db = db_new(config);
	servers->hosts = map_new(random_u32());
	servers->timer = loop_timer_new(loop, on_timer, servers);
	loop_timer_set(servers->timer, 0);
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

static void read_run(void *job)
{
	struct reading *reading = job;

	reading->err =
	    store_servers(reading->servers->db, &reading->found, &reading->why);
}

static void tell(struct servers *servers, struct waiter *waiter)
{
	for (struct waiter *next; waiter; waiter = next) {
		next = waiter->next;
		servers->waiting_count--;
		waiter->fn(waiter->self,
		           access_allows(&servers->access, &waiter->ask));
		free(waiter);
	}
}

static void note_hosts(struct servers *servers)
{
	map_free(&servers->hosts);
	servers->hosts = map_new(random_u32());
	for (size_t i = 0; i < servers->access.server_count; i++) {
		struct host_key key =
		    address_host_key(&servers->access.servers[i].address);

		map_put(servers->hosts, &key, sizeof(key), servers);
	}
}

bool servers_knows(const struct servers *servers, const struct address *peer)
{
	struct host_key key = address_host_key(peer);

	return map_get(servers->hosts, &key, sizeof(key)) ||
	       prefixes_cover(&servers->access.always, peer);
}

/* The list that was read last stays in force while the database is away. */
static void note(struct servers *servers, struct reading *reading)
{
	bool down = reading->err;

	if (!down) {
		access_set_servers(&servers->access, &reading->found.servers,
		                   reading->found.server_count);
		note_hosts(servers);
		keyring_set(&servers->access.keys, &reading->found.keys,
		            reading->found.key_count);
	}
	if (down && !servers->was_down)
		log_warn("access list not read: error=%s reason=%s",
		         err_name(reading->err), reading->why.text);
	servers->was_down = down;
}

static void read_done(void *job)
{
	struct reading *reading = job;
	struct servers *servers = reading->servers;

	servers->reading = false;
	if (lane_job_ran(servers->lane))
		note(servers, reading);
	tell(servers, reading->waiters);
	free(reading);
	if (servers->timer)
		loop_timer_set(servers->timer, servers->again || servers->waiting
		                                   ? SOONEST_MS
		                                   : PERIOD_MS);
	servers->again = false;
}

static void start(struct servers *servers)
{
	struct reading *reading;

	if (servers->reading)
		return;
	reading = xcalloc(1, sizeof(*reading));
	reading->servers = servers;
	reading->waiters = servers->waiting;
	servers->waiting = NULL;
	servers->read_ms = loop_now_ms(servers->loop);
	servers->reading = true;
	bug_if(!lane_submit(servers->lane, read_run, read_done, reading));
}

void servers_reload(struct servers *servers)
{
	servers->again = servers->reading;
	start(servers);
}

/* ---- ask ---- */

/* The next reading is due: at once, or when the last one is long enough ago. */
void servers_hurry(struct servers *servers)
{
	int64_t passed_ms = loop_now_ms(servers->loop) - servers->read_ms;

	if (!servers->reading)
		loop_timer_set(servers->timer,
		               passed_ms >= SOONEST_MS ? 0 : SOONEST_MS - passed_ms);
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
	servers_hurry(servers);
}

const struct tsig_key *servers_key(struct servers *servers, const struct name *name)
{
	const struct tsig_key *key = access_key(&servers->access, name);

	if (!key)
		servers_hurry(servers);
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
	tell(old, old->waiting);
	db_free(&old->db);
	access_clear(&old->access);
	map_free(&old->hosts);
	free(old);
}
