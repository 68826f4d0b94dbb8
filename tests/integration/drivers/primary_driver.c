/*
 * primary_driver -- the client of somebody's primary, and the providers, at the end of a
 * pipe: reads commands, a line of JSON each, and says how what they began came to its
 * end, so too.
 *
 *   {"do": "open", "zone": S, "host": S, "port": N, "key": [NAME, ALGORITHM, SECRET],
 *    "local": S, "silence_ms": N, "whole_ms": N, "idle_ms": N, "records": N, "octets": N}
 *   {"do": "read", "cancel_after": N}      {"end": "read", "fault", "serial", "records"}
 *   {"do": "send", "updates": [U...]}      {"end": "send", "outcome", "words"}
 *   {"do": "ask", "name": S, "type": N}    {"end": "ask", "fault", "ttl", "records"}
 *   {"do": "serial"}                       {"end": "serial", "fault", "serial"}
 *   {"do": "view"}                         {"end": "view", "fault", "serial"}
 *   {"do": "give", "updates": [U...]}      {"end": "give", "outcome", "words"}
 *   {"do": "wire", "updates": [U...]}      {"end": "wire", "message", "sizes"}
 *   {"do": "cancel", "what": S}            {"end": "cancel"}
 *   {"do": "cancel", "what": "provider"}
 *   {"do": "close"}                        {"end": "close"}
 *   {"do": "close_within"}                 the next callback closes it, too
 *   {"do": "open_managed", "zone": S, "broker": URL}   in its stead: a domain of central
 *
 * serial, view and give are the provider's, which has a client of its own: view reads the
 * zone, and give sends.
 *
 * U is {"prerequisites": [R...], "changes": [R...]}, R [KIND, NAME, TYPE, TTL, RDATA],
 * with rdata in hexadecimal digits. Records are such digits: of canonical octets of what
 * is read, of the rdata of what is asked for.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "core/update_wire.h"
#include "net/lookup.h"
#include "primary.h"
#include "provider.h"
#include "registry.h"
#include "runtime/broker.h"
#include "runtime/loop.h"
#include "runtime/rpc.h"
#include "runtime/worker.h"

struct driver {
	struct loop *loop;
	struct loop_io *input;
	struct buf line;
	struct tsig_key key;
	struct primary_config config;
	struct primary *primary;
	struct registry_settings settings;
	struct registry registry;
	struct lookup *lookup;		/* of rfc2136's primary */
	struct broker_config broker;	/* of managed */
	struct runtime runtime;
	struct view *view;
	json_t *records;		/* of what is read */
	size_t cancel_after;
	bool closes_within;
	bool is_starting;		/* no callback may come now */
};

static const char *text_of(const json_t *command, const char *key)
{
	const char *text = json_string_value(json_object_get(command, key));

	return text ? text : "";
}

static int64_t int_of(const json_t *command, const char *key, int64_t fallback)
{
	const json_t *value = json_object_get(command, key);

	return value ? json_integer_value(value) : fallback;
}

static struct name name_of(const char *text)
{
	struct name name;
	struct why why;

	if (name_parse(text, "name", &name, &why))
		fatal("%s", why.text);
	return name;
}

static json_t *hex_of(const uint8_t *octets, size_t len)
{
	struct buf text = { 0 };
	json_t *hex;

	for (size_t i = 0; i < len; i++)
		buf_printf(&text, "%02x", octets[i]);
	hex = json_string(buf_string(&text));
	buf_clear(&text);
	return hex;
}

static void say(json_t *line)
{
	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	fflush(stdout);
	json_decref(line);
}

static void close_all(struct driver *d)
{
	primary_free(&d->primary);
	if (d->registry.provider)
		d->registry.provider->stop(&d->registry);
	d->registry.provider = NULL;
	lookup_free(&d->lookup);
	view_free(&d->view);
}

/* ---- what comes to an end ---- */

static void begin_callback(struct driver *d)
{
	bug_if(d->is_starting);
	if (d->closes_within)
		close_all(d);
	d->closes_within = false;
}

static void on_record(void *self, const struct canonical *record)
{
	struct driver *d = self;

	bug_if(d->is_starting);
	json_array_append_new(d->records, hex_of(record->octets, record->len));
	if (json_array_size(d->records) != d->cancel_after)
		return;
	if (d->closes_within)
		primary_free(&d->primary);
	else
		primary_cancel_read(d->primary);
	say(json_pack("{s:s}", "end", "cancelled"));
}

