#include "servers.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/identity.h"
#include "runtime/db.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"

enum {
	LANE_LIMIT = 10000,
	ADDRESS_PAUSE_MS = 10000,	/* answers of the old address may come late */
	/* after a failed lookup of this length, the others are skipped */
	RESOLVER_SILENT_MS = 1000,
};

/* The settings of the servers of one backend. */
struct backend {
	void *settings;
	size_t count;
};

static struct backend *backends;	/* in the order of drivers */
static size_t backend_count;

struct option_list *server_lists;

/* C cannot compute the lists from the tables of the drivers. */
static __attribute__((constructor)) void servers_lists(void)
{
	while (drivers[backend_count])
		backend_count++;
	backends = xcalloc(backend_count, sizeof(*backends));
	server_lists = xcalloc(backend_count + 1, sizeof(*server_lists));
	for (size_t i = 0; i < backend_count; i++)
		server_lists[i] = (struct option_list){
			.group = xprintf("backends.%s", drivers[i]->name),
			.help = drivers[i]->help,
			.rows = drivers[i]->options,
			.element_size = drivers[i]->settings_size,
			.into = &backends[i].settings,
			.count = &backends[i].count,
		};
}

static void server_set_address(struct server *server, const struct address *address)
{
	char text[ADDRESS_TEXT];

	address_format(address, text);
	bug_if(strlen(text) >= sizeof(server->address));
	memcpy(server->address, text, strlen(text) + 1);
}

/* NOTIFY and polls use the first address until it no longer answers. */
static void server_resolve(struct servers *servers, struct server *server)
{
	const char *host = server->settings->host;
	uint16_t port = (uint16_t)server->settings->port;
	int64_t began_ms = clock_ms();
	struct address literal;
	struct why why;

	if (servers->resolver_is_silent && !address_parse(host, port, &literal))
		return;
	if (lookup_now(host, port, &server->known, &why))
		servers->resolver_is_silent = clock_ms() - began_ms > RESOLVER_SILENT_MS;
	else
		server_set_address(server, &server->known.item[0]);
}

/* The reason of the driver begins with the key of the setting, and has no group. */
static enum err servers_check_driver(const struct driver *driver,
                                     const struct server_settings *settings,
                                     struct why *why)
{
	struct why rule;
	enum err err = driver->check ? driver->check(settings, &rule) : OK;
	int key;

	if (!err)
		return OK;
	key = (int)strcspn(rule.text, ":");
	return fail(why, err, "backends.%s.%.*s of server '%s'%s", driver->name, key,
	            rule.text, settings->id, rule.text + key);
}

static enum err servers_build_one(struct servers *servers, const struct driver *driver,
                                  const struct server_settings *settings, struct why *why)
{
	struct server *server = &servers->item[servers->count];
	char field[64];
	enum err err;

	snprintf(field, sizeof(field), "backends.%s.servers.id", driver->name);
	err = identity_check(settings->id, field, why);
	if (err)
		return err;
	if (servers_find(servers, settings->id))
		return fail(why, ERR_INVALID, "backends.%s: another server already has "
		            "the id '%s': use each id once in all backends",
		            driver->name, settings->id);
	*server = (struct server){ .driver = driver, .settings = settings };
	atomic_store(&server->in_service, true);
	err = servers_check_driver(driver, settings, why);
	if (err)
		return err;
	server_resolve(servers, server);
	server->destination = (struct destination){
		.id = settings->id,
		.host = server->address,
		.port = (uint16_t)settings->port,
		.tsig_key = settings->tsig_key,
		.patience_s = settings->patience_s,
	};
	servers->count++;
	return OK;
}

static size_t servers_count_settings(void)
{
	size_t count = 0;

	for (size_t i = 0; i < backend_count; i++)
		count += backends[i].count;
	return count;
}

enum err servers_build(struct servers **servers, struct why *why)
{
	struct servers *built = xcalloc(1, sizeof(*built));

	*servers = built;
	built->loaded_ms = clock_ms();
	built->item = xcalloc(servers_count_settings() + 1, sizeof(*built->item));
	for (size_t i = 0; i < backend_count; i++)
		for (size_t j = 0; j < backends[i].count; j++) {
			const void *settings = (char *)backends[i].settings +
			                       j * drivers[i]->settings_size;
			enum err err = servers_build_one(built, drivers[i], settings,
			                                 why);

			if (err)
				return err;
		}
	if (built->count == 0)
		return fail(why, ERR_INVALID, "the pool has no servers: add a server to "
		            "backends.<kind>.servers");
	return OK;
}

static struct metric *server_gauge(const struct server *server, const char *name,
                                   const char *help)
{
	return metric_new(METRIC_GAUGE, name, help, "server", server->settings->id);
}

