/*
 * load -- what the benchmark sends, and how long it took until it was so.
 *
 *	load CONFIG create  DOMAINS                 makes bench-0.example. and so on
 *	load CONFIG accept  DOMAINS TENANTS         domains of tenants, until accepted
 *	load CONFIG latency CHANGES DOMAINS         one change at a time until ACTIVE
 *	load CONFIG changes CHANGES DOMAINS         64 at a time until all are ACTIVE
 *	load CONFIG reads   SECONDS DOMAINS         get_domain, 16 outstanding
 *	load axfr HOST PORT ZONE RECORDS TIMES      whole zones, one after the other
 *	load ixfr HOST PORT ZONE RECORDS TIMES SERIAL   what came since, the same way
 *
 * CONFIG is the fleet's settings file, of which the broker and the database
 * are read. Changes go round the first DOMAINS domains. ACTIVE is seen in the
 * database, every millisecond for a latency and every 50 ms for a throughput,
 * so that no message of ours is in the way of those that are measured. The
 * result is one line of JSON; whatever fails ends the program.
 */
#include <arpa/inet.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/name.h"
#include "model/rr.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"
#include "runtime/tx.h"
#include "runtime/worker.h"

enum {
	READERS = 16, WRITERS = 64,	/* each has one call outstanding */
	LATENCY_POLL_MS = 1, THROUGHPUT_POLL_MS = 50,
	CALL_TIMEOUT_MS = 60 * 1000, ACTIVE_TIMEOUT_MS = 60 * 1000,
	WARM_UP_MS = 500,
	NAME_SIZE = 64,
};

struct load {
	struct worker_common common;
	struct loop *loop;
	struct broker *out;
	struct rpc_client *rpc;
	struct db *db;
	struct loop_timer *timer;
	json_t *context;
	int64_t want, domains;		/* as the command line has it */
	int64_t sent, answered;
	int64_t started_us, until_us, answered_us;
	const char *method;
	json_t *(*args)(const struct load *load, int64_t number);
	rpc_answer_fn *on_answer;
	int64_t serial;			/* of the change whose end is awaited */
	json_t *latencies, *acceptances;
};

/* ---- what is asked ---- */

static void domain_name(const struct load *load, int64_t number, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "bench-%lld.example.",
	         (long long)(number % load->domains));
}

static json_t *create_args(const struct load *load, int64_t number)
{
	char name[NAME_SIZE];

	domain_name(load, number, name);
	return json_pack("{s:{s:s, s:s}}", "domain", "name", name, "email",
	                 "hostmaster@example.net");
}

/* The names of two runs differ if their numbers of tenants do. */
static json_t *accept_args(const struct load *load, int64_t number)
{
	char name[NAME_SIZE];

	snprintf(name, NAME_SIZE, "bench-%lld-%lld.example.", (long long)load->domains,
	         (long long)number);
	return json_pack("{s:{s:s}}", "domain", "name", name);
}

/* The tenants take turns. load->domains is their number. */
static void set_tenant(struct load *load, int64_t number)
{
	char tenant[NAME_SIZE];

	snprintf(tenant, sizeof tenant, "bench-%lld-%lld", (long long)load->domains,
	         (long long)(number % load->domains));
	json_object_set_new(load->context, "project_id", json_string(tenant));
}

static json_t *get_args(const struct load *load, int64_t number)
{
	char name[NAME_SIZE];

	domain_name(load, number, name);
	return json_pack("{s:s}", "domain", name);
}

/* One address in place of the last one: the zone keeps its size. */
static json_t *change_args(const struct load *load, int64_t number)
{
	uint32_t host = (uint32_t)clock_us();
	char name[NAME_SIZE], owner[NAME_SIZE + 4], address[INET_ADDRSTRLEN];

	domain_name(load, number, name);
	snprintf(owner, sizeof owner, "www.%s", name);
	snprintf(address, sizeof address, "10.%u.%u.%u", host >> 16 & 255,
	         host >> 8 & 255, host & 255);
	return json_pack("{s:s, s:[{s:s, s:s, s:s, s:i, s:[s]}]}", "domain", name,
	                 "changes", "op", "set", "name", owner, "type", "A", "ttl", 300,
	                 "records", address);
}