static void on_read(void *self, const char *fault, uint32_t serial)
{
	struct driver *d = self;
	json_t *records = d->records;

	d->records = NULL;
	begin_callback(d);
	say(json_pack("{s:s, s:s?, s:I, s:o}", "end", "read", "fault", fault, "serial",
	              (json_int_t)serial, "records", records));
}

static void on_sent(void *self, enum outcome outcome, const char *words)
{
	begin_callback(self);
	say(json_pack("{s:s, s:s, s:s}", "end", "send", "outcome", outcome_name(outcome),
	              "words", words));
}

static void on_given(void *self, enum outcome outcome, const char *words)
{
	begin_callback(self);
	say(json_pack("{s:s, s:s, s:s}", "end", "give", "outcome", outcome_name(outcome),
	              "words", words));
}

static void on_asked(void *self, const char *fault, const struct rrset *set)
{
	json_t *records = json_array();

	begin_callback(self);
	bug_if(!fault != (set != NULL));
	for (size_t i = 0; set && i < set->count; i++)
		json_array_append_new(records, hex_of(set->records[i].octets,
		                                      set->records[i].len));
	say(json_pack("{s:s, s:s?, s:I, s:o}", "end", "ask", "fault", fault, "ttl",
	              (json_int_t)(set ? set->ttl : 0), "records", records));
}

static void end_provider(struct driver *d, const char *end, const char *fault,
                         uint32_t serial)
{
	json_t *line = json_pack("{s:s, s:s?, s:I}", "end", end, "fault", fault, "serial",
	                         (json_int_t)serial);

	begin_callback(d);
	say(line);
}

static void on_serial(void *self, const char *fault, uint32_t serial)
{
	end_provider(self, "serial", fault, serial);
}

static void on_view(void *self, const char *fault, uint32_t serial)
{
	struct driver *d = self;

	view_free(&d->view);
	end_provider(d, "view", fault, serial);
}

/* ---- updates ---- */

static enum update_kind kind_of(const char *text)
{
	static const char *const names[] = {
		[UPDATE_SET_IS] = "set_is",         [UPDATE_NO_SET] = "no_set",
		[UPDATE_NO_NAME] = "no_name",       [UPDATE_DELETE_SET] = "delete_set",
		[UPDATE_DELETE] = "delete",         [UPDATE_ADD] = "add",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], text))
			return i;
	fatal("no such kind: %s", text);
}

static struct rdata rdata_of(struct arena *arena, const char *hex)
{
	size_t len = strlen(hex) / 2;
	uint8_t *octets = arena_alloc(arena, len + 1);

	for (size_t i = 0; i < len; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &octets[i]) != 1)
			fatal("no digits: %s", hex);
	return (struct rdata){ octets, (uint16_t)len };
}

static struct update_rrs rrs_of(struct arena *arena, const json_t *list)
{
	size_t count = json_array_size(list);
	struct update_rrs rrs = { arena_alloc(arena, (count + 1) * sizeof(*rrs.rrs)),
	                          count, count };

	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(list, i);
		struct update_rr *rr = &rrs.rrs[i];

		rr->kind = kind_of(json_string_value(json_array_get(item, 0)));
		rr->name = name_of(json_string_value(json_array_get(item, 1)));
		rr->type = json_integer_value(json_array_get(item, 2));
		rr->ttl = json_integer_value(json_array_get(item, 3));
		rr->rdata = rdata_of(arena, json_string_value(json_array_get(item, 4)));
	}
	return rrs;
}

static const struct update *const *updates_of(struct arena *arena, const json_t *command,
                                              size_t *count)
{
	const json_t *list = json_object_get(command, "updates");
	const struct update **updates;

	*count = json_array_size(list);
	updates = arena_alloc(arena, (*count + 1) * sizeof(*updates));
	for (size_t i = 0; i < *count; i++) {
		const json_t *item = json_array_get(list, i);
		struct update *update = arena_alloc(arena, sizeof(*update));

		update->prerequisites =
		    rrs_of(arena, json_object_get(item, "prerequisites"));
		update->changes = rrs_of(arena, json_object_get(item, "changes"));
		updates[i] = update;
	}
	return updates;
}

