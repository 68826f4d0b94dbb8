#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "await.h"
#include "base/mem.h"
#include "handlers.h"
#include "pages.h"
#include "router.h"

/* ---- values from options ---- */

static enum err route_put_values(struct cli *cli, json_t *values)
{
	cli_put_text(cli, OPT_HOST, values, "host");
	cli_put_text(cli, OPT_BACKEND, values, "backend");
	return cli_put_pairs(cli, OPT_LABEL, values, "labels");
}

/* ---- state ---- */

/* A command on one route. */
struct work {
	struct cli *cli;
	json_t *route, *router;		/* their latest state */
	char *name;			/* "namespace/name" */
};

static enum err route_get(struct cli *cli, const char *key, json_t **route)
{
	return routes_ask(cli, "get_route", json_pack("{s:s}", "route", key), "route",
	                  route);
}

static const char *route_status(const json_t *route, const char *key)
{
	return answer_text(json_object_get(route, "status"), key);
}

static bool route_is_scheduled(const json_t *route)
{
	return !strcmp(route_status(route, "phase"), "scheduled");
}

static bool route_is_waiting(const json_t *route)
{
	return json_is_true(json_object_get(route, "waiting"));
}

static void route_take(struct work *work, json_t *route)
{
	json_t *name = json_sprintf("%s/%s", answer_text(route, "namespace"),
	                            answer_text(route, "name"));

	json_decref(work->route);
	free(work->name);
	work->route = route;
	work->name = xstrdup(json_string_value(name));
	json_decref(name);
}

static void work_clear(struct work *work)
{
	json_decref(work->route);
	json_decref(work->router);
	free(work->name);
}

/*
 * Writes "myapp-test.shard1.example.com at shard1", or the reason why the route has no
 * router.
 */
static void route_describe(const json_t *route, struct buf *words)
{
	const char *reason = answer_text(route, "last_error");

	if (route_is_scheduled(route))
		buf_printf(words, "%s at %s", route_status(route, "dns"),
		           answer_text(route, "router"));
	else
		buf_printf(words, "%s%s%s", route_is_waiting(route) ? "waits" : "new",
		           *reason ? ", " : "", reason);
}

static void route_print(const struct work *work, const char *done)
{
	const struct cli *cli = work->cli;
	struct buf words = { 0 }, escaped = { 0 };

	if (!cli->out.json && !cli->out.quiet) {
		route_describe(work->route, &words);
		output_escape(buf_string(&words), &escaped);
		printf("%s route %s: %s\n", done, work->name, buf_string(&escaped));
	}
	buf_clear(&words);
	buf_clear(&escaped);
}

/* ---- waiting ---- */

/* True: waiting longer is useless, because another route may keep the host for ever. */
static enum err route_waits_for_host(const struct work *work)
{
	struct cli *cli = work->cli;

	cli->class = "Waiting";
	return cli_fail(cli, ERR_CONFLICT,
	                "route %s is waiting until its host is free: %s", work->name,
	                answer_text(work->route, "last_error"));
}

/*
 * *is_over: the route has a router, and the name servers have the domain of that router.
 */
static enum err route_poll(void *self, bool *is_over)
{
	struct work *work = self;
	json_t *route;
	enum err err = route_get(work->cli, answer_text(work->route, "id"), &route);

	*is_over = false;
	if (err)
		return err;
	route_take(work, route);
	if (route_is_waiting(route))
		return route_waits_for_host(work);
	if (!route_is_scheduled(route))
		return OK;
	return router_look(work->cli, answer_text(route, "router"), &work->router,
	                   is_over);
}

static enum err route_out_of_time(struct work *work)
{
	struct cli *cli = work->cli;
	struct buf words = { 0 };

	route_describe(work->route, &words);
	cli_fail(cli, ERR_TIMEOUT, "route %s is not ACTIVE after %.1f s: %s%s",
	         work->name, cli_elapsed(cli), buf_string(&words),
	         route_is_scheduled(work->route)
	         ? ", but the name servers do not serve the route yet" : "");
	buf_clear(&words);
	return ERR_TIMEOUT;
}

static enum err route_wait(struct work *work)
{
	struct cli *cli = work->cli;
	struct await await = { .cli = cli, .subject = cli->argv[0],
	                       .what = "waits for its router and the name servers",
	                       .poll = route_poll, .self = work };
	bool is_over = false;
	enum err err;

