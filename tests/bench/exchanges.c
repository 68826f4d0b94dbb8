/*
 * exchanges -- orders to minidns, the name servers that they are about, and the pool
 * manager that hears what came of them, in one program.
 *
 *	exchanges CONFIG ZONES singles|lists SILENT
 *
 * Each of ZONES zones is ordered for three servers, which this program plays on ports of
 * its own: they answer a NOTIFY, and then say that they have the serial. As singles each
 * order is two messages, notify_zone_changed and poll_for_serial_number; as lists, which
 * is what a busy pool manager sends, propagate_zones has many. The end is when a SUCCESS
 * was reported for each.
 *
 * Of every SILENTth zone (0: of none) the first NOTIFY is left without an answer, so that
 * minidns says it again; how much later than it should is taken from the kernel's
 * timestamps of the two datagrams, in which this program's own load has no part.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/messages.h"
#include "model/name.h"
#include "model/rr.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"
#include "runtime/worker.h"

enum {
	SERVERS = 3, SERIAL = 17,
	TIMEOUT_MS = 2000, RETRY_MS = 1000, TRIES = 3,
	REPEAT_US = 500 * 1000,			/* minidns/dns_request.c */
	DEADLINE_MS = 60 * 1000, READY_POLL_MS = 5,
	SOCKET_BUFFER = 8 * 1024 * 1024, DATAGRAM = 512,
	HEADER = 12, OPCODE_NOTIFY = 4,
	FIRST_PORT = 5390,			/* the caller has them in pool_servers */
};

#define POOL "default"

struct server {
	struct bench *bench;
	char id[16];
	int fd;
	struct destination destination;
	struct loop_io *io;
	int64_t *notified_us;		/* by zone: its first NOTIFY; 0: none yet */
};

struct bench {
	struct worker_common common;
	struct loop *loop;
	struct broker *out;
	struct rpc_client *client;
	struct rpc_server *hearer;
	struct loop_timer *timer;
	struct server servers[SERVERS];
	json_t *context;
	int zones, silent;
	bool lists, started;
	int reports, repeated;
	int64_t started_us, ended_us;
	json_t *late_ms;
};

/* ---- the name servers ---- */

/* zone-17.exchange.example. is 17; the length octet of its first label is before it. */
static int zone_number(const uint8_t *question)
{
	return atoi((const char *)question + 1 + strlen("zone-"));
}

static bool is_notify(const uint8_t *data)
{
	return (data[2] >> 3 & 15) == OPCODE_NOTIFY;
}

static size_t put(uint8_t *to, const void *data, size_t len)
{
	memcpy(to, data, len);
	return len;
}

/* The header and the question come back; to a query with the SOA behind them. */
static size_t answer(uint8_t *data, size_t len)
{
	const uint8_t soa[] = { 0xc0, HEADER, 0, RR_SOA, 0, 1, 0, 0, 0, 60, 0, 22, 0, 0,
		                0, 0, 0, SERIAL };
	static const uint8_t timers[16];

	data[2] |= 0x84;			/* QR, AA */
	if (is_notify(data))
		return len;
	data[7] = 1;
	len += put(data + len, soa, sizeof soa);
	return len + put(data + len, timers, sizeof timers);
}

static void note_repetition(struct bench *bench, int zone, int64_t after_us)
{
	if (bench->silent && zone % bench->silent == 0)
		json_array_append_new(bench->late_ms,
		                      json_real((double)(after_us - REPEAT_US) / 1e3));
	else
		bench->repeated++;
}

/* Is it to be left without an answer? */
static bool note_notify(struct server *server, int zone, int64_t at_us)
{
	struct bench *bench = server->bench;
	int64_t *first_us = &server->notified_us[zone];
	bool is_first = !*first_us;

	if (is_first)
		*first_us = at_us;
	else
		note_repetition(bench, zone, at_us - *first_us);
	return is_first && bench->silent && zone % bench->silent == 0;
}

static int64_t arrival_us(struct msghdr *header)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(header);
	struct timespec at;

	if (!control || control->cmsg_type != SCM_TIMESTAMPNS)
		fatal("the kernel says no time");
	memcpy(&at, CMSG_DATA(control), sizeof at);
	return at.tv_sec * 1000000LL + at.tv_nsec / 1000;
}

