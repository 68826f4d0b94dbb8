#include "connect.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "dns/packet.h"
#include "net/client_socket.h"
#include "poolmgr.h"
#include "runtime/connect_check.h"
#include "runtime/db.h"
#include "servers.h"
#include "store_servers.h"

enum { TRIES = 3, TRY_MS = 2000 };

/* ---- the control channel ---- */

/* Each driver can ask for the root, and the answer does not matter. */
static enum err connect_control(void *self, struct why *why)
{
	const struct server *server = self;
	const struct domain_ref root = { .name = "." };
	bool there;

	return server->driver->has(server->settings, &root, &there, why);
}

/* ---- DNS ---- */

static size_t connect_query(uint16_t id, uint8_t *packet, size_t size)
{
	const struct name root = { .len = 1 };
	struct packet_writer writer;

	packet_writer_init(&writer, packet, size);
	packet_put_question(&writer, &root, RR_SOA, RR_CLASS_IN);
	packet_set_header(&writer, &(struct packet_header){ .id = id, .count = { 1 } });
	return writer.len;
}

/* True: the packet answers the query with this id. */
static bool connect_is_answer(const uint8_t *packet, ssize_t len, uint16_t id,
                              enum rcode *rcode)
{
	struct packet_reader reader = packet_reader(packet, len > 0 ? (size_t)len : 0);
	struct packet_header header;

	packet_read_header(&reader, &header);
	*rcode = header.flags & FLAG_RCODE;
	return !reader.broken && header.id == id && (header.flags & FLAG_QR);
}

/* Waits for the answer to one query. A closed port is an error of the socket. */
static bool connect_hear(int fd, uint16_t id, enum rcode *rcode, int *error)
{
	int64_t until_ms = clock_ms() + TRY_MS, left_ms;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	uint8_t packet[PACKET_UDP_MIN];

	while ((left_ms = until_ms - clock_ms()) > 0) {
		ssize_t len;

		if (poll(&wait, 1, (int)left_ms) < 1)
			continue;
		len = recv(fd, packet, sizeof packet, 0);
		if (len >= 0 && connect_is_answer(packet, len, id, rcode))
			return true;
		*error = len < 0 ? errno : 0;
		if (len < 0)
			return false;
	}
	return false;
}

static enum err connect_ask(int fd, enum rcode *rcode, struct why *why)
{
	uint16_t id = (uint16_t)random_u32();
	uint8_t query[PACKET_UDP_MIN];
	size_t len = connect_query(id, query, sizeof query);
	int error = 0;

	for (int i = 0; i < TRIES; i++)
		if (send(fd, query, len, 0) < 0)
			error = errno;
		else if (connect_hear(fd, id, rcode, &error))
			return OK;
	if (error)
		return fail(why, ERR_UNREACHABLE, "the DNS query failed: %s",
		            strerror(error));
	return fail(why, ERR_TIMEOUT, "the server did not answer %d DNS queries within "
	            "%d s", TRIES, TRIES * TRY_MS / 1000);
}

/* Any answer is good: the server need not have a zone yet. */
static enum err connect_dns(void *self, struct why *why)
{
	const struct server *server = self;
	struct address address;
	enum rcode rcode = RCODE_NOERROR;
	enum err err;
	int fd;

	if (server_lacks_address(server, why))
		return ERR_UNREACHABLE;
	if (!address_parse(server->destination.host, server->destination.port, &address))
		return fail(why, ERR_INVALID, "'%s' must be an IPv4 or IPv6 address",
		            server->destination.host);
	fd = client_socket_connect(client_socket_open(&address, SOCK_DGRAM), &address,
	                           NULL);
	if (fd < 0)
		return fail(why, ERR_UNREACHABLE, "cannot connect to the address: %s",
		            strerror(errno));
	err = connect_ask(fd, &rcode, why);
	close(fd);
	if (!err)
		fail(why, OK, "answers with %s", rcode_name(rcode));
	return err;
}

/* ---- the TSIG key ---- */

static enum err connect_key(void *self, struct why *why)
{
	struct server *server = self;
	const char *key = server->settings->tsig_key;
	struct tx tx = tx_autocommit(server->db, why);
	bool is_known = store_has_key(&tx, key);
	enum err err = tx_commit(&tx);

	db_free(&server->db);
	if (err || is_known)
		return err;
	return fail(why, ERR_NOT_FOUND, "the database has no TSIG key '%.255s': correct "
	            "tsig_key, or run 'zonefleet tsigkey create %.255s --admin'", key,
	            key);
}

/* ---- the pool ---- */

/* Its own connection: the probes run at the same time. */
static enum err connect_pool(void *self, struct why *why)
{
	struct poolmgr *poolmgr = self;
	const char *pool = poolmgr->config.pool_name;
	struct tx tx = tx_autocommit(poolmgr->lane_db, why);
	bool lacks = store_lacks_pool(&tx, pool);
	enum err err = tx_commit(&tx);

	db_free(&poolmgr->lane_db);
	if (err || !lacks)
		return err;
	return fail(why, ERR_NOT_FOUND, "the database has no pool '%.64s': correct "
	            "poolmgr.pool_name, or run 'zonefleet pool create %.64s --ns HOST "
	            "--admin'", pool, pool);
}

/* ---- the rows ---- */

/* A reader of the catalog zone has no control channel. */
static void connect_add_control(const struct server *server, struct connect_check *check)
{
	char address[320];

	snprintf(address, sizeof address, "%.32s (%s)", server->settings->id,
	         server->driver->name);
	if (server->driver->has)
		connect_check_add(check, "control channel", address, connect_control,
		                  (void *)server);
	else if (!server->driver->by_catalog)
		connect_check_skip(check, "control channel", address,
		                   "the backend cannot ask the server whether a zone "
		                   "exists");
}

static void connect_add_key(struct server *server, struct connect_check *check)
{
	char address[320];

	if (!server->settings->tsig_key)
		return;
	snprintf(address, sizeof address, "%.32s (%.255s)", server->settings->id,
	         server->settings->tsig_key);
	server->db = db_new(connect_check_database(check));
	connect_check_add(check, "TSIG key", address, connect_key, server);
}

static void connect_add_server(struct server *server, struct connect_check *check)
{
	const struct server_settings *settings = server->settings;
	char address[320];

	connect_add_control(server, check);
	snprintf(address, sizeof address, "%.32s (%.255s port %d)", settings->id,
	         settings->host, settings->port);
	connect_check_add(check, "DNS", address, connect_dns, server);
	connect_add_key(server, check);
}

void connect_add(struct poolmgr *poolmgr, struct connect_check *check)
{
	poolmgr->lane_db = db_new(connect_check_database(check));
	connect_check_add(check, "pool", poolmgr->config.pool_name, connect_pool,
	                  poolmgr);
	for (size_t i = 0; i < poolmgr->servers->count; i++)
		connect_add_server(&poolmgr->servers->item[i], check);
}
