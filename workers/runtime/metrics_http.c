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

struct page {
	struct MHD_Daemon *daemon;
	struct loop_io *io;
	struct loop_timer *timer;
	int processes, port;
};

/* ---- what is answered ---- */

static unsigned answer_metrics(const struct page *page, struct buf *text)
{
	(void)page;
	metrics_format(text);
	return MHD_HTTP_OK;
}

static void describe_process(int process, int64_t now_ms, struct buf *text)
{
	int64_t age_ms = now_ms - metrics_last_beat(process);
	char words[METRICS_WORDS], quoted[METRICS_WORDS];

	if (metrics_trouble(process, words))
		buf_printf(text, "process %d is not ready: %s\n", process,
			   words[0] ? err_quote(words, quoted, sizeof quoted) :
			              "it starts");
	else if (age_ms > BEAT_MAX_MS)
		buf_printf(text, "process %d gave no sign of life for %lld s\n", process,
			   (long long)(age_ms / 1000));
}

static unsigned answer_health(const struct page *page, struct buf *text)
{
	int64_t now_ms = clock_ms();

	for (int process = 0; process < page->processes; process++)
		describe_process(process, now_ms, text);
	if (text->len)
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	buf_text(text, "ok\n");
	return MHD_HTTP_OK;
}

static const struct route {
	const char *path;
	const char *content_type;
	unsigned (*answer)(const struct page *page, struct buf *text);
} routes[] = {
	{ "/metrics", "text/plain; version=0.0.4; charset=utf-8", answer_metrics },
	{ "/healthz", "text/plain; charset=utf-8",                answer_health  },
};

static const struct route *route_find(const char *path)
{
	for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
		if (strcmp(routes[i].path, path) == 0)
			return &routes[i];
	return NULL;
}

static unsigned answer_path(const struct page *page, const char *path, struct buf *text,
                            const char **content_type)
{
	const struct route *route = route_find(path);

	if (!route) {
		buf_text(text, "there are /metrics and /healthz\n");
		return MHD_HTTP_NOT_FOUND;
	}
	*content_type = route->content_type;
	return route->answer(page, text);
}

static unsigned answer_text(const struct page *page, const char *method, const char *path,
                            struct buf *text, const char **content_type)
{
	*content_type = "text/plain; charset=utf-8";
	if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 ||
	    strcmp(method, MHD_HTTP_METHOD_HEAD) == 0)
		return answer_path(page, path, text, content_type);
	buf_text(text, "only GET and HEAD\n");
	return MHD_HTTP_METHOD_NOT_ALLOWED;
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status,
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

/* Answers at the first call, before any body: none of ours takes one. */
static enum MHD_Result on_request(void *self, struct MHD_Connection *connection,
                                  const char *path, const char *method,
                                  const char *version, const char *upload,
                                  size_t *upload_size, void **request)
{
	struct buf text = { 0 };
	const char *content_type;
	enum MHD_Result result;
	unsigned status;

	(void)version, (void)upload, (void)upload_size, (void)request;
	status = answer_text(self, method, path, &text, &content_type);
	result = send_text(connection, status, &text, content_type);
	buf_clear(&text);
	return result;
}

/* ---- on the loop ---- */

/*
 * libmicrohttpd does what is due, and says when it wants to be called at the latest. It
 * does not say so when it left its listening socket alone for want of descriptors, and
 * listens again at its next call only: it has one, whatever it says.
 */
static void page_turn(void *self)
{
	struct page *page = self;
	MHD_UNSIGNED_LONG_LONG timeout_ms;

	MHD_run(page->daemon);
	if (MHD_get_timeout(page->daemon, &timeout_ms) != MHD_YES || timeout_ms > TURN_MS)
		timeout_ms = TURN_MS;
	loop_timer_set(page->timer, (int64_t)timeout_ms);
}

static void on_ready(void *self, int events)
{
	(void)events;
	page_turn(self);
}

/* ---- opening ---- */

/* "127.0.0.1:9100", "[::1]:9100": a numeric address, so nothing waits for a resolver. */
static enum err resolve(const char *listen_on, struct addrinfo **found, struct why *why)
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
		return fail(why, ERR_INVALID, "the metrics page cannot listen on \"%s\": "
			    "must be \"ADDRESS:PORT\" or \"[ADDRESS]:PORT\"", listen_on);
	return OK;
}

static int listen_at(const struct addrinfo *address)
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

static enum err listen_on_text(const char *listen_on, int *fd, struct why *why)
{
	struct addrinfo *address;
	enum err err = resolve(listen_on, &address, why);

	if (err)
		return err;
	*fd = listen_at(address);
	freeaddrinfo(address);
	if (*fd < 0)
		return fail(why, descriptors_lack("the metrics page") ? ERR_BUSY :
			                                                ERR_INVALID,
			    "the metrics page cannot listen on \"%s\": %s", listen_on,
			    strerror(errno));
	return OK;
}

static int port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof address;

	if (getsockname(fd, (struct sockaddr *)&address, &len))
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

static struct MHD_Daemon *daemon_start(int fd, struct page *page)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, page,
				MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_MAX_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
				MHD_OPTION_END);
}

enum err page_open(struct loop *loop, const char *listen_on, int processes,
                   struct page **opened, struct why *why)
{
	struct page *page;
	enum err err;
	int fd;

	err = listen_on_text(listen_on, &fd, why);
	if (err)
		return err;
	page = xcalloc(1, sizeof *page);
	page->processes = processes;
	page->port = port_of(fd);
	errno = 0;
	page->daemon = daemon_start(fd, page);
	if (!page->daemon) {
		descriptors_lack("the metrics page");
		close(fd);
		free(page);
		return fail(why, ERR_BUSY, "the metrics page cannot start");
	}
	fd = MHD_get_daemon_info(page->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	page->io = loop_io_new(loop, fd, LOOP_READ, on_ready, page);
	page->timer = loop_timer_new(loop, page_turn, page);
	*opened = page;
	return OK;
}

int page_port(const struct page *page)
{
	return page->port;
}

void page_close(struct page **page)
{
	if (!*page)
		return;
	loop_io_free(&(*page)->io);
	loop_timer_free(&(*page)->timer);
	MHD_stop_daemon((*page)->daemon);
	free(*page);
	*page = NULL;
}
