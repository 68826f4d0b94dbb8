/*
 * NSD 4, through its control channel: "NSDCT1 <command>\n" over a UNIX
 * socket, or over TLS with the control key and the server's certificate
 * verified. Masters and notify rules come from the pattern.
 */
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

#include "backends/drivers.h"
#include "backends/lack.h"
#include "backends/words.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/descriptors.h"

enum {
	ANSWER_MAX = 64 * 1024 * 1024,
	TRANSFER_WAIT_MS = 2000,	/* for a transfer's end, before its zone is deleted */
	TRANSFER_LOOK_MS = 20,
};

struct nsd {
	struct server_settings server;
	char *control, *pattern;
	char *server_cert, *control_key, *control_cert;
};

static const struct option options[] = {
	DRIVER_COMMON_OPTIONS(struct nsd),
	{ "control", OPTION_TEXT, offsetof(struct nsd, control), "/run/nsd/nsd.ctl",
	  1, 107, "control-interface: a socket's path, or address:port with TLS" },
	{ "pattern", OPTION_TEXT, offsetof(struct nsd, pattern), "zonefleet", 1, 64,
	  "pattern of the zones: its request-xfr and allow-notify" },
	{ "server_cert", OPTION_TEXT, offsetof(struct nsd, server_cert),
	  "/etc/nsd/nsd_server.pem", 1, 255, "certificate that the server must show" },
	{ "control_key", OPTION_TEXT, offsetof(struct nsd, control_key),
	  "/etc/nsd/nsd_control.key", 1, 255, "our key" },
	{ "control_cert", OPTION_TEXT, offsetof(struct nsd, control_cert),
	  "/etc/nsd/nsd_control.pem", 1, 255, "our certificate" },
	{ 0 }
};

static bool is_path(const struct nsd *nsd)
{
	return nsd->control[0] == '/';
}

static enum err check(const void *settings, struct why *why)
{
	const struct nsd *nsd = settings;
	struct endpoint endpoint;

	if (is_path(nsd))
		return OK;
	return endpoint_parse(nsd->control, 8952, "control", &endpoint, why);
}

/* A connection, in clear or TLS, and the time by which all is over. */
struct channel {
	const struct nsd *nsd;
	int fd;
	SSL_CTX *context;
	SSL *tls;
	int64_t deadline_ms;
	struct why *why;
};

static enum err lost_by(struct channel *channel, enum err err, const char *what)
{
	return fail(channel->why, err, "control channel of %s (%s): %s",
	            channel->nsd->server.id, channel->nsd->control, what);
}

static enum err lost(struct channel *channel, const char *what)
{
	return lost_by(channel, ERR_UNREACHABLE, what);
}

/* Before anything was sent. */
static enum err not_connected(struct channel *channel, int error)
{
	return lost_by(channel, lack_err(error), strerror(error));
}

static enum err wait_for(struct channel *channel, short events)
{
	struct pollfd fd = { channel->fd, events, 0 };
	int64_t left = channel->deadline_ms - clock_ms();

	if (left > 0 && poll(&fd, 1, (int)left) > 0)
		return OK;
	return fail(channel->why, ERR_TIMEOUT,
	            "control channel of %s (%s) was silent for %d ms",
	            channel->nsd->server.id, channel->nsd->control,
	            channel->nsd->server.timeout_ms);
}

