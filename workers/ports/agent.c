#include "agent.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agent/mirror.h"
#include "agent/signaller.h"
#include "agent/versions.h"
#include "base/descriptors.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "consistency/heartbeat.h"
#include "model/json.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"

enum {
	WRITES_MAX = 10000,		/* queued for the disk */
	CHANGED_MAX = 1000,		/* ports in one message */
};

/* A network, and the files in its directory. */
struct network {
	struct network *next;
	char id[ID_LEN + 1];
	char *name, *folder;		/* name in the directory; path */
	json_t *args;
	struct signaller *signaller;
	struct mirror *mirror;
	bool is_seen;			/* seen in the present scan */
};

struct agent_settings {
	char *directory;
	int interval_ms, check_ms, reread_ms;
};

static struct agent {
	const struct runtime *runtime;
	struct agent_settings settings;
	struct lane *lane;
	struct network *networks, *unchecked;	/* unchecked: the next one to check */
	struct versions *versions;
	struct metric *count, *age;
	bool hears_changes;			/* the fanout queue is open */
	/* the directory cannot be read, and the log says so */
	bool is_unreadable;
	int scan_period_ms;		/* constant */
} agent = { .scan_period_ms = 2000 };

static const struct mirror_kind hosts = {
	.topic = "ports", .method = "hosts_export", .keys = "ports", .list = "hosts",
	.key = "port", .mark = ".unread",
	.file = { { "addn_hosts", "addn_hosts" }, { "dhcp_hosts", "host" } },
};

#define AT(field) offsetof(struct agent_settings, field)

static const struct option rows[] = {
	{ "directory", OPTION_TEXT, AT(directory), "/var/lib/zonefleet/networks", 1, 1024,
	  "directory with one subdirectory for each network of this machine. The name "
	  "of the subdirectory is the UUID of the network. In each subdirectory, the "
	  "agent writes the files addn_hosts and host. dnsmasq writes the file pid",
	  .file = OPTION_FOLDER },
	{ "interval", OPTION_DURATION, AT(interval_ms), "5s", 50, 3600 * 1000,
	  "shortest time between two reloads of one dnsmasq process",
	  .reloadable = true },
	{ "check_period", OPTION_DURATION, AT(check_ms), "15s", 50, 3600 * 1000,
	  "time between two checks for missed changes. The agent misses a change if the "
	  "message about the change gets lost",
	  .reloadable = true },
	{ "reread_period", OPTION_DURATION, AT(reread_ms), "10m", 100, 86400 * 1000,
	  "time between two complete reads of a network. After each message about a "
	  "change, the agent also reads the changed ports", .reloadable = true },
	{ 0 }
};

static const struct option_section sections[] = {
	{ "ports_agent", "the files of dnsmasq, for the networks of this machine", rows,
	  &agent.settings },
	HEARTBEAT_SECTION_OF_OTHERS,
	{ 0 }
};

/* ---- networks ---- */

static void network_new(const char *name, const char *id)
{
	struct network *network = xcalloc(1, sizeof(*network));

	memcpy(network->id, id, sizeof(network->id));
	network->name = xstrdup(name);
	network->folder = xprintf("%s/%s", agent.settings.directory, name);
	network->args = json_pack("{s:s}", "network", id);
	network->signaller = signaller_new(agent.runtime->loop,
		&(struct signaller_config){
			.folder = network->folder, .pid_file = "pid", .mark = hosts.mark,
			.program = "dnsmasq", .signum = SIGHUP,
			.interval_ms = &agent.settings.interval_ms });
	network->mirror = mirror_new(&(struct mirror_config){
		.kind = &hosts, .loop = agent.runtime->loop, .rpc = agent.runtime->rpc,
		.lane = agent.lane, .folder = network->folder, .args = network->args,
		.signaller = network->signaller,
		.period_ms = &agent.settings.reread_ms });
	network->is_seen = true;
	network->next = agent.networks;
	agent.networks = network;
	log_info("network added: folder=%s", network->folder);
	if (agent.hears_changes)
		mirror_read(network->mirror);
}

static void network_free(struct network *network)
{
	mirror_free(&network->mirror);
	signaller_free(&network->signaller);
	json_decref(network->args);
	free(network->folder);
	free(network->name);
	free(network);
}