static void do_send(struct driver *d, const json_t *command)
{
	struct arena *arena = arena_new();
	size_t count;
	const struct update *const *updates = updates_of(arena, command, &count);

	primary_send(d->primary, updates, count, on_sent, d);
	arena_free(&arena);
}

static void do_give(struct driver *d, const json_t *command)
{
	struct arena *arena = arena_new();
	size_t count;
	const struct update *const *updates = updates_of(arena, command, &count);

	d->registry.provider->send(&d->registry, updates, count, on_given, d);
	arena_free(&arena);
}

static void do_wire(struct driver *d, const json_t *command)
{
	struct arena *arena = arena_new();
	struct update_message message = {
		.zone = &d->config.zone, .key = d->config.key, .id = 0x102,
		.now = (uint64_t)clock_unix(),
	};
	uint8_t *data = arena_alloc(arena, PACKET_MAX);
	json_t *sizes = json_array();
	struct update_sent sent;
	size_t len;

	message.updates = updates_of(arena, command, &message.count);
	for (size_t i = 0; i < message.count; i++)
		json_array_append_new(sizes, json_integer((json_int_t)
		    update_wire_size(message.updates[i]).octets));
	len = update_wire_put(&message, &sent, data);
	say(json_pack("{s:s, s:o, s:o}", "end", "wire", "message", hex_of(data, len),
	              "sizes", sizes));
	arena_free(&arena);
}

/* ---- the other commands ---- */

static void set_key(struct driver *d, const json_t *list)
{
	struct why why;

	d->config.key = NULL;
	if (!json_is_array(list))
		return;
	if (tsig_key_parse(json_string_value(json_array_get(list, 0)),
	                   json_string_value(json_array_get(list, 1)),
	                   json_string_value(json_array_get(list, 2)), &d->key, &why))
		fatal("%s", why.text);
	d->config.key = &d->key;
}

static void open_provider(struct driver *d, const struct provider *provider)
{
	struct registry *registry = &d->registry;

	d->settings.timeout_ms = d->config.silence_ms;
	*registry = (struct registry){
		.settings = &d->settings, .zone = d->config.zone, .provider = provider,
		.lookup = d->lookup, .has_key = d->config.key,
	};
	name_format(&registry->zone, registry->zone_text);
	if (registry->has_key)
		registry->key = *d->config.key;
	provider->start(registry, &d->runtime);
}

static void do_open(struct driver *d, const json_t *command)
{
	close_all(d);
	d->config = (struct primary_config){
		.zone = name_of(text_of(command, "zone")),
		.silence_ms = (int)int_of(command, "silence_ms", 10000),
		.whole_ms = (int)int_of(command, "whole_ms", 30000),
		.idle_ms = (int)int_of(command, "idle_ms", 2000),
		.limits = { (uint64_t)int_of(command, "records", 1000000),
		            (uint64_t)int_of(command, "octets", 1 << 30) },
	};
	if (!address_parse(text_of(command, "host"),
	                   (uint16_t)int_of(command, "port", 0), &d->config.server))
		fatal("no address: %s", text_of(command, "host"));
	if (*text_of(command, "local") &&
	    !address_parse(text_of(command, "local"), 0, &d->config.local))
		fatal("no address: %s", text_of(command, "local"));
	set_key(d, json_object_get(command, "key"));
	free(d->settings.host);
	d->settings.host = xstrdup(text_of(command, "host"));
	d->lookup = lookup_new(&(struct lookup_config){
		.loop = d->loop, .host = text_of(command, "host"),
		.port = (uint16_t)int_of(command, "port", 0) });
	d->primary = primary_new(d->loop, &d->config);
	open_provider(d, &provider_rfc2136);
}

static void do_open_managed(struct driver *d, const json_t *command)
{
	close_all(d);
	d->broker = (struct broker_config){
		.url = xstrdup(text_of(command, "broker")),
		.exchange = (char *)"zonefleet", .heartbeat_s = 15,
		.max_message_bytes = 1 << 20, .queue_limit = 100,
	};
	d->runtime.out = broker_open(d->loop, &d->broker, "out", NULL,
	                             &(struct broker_hooks){ 0 });
	d->runtime.rpc = rpc_client_open(d->loop, &d->broker, d->runtime.out);
	d->config.zone = name_of(text_of(command, "zone"));
	open_provider(d, &provider_managed);
}

