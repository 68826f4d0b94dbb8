#include "router.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "await.h"
#include "handlers.h"
#include "pages.h"

#define ROUTES "routes"
#define DOWN   "=down"

enum { TTL_MAX = 7 * 24 * 3600, ROUTERS_SEEN = 1000 };

/* ---- calls ---- */

enum err routes_ask(struct cli *cli, const char *method, json_t *args, const char *key,
                    json_t **answer)
{
	json_t *whole;
	enum err err = client_call(cli->client, ROUTES, method, args, &whole, &cli->why);

	if (err)
		return err;
	*answer = json_incref(json_object_get(whole, key));
	json_decref(whole);
	return OK;
}

static enum err router_get(struct cli *cli, const char *name, json_t **router)
{
	return routes_ask(cli, "get_router", json_pack("{s:s}", "router", name), "router",
	                  router);
}

/* ---- waiting ---- */

enum err router_check_error(struct cli *cli, const json_t *router)
{
	const char *reason = answer_text(router, "reason");

	if (strcmp(answer_text(router, "zone_status"), "ERROR"))
		return OK;
	cli_fail(cli, ERR_CONFLICT, "the domain of router %.63s is in ERROR: %s; "
	         "zonefleet-routes retries", answer_text(router, "name"),
	         *reason ? reason : "administrators see why in 'zonefleet router show'");
	cli->status = EXIT_IN_ERROR;
	cli->class = "InError";
	return ERR_CONFLICT;
}

enum err router_look(struct cli *cli, const char *name, json_t **router, bool *is_out)
{
	json_t *seen;
	enum err err = router_get(cli, name, &seen);

	if (err)
		return err;
	json_decref(*router);
	*router = seen;
	*is_out = !strcmp(answer_text(seen, "zone_status"), "ACTIVE");
	return OK;
}

/* A command on one router. */
struct work {
	struct cli *cli;
	json_t *router;			/* its latest state */
	json_t *domain;			/* of a deleted router; NULL: not read yet */
};

static enum err router_poll_zone(void *self, bool *is_over)
{
	struct work *work = self;

	return router_look(work->cli, work->cli->argv[0], &work->router, is_over);
}

static enum err router_poll_routes(void *self, bool *is_over)
{
	struct work *work = self;
	json_t *seen;
	enum err err = router_get(work->cli, work->cli->argv[0], &seen);

	if (err)
		return err;
	json_decref(work->router);
	work->router = seen;
	*is_over = !answer_number(seen, "routes");
	return OK;
}

/* A domain that is older than its router, or that has other records, is not deleted. */
static enum err router_poll_domain(struct work *work, bool *is_over)
{
	json_t *domain = json_sprintf("%s.", answer_text(work->router, "dns"));
	json_t *seen = NULL;
	enum err err = cli_call(work->cli, "get_domain",
	                        json_pack("{s:O}", "domain", domain), &seen);

	*is_over = err == ERR_NOT_FOUND ||
	           (!err && strcmp(answer_text(seen, "task"), "DELETE"));
	json_decref(work->domain);
	work->domain = seen;
	json_decref(domain);
	return *is_over ? OK : err;
}

/* The router disappears when central deletes the domain. Then wait for the domain. */
static enum err router_poll_gone(void *self, bool *is_over)
{
	struct work *work = self;
	bool is_out;
	enum err err = router_look(work->cli, work->cli->argv[0], &work->router, &is_out);

	return err == ERR_NOT_FOUND ? router_poll_domain(work, is_over) : err;
}

/* WHAT: the text in the progress line. */
static enum err router_await(struct work *work, const char *what,
                             enum err (*poll)(void *self, bool *is_over), bool *is_over)
{
	struct await await = { .cli = work->cli, .subject = work->cli->argv[0],
	                       .what = what, .poll = poll, .self = work };

	return await_in_time(&await, is_over);
}

/* Sets the answer: the router, with the seconds of --wait. */
static void router_answer(struct work *work)
{
	struct cli *cli = work->cli;

	if (cli_has(cli, OPT_WAIT))
		json_object_set_new(work->router, "seconds", json_real(cli_elapsed(cli)));
	cli_answer(cli, json_incref(work->router));
}

static bool address_is(const json_t *address, const char *key)
{
	return json_is_true(json_object_get(address, key));
}

static bool router_is_printed(const struct cli *cli)
{
	return !cli->out.json && !cli->out.quiet;
}

static enum err router_wait_zone(struct work *work)
{
	struct cli *cli = work->cli;
	bool is_out = false;
	enum err err;

