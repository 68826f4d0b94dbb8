#include "backends/nsd_channel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "backends/connect_error.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "endpoint.h"

enum { ANSWER_MAX = 64 * 1024 * 1024 };

bool nsd_channel_is_socket(const char *control)
{
	return control[0] == '/';
}

/* A connection, with or without TLS, and its deadline. */
struct channel {
	const struct nsd_channel_terms *terms;
	int fd;
	SSL_CTX *context;
	SSL *tls;
	int64_t deadline_ms;
	struct why *why;
};

static enum err channel_fail(struct channel *channel, enum err err, const char *what)
{
	return fail(channel->why, err, "control channel of %s (%s): %s",
	            channel->terms->server, channel->terms->control, what);
}

static enum err channel_lost(struct channel *channel, const char *what)
{
	return channel_fail(channel, ERR_UNREACHABLE, what);
}

/* The error of a connection on which nothing was sent. */
static enum err channel_not_connected(struct channel *channel, int error)
{
	return channel_fail(channel, connect_error(error), strerror(error));
}

static enum err channel_wait(struct channel *channel, short events)
{
	struct pollfd fd = { channel->fd, events, 0 };
	int64_t left = channel->deadline_ms - clock_ms();

	if (left > 0 && poll(&fd, 1, (int)left) > 0)
		return OK;
	return fail(channel->why, ERR_TIMEOUT,
	            "control channel of %s (%s) did not answer within %d ms",
	            channel->terms->server, channel->terms->control,
	            channel->terms->timeout_ms);
}

/* Fills ADDRESS and returns its length. */
static socklen_t channel_address(const struct nsd_channel_terms *terms,
                                 struct sockaddr_storage *address)
{
	struct sockaddr_un *un = (struct sockaddr_un *)address;
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
	struct endpoint endpoint;
	struct why why;

	memset(address, 0, sizeof(*address));
	if (nsd_channel_is_socket(terms->control)) {
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "%s", terms->control);
		return sizeof(*un);
	}
	endpoint_parse(terms->control, 8952, "control", &endpoint, &why);
	if (inet_pton(AF_INET, endpoint.host, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(endpoint.port);
		return sizeof(*in);
	}
	inet_pton(AF_INET6, endpoint.host, &in6->sin6_addr);
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(endpoint.port);
	return sizeof(*in6);
}

static enum err channel_connect(struct channel *channel)
{
	struct sockaddr_storage address;
	socklen_t len = channel_address(channel->terms, &address);
	int problem = 0;
	socklen_t size = sizeof(problem);

	channel->fd = socket(address.ss_family,
	                     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (channel->fd < 0) {
		descriptors_lack("a control channel");
		return channel_not_connected(channel, errno);
	}
	if (connect(channel->fd, (struct sockaddr *)&address, len) == 0)
		return OK;
	if (errno != EINPROGRESS)
		return channel_not_connected(channel, errno);
	enum err err = channel_wait(channel, POLLOUT);
	if (err)
		return err;
	getsockopt(channel->fd, SOL_SOCKET, SO_ERROR, &problem, &size);
	return problem ? channel_not_connected(channel, problem) : OK;
}

/* Waits until a TLS call can continue, or returns its error. */
static enum err channel_wait_tls(struct channel *channel, int result)
{
	char text[160] = "NSD closed the connection";

	switch (SSL_get_error(channel->tls, result)) {
	case SSL_ERROR_WANT_READ:
		return channel_wait(channel, POLLIN);
	case SSL_ERROR_WANT_WRITE:
		return channel_wait(channel, POLLOUT);
	default:
		if (ERR_peek_error())
			ERR_error_string_n(ERR_get_error(), text, sizeof(text));
		ERR_clear_error();
		return channel_lost(channel, text);
	}
}

/* Starts mutual TLS, like nsd-control. The server must present server_cert. */
static enum err channel_start_tls(struct channel *channel)
{
	const struct nsd_channel_terms *terms = channel->terms;
	enum err err = OK;
	int result;

