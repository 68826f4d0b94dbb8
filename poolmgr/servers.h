/*
 * servers -- the name servers of the pool, built at start (seed 000). Each has its
 * driver, a lane on which the driver runs, and the health that all pool managers share,
 * for the control channel and for DNS.
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

struct server {
	const struct driver *driver;
	const struct server_settings *settings;
	struct destination destination;		/* host: the resolved address */
	char address[46];			/* "": host is not resolved yet */
	struct addresses known;			/* all addresses of its host */
	struct lookup *lookup;			/* for the loop, as the next two */
	struct servers *servers;
	int64_t address_set_ms;			/* of the last change by silence */
	struct lane *lane;
	struct db *db;				/* of the lane's thread */
	struct health health[CHANNELS];		/* of its row: health.h */
	atomic_bool failing;			/* the control channel; for lanes */
	atomic_bool in_service;			/* not drained or removed */
	bool must_catch_up;			/* its rows must become due at once */
	bool is_unlisted_logged;		/* orphan_zones.c logged the reason */
	struct metric *behind, *lag;		/* gauges: domains behind; seconds */
	struct metric *failing_gauge, *silent_gauge;	/* 1: it fails */
};

struct servers {
	struct server *item;
	size_t count;
	bool resolver_is_silent;		/* names are looked up on the loop */
	struct lane *names;
	/* A server has new addresses. IS_FIRST: it had no address before. */
	void (*moved)(void *self, const struct server *server, bool is_first);
	void *moved_self;
};

/* One list for each backend, which option_load() fills. Ends with zeroes. */
extern struct option_list server_lists[];

/*
 * Checks ids and settings, and looks up host names. A name without an answer is looked up
 * again on the loop; until then the server has no address. ERR_INVALID.
 */
enum err servers_build(struct servers **servers, struct why *why);
void servers_metrics(struct servers *servers);	/* before the fork */
void servers_measure(const struct servers *servers);	/* sets the gauges of health */
/* Starts the lanes and the lookups. */
void servers_start(struct servers *servers, struct loop *loop,
                   const struct db_config *db_config);
void servers_stop(struct servers *servers);
/* Copies the servers for another thread. COPY begins as zeroes. */
void servers_copy(const struct servers *servers, struct servers *copy);
/* If the server stays silent, the next address of its host comes into use. */
void server_set_health(struct server *server, enum channel channel,
                       const struct health *health);
/* Did it fail too often in a row? Then it only gets probes. On the loop. */
bool server_fails(const struct server *server, enum channel channel);
/* NULL: there is no such server. */
struct server *servers_find(const struct servers *servers, const char *id);
/* As the operator set it. */
void servers_set(struct servers *servers, const char *id, bool in_service);
/* Has it an address? Else it gets no NOTIFY and no poll. */
bool server_is_known(const struct server *server);
/* True: the server has no address; the reason is in WHY. */
bool server_lacks_address(const struct server *server, struct why *why);
/* Is the domain for this server? A catalog zone is for the servers that read it. */
bool server_is_for(const struct server *server, const struct domain_ref *domain);
/* Is the domain for this server, and is the server in service? */
bool server_has(const struct server *server, const struct domain_ref *domain);
bool servers_idle(const struct servers *servers);