/* The address of the channel; its length. */
static socklen_t address_of(const struct nsd *nsd, struct sockaddr_storage *address)
{
	struct sockaddr_un *un = (struct sockaddr_un *)address;
	struct sockaddr_in *in = (struct sockaddr_in *)address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
	struct endpoint endpoint;
	struct why why;

	memset(address, 0, sizeof(*address));
	if (is_path(nsd)) {
		un->sun_family = AF_UNIX;
		snprintf(un->sun_path, sizeof(un->sun_path), "%s", nsd->control);
		return sizeof(*un);
	}
	endpoint_parse(nsd->control, 8952, "control", &endpoint, &why);
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

static enum err connect_to(struct channel *channel)
{
	struct sockaddr_storage address;
	socklen_t len = address_of(channel->nsd, &address);
	int problem = 0;
	socklen_t size = sizeof(problem);

	channel->fd = socket(address.ss_family,
	                     SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (channel->fd < 0) {
		descriptors_lack("a control channel");
		return not_connected(channel, errno);
	}
	if (connect(channel->fd, (struct sockaddr *)&address, len) == 0)
		return OK;
	if (errno != EINPROGRESS)
		return not_connected(channel, errno);
	enum err err = wait_for(channel, POLLOUT);
	if (err)
		return err;
	getsockopt(channel->fd, SOL_SOCKET, SO_ERROR, &problem, &size);
	return problem ? not_connected(channel, problem) : OK;
}

/* What a TLS call waits for; an error in words when it does not just wait. */
static enum err tls_wait(struct channel *channel, int result)
{
	char text[160] = "the connection was closed";

	switch (SSL_get_error(channel->tls, result)) {
	case SSL_ERROR_WANT_READ:
		return wait_for(channel, POLLIN);
	case SSL_ERROR_WANT_WRITE:
		return wait_for(channel, POLLOUT);
	default:
		if (ERR_peek_error())
			ERR_error_string_n(ERR_get_error(), text, sizeof(text));
		ERR_clear_error();
		return lost(channel, text);
	}
}

/* Mutual TLS, as nsd-control has it: the server shows the certificate we were given. */
static enum err start_tls(struct channel *channel)
{
	const struct nsd *nsd = channel->nsd;
	enum err err = OK;
	int result;

	channel->context = SSL_CTX_new(TLS_client_method());
	if (!channel->context)
		return lost_by(channel, ERR_BUSY, "no TLS");
	SSL_CTX_set_min_proto_version(channel->context, TLS1_2_VERSION);
	SSL_CTX_set_verify(channel->context, SSL_VERIFY_PEER, NULL);
	SSL_CTX *context = channel->context;

	if (SSL_CTX_use_certificate_chain_file(context, nsd->control_cert) != 1 ||
	    SSL_CTX_use_PrivateKey_file(context, nsd->control_key,
	                                SSL_FILETYPE_PEM) != 1 ||
	    SSL_CTX_load_verify_locations(context, nsd->server_cert, NULL) != 1) {
		ERR_clear_error();
		return lost_by(channel, ERR_BUSY,
		               "cannot read server_cert, control_key or control_cert");
	}
	channel->tls = SSL_new(channel->context);
	SSL_set_fd(channel->tls, channel->fd);
	while (!err && (result = SSL_connect(channel->tls)) != 1)
		err = tls_wait(channel, result);
	return err;
}

static void channel_close(struct channel *channel)
{
	SSL_free(channel->tls);
	SSL_CTX_free(channel->context);
	if (channel->fd >= 0)
		close(channel->fd);
}

static enum err channel_open(struct channel *channel, const struct nsd *nsd,
                             int64_t deadline_ms, struct why *why)
{
	*channel = (struct channel){
		.nsd = nsd,
		.fd = -1,
		.deadline_ms = deadline_ms,
		.why = why,
	};
	enum err err = connect_to(channel);
	if (!err && !is_path(nsd))
		err = start_tls(channel);
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
			err = tls_wait(channel, sent);
		} else if (errno == EAGAIN || errno == EINTR) {
			err = wait_for(channel, POLLOUT);
		} else {
			err = lost(channel, strerror(errno));
		}
	}
	return err;
}

/* The whole answer: NSD closes behind it. */
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
			err = tls_wait(channel, got);
		else if (errno == EAGAIN || errno == EINTR)
			err = wait_for(channel, POLLIN);
		else
			err = lost(channel, strerror(errno));
	}
	return err ? err : lost(channel, "the answer does not end");
}

static enum err ask_until(const struct nsd *nsd, int64_t deadline_ms, const char *command,
                          struct buf *answer, struct why *why)
{
	struct channel channel;
	struct buf line = { 0 };
	enum err err = channel_open(&channel, nsd, deadline_ms, why);

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

static enum err ask(const struct nsd *nsd, const char *command, struct buf *answer,
                    struct why *why)
{
	return ask_until(nsd, clock_ms() + nsd->server.timeout_ms, command, answer, why);
}

/* The name stands between blanks on a line of its own: nothing in it may end either. */
static enum err check_name(const char *name, struct why *why)
{
	if (strpbrk(name, " \t\r\n\\\""))
		return fail(why, ERR_INVALID, "nsd-control cannot name a zone such as %s",
		            name);
	return OK;
}

static enum err refused(const struct nsd *nsd, const char *command, struct buf *answer,
                        struct why *why)
{
	return fail(why, ERR_REMOTE, "%s: %s: %.300s", nsd->server.id, command,
	            answer->len ? buf_string(answer) : "no answer");
}

/* Run the command VERB ZONE [REST]; GOAL: what an answer other than "ok" has to mean. */
static enum err act_until(const struct nsd *nsd, int64_t deadline_ms, const char *verb,
                          const char *zone, const char *rest, enum meaning goal,
                          struct why *why)
{
	struct buf command = { 0 }, answer = { 0 };
	enum err err = check_name(zone, why);