	channel->context = SSL_CTX_new(TLS_client_method());
	if (!channel->context)
		return channel_fail(channel, ERR_BUSY, "cannot start TLS");
	SSL_CTX_set_min_proto_version(channel->context, TLS1_2_VERSION);
	SSL_CTX_set_verify(channel->context, SSL_VERIFY_PEER, NULL);
	SSL_CTX *context = channel->context;

	if (SSL_CTX_use_certificate_chain_file(context, terms->control_cert) != 1 ||
	    SSL_CTX_use_PrivateKey_file(context, terms->control_key,
	                                SSL_FILETYPE_PEM) != 1 ||
	    SSL_CTX_load_verify_locations(context, terms->server_cert, NULL) != 1) {
		ERR_clear_error();
		return fail(channel->why, ERR_BUSY,
		            "control channel of %s (%s): cannot load server_cert '%s', "
		            "control_key '%s' or control_cert '%s': check that the pool "
		            "manager can read these PEM files", terms->server,
		            terms->control, terms->server_cert, terms->control_key,
		            terms->control_cert);
	}
	channel->tls = SSL_new(channel->context);
	SSL_set_fd(channel->tls, channel->fd);
	while (!err && (result = SSL_connect(channel->tls)) != 1)
		err = channel_wait_tls(channel, result);
	return err;
}

static void channel_close(struct channel *channel)
{
	SSL_free(channel->tls);
	SSL_CTX_free(channel->context);
	if (channel->fd >= 0)
		close(channel->fd);
}

static enum err channel_open(struct channel *channel,
                             const struct nsd_channel_terms *terms, int64_t deadline_ms,
                             struct why *why)
{
	*channel = (struct channel){
		.terms = terms,
		.fd = -1,
		.deadline_ms = deadline_ms,
		.why = why,
	};
	enum err err = channel_connect(channel);
	if (!err && !nsd_channel_is_socket(terms->control))
		err = channel_start_tls(channel);
	if (err)
		channel_close(channel);
	return err;
}

static enum err channel_write(struct channel *channel, const uint8_t *data, size_t len)
{
	enum err err = OK;

	while (!err && len > 0) {
		int sent = channel->tls ? SSL_write(channel->tls, data, (int)len)
		                        : (int)send(channel->fd, data, len, MSG_NOSIGNAL);

		if (sent > 0) {
			data += sent;
			len -= (size_t)sent;
		} else if (channel->tls) {
			err = channel_wait_tls(channel, sent);
		} else if (errno == EAGAIN || errno == EINTR) {
			err = channel_wait(channel, POLLOUT);
		} else {
			err = channel_lost(channel, strerror(errno));
		}
	}
	return err;
}

/* Reads until NSD closes the connection. */
static enum err channel_read(struct channel *channel, struct buf *answer)
{
	char chunk[4096];
	enum err err = OK;

	while (!err && answer->len < ANSWER_MAX) {
		int got = channel->tls ? SSL_read(channel->tls, chunk, sizeof(chunk))
		                       : (int)recv(channel->fd, chunk, sizeof(chunk), 0);

		if (got > 0)
			buf_append(answer, chunk, (size_t)got);
		else if (got == 0 || (channel->tls && SSL_get_error(channel->tls, got) ==
		                                          SSL_ERROR_ZERO_RETURN))
			return OK;
		else if (channel->tls)
			err = channel_wait_tls(channel, got);
		else if (errno == EAGAIN || errno == EINTR)
			err = channel_wait(channel, POLLIN);
		else
			err = channel_lost(channel, strerror(errno));
	}
	return err ? err : channel_lost(channel, "the answer exceeds 64 MiB");
}

enum err nsd_channel_ask(const struct nsd_channel_terms *terms, int64_t deadline_ms,
                         const char *command, struct buf *answer, struct why *why)
{
	struct channel channel;
	struct buf line = { 0 };
	enum err err = channel_open(&channel, terms, deadline_ms, why);

	if (err)
		return err;
	buf_printf(&line, "NSDCT1 %s\n", command);
	err = channel_write(&channel, line.data, line.len);
	if (!err)
		err = channel_read(&channel, answer);
	buf_clear(&line);
	channel_close(&channel);
	return err;
}