	if (!cli_has(cli, OPT_WAIT))
		return OK;
	err = router_await(work, "waits for the name servers", router_poll_zone, &is_out);
	if (!err && !is_out)
		err = router_check_error(cli, work->router);
	if (!err && !is_out)
		err = fail(&cli->why, ERR_TIMEOUT, "the domain of router %.63s is still "
		           "%.16s after %.1f s (see 'zonefleet status %.255s')",
		           cli->argv[0], answer_text(work->router, "zone_status"),
		           cli_elapsed(cli), answer_text(work->router, "dns"));
	if (!err && router_is_printed(cli))
		printf("ACTIVE at serial %" PRId64 " after %.3f s\n",
		       answer_number(work->router, "serial"), cli_elapsed(cli));
	return err;
}

/* ---- values from options and arguments ---- */

/* "10.245.2.3", "10.245.2.3=down" */
static enum err router_put_address(struct cli *cli, const char *word, json_t *addresses)
{
	size_t len = strcspn(word, "=");

	if (word[len] && strcmp(word + len, DOWN))
		return cli_usage(cli, "'%.100s' must be an address, or ADDRESS" DOWN,
		                 word);
	json_array_append_new(addresses, json_pack("{s:s%, s:b}", "address", word, len,
	                                           "up", !word[len]));
	return OK;
}

static enum err router_put_addresses(struct cli *cli, json_t *values)
{
	json_t *addresses = json_array();
	enum err err = OK;

	for (int i = 1; !err && i < cli->argc; i++)
		err = router_put_address(cli, cli->argv[i], addresses);
	json_object_set_new(values, "addresses", addresses);
	return err;
}

static enum err router_put_capacity(struct cli *cli, json_t *values)
{
	int64_t capacity = 0;
	bool is_none = cli_has(cli, OPT_CAPACITY) && !*cli->option[OPT_CAPACITY];
	enum err err = is_none ? OK : cli_number(cli, OPT_CAPACITY, 0, UINT32_MAX,
	                                         &capacity);

	if (!err && cli_has(cli, OPT_CAPACITY))
		json_object_set_new(values, "capacity", is_none ? json_null()
		                                                : json_integer(capacity));
	return err;
}

static enum err router_put_ttl(struct cli *cli, json_t *values)
{
	int64_t ttl = 0;
	enum err err = cli_seconds(cli, OPT_TTL, TTL_MAX, &ttl);

	if (!err && cli_has(cli, OPT_TTL))
		json_object_set_new(values, "ttl", json_integer(ttl));
	return err;
}

/* Reads the values from all options, and from the arguments after the name. */
static enum err router_put_values(struct cli *cli, json_t *values)
{
	enum err err = cli->argc > 1 ? router_put_addresses(cli, values) : OK;

	if (!err)
		err = router_put_capacity(cli, values);
	if (!err)
		err = router_put_ttl(cli, values);
	cli_put_text(cli, OPT_LABEL, values, "label");
	cli_put_text(cli, OPT_DESCRIPTION, values, "description");
	return err;
}

/* Calls METHOD with ARGS (taken over). DONE is the verb of the printed line. */
static enum err router_call(struct cli *cli, const char *method, json_t *args,
                            const char *done)
{
	struct work work = { .cli = cli };
	enum err err = routes_ask(cli, method, args, "router", &work.router);

	if (err)
		return err;
	if (router_is_printed(cli))
		printf("%s router %s: *.%s, %s\n", done, cli->argv[0],
		       answer_text(work.router, "dns"),
		       answer_text(work.router, "zone_status"));
	err = router_wait_zone(&work);
	router_answer(&work);
	json_decref(work.router);
	return err;
}

enum err router_create(struct cli *cli)
{
	json_t *router = json_pack("{s:s}", "name", cli->argv[0]);
	enum err err = router_put_values(cli, router);

	if (err) {
		json_decref(router);
		return err;
	}
	cli_put_text(cli, OPT_DNS, router, "dns");
	return router_call(cli, "create_router", json_pack("{s:o}", "router", router),
	                   "created");
}

enum err router_set(struct cli *cli)
{
	json_t *values = json_object();
	enum err err = router_put_values(cli, values);

	if (!err && !json_object_size(values))
		err = cli_usage(cli, "router set needs at least one of ADDRESS, --label, "
		                "--capacity, --ttl and --description");
	if (err) {
		json_decref(values);
		return err;
	}
	return router_call(cli, "update_router", json_pack("{s:s, s:o}", "router",
	              cli->argv[0], "values", values), "changed");
}

/* ---- drain ---- */

static void router_print_drain(const struct cli *cli, const json_t *router)
{
	int64_t routes = answer_number(router, "routes");

	if (!router_is_printed(cli))
		return;
	if (cli_has(cli, OPT_UNDO))
		printf("router %s accepts routes again; routes: %" PRId64 "\n",
		       cli->argv[0], routes);
	else
		printf("router %s accepts no more routes; routes to move: %" PRId64 "\n",
		       cli->argv[0], routes);
}