void servers_metrics(struct servers *servers)
{
	for (size_t i = 0; i < servers->count; i++) {
		struct server *server = &servers->item[i];

		server->behind = server_gauge(server, "server_domains_behind",
		    "domains that are behind on the server. No poll has found the "
		    "newest serial of these domains on the server yet. Each process "
		    "counts the domains in each sync");
		server->lag = server_gauge(server, "server_lag_seconds",
		    "seconds since the oldest change that no poll has found on the "
		    "server yet. The master measures this value in each sync. The master "
		    "counts a change only if the poll or command for the change has "
		    "failed or is due again");
		server->failing_gauge = server_gauge(server, "server_failing_processes",
		    "processes that treat the control channel of the server as failed. "
		    "The channel counts as failed after three commands in a row without "
		    "an answer. A refusal counts as an answer. All processes of the "
		    "pool share this state, so the value is the number of all "
		    "processes, or 0");
		server->silent_gauge = server_gauge(server, "server_silent_processes",
		    "processes that treat the server as silent. A server counts as "
		    "silent after three polls in a row without an answer. All processes "
		    "of the pool share this state, so the value is the number of all "
		    "processes, or 0");
	}
}

void servers_measure(const struct servers *servers)
{
	for (size_t i = 0; i < servers->count; i++) {
		metric_set(servers->item[i].failing_gauge,
		           server_fails(&servers->item[i], CHANNEL_CONTROL));
		metric_set(servers->item[i].silent_gauge,
		           server_fails(&servers->item[i], CHANNEL_DNS));
	}
}

static void server_on_address(void *self, const struct address *address)
{
	struct server *server = self;
	struct servers *servers = server->servers;
	bool is_first = !server_is_known(server);

	server_set_address(server, address);
	servers->moved(servers->moved_self, server, is_first);
}

static void server_on_addresses(void *self, const struct addresses *known)
{
	struct server *server = self;
	struct servers *servers = server->servers;

	server->known = *known;
	if (server_is_known(server))	/* otherwise server_on_address() follows */
		servers->moved(servers->moved_self, server, false);
}

static void server_use_next_address(struct server *server)
{
	const struct address *used = lookup_address(server->lookup);
	int64_t now_ms = clock_ms();

	if (!used || (server->address_set_ms &&
	              now_ms - server->address_set_ms < ADDRESS_PAUSE_MS))
		return;
	server->address_set_ms = now_ms;
	lookup_failed(server->lookup, used);
}

void server_set_health(struct server *server, enum channel channel,
                       const struct health *health)
{
	struct health before = server->health[channel];

	server->health[channel] = *health;
	if (channel == CHANNEL_CONTROL)
		atomic_store(&server->failing, server_fails(server, channel));
	else if (server_fails(server, channel) && health->failures > before.failures)
		server_use_next_address(server);
}

bool server_fails(const struct server *server, enum channel channel)
{
	return health_is_open(&server->health[channel]);
}

static struct lookup *server_lookup_new(struct servers *servers, struct server *server,
                                        struct loop *loop)
{
	const struct lookup_config config = {
		.loop = loop, .lane = servers->names, .host = server->settings->host,
		.port = (uint16_t)server->settings->port, .known = server->known,
		.listed = server_on_addresses, .changed = server_on_address, .self =
			server,
	};

	return lookup_new(&config);
}

void servers_start(struct servers *servers, struct loop *loop,
                   const struct db_config *db_config)
{
	servers->names = lane_new(loop, "names", servers->count);
	for (size_t i = 0; i < servers->count; i++) {
		struct server *server = &servers->item[i];

		server->db = db_new(db_config);
		server->lane = lane_new(loop, server->settings->id, LANE_LIMIT);
		server->servers = servers;
		server->lookup = server_lookup_new(servers, server, loop);
	}
}

void servers_stop(struct servers *servers)
{
	for (size_t i = 0; i < servers->count; i++) {
		lookup_free(&servers->item[i].lookup);
		lane_free(&servers->item[i].lane);
		db_free(&servers->item[i].db);
	}
	lane_free(&servers->names);
}

void servers_copy(const struct servers *servers, struct servers *copy)
{
	size_t size = servers->count * sizeof(*copy->item);

	if (!copy->item)
		copy->item = xcalloc(1, size);
	copy->count = servers->count;
	memcpy(copy->settings_at, servers->settings_at, sizeof(copy->settings_at));
	memcpy(copy->item, servers->item, size);
}

struct server *servers_find(const struct servers *servers, const char *id)
{
	for (size_t i = 0; i < servers->count; i++)
		if (strcmp(servers->item[i].settings->id, id) == 0)
			return &servers->item[i];
	return NULL;
}

void servers_set(struct servers *servers, const char *id, bool in_service)
{
	struct server *server = servers_find(servers, id);

	if (!server || atomic_exchange(&server->in_service, in_service) == in_service)
		return;
	server->catch_up = in_service ? CATCH_UP_ALL : CATCH_UP_NONE;
	log_info("server is %s: server=%s", in_service ? "in service" : "drained",
	         id);
}

bool server_is_known(const struct server *server)
{
	return *server->address;
}

bool server_lacks_address(const struct server *server, struct why *why)
{
	if (server_is_known(server))
		return false;
	fail(why, OK, "the pool manager has no address of the host %s",
	     server->settings->host);
	return true;
}

bool server_is_for(const struct server *server, const struct domain_ref *domain)
{
	return !domain->is_catalog || server->driver->by_catalog;
}

bool server_has(const struct server *server, const struct domain_ref *domain)
{
	return atomic_load(&server->in_service) && server_is_for(server, domain);
}

bool servers_idle(const struct servers *servers)
{
	for (size_t i = 0; i < servers->count; i++)
		if (lane_waiting(servers->item[i].lane) > 0)
			return false;
	return true;
}