/* NAME is a UUID with or without hyphens. */
static struct network *networks_find(const char *name)
{
	struct network *network = agent.networks;

	while (network && strcmp(network->name, name))
		network = network->next;
	return network;
}

/* ---- the directory ---- */

static bool networks_is_directory(int parent, const char *name)
{
	struct stat stat;

	return fstatat(parent, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(stat.st_mode);
}

static void networks_scan_entry(int parent, const char *name)
{
	char id[ID_LEN + 1];
	struct network *network;

	if (!id_parse(name, id) || !networks_is_directory(parent, name))
		return;
	network = networks_find(name);
	if (network)
		network->is_seen = true;
	else
		network_new(name, id);
}

static void networks_scan_entries(DIR *directory)
{
	const struct dirent *entry;

	while ((entry = readdir(directory)))
		networks_scan_entry(dirfd(directory), entry->d_name);
}

/* Frees networks whose directory no longer exists. Returns the number of the others. */
static int64_t networks_remove_unseen(void)
{
	struct network **link = &agent.networks;
	int64_t left = 0;

	while (*link) {
		struct network *network = *link;

		if (network->is_seen) {
			link = &network->next;
			left++;
			continue;
		}
		*link = network->next;
		if (agent.unchecked == network)
			agent.unchecked = network->next;
		log_info("network removed: folder=%s", network->folder);
		network_free(network);
	}
	return left;
}

/* Logs that the directory cannot be read. It may not exist yet. */
static void networks_log_unreadable(int error)
{
	if (!agent.is_unreadable)
		log_warn("directory of networks not read: directory=%s reason=\"%s\"",
		         agent.settings.directory, strerror(error));
	agent.is_unreadable = true;
}

/*
 * Lets each mirror work, and measures the age of the oldest change that is not in files.
 */
static void networks_work(void)
{
	int64_t oldest_ms = 0;

	for (struct network *network = agent.networks; network; network = network->next) {
		int64_t age_ms = mirror_age_ms(network->mirror);

		mirror_look(network->mirror);
		oldest_ms = age_ms > oldest_ms ? age_ms : oldest_ms;
	}
	metric_set(agent.age, oldest_ms / 1000);
}

static void networks_scan(void *self)
{
	DIR *directory = opendir(agent.settings.directory);

	(void)self;
	if (!directory) {
		descriptors_lack("the directory of networks");
		networks_log_unreadable(errno);
		return;
	}
	agent.is_unreadable = false;
	for (struct network *network = agent.networks; network; network = network->next)
		network->is_seen = false;
	networks_scan_entries(directory);
	closedir(directory);
	metric_set(agent.count, networks_remove_unseen());
	networks_work();
}

/* A message has only some of the networks. The next message continues after them. */
static void networks_check_versions(void *self)
{
	struct network *network = agent.unchecked ? agent.unchecked : agent.networks;
	json_t *ids = json_array();

	(void)self;
	for (; network && json_array_size(ids) < VERSIONS_NAMES_MAX;
	     network = network->next)
		json_array_append_new(ids, json_string(network->id));
	if (versions_ask(agent.versions, ids))
		agent.unchecked = network;
}

/* A network may have two directories. */
static void networks_on_version(void *self, const char *id, uint64_t version)
{
	(void)self;
	for (struct network *network = agent.networks; network; network = network->next)
		if (!strcmp(network->id, id))
			mirror_compare(network->mirror, version);
}

static const struct timer timers[] = {
	{ "look",  &agent.scan_period_ms,    networks_scan           },
	{ "check", &agent.settings.check_ms, networks_check_versions },
	{ 0 }
};

/* ---- announced changes ---- */

static enum err hosts_decode_ids(const json_t *list, char ids[][ID_LEN + 1],
                                 struct why *why)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (!text || !id_parse(text, ids[i]))
			return fail(why, ERR_INVALID, "ports[%zu]: must be an id of 32 "
			            "hexadecimal digits", i);
	}
	return OK;
}

/* IDS NULL: any port of the network may have changed. */
static void network_changed(const struct network *network, char ids[][ID_LEN + 1],
                            size_t count, uint64_t version)
{
	for (size_t i = 0; ids && i < count; i++)
		mirror_changed(network->mirror, ids[i]);
	if (!ids)
		mirror_read(network->mirror);
	mirror_told(network->mirror, version);
}