static void send_next(struct load *load)
{
	static const struct rpc_target central = { .topic = "central" };
	json_t *args = load->args(load, load->sent++);
	struct why why;

	if (load->args == accept_args)
		set_tenant(load, load->sent);
	if (rpc_call(load->rpc, &central, load->method, args, load->context,
	             CALL_TIMEOUT_MS, load->on_answer, load, &why))
		fatal("cannot call: %s", why.text);
	json_decref(args);
}

static void expect_success(struct load *load, const struct rpc_answer *answer)
{
	if (answer->err)
		fatal("%s: %s: %s", load->method, answer->class, answer->why.text);
	load->answered++;
}

static void stop(void *self)
{
	struct load *load = self;

	loop_stop(load->loop);
}

static void begin(struct load *load)
{
	load->started_us = clock_us();
	load->sent = load->answered = 0;
}

/* ---- what is seen ---- */

static int64_t one_number(struct load *load, const char *sql, const struct tx_value *bind)
{
	struct why why;
	struct tx tx = tx_autocommit(load->db, &why);
	struct tx_rows rows;
	int64_t number = 0;

	if (tx_select_row(&tx, NULL, &rows, sql, bind)) {
		number = row_int(&rows);
		tx_select_end(&rows);
	}
	if (tx_commit(&tx))
		fatal("cannot ask the database: %s", why.text);
	return number;
}

static int64_t not_active(struct load *load)
{
	return one_number(load, "SELECT COUNT(*) FROM domains WHERE status <> 'ACTIVE'",
	                  TX_NONE);
}

static bool is_active(struct load *load, int64_t number, int64_t serial)
{
	char name[NAME_SIZE];

	domain_name(load, number, name);
	return one_number(load, "SELECT COUNT(*) FROM domains WHERE name = ? AND "
	                  "live = 1 AND status = 'ACTIVE' AND serial >= ?",
	                  TX_BIND(tx_text(name), tx_int(serial)));
}

static void await(struct load *load, int poll_ms)
{
	if (clock_us() - load->started_us > ACTIVE_TIMEOUT_MS * 1000LL)
		fatal("not ACTIVE within %d s", ACTIVE_TIMEOUT_MS / 1000);
	loop_timer_set(load->timer, poll_ms);
}

static double seconds_since(int64_t started_us)
{
	return (double)(clock_us() - started_us) / 1e6;
}

/* ---- many at a time ---- */

static void end_when_active(void *self)
{
	struct load *load = self;

	if (not_active(load) == 0)
		loop_stop(load->loop);
	else
		await(load, THROUGHPUT_POLL_MS);
}

static void on_accepted(void *self, const struct rpc_answer *answer)
{
	struct load *load = self;

	expect_success(load, answer);
	if (load->sent < load->want)
		send_next(load);
	if (load->answered < load->want)
		return;
	load->answered_us = clock_us();
	loop_timer_set(load->timer, 0);
}

static json_t *run_until_active(struct load *load)
{
	load->on_answer = on_accepted;
	load->timer = loop_timer_new(load->loop, end_when_active, load);
	begin(load);
	for (int i = 0; i < WRITERS && i < load->want; i++)
		send_next(load);
	loop_run(load->loop);

	double took = seconds_since(load->started_us);
	double accepted = (double)(load->answered_us - load->started_us) / 1e6;

	return json_pack("{s:f, s:f, s:f}", "seconds", took,
	                 "accepted_per_second", (double)load->want / accepted,
	                 "active_per_second", (double)load->want / took);
}

static json_t *run_create(struct load *load)
{
	load->domains = load->want;
	load->method = "create_domain";
	load->args = create_args;
	return run_until_active(load);
}

/* On the way of a tenant, who has a quota. */
static void on_created(void *self, const struct rpc_answer *answer)
{
	struct load *load = self;

	expect_success(load, answer);
	if (load->sent < load->want)
		send_next(load);
	else if (load->answered == load->want)
		loop_stop(load->loop);
}

static json_t *run_accept(struct load *load)
{
	json_decref(load->context);
	load->context = context_encode("req-bench", false);
	load->method = "create_domain";
	load->args = accept_args;
	load->on_answer = on_created;
	begin(load);
	for (int i = 0; i < WRITERS && i < load->want; i++)
		send_next(load);
	loop_run(load->loop);
	return json_pack("{s:f}", "accepted_per_second",
	                 (double)load->want / seconds_since(load->started_us));
}