static bool serve_one(struct server *server)
{
	uint8_t data[2 * DATAGRAM], control[CMSG_SPACE(sizeof(struct timespec))];
	struct sockaddr_in peer;
	struct iovec vec = { data, DATAGRAM };
	struct msghdr header = {
		.msg_name = &peer, .msg_namelen = sizeof peer, .msg_iov = &vec,
		.msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control,
	};
	ssize_t len = recvmsg(server->fd, &header, MSG_DONTWAIT);

	if (len < HEADER)
		return false;
	int zone = zone_number(data + HEADER);

	if (zone < 0 || zone >= server->bench->zones)
		fatal("asked for a zone that was not ordered");
	if (is_notify(data) && note_notify(server, zone, arrival_us(&header)))
		return true;
	sendto(server->fd, data, answer(data, (size_t)len), 0, (struct sockaddr *)&peer,
	       sizeof peer);
	return true;
}

static void on_readable(void *self, int events)
{
	(void)events;
	while (serve_one(self))
		;
}

static void server_open(struct bench *bench, int number)
{
	struct server *server = &bench->servers[number];
	struct sockaddr_in name = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)(FIRST_PORT + number)),
	};

	server->bench = bench;
	server->notified_us = xcalloc((size_t)bench->zones, sizeof *server->notified_us);
	snprintf(server->id, sizeof server->id, "server-%d", number);
	name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	server->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (server->fd < 0 ||
	    bind(server->fd, (struct sockaddr *)&name, sizeof name) ||
	    setsockopt(server->fd, SOL_SOCKET, SO_TIMESTAMPNS, &(int){ 1 }, sizeof(int)))
		fatal("cannot play a name server");
	setsockopt(server->fd, SOL_SOCKET, SO_RCVBUF, &(int){ SOCKET_BUFFER },
	           sizeof(int));
	server->destination = (struct destination){
		.id = server->id, .host = "127.0.0.1", .port = ntohs(name.sin_port),
	};
	server->io = loop_io_new(bench->loop, server->fd, LOOP_READ, on_readable, server);
}

static void server_close(struct server *server)
{
	loop_io_free(&server->io);
	close(server->fd);
	free(server->notified_us);
}

/* ---- the pool manager hears ---- */

static enum err on_update_statuses(void *self, struct request *req)
{
	struct bench *bench = self;
	struct server_reports reports;
	enum err err = server_reports_decode(req->args, req->arena, &reports, &req->why);

	if (err)
		fatal("not a report: %s", req->why.text);
	for (size_t i = 0; i < reports.count; i++)
		if (reports.item[i].report != REPORT_SUCCESS)
			fatal("%s: %s", reports.item[i].domain.name,
			      reports.item[i].reason);
	bench->reports += (int)reports.count;
	if (bench->reports < SERVERS * bench->zones)
		return OK;
	bench->ended_us = clock_us();
	loop_stop(bench->loop);
	return OK;
}

static const struct rpc_method methods[] = {
	{ "update_statuses", on_update_statuses, "reports" },
	{ 0 }
};

/* ---- the pool manager orders ---- */

/* Takes ARGS. */
static void cast(struct bench *bench, const char *method, json_t *args)
{
	static const struct rpc_target minidns = { .topic = "minidns" };
	struct why why;

	if (rpc_cast(bench->client, &minidns, method, args, bench->context, &why))
		fatal("cannot order: %s", why.text);
	json_decref(args);
}

/* NAME must live as long as the reference. */
static struct domain_ref zone_ref(int number, char name[NAME_MAX_TEXT])
{
	struct domain_ref domain = {
		.name = name, .pool = POOL, .tenant = "bench",
		.state = { TASK_UPDATE, STATUS_PENDING, SERIAL },
	};

	snprintf(name, NAME_MAX_TEXT, "zone-%d.exchange.example.", number);
	snprintf(domain.id, sizeof domain.id, "%032x", (unsigned)number);
	return domain;
}

static struct poll_order terms(void)
{
	return (struct poll_order){
		.timeout_ms = TIMEOUT_MS, .retry_interval_ms = RETRY_MS,
		.max_retries = TRIES,
	};
}

