#include "agent.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/mirror.h"
#include "agent/signaller.h"
#include "agent/versions.h"
#include "base/log.h"
#include "consistency/heartbeat.h"
#include "core/route_name.h"
#include "dns/address.h"
#include "model/json.h"
#include "runtime/offload.h"

enum {
	WRITES_MAX = 16,		/* writes that wait for the disk */
	CHANGED_MAX = 1000,		/* routes in one message */
	REPORT_MS = 5000,
};

struct agent_settings {
	char *router, *directory, *address;
	int interval_ms, check_ms, reread_ms, report_ms;
};

static struct agent {
	const struct runtime *runtime;
	struct agent_settings settings;
	struct lane *lane;
	json_t *args;
	struct signaller *signaller;
	struct mirror *mirror;
	struct versions *versions;
	bool is_reporting;		/* a report waits for its answer */
	/* a new version must be reported after the current report */
	bool reports_again;
	/* the server of the reports does not support versions */
	bool is_unversioned;
	bool has_failed;		/* the last report failed; this is in the log */
	int look_period_ms;		/* constant */
	char topic[ROUTE_LABEL_MAX + 16];
} agent = { .look_period_ms = 2000 };

static const struct mirror_kind hosts = {
	.topic = "routes", .method = "router_hosts", .keys = "routes", .list = "hosts",
	.key = "route", .mark = ".unread", .file = { { "map", "hosts.map" } },
};

#define AT(field) offsetof(struct agent_settings, field)

static const struct option rows[] = {
	{ "router", OPTION_TEXT, AT(router), "", 0, ROUTE_LABEL_MAX,
	  "name of the router to which the HAProxy of this machine belongs. Required" },
	{ "directory", OPTION_TEXT, AT(directory), "/var/lib/zonefleet/router", 1, 1024,
	  "directory of the files hosts.map and pid. The agent writes hosts.map, and "
	  "HAProxy writes pid",
	  .file = OPTION_FOLDER },
	{ "address", OPTION_TEXT, AT(address), "", 0, 64,
	  "address of this instance. While HAProxy is running, the agent reports that "
	  "the address is alive. \"\": no reports" },
	{ "interval", OPTION_DURATION, AT(interval_ms), "2s", 50, 3600 * 1000,
	  "shortest time between two reloads of HAProxy", .reloadable = true },
	{ "check_period", OPTION_DURATION, AT(check_ms), "15s", 50, 3600 * 1000,
	  "time between two checks for missed changes. The agent misses a change if the "
	  "message about the change gets lost",
	  .reloadable = true },
	{ "reread_period", OPTION_DURATION, AT(reread_ms), "10m", 100, 86400 * 1000,
	  "time between two complete reads of the hosts. After each message about a "
	  "change, the agent also reads the hosts of the changed routes",
	  .reloadable = true },
	{ "report_period", OPTION_DURATION, AT(report_ms), "5s", 50, 600 * 1000,
	  "time between two reports that the instance is alive. Set routes.alive_timeout "
	  "to several times this value", .reloadable = true },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "routes_agent", "the host map of HAProxy, for the router of this machine", rows,
	  &agent.settings },
	HEARTBEAT_SECTION_OF_OTHERS,
	{ 0 }
};

/* ---- messages ---- */

static enum err routes_agent_changed(void *self, struct request *req)
{
	const char *router;
	const json_t *list = NULL;
	int64_t version = 0;
	enum err err = json_get_text(req->args, "router", JSON_REQUIRED, ROUTE_LABEL_MAX,
	                             &router, &req->why);

	(void)self;
	if (!err)
		err = json_get_array(req->args, "routes", 0, CHANGED_MAX, &list,
		                     &req->why);
	if (!err)
		err = json_get_int(req->args, "version", 0, 0, INT64_MAX, &version,
		                   &req->why);
	if (err || strcmp(router, agent.settings.router))
		return err;
	if (!list)
		mirror_read(agent.mirror);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));
		char id[ID_LEN + 1];

		if (!text || !id_parse(text, id))
			return fail(&req->why, ERR_INVALID,
			            "routes[%zu]: must be an id of 32 hexadecimal digits",
			            i);
		mirror_changed(agent.mirror, id);
	}
	mirror_told(agent.mirror, (uint64_t)version);
	return OK;
}

static const struct rpc_method methods[] = {
	{ "routes_changed", routes_agent_changed, "router routes? version?",
	  .fleet = true, .agents = true },
	{ 0 }
};

static const char *routes_agent_topic(const void *self)
{
	(void)self;
	snprintf(agent.topic, sizeof(agent.topic), "routes.%s", agent.settings.router);
	return agent.topic;
}

/* Earlier messages may be lost. */
static void routes_agent_fanout_is_new(void *self)
{
	(void)self;
	agent.is_unversioned = false;
	mirror_read(agent.mirror);
}

/* ---- reports and checks ---- */

static void alive_report_send(void *self);

static void alive_report_on_answer(void *self, const struct rpc_answer *answer)
{
	bool sends_again = agent.reports_again;

	agent.is_reporting = agent.reports_again = false;
	if (answer->err == ERR_ARGUMENTS && !agent.is_unversioned) {
		agent.is_unversioned = true;
		alive_report_send(self);
		return;
	}
	if (answer->err && !agent.has_failed)
		log_warn("cannot report that the instance is alive: router=%s address=%s "
		         "reason=\"%s\"",
		         agent.settings.router, agent.settings.address, answer->why.text);
	agent.has_failed = answer->err;
	if (sends_again)
		alive_report_send(self);
}

