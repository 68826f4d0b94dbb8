#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/log.h"
#include "base/mem.h"
#include "runtime/broker_private.h"

enum {
	CONNECT_S = 5,		/* TCP and the TLS handshake */
	ANSWER_S = 10,		/* for the login, and for each declaration */
	GOODBYE_MS = 1000,
	FRAME_OVERHEAD = 8,
	SILENCE_MS = 15000,	/* silence on TCP after which the kernel gives up */
};

/* ---- errors ---- */

static enum err connection_broker_error(int code, amqp_bytes_t text, const char *what,
                                        struct why *why)
{
	return fail(why, ERR_UNREACHABLE, "%s: %d %.*s", what, code,
		    (int)(text.len < 300 ? text.len : 300), (char *)text.bytes);
}

static enum err connection_library_error(int status, const char *what, struct why *why)
{
	return fail(why, ERR_UNREACHABLE, "%s: %s", what, amqp_error_string2(status));
}

enum err reply_check(amqp_rpc_reply_t reply, const char *what, struct why *why)
{
	const amqp_channel_close_t *channel = reply.reply.decoded;
	const amqp_connection_close_t *connection = reply.reply.decoded;

	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return OK;
	if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION)
		return connection_library_error(reply.library_error, what, why);
	if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD)
		return connection_broker_error(channel->reply_code, channel->reply_text,
		                               what, why);
	if (reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD)
		return connection_broker_error(connection->reply_code,
		                               connection->reply_text, what, why);
	return fail(why, ERR_UNREACHABLE, "%s: the broker sent an unexpected answer (%x)",
		    what, (unsigned)reply.reply.id);
}

int reply_code(amqp_rpc_reply_t reply)
{
	if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION)
		return 0;
	if (reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD)
		return ((amqp_channel_close_t *)reply.reply.decoded)->reply_code;
	if (reply.reply.id == AMQP_CONNECTION_CLOSE_METHOD)
		return ((amqp_connection_close_t *)reply.reply.decoded)->reply_code;
	return 0;
}

bool reply_is_refusal(int code)
{
	return code == AMQP_ACCESS_REFUSED || code == AMQP_NOT_ALLOWED;
}

enum err reply_check_rights(amqp_rpc_reply_t reply, const char *what, struct why *why)
{
	enum err err = reply_check(reply, what, why);

	return err && reply_is_refusal(reply_code(reply)) ? ERR_DENIED : err;
}

/* ---- connecting ---- */

/* The first error of OpenSSL; it names a missing file. */
static const char *connection_tls_reason(void)
{
	unsigned long first = ERR_peek_error();
	const char *reason = ERR_reason_error_string(first);

	if (ERR_SYSTEM_ERROR(first))
		return strerror(ERR_GET_REASON(first));
	return reason ? reason : "unknown error";
}

static enum err connection_set_tls(amqp_socket_t *socket,
                                   const struct broker_config *config, struct why *why)
{
	amqp_ssl_socket_set_verify_peer(socket, 1);
	amqp_ssl_socket_set_verify_hostname(socket, 1);
	if (amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST))
		return fail(why, ERR_UNREACHABLE, "the TLS library of this machine must "
			    "support TLS 1.2: %s does not",
			    OpenSSL_version(OPENSSL_VERSION));
	if (!config->tls_ca)
		return fail(why, ERR_UNREACHABLE,
			    "broker.tls_ca: must be set if broker.url begins with "
			    "rabbits://");
	ERR_clear_error();
	if (amqp_ssl_socket_set_cacert(socket, config->tls_ca))
		return fail(why, ERR_UNREACHABLE,
			    "broker.tls_ca: cannot load CA certificates from %s: %s",
			    config->tls_ca, connection_tls_reason());
	if (config->tls_cert &&
	    amqp_ssl_socket_set_key(socket, config->tls_cert, config->tls_key))
		return fail(why, ERR_UNREACHABLE, "broker.tls_cert and broker.tls_key: "
			    "cannot load %s and %s: %s", config->tls_cert,
			    config->tls_key, connection_tls_reason());
	return OK;
}