/* True: the scheduler can bind routes to the router. */
static bool router_has_room(const json_t *router)
{
	const json_t *capacity = json_object_get(router, "capacity");
	json_t *address;
	size_t i;

	if (strcmp(answer_text(router, "state"), "active") ||
	    (json_is_integer(capacity) &&
	     answer_number(router, "routes") >= json_integer_value(capacity)))
		return false;
	json_array_foreach(json_object_get(router, "addresses"), i, address)
		if (address_is(address, "alive"))
			return true;
	return false;
}

/*
 * Warns if no other router takes the routes: they then stay. Looks at the first
 * ROUTERS_SEEN routers. The drain has succeeded, so an error of the list does not matter.
 */
static void router_warn_alone(struct cli *cli, const json_t *drained)
{
	json_t *routers, *router;
	struct why words;
	bool is_alone = true;
	size_t i;

	if (!answer_number(drained, "routes") ||
	    routes_ask(cli, "list_routers", json_pack("{s:i}", "limit", ROUTERS_SEEN),
	               "routers", &routers))
		return;
	is_alone = json_array_size(routers) < ROUTERS_SEEN;
	json_array_foreach(routers, i, router)
		is_alone &= !router_has_room(router);
	json_decref(routers);
	if (is_alone) {
		fail(&words, OK, "no other router accepts routes: router %.63s keeps its "
		     "routes (%" PRId64 ") until another router has free capacity and an "
		     "instance that is up", cli->argv[0],
		     answer_number(drained, "routes"));
		output_warn(&cli->out, words.text);
	}
}

static enum err router_wait_routes(struct work *work)
{
	struct cli *cli = work->cli;
	bool is_empty = false;
	enum err err = router_await(work, "is being drained", router_poll_routes,
	                            &is_empty);

	if (!err && !is_empty)
		err = fail(&cli->why, ERR_TIMEOUT, "router %.63s still has %" PRId64
		           " routes after %.1f s: see 'zonefleet route list --router "
		           "%.63s'", cli->argv[0], answer_number(work->router, "routes"),
		           cli_elapsed(cli), cli->argv[0]);
	if (!err && router_is_printed(cli))
		printf("the router has no routes after %.3f s\n", cli_elapsed(cli));
	return err;
}

enum err router_drain(struct cli *cli)
{
	struct work work = { .cli = cli };
	bool is_undone = cli_has(cli, OPT_UNDO);
	enum err err;

	if (is_undone && cli_has(cli, OPT_WAIT))
		return cli_usage(cli, "--wait waits until the router has no route: leave "
		                 "out --wait with --undo");
	err = routes_ask(cli, "drain_router", json_pack("{s:s, s:b}", "router",
	                 cli->argv[0], "drain", !is_undone), "router", &work.router);
	if (err)
		return err;
	router_print_drain(cli, work.router);
	if (!is_undone)
		router_warn_alone(cli, work.router);
	if (cli_has(cli, OPT_WAIT))
		err = router_wait_routes(&work);
	router_answer(&work);
	json_decref(work.router);
	return err;
}

/* ---- delete ---- */

static enum err router_fail_domain(struct work *work)
{
	struct cli *cli = work->cli;
	const char *name = answer_text(work->domain, "name");
	const char *reason = answer_text(work->domain, "reason");

	return cli_fail(cli, ERR_TIMEOUT, "router %.63s is deleted, but its domain %s is "
	                "still being deleted after %.1f s%s%s (see 'zonefleet status "
	                "%s')",
	                cli->argv[0], name, cli_elapsed(cli), *reason ? ": " : "", reason,
	                name);
}

static enum err router_wait_gone(struct work *work)
{
	struct cli *cli = work->cli;
	bool is_gone = false;
	enum err err = router_await(work, "is being deleted", router_poll_gone, &is_gone);

	if (!err && !is_gone && work->domain)
		return router_fail_domain(work);
	if (!err && !is_gone)
		err = router_check_error(cli, work->router);
	if (!err && !is_gone)
		err = fail(&cli->why, ERR_TIMEOUT, "router %.63s still exists after "
		           "%.1f s", cli->argv[0], cli_elapsed(cli));
	if (!err && router_is_printed(cli))
		printf("DELETED after %.3f s\n", cli_elapsed(cli));
	return err;
}

enum err router_delete(struct cli *cli)
{
	struct work work = { .cli = cli };
	json_t *nothing, *args = json_pack("{s:s, s:b}", "router", cli->argv[0], "force",
	                                   cli_has(cli, OPT_FORCE));
	enum err err = router_get(cli, cli->argv[0], &work.router);

