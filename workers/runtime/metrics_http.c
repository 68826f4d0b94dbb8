#include "runtime/metrics_http.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/descriptors.h"
#include "base/mem.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"

enum {
	CONNECTIONS_MAX = 32,
	IDLE_MAX_S = 10,
	TURN_MS = 1000,
	REQUEST_BYTES = 16 * 1024,	/* the request's line and headers */
	BEAT_MAX_MS = 30 * 1000,
	BACKLOG = 16,
};

struct metrics_http {
	struct MHD_Daemon *daemon;
	struct loop_io *io;
	struct loop_timer *timer;
	int processes, port;
};

/* ---- the answers ---- */

static unsigned http_answer_metrics(const struct metrics_http *http, struct buf *text)
{
	(void)http;
	metrics_format(text);
	return MHD_HTTP_OK;
}

static void http_describe_process(int process, int64_t now_ms, struct buf *text)
{
	int64_t age_ms = now_ms - metrics_last_heartbeat(process);
	char words[METRICS_WORDS], quoted[METRICS_WORDS];

	if (metrics_down_reason(process, words))
		buf_printf(text, "process %d is not ready: %s\n", process,
			   words[0] ? err_quote(words, quoted, sizeof quoted) :
			              "the process is starting");
	else if (age_ms > BEAT_MAX_MS)
		buf_printf(text, "process %d has been silent for %lld s\n", process,
			   (long long)(age_ms / 1000));
}

static unsigned http_answer_health(const struct metrics_http *http, struct buf *text)
{
	int64_t now_ms = clock_ms();

	for (int process = 0; process < http->processes; process++)
		http_describe_process(process, now_ms, text);
	if (text->len)
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	buf_text(text, "ok\n");
	return MHD_HTTP_OK;
}

static const struct route {
	const char *path;
	const char *content_type;
	unsigned (*answer)(const struct metrics_http *http, struct buf *text);
} routes[] = {
	{ "/metrics", "text/plain; version=0.0.4; charset=utf-8", http_answer_metrics },
	{ "/healthz", "text/plain; charset=utf-8",                http_answer_health  },
};

static const struct route *http_route_find(const char *path)
{
	for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
		if (strcmp(routes[i].path, path) == 0)
			return &routes[i];
	return NULL;
}

static unsigned http_answer_path(const struct metrics_http *http, const char *path,
                                 struct buf *text, const char **content_type)
{
	const struct route *route = http_route_find(path);

	if (!route) {
		buf_text(text, "use /metrics or /healthz\n");
		return MHD_HTTP_NOT_FOUND;
	}
	*content_type = route->content_type;
	return route->answer(http, text);
}

static unsigned http_answer(const struct metrics_http *http, const char *method,
                            const char *path, struct buf *text, const char **content_type)
{
	*content_type = "text/plain; charset=utf-8";
	if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	    strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
		return http_answer_path(http, path, text, content_type);
	buf_text(text, "use GET or HEAD\n");
	return MHD_HTTP_METHOD_NOT_ALLOWED;
}

static enum MHD_Result http_send(struct MHD_Connection *connection, unsigned status,
                                 const struct buf *text, const char *content_type)
{
	enum MHD_Result result;
	struct MHD_Response *response =
	    MHD_create_response_from_buffer(text->len, text->data, MHD_RESPMEM_MUST_COPY);

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

/* Answers at the first call, before any body: no request of ours has one. */
static enum MHD_Result http_on_request(void *self, struct MHD_Connection *connection,
                                       const char *path, const char *method,
                                       const char *version, const char *upload,
                                       size_t *upload_size, void **request)
{
	struct buf text = { 0 };
	const char *content_type;
	enum MHD_Result result;
	unsigned status;

	(void)version, (void)upload, (void)upload_size, (void)request;
	status = http_answer(self, method, path, &text, &content_type);
	result = http_send(connection, status, &text, content_type);
	buf_clear(&text);
	return result;
}

/* ---- on the loop ---- */

/*
 * libmicrohttpd says when it must be called again, with one exception. After it has
 * stopped listening for lack of descriptors, it listens again only at its next call, and
 * does not say when. So the server calls it at least once in TURN_MS.
 */
static void http_turn(void *self)
{
	struct metrics_http *http = self;
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	MHD_run(http->daemon);
	if (MHD_get_timeout(http->daemon, &timeout_ms) != MHD_YES || timeout_ms > TURN_MS)
		timeout_ms = TURN_MS;
	loop_timer_set(http->timer, (int64_t)timeout_ms);
}

static void http_on_ready(void *self, int events)
{
	(void)events;
	http_turn(self);
}

/* ---- opening ---- */

/* "127.0.0.1:9100", "[::1]:9100": a numeric address, which needs no resolver. */
static enum err http_resolve(const char *listen_on, struct addrinfo **found,
                             struct why *why)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	const char *colon = strrchr(listen_on, ':');
	char host[64] = "";
	bool bracketed = listen_on[0] == '[' && colon > listen_on && colon[-1] == ']';

	if (colon)
		snprintf(host, sizeof host, "%.*s",
			 (int)(colon - listen_on - 2 * bracketed), listen_on + bracketed);
	if (!host[0] || getaddrinfo(host, colon + 1, &hints, found))
		return fail(why, ERR_INVALID, "metrics: must be ADDRESS:PORT or "
		            "[ADDRESS]:PORT, not '%s'", listen_on);
	return OK;
}

static int http_listen_at(const struct addrinfo *address)
{
	int on = 1;
	int kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int fd = socket(address->ai_family, kind, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	on = errno;
	close(fd);
	errno = on;
	return -1;
}

static enum err http_listen(const char *listen_on, int *fd, struct why *why)
{
	struct addrinfo *address;
	enum err err = http_resolve(listen_on, &address, why);

	if (err)
		return err;
	*fd = http_listen_at(address);
	freeaddrinfo(address);
	if (*fd < 0)
		return fail(why, descriptors_lack("the metrics page") ? ERR_BUSY :
			                                                ERR_INVALID,
			    "metrics: cannot listen on '%s': %s", listen_on,
			    strerror(errno));
	return OK;
}

static int http_port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof address;

	if (getsockname(fd, (struct sockaddr *)&address, &len))
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static struct MHD_Daemon *http_daemon_start(int fd, struct metrics_http *http)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, http_on_request, http,
				MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_MAX_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
				MHD_OPTION_END);
}

enum err metrics_http_open(struct loop *loop, const char *listen_on, int processes,
                           struct metrics_http **opened, struct why *why)
{
	struct metrics_http *http;
	enum err err;
	int fd;

	err = http_listen(listen_on, &fd, why);
	if (err)
		return err;
	http = xcalloc(1, sizeof *http);
	http->processes = processes;
	http->port = http_port_of(fd);
	errno = 0;
	http->daemon = http_daemon_start(fd, http);
	if (!http->daemon) {
		descriptors_lack("the metrics page");
		close(fd);
		free(http);
		return fail(why, ERR_BUSY, "the metrics page cannot start: not enough "
		            "memory, threads or file descriptors");
	}
	fd = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	http->io = loop_io_new(loop, fd, LOOP_READ, http_on_ready, http);
	http->timer = loop_timer_new(loop, http_turn, http);
	*opened = http;
	return OK;
}

int metrics_http_port(const struct metrics_http *http)
{
	return http->port;
}

void metrics_http_close(struct metrics_http **http)
{
	if (!*http)
		return;
	loop_io_free(&(*http)->io);
	loop_timer_free(&(*http)->timer);
	MHD_stop_daemon((*http)->daemon);
	free(*http);
	*http = NULL;
}