/* The connection owns the new socket immediately. */
static enum err connection_connect(const struct broker *broker,
                                   amqp_connection_state_t amqp,
                                   const struct broker_host *host, struct why *why)
{
	struct timeval limit = { .tv_sec = CONNECT_S };
	amqp_socket_t *socket = broker->url.tls ? amqp_ssl_socket_new(amqp)
						: amqp_tcp_socket_new(amqp);
	int status;

	if (!socket)
		return fail(why, ERR_UNREACHABLE, "cannot create a socket: %s",
		            strerror(errno));
	if (broker->url.tls && connection_set_tls(socket, &broker->config, why))
		return ERR_UNREACHABLE;
	errno = 0;
	status = amqp_socket_open_noblock(socket, host->name, host->port, &limit);
	if (!status)
		return OK;
	if (descriptors_lack("the broker") ||
	    (status == AMQP_STATUS_SOCKET_ERROR && errno && errno != EINPROGRESS))
		return fail(why, ERR_UNREACHABLE, "cannot connect: %s", strerror(errno));
	return connection_library_error(status, "cannot connect", why);
}

/* With these the kernel notices a dead peer, even on an idle connection. */
static void connection_set_timeouts(int fd)
{
	static const struct {
		int level, option, value;
	} table[] = {
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, SILENCE_MS },
		{ IPPROTO_TCP, TCP_NODELAY,      1 },
		{ SOL_SOCKET,  SO_KEEPALIVE,     1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE,     5 },
		{ IPPROTO_TCP, TCP_KEEPINTVL,    3 },
		{ IPPROTO_TCP, TCP_KEEPCNT,      3 },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		setsockopt(fd, table[i].level, table[i].option, &table[i].value,
			   sizeof table[i].value);
}

/* ---- cancelling ---- */

void cancel_init(struct cancel *cancel)
{
	atomic_init(&cancel->wanted, false);
	atomic_init(&cancel->fd, -1);
}

void cancel_clear(struct cancel *cancel)
{
	int fd = atomic_exchange(&cancel->fd, -1);

	if (fd >= 0)
		close(fd);
}

void cancel_now(struct cancel *cancel)
{
	int fd;

	atomic_store(&cancel->wanted, true);
	fd = atomic_exchange(&cancel->fd, -1);
	if (fd < 0)
		return;
	shutdown(fd, SHUT_RDWR);
	close(fd);
}

/* Either this thread sees `wanted`, or cancel_now() sees the socket and shuts it down. */
static enum err cancel_expose(struct cancel *cancel, int fd, struct why *why)
{
	int copy = dup(fd);

	cancel_clear(cancel);
	if (copy < 0) {
		descriptors_lack("the broker");
		return fail(why, ERR_UNREACHABLE, "cannot create a socket: %s",
		            strerror(errno));
	}
	atomic_store(&cancel->fd, copy);
	if (atomic_load(&cancel->wanted))
		return fail(why, ERR_UNREACHABLE, "closed");
	return OK;
}

static amqp_table_entry_t connection_capability(const char *key)
{
	return (amqp_table_entry_t){
		.key = bytes_of(key),
		.value = { .kind = AMQP_FIELD_KIND_BOOLEAN, .value.boolean = 1 },
	};
}

static enum err connection_login(const struct broker *broker,
                                 amqp_connection_state_t amqp,
                                 const struct broker_host *host, struct why *why)
{
	char *name = xprintf("%s:%ld:%s", program_invocation_short_name, (long)getpid(),
			     broker->name);
	amqp_table_entry_t capabilities[] = {
		connection_capability("publisher_confirms"),
		connection_capability("basic.nack"),
		connection_capability("consumer_cancel_notify"),
		connection_capability("connection.blocked"),
		connection_capability("authentication_failure_close"),
	};
	amqp_table_t all = { sizeof capabilities / sizeof capabilities[0], capabilities };
	amqp_table_entry_t entries[] = {
		entry_text("product", "zonefleet"),
		entry_text("connection_name", name),
		{ bytes_of("capabilities"), { AMQP_FIELD_KIND_TABLE, { .table = all } } },
	};
	amqp_table_t properties = { sizeof entries / sizeof entries[0], entries };
	struct timeval limit = { .tv_sec = ANSWER_S };
	amqp_rpc_reply_t reply;

	amqp_set_handshake_timeout(amqp, &limit);
	amqp_set_rpc_timeout(amqp, &limit);
	reply = amqp_login_with_properties(
	    amqp, broker->url.vhost, CHECK_CHANNEL, FRAME_MAX, broker->config.heartbeat_s,
	    &properties, AMQP_SASL_METHOD_PLAIN, host->user, host->password);
	free(name);
	return reply_check_rights(reply, "login", why);
}

