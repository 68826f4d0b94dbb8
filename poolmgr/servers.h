/*
 * servers -- the name servers of the pool. The program reads the servers from the
 * settings when it starts. Each server has a driver, a lane (a thread) that runs the
 * driver, and a state of health for the control channel and for DNS. All pool managers
 * share the health of a server.
 */
#pragma once

#include <stdatomic.h>

#include "backends/driver.h"
#include "core/health.h"
#include "model/domain.h"
#include "net/lookup.h"

struct db;
struct db_config;
struct lane;
struct lookup;
struct loop;
struct metric;

/*
 * The pending rows of a server that retry.c makes due immediately. UNFINISHED: only rows
 * without SUCCESS (store_catch_up()).
 */
enum catch_up { CATCH_UP_NONE, CATCH_UP_UNFINISHED, CATCH_UP_ALL };

enum { SETTINGS_DIGEST_LEN = 16, SETTINGS_AT_LEN = 31 };

struct server {
	const struct driver *driver;
	const struct server_settings *settings;
	/* address of the server for messages to mini-DNS; its host is `address` */
	struct destination destination;
	/* the address in use, as text; "": the host name is not resolved yet */
	char address[46];
	struct addresses known;			/* all known addresses of the host name */
	/* only the event loop uses this member and the next two members */
	struct lookup *lookup;
	struct servers *servers;
	/* time when a failure last changed the address; 0: never */
	int64_t address_set_ms;
	struct lane *lane;
	struct db *db;				/* connection of the lane's thread */
	/* health of each channel, from the row of the server (health.h) */
	struct health health[CHANNELS];
	/* the control channel fails. Lanes read this field */
	atomic_bool failing;
	/* the operator has not drained or removed the server */
	atomic_bool in_service;
	enum catch_up catch_up;
	/* the server has waiting rows (struct seen_server in store_servers.h) */
	bool has_waiting;
	/*
	 * times of clock_ms(): when retry.c last tried some waiting rows, and when
	 * release.c last made all waiting rows due
	 */
	int64_t sampled_ms, released_ms;
	/* orphan_zones.c has logged that it cannot list the zones of this server */
	bool is_unlisted_logged;
	/*
	 * digest of the settings that the zones of the server must have (adjust.h); "":
	 * the driver has no such settings
	 */
	char settings_digest[SETTINGS_DIGEST_LEN + 1];
	/* no other pool manager has newer settings for this server */
	atomic_bool has_newest_settings;
	/* only the event loop uses this member and the next two members */
	/* the process has logged that its settings are older */
	bool are_settings_logged;
	bool is_adjusting;			/* a batch of adjust.c is on the lane */
	/* adjust.c starts no batch before this time */
	int64_t adjust_at_ms;
	/* gauges: number of domains behind; lag in seconds */
	struct metric *behind, *lag;
	struct metric *failing_gauge, *silent_gauge;	/* gauges; 1: the channel fails */
};

struct servers {
	struct server *item;
	size_t count;
	int64_t loaded_ms;		/* time when the program read the settings */
	/* loaded_ms as a time of the clock of the database; "": not known yet */
	char settings_at[SETTINGS_AT_LEN + 1];
	/*
	 * a failed lookup took more than 1 s, so servers_build() skips the other host
	 * names. The event loop looks these names up later
	 */
	bool resolver_is_silent;
	struct lane *names;
	/*
	 * The event loop calls moved() when the list of addresses or the address in use
	 * of a server changes. IS_FIRST: the server had no address before.
	 */
	void (*moved)(void *self, const struct server *server, bool is_first);
	void *moved_self;
};

/*
 * The settings of the servers: one list for each backend. option_load() fills the lists.
 * The last element contains only zeroes.
 */
extern struct option_list *server_lists;

/*
 * Makes the servers from `server_lists`: checks ids and settings, and looks up host
 * names. If a lookup fails, the event loop repeats the lookup. Until a lookup succeeds,
 * the server has no address. ERR_INVALID: an id or a setting is not valid, two servers
 * have the same id, or there is no server.
 */
enum err servers_build(struct servers **servers, struct why *why);
void servers_metrics(struct servers *servers);	/* call it before the fork */
void servers_measure(const struct servers *servers);	/* sets the gauges of health */
/* Starts the lanes and the lookups. */
void servers_start(struct servers *servers, struct loop *loop,
                   const struct db_config *db_config);
void servers_stop(struct servers *servers);
/*
 * Copies the servers for another thread. Fill COPY with zeroes before the first call.
 * Later calls reuse the memory of COPY.
 */
void servers_copy(const struct servers *servers, struct servers *copy);
/*
 * Sets the health of SERVER on CHANNEL. If the server fails over DNS and HEALTH contains
 * more failures than the previous health, the pool manager changes to the next address
 * of the host. The pool manager changes the address of a server at most once in 10 s.
 */
void server_set_health(struct server *server, enum channel channel,
                       const struct health *health);
/*
 * True: the server has failed at least three times in a row on CHANNEL, and gets only
 * probes. Call it on the event loop.
 */
bool server_fails(const struct server *server, enum channel channel);
/* Returns the server with this id. NULL: no such server. */
struct server *servers_find(const struct servers *servers, const char *id);
/*
 * Sets whether the server with this id is in service. IN_SERVICE false: the operator has
 * drained or removed the server. When a server comes back into service, retry.c makes all
 * its pending rows due. Ignores an id that is not in the settings.
 */
void servers_set(struct servers *servers, const char *id, bool in_service);
/*
 * True: the server has an address. A server without an address gets no NOTIFY and no
 * poll.
 */
bool server_is_known(const struct server *server);
/* True: the server has no address. In this case, WHY contains the reason. */
bool server_lacks_address(const struct server *server, struct why *why);
/*
 * True: this server must serve the domain. Only servers that read the catalog zone must
 * serve the catalog zone. All servers must serve all other domains.
 */
bool server_is_for(const struct server *server, const struct domain_ref *domain);
/* True: this server must serve the domain, and is in service. */
bool server_has(const struct server *server, const struct domain_ref *domain);
bool servers_idle(const struct servers *servers);
