/*
 * driver -- how a kind of name server is told which domains it serves; the
 * records themselves always come by zone transfer from minidns.
 *
 * An instance is one server with its settings (seed 000: the backend's
 * defaults overlaid by the server's own). Its functions block, on the
 * server's own lane, and return by the deadline whatever the server does.
 * Each is idempotent: creating what is there and deleting what is gone is
 * OK. Failing is ERR_TIMEOUT or ERR_UNREACHABLE: the server is silent;
 * ERR_REMOTE with the server's words, or one that says more; ERR_INVALID:
 * its control channel has no words for it; ERR_BUSY: this host lacks
 * something (a descriptor, a program, a right), and told it nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/option.h"
#include "endpoint.h"
#include "model/domain.h"

/* What each server has, whatever its backend; first member of a driver's own struct. */
struct server_settings {
	char *id;		/* "ns1"; at most 32 characters, unique in the pool */
	char *host;		/* where it answers DNS: address or name */
	int port;
	char *tsig_key;		/* a name in tsigkeys, for its transfers */
	int timeout_ms;		/* of one operation */
	int patience_s;		/* by_catalog: how long it may take to find out; else 0 */
};

struct driver_context {
	const struct endpoint *masters;	/* minidns, as the servers see it */
	size_t master_count;
};

struct driver {
	const char *name;		/* "bind9": the group is backends.bind9 */
	const char *help;
	const struct option *options;	/* DRIVER_COMMON_OPTIONS, then its own */
	size_t settings_size;
	/* Its servers provision themselves from the pool's catalog zone, and serve it. */
	bool by_catalog;
	/* settings starts with struct server_settings. */
	enum err (*check)(const void *settings, struct why *why);
	enum err (*create)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, struct why *why);
	enum err (*delete)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, struct why *why);
	/*
	 * The server has the zone, but not as it is: it gets it anew, whole, whatever
	 * serial it has. Begun when this returns. NULL: there is no way to make it.
	 */
	enum err (*retransfer)(const void *settings, const struct domain_ref *domain,
	                       struct why *why);
	/*
	 * That had no effect: the zone is set up anew, and transferred, so that nothing
	 * that the server remembers keeps it from that. What it has it serves until then,
	 * if it can. NULL: retransfer() is all that can be done.
	 */
	enum err (*renew)(const void *settings, const struct driver_context *context,
	                  const struct domain_ref *domain, struct why *why);
	/*
	 * The zones that the server has from us, by the mark that create() leaves, in the
	 * arena: names with the final dot. NULL: it cannot tell.
	 */
	enum err (*list)(const void *settings, struct arena *arena, const char ***names,
	                 size_t *count, struct why *why);
	/*
	 * Has the server a zone of that name, by its own word? A zone that waits for its
	 * first transfer is there, too. NULL: it cannot tell.
	 */
	enum err (*has)(const void *settings, const struct domain_ref *domain,
	                bool *there, struct why *why);
	/* What list() lacks with these settings, in words; NULL: nothing. May be NULL. */
	const char *(*list_lacks)(const void *settings);
	/*
	 * Where list() cannot see the mark, for it would be a question for each zone, it
	 * names all that may be ours: is this one? May be NULL.
	 */
	enum err (*is_ours)(const void *settings, const struct domain_ref *domain,
	                    bool *ours, struct why *why);
};

extern const struct driver *const drivers[];	/* drivers.c; ends with NULL */

/* The rows that all backends share, for the top of a driver's table. */
#define DRIVER_COMMON_OPTIONS(type) \
	{ "id", OPTION_TEXT, offsetof(type, server.id), NULL, 1, 32, \
	  "name of the server in status and logs", .required = true }, \
	{ "host", OPTION_TEXT, offsetof(type, server.host), NULL, 1, 255, \
	  "address or host name at which the server answers DNS", .required = true }, \
	{ "port", OPTION_INT, offsetof(type, server.port), "53", 1, 65535, \
	  "DNS port of the server" }, \
	{ "tsig_key", OPTION_TEXT, offsetof(type, server.tsig_key), NULL, 1, 255, \
	  "name of the TSIG key for its transfers, NOTIFY and polls" }, \
	{ "timeout", OPTION_DURATION, offsetof(type, server.timeout_ms), "10s", 100, 300 * 1000, \
	  "longest time of one operation on the server" }