static json_t *alive_report_args(void)
{
	json_t *args = json_pack("{s:s, s:s}", "router", agent.settings.router, "address",
	                         agent.settings.address);

	if (!agent.is_unversioned)
		json_object_set_new(args, "version", json_integer(
		                    (json_int_t)signaller_heard(agent.signaller)));
	return args;
}

/* Reports only while HAProxy runs. */
static void alive_report_send(void *self)
{
	const struct rpc_target target = { .topic = "routes" };
	json_t *args;
	struct why why;

	(void)self;
	if (!*agent.settings.address || agent.is_reporting ||
	    !signaller_has_reader(agent.signaller))
		return;
	args = alive_report_args();
	agent.is_reporting = !rpc_call(agent.runtime->rpc, &target, "report_address",
	                               args, NULL, REPORT_MS, alive_report_on_answer,
	                               &agent, &why);
	json_decref(args);
}

/*
 * Reports a new version immediately, because a domain may wait for it before it gets a
 * CNAME.
 */
static void alive_report_version(void *self)
{
	agent.reports_again = agent.is_reporting;
	alive_report_send(self);
}

static void routes_agent_look(void *self)
{
	(void)self;
	mirror_look(agent.mirror);
}

static void hosts_check_version(void *self)
{
	(void)self;
	versions_ask(agent.versions, json_pack("[s]", agent.settings.router));
}

static void hosts_on_version(void *self, const char *router, uint64_t version)
{
	(void)self, (void)router;
	mirror_compare(agent.mirror, version);
}

static const struct timer timers[] = {
	{ "check",  &agent.settings.check_ms, hosts_check_version },
	{ "look",   &agent.look_period_ms,     routes_agent_look },
	{ "report", &agent.settings.report_ms, alive_report_send },
	{ 0 }
};

/* ---- life ---- */

static enum err routes_agent_check_address(const char *text, struct why *why)
{
	struct address address;

	return *text ? address_parse_host("routes_agent.address", text, &address,
	                                  why) : OK;
}

static enum err routes_agent_check(void *self, struct why *why)
{
	const struct agent_settings *settings = &((struct agent *)self)->settings;
	size_t len = strlen(settings->directory);
	enum err err = *settings->router
	               ? route_name_check_label(settings->router, "routes_agent.router",
		                                why)
	               : fail(why, ERR_INVALID, "routes_agent.router: must be set to "
	                      "the name of the router of this HAProxy");

	if (!err && (*settings->directory != '/' ||
	             (len > 1 && settings->directory[len - 1] == '/')))
		err = fail(why, ERR_INVALID, "routes_agent.directory: must be an "
		           "absolute path without a '/' at its end, not '%s'",
		           settings->directory);
	return err ? err : routes_agent_check_address(settings->address, why);
}

static enum err routes_agent_prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	mirror_metrics();
	signaller_metrics();
	return OK;
}

static enum err routes_agent_start(void *self, const struct runtime *runtime,
                                   struct why *why)
{
	(void)self, (void)why;
	agent.runtime = runtime;
	agent.lane = lane_new(runtime->loop, "files", WRITES_MAX);
	agent.args = json_pack("{s:s}", "router", agent.settings.router);
	agent.signaller = signaller_new(runtime->loop, &(struct signaller_config){
		.folder = agent.settings.directory, .pid_file = "pid", .mark = hosts.mark,
		.program = "haproxy", .signum = SIGUSR2,
		.interval_ms = &agent.settings.interval_ms, .has_workers = true,
		.heard = alive_report_version });
	agent.mirror = mirror_new(&(struct mirror_config){
		.kind = &hosts, .loop = runtime->loop, .rpc = runtime->rpc,
		.lane = agent.lane, .folder = agent.settings.directory,
		.args = agent.args, .signaller = agent.signaller,
		.period_ms = &agent.settings.reread_ms });
	agent.versions = versions_new(&(struct versions_config){
		.rpc = runtime->rpc, .topic = hosts.topic, .keys = "routers",
		.found = hosts_on_version });
	return OK;
}

static void routes_agent_drain(void *self)
{
	(void)self;
	mirror_drain(agent.mirror);
}

static bool routes_agent_idle(const void *self)
{
	(void)self;
	return mirror_is_idle(agent.mirror);
}

static void routes_agent_stop(void *self)
{
	(void)self;
	rpc_cancel(agent.runtime->rpc, &agent);
	versions_free(&agent.versions);
	mirror_free(&agent.mirror);
	signaller_free(&agent.signaller);
	json_decref(agent.args);
	lane_free(&agent.lane);
}

const struct worker routes_agent = {
	.name = "routes-agent",
	.group = "routes_agent",
	.fleet = true,
	.is_agent = true,
	.summary = "writes the host map of the HAProxy of this machine",
	.sections = sections,
	.methods = methods,
	.timers = timers,
	.topic = routes_agent_topic,
	.fanout_only = true,
	.fanout_is_new = routes_agent_fanout_is_new,
	.no_database = true,
	.one_process = true,
	.check = routes_agent_check,
	.prepare = routes_agent_prepare,
	.start = routes_agent_start,
	.drain = routes_agent_drain,
	.idle = routes_agent_idle,
	.stop = routes_agent_stop,
	.self = &agent,
};