	if (!cli_has(cli, OPT_WAIT))
		return OK;
	err = await_in_time(&await, &is_over);
	if (!err && !is_over && work->router && route_is_scheduled(work->route))
		err = router_check_error(cli, work->router);
	if (!err && !is_over)
		err = route_out_of_time(work);
	if (!err && !cli->out.json && !cli->out.quiet)
		printf("%s at %s: ACTIVE after %.3f s\n", route_status(work->route,
		       "dns"), answer_text(work->route, "router"), cli_elapsed(cli));
	json_object_set_new(work->route, "seconds", json_real(cli_elapsed(cli)));
	return err;
}

/* Prints the changed route of WORK, and waits for it with --wait. */
static enum err route_finish(struct work *work, const char *done)
{
	enum err err;

	route_print(work, done);
	err = route_wait(work);
	cli_answer(work->cli, json_incref(work->route));
	work_clear(work);
	return err;
}

/* ---- the commands ---- */

/* Calls METHOD with ARGS (taken over). DONE is the verb of the printed line. */
static enum err route_call(struct cli *cli, const char *method, json_t *args,
                           const char *done)
{
	struct work work = { .cli = cli };
	json_t *route;
	enum err err = routes_ask(cli, method, args, "route", &route);

	if (err)
		return err;
	route_take(&work, route);
	return route_finish(&work, done);
}

/* Sets the namespace and the name from the argument NAMESPACE/NAME. */
static enum err route_put_name(struct cli *cli, json_t *values)
{
	const char *key = cli->argv[0], *slash = strchr(key, '/');

	if (!slash || slash == key || !slash[1])
		return cli_usage(cli, "NAMESPACE/NAME: must be a namespace and a name "
		                 "with a '/' between them, for example myapp/test, not "
		                 "'%.200s'", key);
	json_object_set_new(values, "namespace", json_stringn(key, slash - key));
	json_object_set_new(values, "name", json_string(slash + 1));
	return OK;
}

enum err route_create(struct cli *cli)
{
	json_t *route = json_object();
	enum err err = route_put_name(cli, route);

	if (!err)
		err = route_put_values(cli, route);
	if (err) {
		json_decref(route);
		return err;
	}
	return route_call(cli, "create_route", json_pack("{s:o}", "route", route),
	                  "created");
}

enum err route_set(struct cli *cli)
{
	json_t *values = json_object();
	enum err err = route_put_values(cli, values);

	if (!err && !json_object_size(values))
		err = cli_usage(cli, "route set needs at least one of --host, --label "
		                "and --backend");
	if (err) {
		json_decref(values);
		return err;
	}
	return route_call(cli, "update_route", json_pack("{s:s, s:o}", "route",
	                  cli->argv[0], "values", values), "changed");
}

/* ---- delete ---- */

/* The routers whose domains have, or had, names of the route. */
struct leaving {
	struct cli *cli;
	json_t *routers;		/* routers whose new serial is not served yet */
	json_t *router;			/* the state of the last one that was checked */
};

/*
 * Checks the routers, beginning with the last one, and removes each router that is
 * finished.
 */
static enum err route_poll_left(void *self, bool *is_over)
{
	struct leaving *leaving = self;
	size_t count;
	bool is_out = true;
	enum err err = OK;

	while (!err && is_out && (count = json_array_size(leaving->routers))) {
		const json_t *name = json_array_get(leaving->routers, count - 1);

		err = router_look(leaving->cli, json_string_value(name),
		                  &leaving->router, &is_out);
		if (err == ERR_NOT_FOUND) {
			is_out = true;
			err = OK;
		}
		if (!err && is_out)
			json_array_remove(leaving->routers, count - 1);
	}
	*is_over = !err && is_out;
	return err;
}

static enum err route_wait_left(struct leaving *leaving)
{
	struct cli *cli = leaving->cli;
	struct await await = { .cli = cli, .subject = cli->argv[0],
	                       .what = "is being deleted", .poll = route_poll_left,
	                       .self = leaving };
	bool is_over = false;
	enum err err = await_in_time(&await, &is_over);

	if (!err && !is_over)
		err = router_check_error(cli, leaving->router);
	if (!err && !is_over)
		err = fail(&cli->why, ERR_TIMEOUT, "the name servers may still serve "
		           "names of route %.255s after %.1f s: they do not serve the "
		           "newest serial of the domain of router %.63s", cli->argv[0],
		           cli_elapsed(cli),
		           json_string_value(json_array_get(leaving->routers,
		           json_array_size(leaving->routers) - 1)));
	if (!err && !cli->out.json && !cli->out.quiet)
		printf("DELETED after %.3f s\n", cli_elapsed(cli));
	return err;
}

