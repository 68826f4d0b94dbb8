/*
 * driver -- how the pool manager tells a kind of name server which zones it serves. The
 * records always come by zone transfer from mini-DNS.
 *
 * An instance is one server with its settings (seed 000: the server's own over those of
 * the backend). Its functions run on the lane of the server. They may block, and return
 * by the deadline. Each is idempotent: to create a zone that exists, or to delete one
 * that does not, is OK. Errors: ERR_TIMEOUT or ERR_UNREACHABLE: the server is silent.
 * ERR_REMOTE, or a more exact one: a refusal, with the words of the server. ERR_INVALID:
 * the control channel cannot express the zone. ERR_BUSY: this host lacks something (a
 * descriptor, a program, a right), and the server got nothing.
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

/* The settings of each server. It is the first member of the driver's own struct. */
struct server_settings {
	char *id;		/* "ns1"; at most 32 characters, unique in the pool */
	char *host;		/* where it answers DNS: an address or a name */
	int port;
	char *tsig_key;		/* a name in tsigkeys, for its transfers */
	int timeout_ms;		/* of one operation */
	int patience_s;		/* by_catalog: time to read the catalog; else 0 */
};

struct driver_context {
	const struct endpoint *masters;	/* mini-DNS, as the servers reach it */
	size_t master_count;
};

struct driver {
	const char *name;		/* "bind9": the group is backends.bind9 */
	const char *help;
	const struct option *options;	/* DRIVER_COMMON_OPTIONS, then its own */
	size_t settings_size;
	/* The servers provision themselves from the pool's catalog zone, and serve it. */
	bool by_catalog;
	/* settings starts with struct server_settings. */
	enum err (*check)(const void *settings, struct why *why);
	enum err (*create)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, struct why *why);
	enum err (*delete)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, struct why *why);
	/*
	 * Orders a transfer of the whole zone, whatever its serial. When this returns,
	 * the transfer has begun. NULL: not possible.
	 */
	enum err (*retransfer)(const void *settings, const struct domain_ref *domain,
	                       struct why *why);
	/*
	 * For a zone on which retransfer() had no effect: sets it up again and orders the
	 * transfer, so that the server forgets what prevents it. If possible the server
	 * serves the old records until then. NULL: not possible.
	 */
	enum err (*renew)(const void *settings, const struct driver_context *context,
	                  const struct domain_ref *domain, struct why *why);
	/*
	 * Lists the zones of ours, by the mark that create() leaves: names with the final
	 * dot, in the arena. NULL: not possible.
	 */
	enum err (*list)(const void *settings, struct arena *arena, const char ***names,
	                 size_t *count, struct why *why);
	/*
	 * Has the server a zone of that name? A zone that waits for its first transfer
	 * counts. NULL: not possible.
	 */
	enum err (*has)(const void *settings, const struct domain_ref *domain,
	                bool *there, struct why *why);
	/*
	 * What these settings lack for list(); it returns NULL if nothing. May be NULL.
	 */
	const char *(*list_lacks)(const void *settings);
	/*
	 * If list() cannot see the mark, it lists all zones that may be ours. Is this
	 * zone ours? May be NULL.
	 */
	enum err (*is_ours)(const void *settings, const struct domain_ref *domain,
	                    bool *ours, struct why *why);
};

extern const struct driver *const drivers[];	/* drivers.c; ends with NULL */

/* The options of all backends, for the top of a driver's table. */
#define DRIVER_COMMON_OPTIONS(type) \
	{ "id", OPTION_TEXT, offsetof(type, server.id), NULL, 1, 32, \
	  "name of the server in status and logs", .required = true }, \
	{ "host", OPTION_TEXT, offsetof(type, server.host), NULL, 1, 255, \
	  "address or host name at which the server answers DNS", .required = true }, \
	{ "port", OPTION_INT, offsetof(type, server.port), "53", 1, 65535, \
	  "DNS port of the server" }, \
	{ "tsig_key", OPTION_TEXT, offsetof(type, server.tsig_key), NULL, 1, 255, \
	  "name of the TSIG key for its transfers, NOTIFY and polls" }, \
	{ "timeout", OPTION_DURATION, offsetof(type, server.timeout_ms), "10s", 100, \
	  300 * 1000, \
	  "longest time of one operation on the server" }