static void order_singly(struct bench *bench, int zone)
{
	char name[NAME_MAX_TEXT];
	struct poll_order order = terms();

	order.domain = zone_ref(zone, name);
	for (int i = 0; i < SERVERS; i++) {
		order.destination = bench->servers[i].destination;
		cast(bench, "notify_zone_changed", poll_order_encode(&order));
		cast(bench, "poll_for_serial_number", poll_order_encode(&order));
	}
}

static void order_list(struct bench *bench, int first, int count)
{
	static char names[LIST_MAX][NAME_MAX_TEXT];
	struct domain_ref refs[LIST_MAX];
	struct destination destinations[SERVERS];
	struct propagation propagation = {
		.domains = { refs, (size_t)count },
		.destinations = destinations,
		.destination_count = SERVERS,
		.terms = terms(),
	};

	for (int i = 0; i < count; i++)
		refs[i] = zone_ref(first + i, names[i]);
	for (int i = 0; i < SERVERS; i++)
		destinations[i] = bench->servers[i].destination;
	cast(bench, "propagate_zones", propagation_encode(&propagation));
}

static void order_all(struct bench *bench)
{
	int step = bench->lists ? LIST_MAX : 1;

	bench->started_us = clock_us();
	for (int zone = 0; zone < bench->zones; zone += step) {
		int left = bench->zones - zone;

		if (bench->lists)
			order_list(bench, zone, left < step ? left : step);
		else
			order_singly(bench, zone);
	}
}

/* First until both connections are there, then until all must have ended. */
static void on_timer(void *self)
{
	struct bench *bench = self;

	if (bench->started)
		fatal("%d of %d reports within %d s", bench->reports,
		      SERVERS * bench->zones, DEADLINE_MS / 1000);
	bench->started =
	    broker_is_up(bench->out) && !rpc_server_down_reason(bench->hearer);
	loop_timer_set(bench->timer, bench->started ? DEADLINE_MS : READY_POLL_MS);
	if (bench->started)
		order_all(bench);
}

/* ---- start ---- */

static void bench_open(struct bench *bench)
{
	const struct rpc_server_config hearer = {
		.topic = "pool_manager." POOL, .methods = methods, .version = "1.0",
		.prefetch = 64, .self = bench,
	};

	bench->loop = loop_new();
	bench->late_ms = json_array();
	bench->context = context_encode("req-bench", true);
	rpc_metrics_init(methods);
	bench->out = broker_open(bench->loop, &bench->common.broker, "out", NULL,
	                         &(struct broker_hooks){ 0 });
	bench->client = rpc_client_open(bench->loop, &bench->common.broker, bench->out);
	bench->hearer = rpc_server_open(bench->loop, &bench->common.broker, bench->out,
	                                &hearer);
	for (int i = 0; i < SERVERS; i++)
		server_open(bench, i);
	bench->timer = loop_timer_new(bench->loop, on_timer, bench);
	loop_timer_set(bench->timer, 0);
}

static void bench_close(struct bench *bench)
{
	loop_timer_free(&bench->timer);
	for (int i = 0; i < SERVERS; i++)
		server_close(&bench->servers[i]);
	rpc_server_close(&bench->hearer);
	rpc_client_close(&bench->client);
	broker_close(&bench->out);
	json_decref(bench->context);
	loop_free(&bench->loop);
}

static void print_result(struct bench *bench)
{
	double seconds = (double)(bench->ended_us - bench->started_us) / 1e6;
	json_t *result = json_pack("{s:i, s:f, s:i, s:O}", "exchanges", bench->reports,
	                           "seconds", seconds, "repeated", bench->repeated,
	                           "late_ms", bench->late_ms);

	json_dumpf(result, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(result);
	json_decref(bench->late_ms);
}

int main(int argc, char **argv)
{
	struct bench bench = { 0 };
	struct option_section *sections = worker_sections(&bench.common, NULL, NULL,
	                                                  NULL);
	const struct option_schema schema = { "exchanges", sections, NULL };
	struct why why;

	log_open("exchanges", false);
	if (argc != 5)
		fatal("usage: see the top of exchanges.c");
	if (option_load(&schema, argv[1], &why))
		fatal("%s", why.text);
	bench.zones = atoi(argv[2]);
	bench.lists = !strcmp(argv[3], "lists");
	bench.silent = atoi(argv[4]);
	bench_open(&bench);
	loop_run(bench.loop);
	print_result(&bench);
	bench_close(&bench);
	option_clear(&schema);
	free(sections);
	return 0;
}