	if (err) {
		json_decref(args);
		return err;
	}
	err = routes_ask(cli, "delete_router", args, "router", &nothing);
	if (!err && router_is_printed(cli))
		printf("deleting router %s and its records\n", cli->argv[0]);
	if (!err && cli_has(cli, OPT_WAIT))
		err = router_wait_gone(&work);
	if (!err)
		router_answer(&work);
	json_decref(work.router);
	json_decref(work.domain);
	return err;
}

/* ---- show, list ---- */

static const struct field router_fields[] = {
	{ "name",        "name" },
	{ "description", "description" },
	{ "dns",         "domain" },
	{ "label",       "label" },
	{ "state",       "state" },
	{ "ttl",         "ttl" },
	{ "routes",      "routes" },
	{ "capacity",    "capacity" },
	{ "zone_status", "zone" },
	{ "serial",      "serial" },
	{ "reason",      "reason" },
	{ 0 }
};

static const struct column address_columns[] = {
	{ "ADDRESS", COLUMN_LEFT },
	{ "UP",      COLUMN_LEFT },
	{ "ALIVE",   COLUMN_LEFT },
	{ "SHOWN",   COLUMN_LEFT },
	{ 0 }
};

static void router_show_addresses(const struct output *out, const json_t *addresses)
{
	struct table table;
	size_t i;
	json_t *address;

	table_begin(&table, out, address_columns);
	json_array_foreach((json_t *)addresses, i, address) {
		table_text(&table, answer_text(address, "address"));
		table_text(&table, address_is(address, "up") ? "yes" : "no");
		table_text(&table, address_is(address, "alive") ? "yes" : "no");
		table_text(&table, address_is(address, "shown") ? "yes" : "no");
	}
	if (json_array_size(addresses)) {
		putchar('\n');
		table_flush(&table, stdout);
	}
	table_clear(&table);
}

enum err router_show(struct cli *cli)
{
	json_t *router;
	enum err err = router_get(cli, cli->argv[0], &router);

	if (err)
		return err;
	if (!cli->out.json) {
		output_fields(&cli->out, router, router_fields);
		router_show_addresses(&cli->out, json_object_get(router, "addresses"));
	}
	cli_answer(cli, router);
	return OK;
}

static const struct column list_columns[] = {
	{ "NAME",      COLUMN_LEFT },
	{ "DOMAIN",    COLUMN_LEFT },
	{ "STATE",     COLUMN_LEFT },
	{ "LABEL",     COLUMN_LEFT },
	{ "ROUTES",    COLUMN_RIGHT },
	{ "CAPACITY",  COLUMN_RIGHT },
	{ "ZONE",      COLUMN_STATUS },
	{ "SERIAL",    COLUMN_RIGHT },
	{ "ADDRESSES", COLUMN_LEFT },
	{ "REASON",    COLUMN_LEFT },
	{ 0 }
};

/* Without a mark the address is up and in the domain. */
static const char *address_mark(const json_t *address)
{
	bool is_shown = address_is(address, "shown");

	if (address_is(address, "alive"))
		return is_shown ? "" : "=coming";
	if (is_shown)
		return "=kept";
	return address_is(address, "up") ? "=silent" : DOWN;
}

static void router_text(struct table *table, const char *text)
{
	table_text(table, *text ? text : "-");
}

/* Answers to other callers lack the fields for administrators. */
static void router_number(struct table *table, const json_t *router, const char *key)
{
	if (json_is_integer(json_object_get(router, key)))
		table_number(table, answer_number(router, key));
	else
		table_text(table, "-");
}

static void router_row(struct table *table, const json_t *router)
{
	struct buf text = { 0 };
	size_t i;
	json_t *address;

	json_array_foreach(json_object_get(router, "addresses"), i, address)
		buf_printf(&text, "%s%s%s", i ? " " : "", answer_text(address, "address"),
		           address_mark(address));
	table_text(table, answer_text(router, "name"));
	table_text(table, answer_text(router, "dns"));
	table_text(table, answer_text(router, "state"));
	router_text(table, answer_text(router, "label"));
	router_number(table, router, "routes");
	router_number(table, router, "capacity");
	table_text(table, answer_text(router, "zone_status"));
	router_number(table, router, "serial");
	table_text(table, text.len ? buf_string(&text) : "-");
	router_text(table, answer_text(router, "reason"));
	buf_clear(&text);
}

enum err router_list(struct cli *cli)
{
	const struct listing listing = {
		"list_routers", "routers", list_columns, router_row, ROUTES,
		.noun = "router",
	};

	return pages_list(cli, &listing, json_object());
}