	if (err)
		return err;
	buf_printf(&command, "%s %s%s%s", verb, zone, rest ? " " : "", rest ? rest : "");
	err = ask_until(nsd, deadline_ms, buf_string(&command), &answer, why);
	if (!err && strncmp(buf_string(&answer), "ok", 2) != 0 &&
	    (goal == MEANS_REFUSED ||
	     words_mean("nsd", verb, 0, buf_string(&answer)) != goal))
		err = refused(nsd, buf_string(&command), &answer, why);
	buf_clear(&command);
	buf_clear(&answer);
	return err;
}

static enum err act(const struct nsd *nsd, const char *verb, const char *zone,
                    const char *rest, enum meaning goal, struct why *why)
{
	return act_until(nsd, clock_ms() + nsd->server.timeout_ms, verb, zone, rest, goal,
	                 why);
}

static enum err create(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	const struct nsd *nsd = settings;

	(void)context;
	return act(nsd, "addzone", domain->name, nsd->pattern, MEANS_PRESENT, why);
}

/* Does NSD transfer the zone over TCP right now? No, where it does not say. */
static bool is_transferring(const struct nsd *nsd, int64_t deadline_ms, const char *zone)
{
	struct buf command = { 0 }, answer = { 0 };
	struct why why;

	buf_printf(&command, "zonestatus %s", zone);
	bool found = !ask_until(nsd, deadline_ms, buf_string(&command), &answer, &why) &&
	             strstr(buf_string(&answer), "transfer: \"TCP connected");
	buf_clear(&command);
	buf_clear(&answer);
	return found;
}

/*
 * NSD before 4.9 does not remove the timer of a transfer when it deletes the zone
 * meanwhile. Then the process that owns the control channel crashes, and all of NSD ends.
 * If a transfer hangs, the wait ends and NSD deletes the zone while it transfers.
 */
static void await_transfer(const struct nsd *nsd, int64_t deadline_ms, const char *zone)
{
	int64_t half_ms = nsd->server.timeout_ms / 2;
	int64_t until_ms =
	    clock_ms() + (half_ms < TRANSFER_WAIT_MS ? half_ms : TRANSFER_WAIT_MS);

	while (is_transferring(nsd, deadline_ms, zone) && clock_ms() < until_ms)
		poll(NULL, 0, TRANSFER_LOOK_MS);
}

static enum err delete(const void *settings, const struct driver_context *context,
                       const struct domain_ref *domain, struct why *why)
{
	const struct nsd *nsd = settings;
	int64_t deadline_ms = clock_ms() + nsd->server.timeout_ms;
	enum err err = check_name(domain->name, why);

	(void)context;
	if (err)
		return err;
	await_transfer(nsd, deadline_ms, domain->name);
	return act_until(nsd, deadline_ms, "delzone", domain->name, NULL, MEANS_ABSENT,
	                 why);
}

static enum err retransfer(const void *settings, const struct domain_ref *domain,
                           struct why *why)
{
	return act(settings, "force_transfer", domain->name, NULL, MEANS_REFUSED, why);
}

static enum err has(const void *settings, const struct domain_ref *domain, bool *there,
                    struct why *why)
{
	struct buf command = { 0 }, answer = { 0 };
	enum err err = check_name(domain->name, why);

	if (err)
		return err;
	buf_printf(&command, "zonestatus %s", domain->name);
	err = ask(settings, buf_string(&command), &answer, why);
	*there = !err && strncmp(buf_string(&answer), "zone:", 5) == 0;
	if (!err && !*there &&
	    words_mean("nsd", "zonestatus", 0, buf_string(&answer)) != MEANS_ABSENT)
		err = refused(settings, buf_string(&command), &answer, why);
	buf_clear(&command);
	buf_clear(&answer);
	return err;
}

static const char *with_final_dot(struct arena *arena, const char *name)
{
	size_t len = strlen(name);

	return arena_printf(arena, "%s%s", name,
	                    len > 0 && name[len - 1] == '.' ? "" : ".");
}

/* zonestatus prints "zone:\tNAME", and behind it indented lines: "\tpattern: NAME". */
static size_t read_zones(const struct nsd *nsd, char *answer, struct arena *arena,
                         const char **all)
{
	const char *zone = NULL;
	size_t found = 0;

	for (char *line = strsep(&answer, "\n"); line; line = strsep(&answer, "\n")) {
		if (strncmp(line, "zone:\t", 6) == 0)
			zone = line + 6;
		if (zone && strncmp(line, "\tpattern: ", 10) == 0 &&
		    strcmp(line + 10, nsd->pattern) == 0)
			all[found++] = with_final_dot(arena, zone);
	}
	return found;
}

static enum err list(const void *settings, struct arena *arena, const char ***names,
                     size_t *count, struct why *why)
{
	struct buf answer = { 0 };
	enum err err = ask(settings, "zonestatus", &answer, why);
	size_t room = 1;

	if (err) {
		buf_clear(&answer);
		return err;
	}
	for (size_t i = 0; i < answer.len; i++)
		room += answer.data[i] == '\n';
	const char **all = arena_alloc(arena, room * sizeof(*all));
	*count = answer.len ? read_zones(settings, (char *)answer.data, arena, all) : 0;
	*names = all;
	buf_clear(&answer);
	return OK;
}

const struct driver driver_nsd = {
	.name = "nsd",
	.help = "NSD 4, through its control channel "
	        "(remote-control: control-enable: yes)",
	.options = options,
	.settings_size = sizeof(struct nsd),
	.check = check,
	.create = create,
	.delete = delete,
	.retransfer = retransfer,
	.list = list,
	.has = has,
};