static void do_read(struct driver *d, const json_t *command)
{
	const struct primary_reader reader = { on_record, on_read, d };

	json_decref(d->records);
	d->records = json_array();
	d->cancel_after = (size_t)int_of(command, "cancel_after", 0);
	primary_read(d->primary, &reader);
}

static void do_ask(struct driver *d, const json_t *command)
{
	struct name name = name_of(text_of(command, "name"));

	primary_ask(d->primary, &name, (uint16_t)int_of(command, "type", 0), on_asked, d);
}

static void do_serial(struct driver *d, const json_t *command)
{
	(void)command;
	d->registry.provider->serial(&d->registry, on_serial, d);
}

static void do_view(struct driver *d, const json_t *command)
{
	(void)command;
	view_free(&d->view);
	d->view = view_new(&d->config.zone, 1);
	d->registry.provider->read(&d->registry, d->view, on_view, d);
}

static void do_cancel(struct driver *d, const json_t *command)
{
	const char *what = text_of(command, "what");

	if (!strcmp(what, "read"))
		primary_cancel_read(d->primary);
	else if (!strcmp(what, "send"))
		primary_cancel_send(d->primary);
	else if (!strcmp(what, "provider"))
		d->registry.provider->cancel(&d->registry);
	else
		primary_cancel_ask(d->primary);
	say(json_pack("{s:s}", "end", "cancel"));
}

static void do_close(struct driver *d, const json_t *command)
{
	(void)command;
	close_all(d);
	say(json_pack("{s:s}", "end", "close"));
}

static void do_close_within(struct driver *d, const json_t *command)
{
	(void)command;
	d->closes_within = true;
}

static const struct {
	const char *name;
	void (*run)(struct driver *d, const json_t *command);
} commands[] = {
	{ "open",         do_open         },
	{ "open_managed", do_open_managed },
	{ "read",         do_read         },
	{ "send",         do_send         },
	{ "ask",          do_ask          },
	{ "serial",       do_serial       },
	{ "view",         do_view         },
	{ "give",         do_give         },
	{ "wire",         do_wire         },
	{ "cancel",       do_cancel       },
	{ "close",        do_close        },
	{ "close_within", do_close_within },
};

/* ---- the pipe ---- */

static void run(struct driver *d, const char *line)
{
	json_t *command = json_loads(line, 0, NULL);
	const char *name = text_of(command, "do");
	size_t at = 0;

	while (at < sizeof(commands) / sizeof(commands[0]) &&
	       strcmp(commands[at].name, name))
		at++;
	if (at == sizeof(commands) / sizeof(commands[0]))
		fatal("no such command: %s", line);
	d->is_starting = true;
	commands[at].run(d, command);
	d->is_starting = false;
	json_decref(command);
}

static void run_lines(struct driver *d)
{
	char *end;

	while (d->line.len && (end = memchr(d->line.data, '\n', d->line.len))) {
		size_t taken = (size_t)((uint8_t *)end + 1 - d->line.data);

		*end = '\0';
		run(d, (char *)d->line.data);
		d->line.len -= taken;
		memmove(d->line.data, d->line.data + taken, d->line.len);
	}
}

static void on_input(void *self, int events)
{
	static char data[65536];
	struct driver *d = self;
	ssize_t len = read(STDIN_FILENO, data, sizeof(data));

	(void)events;
	if (len <= 0) {
		loop_stop(d->loop);
		return;
	}
	buf_append(&d->line, data, (size_t)len);
	run_lines(d);
}

int main(void)
{
	struct driver d = { .loop = loop_new() };

	d.runtime.loop = d.loop;
	log_open("primary_driver", false);
	d.input = loop_io_new(d.loop, STDIN_FILENO, LOOP_READ, on_input, &d);
	loop_run(d.loop);
	close_all(&d);
	rpc_client_close(&d.runtime.rpc);
	broker_close(&d.runtime.out);
	free(d.broker.url);
	json_decref(d.records);
	buf_clear(&d.line);
	free(d.settings.host);
	loop_io_free(&d.input);
	loop_free(&d.loop);
	return 0;
}