static json_t *run_changes(struct load *load)
{
	load->method = "apply_changes";
	load->args = change_args;
	return run_until_active(load);
}

/* ---- one at a time ---- */

static void next_change(struct load *load)
{
	load->started_us = clock_us();
	send_next(load);
}

static void append_time(struct load *load, json_t *times)
{
	json_array_append_new(times, json_real(seconds_since(load->started_us)));
}

static void look(void *self)
{
	struct load *load = self;

	if (!is_active(load, load->sent - 1, load->serial)) {
		await(load, LATENCY_POLL_MS);
		return;
	}
	append_time(load, load->latencies);
	if (load->sent < load->want)
		next_change(load);
	else
		loop_stop(load->loop);
}

static void on_changed(void *self, const struct rpc_answer *answer)
{
	struct load *load = self;

	expect_success(load, answer);
	load->serial = json_integer_value(json_object_get(answer->result, "serial"));
	append_time(load, load->acceptances);
	loop_timer_set(load->timer, LATENCY_POLL_MS);
}

static json_t *run_latency(struct load *load)
{
	load->method = "apply_changes";
	load->args = change_args;
	load->on_answer = on_changed;
	load->latencies = json_array();
	load->acceptances = json_array();
	load->timer = loop_timer_new(load->loop, look, load);
	next_change(load);
	loop_run(load->loop);
	return json_pack("{s:o, s:o}", "active", load->latencies, "accepted",
	                 load->acceptances);
}

/* ---- reads ---- */

static void on_read(void *self, const struct rpc_answer *answer)
{
	struct load *load = self;

	expect_success(load, answer);
	if (clock_us() < load->until_us)
		send_next(load);
	else
		loop_stop(load->loop);
}

static void count_from_here(void *self)
{
	begin(self);
}

/* Connecting and warming up do not count. */
static json_t *run_reads(struct load *load)
{
	load->method = "get_domain";
	load->args = get_args;
	load->on_answer = on_read;
	load->timer = loop_timer_new(load->loop, count_from_here, load);
	loop_timer_set(load->timer, WARM_UP_MS);
	load->until_us = clock_us() + WARM_UP_MS * 1000LL + load->want * 1000000;
	for (int i = 0; i < READERS; i++)
		send_next(load);
	loop_run(load->loop);
	rpc_cancel(load->rpc, load);
	return json_pack("{s:f}", "calls_per_second",
	                 (double)load->answered / seconds_since(load->started_us));
}

/* ---- transfers ---- */

static void read_all(int fd, uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = read(fd, data, len);

		if (n <= 0)
			fatal("the transfer broke off");
		data += n;
		len -= (size_t)n;
	}
}

static int connect_to(const char *host, int port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (inet_pton(AF_INET, host, &address.sin_addr) != 1)
		fatal("not an address: %s", host);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
		fatal("cannot connect to %s port %d", host, port);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = 30 },
	           sizeof(struct timeval));
	return fd;
}

/*
 * RFC 1035, 4.1.1 and 4.2.2: length, header with one question, name, type, IN; and for an
 * IXFR the SOA that the client has, with nothing in it but its serial (RFC 1995 3).
 */
static void ask_transfer(int fd, const struct name *zone, const uint32_t *serial)
{
	const uint8_t tail[] = { 0, serial ? RR_IXFR : RR_AXFR, 0, 1 };
	const uint8_t soa[] = { 0xc0, 12, 0, RR_SOA, 0, 1, 0, 0, 0, 0, 0, 22, 0, 0 };
	const uint8_t header[12] = { [1] = 1, [5] = 1, [9] = serial != NULL };
	struct buf query = { 0 };

	buf_u16(&query, (uint16_t)(sizeof header + zone->len + sizeof tail +
	                           (serial ? sizeof soa + 20 : 0)));
	buf_append(&query, header, sizeof header);
	buf_append(&query, zone->wire, zone->len);
	buf_append(&query, tail, sizeof tail);
	if (serial) {
		buf_append(&query, soa, sizeof soa);
		buf_u32(&query, *serial);
		buf_append(&query, (const uint8_t[16]){ 0 }, 16);
	}
	if (write(fd, query.data, query.len) != (ssize_t)query.len)
		fatal("cannot ask for the zone");
	buf_clear(&query);
}