static enum err connection_establish(const struct broker *broker,
                                     amqp_connection_state_t amqp,
                                     const struct broker_host *host,
                                     struct cancel *cancel, struct why *why)
{
	enum err err = connection_connect(broker, amqp, host, why);

	if (err)
		return err;
	connection_set_timeouts(amqp_get_sockfd(amqp));
	err = cancel_expose(cancel, amqp_get_sockfd(amqp), why);
	if (!err)
		err = connection_login(broker, amqp, host, why);
	if (err)
		return err;
	amqp_channel_open(amqp, CHANNEL);
	return reply_check_rights(amqp_get_rpc_reply(amqp), "channel.open", why);
}

static size_t connection_frame_max(amqp_connection_state_t amqp)
{
	size_t agreed = (size_t)amqp_get_frame_max(amqp);

	return agreed < SENT_FRAME_MAX ? agreed : SENT_FRAME_MAX;
}

enum err connection_open(const struct broker *broker, const struct broker_host *host,
                         struct cancel *cancel, struct connection **connection,
                         struct why *why)
{
	struct connection *made = xcalloc(1, sizeof *made);
	enum err err;

	made->amqp = amqp_new_connection();
	bug_if(!made->amqp);
	err = connection_establish(broker, made->amqp, host, cancel, why);
	if (err) {
		connection_free(&made);
		return err;
	}
	made->fd = amqp_get_sockfd(made->amqp);
	made->user = host->user;
	made->body_max = connection_frame_max(made->amqp) - FRAME_OVERHEAD;
	*connection = made;
	return OK;
}

/* ---- sending without blocking ---- */

/*
 * POLLOUT says that a third of the send buffer is free. The kernel makes this buffer 87
 * KB or larger on real networks, so two frames always fit.
 */
bool connection_writable(struct connection *connection, size_t len)
{
	struct pollfd poll_fd = { .fd = connection->fd, .events = POLLOUT };

	if (connection->credit < len) {
		if (poll(&poll_fd, 1, 0) != 1 || !(poll_fd.revents & POLLOUT))
			return false;
		connection->credit = 2 * SENT_FRAME_MAX;
	}
	connection->credit -= len;
	return true;
}

/* Without it each frame of a message would be a separate packet. */
void connection_cork(struct connection *connection, bool on)
{
	int value = on;

	setsockopt(connection->fd, IPPROTO_TCP, TCP_CORK, &value, sizeof value);
}

/* ---- the end ---- */

void connection_free(struct connection **connection)
{
	if (!*connection)
		return;
	amqp_destroy_connection((*connection)->amqp);
	free(*connection);
	*connection = NULL;
}

void connection_close(struct connection **connection)
{
	struct timeval limit = { .tv_usec = GOODBYE_MS * 1000 - 1 };

	if (*connection && connection_writable(*connection, SENT_FRAME_MAX)) {
		amqp_set_rpc_timeout((*connection)->amqp, &limit);
		amqp_connection_close((*connection)->amqp, AMQP_REPLY_SUCCESS);
	}
	connection_free(connection);
}

/*
 * Closing a socket with unread data resets the connection, and the broker might lose the
 * last frame. So read until the broker closes its side.
 */
void connection_linger(struct connection **connection)
{
	int64_t end_ms = clock_ms() + GOODBYE_MS;
	char discarded[4096];

	if (!*connection)
		return;
	shutdown((*connection)->fd, SHUT_WR);
	for (;;) {
		struct pollfd poll_fd = { .fd = (*connection)->fd, .events = POLLIN };
		int64_t left_ms = end_ms - clock_ms();

		if (left_ms <= 0 || poll(&poll_fd, 1, (int)left_ms) != 1)
			break;
		if (recv(poll_fd.fd, discarded, sizeof discarded, MSG_DONTWAIT) <= 0)
			break;
	}
	connection_free(connection);
}
