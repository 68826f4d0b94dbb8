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

/* The rows of a server that must become due immediately. */
enum catch_up { CATCH_UP_NONE, CATCH_UP_UNFINISHED, CATCH_UP_ALL };

enum { SETTINGS_DIGEST_LEN = 16, SETTINGS_AT_LEN = 31 };

struct server {
	const struct driver *driver;
	const struct server_settings *settings;
	struct destination destination;		/* host is the resolved address */
	char address[46];			/* "": host is not resolved yet */
	struct addresses known;			/* all addresses of its host */
	/* only for the event loop, like the next two members */
	struct lookup *lookup;
	struct servers *servers;
	/* when a failure last changed the address */
	int64_t address_set_ms;
	struct lane *lane;
	struct db *db;				/* for the thread of the lane */
	struct health health[CHANNELS];		/* from its row (health.h) */
	/* the control channel fails; lanes read this field */
	atomic_bool failing;
	atomic_bool in_service;			/* not drained or removed */
	enum catch_up catch_up;
	bool has_waiting;			/* from its row (store_servers.h) */
	/* when some waiting rows were last tried, and when all became due (release.h) */
	int64_t sampled_ms, released_ms;
	/* orphan_zones.c has logged that it cannot list the zones of this server */
	bool is_unlisted_logged;
	/*
	 * digest of the settings that the zones of the server must have (adjust.h); "":
	 * the driver has no such settings
	 */
	char settings_digest[SETTINGS_DIGEST_LEN + 1];
	atomic_bool has_newest_settings;	/* no pool manager has newer settings */
	/* only for the event loop, like the next two members */
	bool are_settings_logged;
	bool is_adjusting;			/* a batch is on the lane */
	int64_t adjust_at_ms;			/* no batch before this time */
	struct metric *behind, *lag;		/* gauges: domains behind; seconds */
	struct metric *failing_gauge, *silent_gauge;	/* 1: the channel fails */
};

struct servers {
	struct server *item;
	size_t count;
	int64_t loaded_ms;		/* when the program read the settings */
	/* loaded_ms as a time of the clock of the database; "": not known yet */
	char settings_at[SETTINGS_AT_LEN + 1];
	/* the event loop looks the names up later */
	bool resolver_is_silent;
	struct lane *names;
	/* A server has new addresses. IS_FIRST: the server had no address before. */
	void (*moved)(void *self, const struct server *server, bool is_first);
	void *moved_self;
};

/* One list for each backend, filled by option_load(). Ends with zeroes. */
extern struct option_list *server_lists;

/*
 * Checks ids and settings, and looks up host names. If a lookup gets no answer, the event
 * loop repeats the lookup. Until then the server has no address. ERR_INVALID: an id or a
 * setting is not valid.
 */
enum err servers_build(struct servers **servers, struct why *why);
void servers_metrics(struct servers *servers);	/* before the fork */
void servers_measure(const struct servers *servers);	/* sets the gauges of health */
/* Starts the lanes and the lookups. */
void servers_start(struct servers *servers, struct loop *loop,
                   const struct db_config *db_config);
void servers_stop(struct servers *servers);
/* Copies the servers for another thread. COPY must be zeroed. */
void servers_copy(const struct servers *servers, struct servers *copy);
/*
 * Sets the health of SERVER on CHANNEL. If a server that fails too often over DNS has
 * failed once more, the pool manager then uses the next address of the host.
 */
void server_set_health(struct server *server, enum channel channel,
                       const struct health *health);
/*
 * True: the server failed too often in a row and gets only probes. Call it on the event
 * loop.
 */
bool server_fails(const struct server *server, enum channel channel);
/* Returns the server with this id. NULL: no such server. */
struct server *servers_find(const struct servers *servers, const char *id);
/* IN_SERVICE false: the operator has drained or removed the server. */
void servers_set(struct servers *servers, const char *id, bool in_service);
/*
 * True: the server has an address. A server without an address gets no NOTIFY and no
 * poll.
 */
bool server_is_known(const struct server *server);
/* True: the server has no address; *why has the reason. */
bool server_lacks_address(const struct server *server, struct why *why);
/*
 * True: the domain is for this server. A catalog zone is only for servers that read the
 * catalog zone.
 */
bool server_is_for(const struct server *server, const struct domain_ref *domain);
/* True: the domain is for this server, and the server is in service. */
bool server_has(const struct server *server, const struct domain_ref *domain);
bool servers_idle(const struct servers *servers);