/* Counted by the headers, so that the client costs next to nothing beside the server. */
static void take_records(int fd, int64_t records)
{
	static uint8_t message[65535];
	uint8_t length[2];
	int64_t got = 0;

	while (got < records) {
		read_all(fd, length, sizeof length);
		size_t len = (size_t)length[0] << 8 | length[1];

		read_all(fd, message, len);
		if (len < 12 || message[3] & 15)
			fatal("the transfer was refused");
		got += message[6] << 8 | message[7];
	}
	if (got > records)
		fatal("more records than expected");
}

/* How long it took from the question on, without the connecting. */
static double transfer(char **args, const struct name *zone, const uint32_t *serial)
{
	int fd = connect_to(args[0], atoi(args[1]));
	int64_t started_us = clock_us();

	ask_transfer(fd, zone, serial);
	take_records(fd, atoll(args[3]));
	double took = seconds_since(started_us);
	close(fd);
	return took;
}

/* RECORDS counts the SOA as often as it is sent. SERIAL: that of an IXFR; or NULL. */
static int run_transfers(char **args, const char *serial)
{
	int64_t records = atoll(args[3]), times = atoll(args[4]);
	uint32_t from = serial ? (uint32_t)atoll(serial) : 0;
	json_t *seconds = json_array();
	double all = 0;
	struct name zone;
	struct why why;

	if (name_parse(args[2], "ZONE", &zone, &why))
		fatal("%s", why.text);
	for (int64_t i = 0; i < times; i++) {
		double took = transfer(args, &zone, serial ? &from : NULL);

		json_array_append_new(seconds, json_real(took));
		all += took;
	}
	json_t *result = json_pack("{s:f, s:o}", "records_per_second",
	                           (double)(records * times) / all, "seconds", seconds);
	json_dumpf(result, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(result);
	return 0;
}

/* ---- start ---- */

static const struct mode {
	const char *name;
	json_t *(*run)(struct load *load);
	int numbers;
} modes[] = {
	{ "create",  run_create,  1 },
	{ "accept",  run_accept,  2 },
	{ "latency", run_latency, 2 },
	{ "changes", run_changes, 2 },
	{ "reads",   run_reads,   2 },
	{ 0 }
};

static void load_open(struct load *load)
{
	load->loop = loop_new();
	loop_signal(load->loop, SIGTERM, stop, load);
	load->out = broker_open(load->loop, &load->common.broker, "out", NULL,
	                        &(struct broker_hooks){ 0 });
	load->rpc = rpc_client_open(load->loop, &load->common.broker, load->out);
	load->db = db_new(&load->common.db);
	load->context = context_encode("req-bench", true);
	json_object_set_new(load->context, "project_id", json_string("bench"));
}

static void load_close(struct load *load)
{
	json_decref(load->context);
	loop_timer_free(&load->timer);
	db_free(&load->db);
	rpc_client_close(&load->rpc);
	broker_close(&load->out);
	loop_free(&load->loop);
}

static int run_mode(const struct mode *mode, const char *config, char **numbers)
{
	struct load load = { .want = atoll(numbers[0]) };
	struct option_section *sections = worker_sections(&load.common, NULL, NULL,
	                                                  NULL);
	const struct option_schema schema = { "load", sections, NULL };
	struct why why;

	if (option_load(&schema, config, &why))
		fatal("%s", why.text);
	load.domains = mode->numbers > 1 ? atoll(numbers[1]) : load.want;
	load_open(&load);
	json_t *result = mode->run(&load);
	json_dumpf(result, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(result);
	load_close(&load);
	option_clear(&schema);
	free(sections);
	return 0;
}

int main(int argc, char **argv)
{
	log_open("load", false);
	signal(SIGPIPE, SIG_IGN);
	if (argc == 7 && !strcmp(argv[1], "axfr"))
		return run_transfers(argv + 2, NULL);
	if (argc == 8 && !strcmp(argv[1], "ixfr"))
		return run_transfers(argv + 2, argv[7]);
	for (const struct mode *mode = modes; argc > 3 && mode->name; mode++)
		if (!strcmp(mode->name, argv[2]) && argc == 3 + mode->numbers)
			return run_mode(mode, argv[1], argv + 3);
	fatal("usage: see the top of load.c");
}