enum err route_delete(struct cli *cli)
{
	struct leaving leaving = { .cli = cli };
	json_t *done;
	enum err err = routes_ask(cli, "delete_route", json_pack("{s:s}", "route",
	                          cli->argv[0]), "routers", &leaving.routers);

	if (err)
		return err;
	if (!cli->out.json && !cli->out.quiet)
		printf("deleted route %s\n", cli->argv[0]);
	done = json_pack("{s:s}", "route", cli->argv[0]);
	cli_answer(cli, done);
	if (cli_has(cli, OPT_WAIT)) {
		err = route_wait_left(&leaving);
		json_object_set_new(done, "seconds", json_real(cli_elapsed(cli)));
	}
	json_decref(leaving.routers);
	json_decref(leaving.router);
	return err;
}

/* ---- bind ---- */

static enum err route_call_bind(struct cli *cli, const json_t *route)
{
	json_t *binding = json_pack("{s:s, s:s, s:s}", "route_namespace",
	                            answer_text(route, "namespace"), "route_name",
	                            answer_text(route, "name"), "router", cli->argv[1]);
	json_t *made;
	enum err err = routes_ask(cli, "create_route_binding", json_pack("{s:o}",
	                          "binding", binding), "binding", &made);

	if (!err)
		json_decref(made);
	return err;
}

/*
 * A binding needs the names of the route, so they are read first. The command prints the
 * route.
 */
enum err route_bind(struct cli *cli)
{
	struct work work = { .cli = cli };
	json_t *route, *bound;
	enum err err = route_get(cli, cli->argv[0], &route);

	if (err)
		return err;
	route_take(&work, route);
	err = route_call_bind(cli, route);
	if (!err)
		err = route_get(cli, answer_text(route, "id"), &bound);
	if (err) {
		work_clear(&work);
		return err;
	}
	route_take(&work, bound);
	return route_finish(&work, "bound");
}

/* ---- show, list ---- */

static const struct field route_fields[] = {
	{ "route",      "route" },
	{ "id",         "id" },
	{ "project_id", "project" },
	{ "host",       "host" },
	{ "labels",     "labels" },
	{ "backend",    "backend" },
	{ "phase",      "phase" },
	{ "dns",        "name" },
	{ "router",     "router" },
	{ "attempts",   "attempts" },
	{ "last_error", "reason" },
	{ "created_at", "created" },
	{ 0 }
};

static void route_show_fields(const struct output *out, const struct work *work)
{
	json_t *shown = json_copy(work->route);

	json_object_set_new(shown, "route", json_string(work->name));
	json_object_update(shown, json_object_get(work->route, "status"));
	output_fields(out, shown, route_fields);
	json_decref(shown);
}

enum err route_show(struct cli *cli)
{
	struct work work = { .cli = cli };
	json_t *route;
	enum err err = route_get(cli, cli->argv[0], &route);

	if (err)
		return err;
	route_take(&work, route);
	if (!cli->out.json)
		route_show_fields(&cli->out, &work);
	cli_answer(cli, json_incref(work.route));
	work_clear(&work);
	return OK;
}

static const struct column list_columns[] = {
	{ "ROUTE",   COLUMN_LEFT },
	{ "PHASE",   COLUMN_LEFT },
	{ "NAME",    COLUMN_LEFT },
	{ "ROUTER",  COLUMN_LEFT },
	{ "BACKEND", COLUMN_LEFT },
	{ "REASON",  COLUMN_LEFT },
	{ 0 }
};

static void route_text(struct table *table, const char *text)
{
	table_text(table, *text ? text : "-");
}

/* NAME is the name of the route. While the route waits, it is the wanted host. */
static void route_row(struct table *table, const json_t *route)
{
	const char *dns = route_status(route, "dns");

	table_printf(table, "%s/%s", answer_text(route, "namespace"),
	             answer_text(route, "name"));
	table_text(table, route_status(route, "phase"));
	route_text(table, *dns ? dns : answer_text(route, "host"));
	route_text(table, answer_text(route, "router"));
	route_text(table, answer_text(route, "backend"));
	route_text(table, answer_text(route, "last_error"));
}

enum err route_list(struct cli *cli)
{
	const struct listing listing = {
		"list_routes", "routes", list_columns, route_row, "routes",
		.noun = "route",
	};
	json_t *args = json_object();

	if (cli->argc)
		json_object_set_new(args, "namespace", json_string(cli->argv[0]));
	cli_put_text(cli, OPT_ROUTER, args, "router");
	cli_put_text(cli, OPT_PHASE, args, "phase");
	return pages_list(cli, &listing, args);
}
