/*
 * driver -- creates and deletes zones on one kind of name server. The server always gets
 * the records by zone transfer from mini-DNS.
 *
 * The functions of a driver get the settings of one server. The settings of the server
 * override the settings of its backend (requirements: seed 000). The functions run on the
 * lane (thread) of the server. A function may block, but it returns within the timeout of
 * the server. A caller may repeat each function. For example, create() also succeeds if
 * the zone already exists, and delete() also succeeds if the zone is missing.
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

/*
 * The settings that every server has. This struct is the first member of the driver's
 * own struct.
 */
struct server_settings {
	/* id of the server ("ns1"); at most 32 characters; unique in the pool */
	char *id;
	/* address or host name at which the server answers DNS queries */
	char *host;
	int port;
	/* name of the TSIG key for the transfers of the server (table tsigkeys) */
	char *tsig_key;
	int timeout_ms;		/* time limit of one operation */
	/*
	 * if driver.by_catalog is true: time within which the server must serve a new
	 * zone or remove a deleted zone; otherwise 0
	 */
	int patience_s;
};

struct buf;
struct driver_context {
	/* addresses of mini-DNS from which the servers transfer zones */
	const struct endpoint *masters;
	size_t master_count;
};

/*
 * The functions return these errors. ERR_TIMEOUT, ERR_UNREACHABLE: the server does not
 * answer. ERR_INVALID: a command cannot contain the zone name, or the server considers
 * the zone name or the request invalid. ERR_BUSY: this host lacks a file descriptor, a
 * program, a permission or space on a disk, or the driver did not get its own lock in
 * time. If the error is ERR_BUSY, the driver has not sent the command to the server.
 * ERR_REMOTE, or a more specific error: the server refused the operation. The reason
 * contains the text of the server. Each caller adds the id of the server to the reason.
 */
struct driver {
	/* name of the driver; for "bind9", the group of settings is backends.bind9 */
	const char *name;
	const char *help;
	/* DRIVER_COMMON_OPTIONS, followed by the options of the driver */
	const struct option *options;
	size_t settings_size;
	/*
	 * The servers read the catalog zone of the pool, serve it, and create and delete
	 * zones by themselves.
	 */
	bool by_catalog;
	/*
	 * Checks the settings of one server without contact to the server. The pool
	 * manager calls this function at each start, with --check and with
	 * --check-settings. So the pool manager also calls this function before a
	 * reload. ERR_INVALID: the reason begins with the key of the setting ("url: must
	 * be ..."), and the pool manager adds the group and the server. SETTINGS starts
	 * with struct server_settings. NULL: the checks in the rows of the options are
	 * sufficient.
	 */
	enum err (*check)(const void *settings, struct why *why);
	enum err (*create)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, struct why *why);
	enum err (*delete)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, struct why *why);
	/*
	 * Orders a transfer of the whole zone, even if the server already serves the
	 * newest serial. OK: the server has accepted the order. NULL: the driver cannot
	 * order transfers.
	 */
	enum err (*retransfer)(const void *settings, const struct domain_ref *domain,
	                       struct why *why);
	/*
	 * Call it if retransfer() had no effect on a zone, or if the server refused the
	 * transfer. Sets the zone up again on the server and orders the transfer. The new
	 * setup removes a faulty state of the zone on the server. If possible, the server
	 * serves the old records until the transfer ends. NULL: the driver cannot set
	 * zones up again.
	 */
	enum err (*renew)(const void *settings, const struct driver_context *context,
	                  const struct domain_ref *domain, struct why *why);
	/*
	 * Compares the settings of an existing zone with the settings that create()
	 * sets: the masters with their key, the template or the pattern. Corrects
	 * settings that differ. The function does not change the records of the zone.
	 * CHANGED becomes true if the function has corrected the zone. If the server has
	 * no such zone, the function returns OK, and CHANGED becomes false. NULL: the
	 * driver cannot correct zones.
	 */
	enum err (*adjust)(const void *settings, const struct driver_context *context,
	                   const struct domain_ref *domain, bool *changed,
	                   struct why *why);
	/*
	 * Appends the settings that adjust() sets to TEXT. Equal settings give equal
	 * texts. The pool manager compares the digests of these texts after a restart.
	 */
	void (*zone_settings)(const void *settings, const struct driver_context *context,
	                      struct buf *text);
	/*
	 * Lists the zones of the fleet: the zones with the mark that create() sets. The
	 * names end with a dot and are in the arena. NULL: the driver cannot list zones.
	 */
	enum err (*list)(const void *settings, struct arena *arena, const char ***names,
	                 size_t *count, struct why *why);
	/*
	 * Sets THERE to true if the server has a zone with this name, even if the zone is
	 * still waiting for its first transfer. NULL: the driver cannot find this out.
	 */
	enum err (*has)(const void *settings, const struct domain_ref *domain,
	                bool *there, struct why *why);
	/*
	 * Returns the name of a setting that list() needs and that is missing in
	 * SETTINGS. The function returns NULL if no setting is missing. The pointer may
	 * be NULL.
	 */
	const char *(*list_lacks)(const void *settings);
	/*
	 * If list() cannot see the mark, list() returns all zones that possibly belong
	 * to the fleet. In this case, is_ours() checks one of these zones. OURS becomes
	 * true if the zone belongs to the fleet. The pointer may be NULL.
	 */
	enum err (*is_ours)(const void *settings, const struct domain_ref *domain,
	                    bool *ours, struct why *why);
};

/* in drivers.c; the list ends with NULL */
extern const struct driver *const drivers[];

/*
 * Makes the server transfer the whole zone: calls retransfer(), which must not be NULL.
 * If the server refuses the transfer, the function calls renew(), and IS_RENEWED becomes
 * true. For example, a server refuses the transfer if the zone has become a primary zone
 * on the server.
 */
enum err driver_transfer(const struct driver *driver, const void *settings,
                         const struct driver_context *context,
                         const struct domain_ref *domain, bool *is_renewed,
                         struct why *why);

/* The options of each driver begin with these options. */
#define DRIVER_COMMON_OPTIONS(type) \
	{ "id", OPTION_TEXT, offsetof(type, server.id), NULL, 1, 32, \
	  "name of the server in status and logs", .required = true }, \
	{ "host", OPTION_TEXT, offsetof(type, server.host), NULL, 1, 255, \
	  "address or host name at which the server answers DNS", .required = true }, \
	{ "port", OPTION_INT, offsetof(type, server.port), "53", 1, 65535, \
	  "DNS port of the server" }, \
	{ "tsig_key", OPTION_TEXT, offsetof(type, server.tsig_key), NULL, 1, 255, \
	  "name of the TSIG key for transfers, NOTIFY messages and polls of the " \
	  "server" }, \
	{ "timeout", OPTION_DURATION, offsetof(type, server.timeout_ms), "10s", 100, \
	  300 * 1000, \
	  "time limit of one operation on the server" }