static enum err hosts_changed(void *self, struct request *req)
{
	char id[ID_LEN + 1], (*ids)[ID_LEN + 1];
	const json_t *list = NULL;
	int64_t version = 0;
	enum err err = json_get_id(req->args, "network", JSON_REQUIRED, id, &req->why);

	(void)self;
	if (!err)
		err = json_get_int(req->args, "version", 0, 0, INT64_MAX, &version,
		                   &req->why);
	if (!err)
		err = json_get_array(req->args, "ports", 0, CHANGED_MAX, &list,
		                     &req->why);
	ids = arena_alloc(req->arena, (json_array_size(list) + 1) * sizeof(*ids));
	if (!err)
		err = hosts_decode_ids(list, ids, &req->why);
	for (struct network *network = agent.networks; !err && network;
	     network = network->next)
		if (!strcmp(network->id, id))
			network_changed(network, list ? ids : NULL,
			                json_array_size(list), (uint64_t)version);
	return err;
}

static const struct rpc_method methods[] = {
	{ "hosts_changed", hosts_changed, "network ports? version?", .fleet = true,
	  .agents = true },
	{ 0 }
};

/* Earlier changes were not announced on this queue, so all entries are read. */
static void networks_on_new_fanout(void *self)
{
	(void)self;
	agent.hears_changes = true;
	for (struct network *network = agent.networks; network; network = network->next)
		mirror_read(network->mirror);
}

/* ---- start and stop ---- */

static enum err ports_agent_check(void *self, struct why *why)
{
	const char *directory = ((struct agent *)self)->settings.directory;
	size_t len = strlen(directory);

	if (*directory != '/' || (len > 1 && directory[len - 1] == '/'))
		return fail(why, ERR_INVALID, "ports_agent.directory: must be an "
		            "absolute path without a '/' at its end, not '%s'",
		            directory);
	return OK;
}

static enum err ports_agent_prepare(void *self, int processes, struct why *why)
{
	(void)self, (void)processes, (void)why;
	mirror_metrics();
	signaller_metrics();
	agent.count = metric_new(METRIC_GAUGE, "agent_networks",
	                         "networks whose files the agent writes on this machine",
	                         NULL, NULL);
	agent.age = metric_new(METRIC_GAUGE, "agent_oldest_change_age_seconds",
	    "seconds since the oldest change that is not in the files of its network "
	    "yet. The value ignores networks that zonefleet-ports does not know",
	    NULL, NULL);
	return OK;
}

static enum err ports_agent_start(void *self, const struct runtime *runtime,
                                  struct why *why)
{
	(void)why;
	agent.runtime = runtime;
	agent.lane = lane_new(runtime->loop, "files", WRITES_MAX);
	agent.versions = versions_new(&(struct versions_config){
		.rpc = runtime->rpc, .topic = hosts.topic, .keys = "networks",
		.found = networks_on_version });
	networks_scan(self);
	return OK;
}

static void ports_agent_drain(void *self)
{
	(void)self;
	for (struct network *network = agent.networks; network; network = network->next)
		mirror_drain(network->mirror);
}

static bool ports_agent_idle(const void *self)
{
	const struct network *network = ((const struct agent *)self)->networks;

	while (network && mirror_is_idle(network->mirror))
		network = network->next;
	return !network;
}

static void ports_agent_stop(void *self)
{
	(void)self;
	while (agent.networks) {
		struct network *network = agent.networks;

		agent.networks = network->next;
		network_free(network);
	}
	versions_free(&agent.versions);
	lane_free(&agent.lane);
}

const struct worker ports_agent = {
	.name = "ports-agent",
	.group = "ports_agent",
	.fleet = true,
	.is_agent = true,
	.summary = "writes the files of dnsmasq for the networks of this machine",
	.sections = sections,
	.methods = methods,
	.timers = timers,
	.fanout_only = true,
	.fanout_is_new = networks_on_new_fanout,
	.no_database = true,
	.one_process = true,
	.check = ports_agent_check,
	.prepare = ports_agent_prepare,
	.start = ports_agent_start,
	.drain = ports_agent_drain,
	.idle = ports_agent_idle,
	.stop = ports_agent_stop,
	.self = &agent,
};
