/*
 * servers -- the map of the pool's name servers, built at start (seed 000):
 * for each one its instantiated driver, a lane to run it on, and what all
 * pool managers know of its health, by control channel and by DNS.
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
	char address[46];			/* "": its name is not known yet */
	struct addresses known;			/* all of its host */
	struct lookup *lookup;			/* the loop's, as the next two */
	struct servers *servers;
	int64_t turned_ms;			/* when another one came in use for silence */
	struct lane *lane;
	struct db *db;				/* of the lane's thread */
	struct health health[CHANNELS];		/* as its row was read last: health.h */
	atomic_bool failing;			/* its control channel fails: for the lane */
	atomic_bool in_service;			/* not drained or removed */
	bool returning;				/* what it missed has yet to be hurried */
	bool unlisted;				/* it was said why its zones are not */
	struct metric *behind, *lag;		/* gauges: domains behind; seconds */
	struct metric *failing_gauge, *silent_gauge;	/* 1: it fails */
};

struct servers {
	struct server *item;
	size_t count;
	bool is_deaf;				/* the resolver gave no answer: asked on the loop */
	struct lane *names;
	/* One has other addresses, and they are to be known. IS_FIRST: it had none before. */
	void (*moved)(void *self, const struct server *server, bool is_first);
	void *moved_self;
};

/* Rows of main.c: one list a backend, which option_load() fills. Ends with zeroes. */
extern struct option_list server_lists[];

/*
 * Check ids and settings, look up host names. A name that is not known is looked up again
 * on the loop; until then its server has no address. ERR_INVALID.
 */
enum err servers_build(struct servers **servers, struct why *why);
void servers_metrics(struct servers *servers);	/* before the fork */
void servers_measure(const struct servers *servers);	/* their health, as it is */
/* After it: the lanes. */
void servers_start(struct servers *servers, struct loop *loop,
                   const struct db_config *db_config);
void servers_stop(struct servers *servers);
/* As they are now, into COPY, which begins as zeroes: for another thread to read. */
void servers_copy(const struct servers *servers, struct servers *copy);
/* While it gives no answer, the next address of its host is in use, in turn. */
void server_set_health(struct server *server, enum channel channel,
                       const struct health *health);
/* Did it fail too often in a row? Then it is only probed. On the loop. */
bool server_fails(const struct server *server, enum channel channel);
/* NULL: there is none. */
struct server *servers_find(const struct servers *servers, const char *id);
/* The operator's word. */
void servers_set(struct servers *servers, const char *id, bool in_service);
/* Has it an address? Else it cannot be asked, or told, anything by DNS. */
bool server_is_known(const struct server *server);
bool server_lacks_address(const struct server *server, struct why *words);	/* and says so */
/* Is the domain for this server? A catalog zone is for those that read it. */
bool server_is_for(const struct server *server, const struct domain_ref *domain);
/* And is the server in service now? */
bool server_has(const struct server *server, const struct domain_ref *domain);
bool servers_idle(const struct servers *servers);
