#include "wait.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "handlers.h"
#include "model/domain.h"
#include "model/serial.h"
#include "progress.h"

enum {
	WAIT_DEFAULT_S = 60,
	WAIT_MAX_S = 7 * 24 * 3600,
	/* the pool manager retries 5 s after the first failure, 10 s after the next */
	ERROR_LASTS_MS = 30 * 1000,
};

/* ---- decisions ---- */

static bool wait_is_out(uint32_t serial, const struct domain_view *view)
{
	if (view->status == STATUS_ACTIVE)
		return serial_covers(view->serial, serial);
	/* a newer change is pending, but the servers already have this one */
	return view->is_everywhere && serial_newer(view->serial, serial);
}

bool wait_must_exist(const struct goal *goal)
{
	return goal->is_any ? goal->is_until_active : !goal->is_deletion;
}

/* True: the domain is on its way to the state that the goal names. */
static bool wait_is_on_its_way(const struct goal *goal, const struct domain_view *view)
{
	bool is_leaving = view->task == TASK_DELETE;

	if (goal->is_any)
		return !is_leaving || !goal->is_until_active;
	return is_leaving == goal->is_deletion;
}

enum wait_outcome wait_decide(const struct goal *goal, const struct domain_view *view)
{
	uint32_t serial = goal->is_any ? view->serial : goal->serial;

	if (view->status == STATUS_DELETED)
		return WAIT_DELETED;
	if (!wait_is_on_its_way(goal, view))
		return WAIT_OPEN;
	if (view->task != TASK_DELETE && wait_is_out(serial, view))
		return WAIT_ACTIVE;
	if (view->status == STATUS_ERROR && serial_covers(view->serial, serial))
		return WAIT_ERROR;
	return WAIT_OPEN;
}

enum wait_outcome wait_allow_retries(struct goal *goal, enum wait_outcome outcome,
                                     int64_t now_ms)
{
	if (outcome != WAIT_ERROR) {
		goal->error_since_ms = 0;
		return outcome;
	}
	if (!goal->error_since_ms)
		goal->error_since_ms = now_ms;
	if (goal->patience == PATIENCE_LIMIT)
		return WAIT_OPEN;
	return now_ms - goal->error_since_ms < ERROR_LASTS_MS ? WAIT_OPEN : WAIT_ERROR;
}

/* True: a row about ACTION. Central's answer has a row for each server and action. */
static bool wait_is_action(const json_t *server, enum action action)
{
	return !strcmp(answer_text(server, "action"), action_name(action));
}

/* True: a poll has found SERIAL or a newer serial on the server with this ID. */
static bool wait_is_on_server(const json_t *servers, const char *id, uint32_t serial)
{
	size_t i;
	json_t *server;

	json_array_foreach(servers, i, server) {
		const json_t *has = json_object_get(server, "serial");

		if (wait_is_action(server, ACTION_UPDATE) &&
		    !strcmp(answer_text(server, "id"), id))
			return json_is_integer(has) &&
			       serial_covers((uint32_t)json_integer_value(has), serial);
	}
	return false;		/* the zone is still being created there */
}

bool wait_is_everywhere(const json_t *domain, uint32_t serial)
{
	const json_t *servers = json_object_get(domain, "servers");
	size_t i, count = 0;
	json_t *server;

	json_array_foreach(servers, i, server) {
		if (wait_is_action(server, ACTION_DELETE))
			continue;
		count++;
		if (!wait_is_on_server(servers, answer_text(server, "id"), serial))
			return false;
	}
	return count > 0;
}

static void wait_read_view(const json_t *domain, const struct goal *goal,
                           struct domain_view *view)
{
	*view = (struct domain_view){
		.task = TASK_ADD, .status = STATUS_PENDING,
		.serial = (uint32_t)answer_number(domain, "serial"),
		.is_everywhere = wait_is_everywhere(domain, goal->serial),
	};
	task_parse(answer_text(domain, "task"), &view->task);
	status_parse(answer_text(domain, "status"), &view->status);
}

/* ---- waiting ---- */

struct watcher {
	struct cli *cli;
	struct goal goal;
	struct progress progress;
	int64_t until_ms;		/* 0: no limit */
	bool is_told; /* watch, without a terminal: print a line for each change */
	json_t *domain;			/* the latest state; may be NULL */
	struct buf line;
};

/* SUCCESS is the result of the last operation, so it can be about an older serial. */
static const char *wait_status_word(const json_t *server)
{
	const char *status = answer_text(server, "status");

	if (!*status)
		return "waiting";
	return !strcmp(status, "SUCCESS") && answer_number(server, "serials_behind") > 0
	           ? "behind" : status;
}

static void wait_describe_server(const json_t *server, struct buf *line)
{
	const json_t *serial = json_object_get(server, "serial");
	const char *health = answer_text(server, "health");

	buf_printf(line, "  %s ", answer_text(server, "id"));
	if (json_is_integer(serial))
		buf_printf(line, "%" PRId64 " ", (int64_t)json_integer_value(serial));
	buf_text(line, wait_status_word(server));
	if (*health && strcmp(health, "OK") != 0)
		buf_printf(line, " (%s)", health);
}

/*
 * True: the row shows the progress of ACTION on its server. A server without a row about
 * ACTION still creates the zone.
 */
static bool wait_is_shown(const json_t *servers, const json_t *server,
                          enum action action)
{
	size_t i;
	json_t *other;

	if (wait_is_action(server, action))
		return true;
	if (!wait_is_action(server, ACTION_CREATE))
		return false;
	json_array_foreach((json_t *)servers, i, other)
		if (wait_is_action(other, action) &&
		    !strcmp(answer_text(other, "id"), answer_text(server, "id")))
			return false;
	return true;
}

static void wait_describe(const json_t *domain, struct buf *line)
{
	bool is_deletion = !strcmp(answer_text(domain, "task"), "DELETE");
	enum action action = is_deletion ? ACTION_DELETE : ACTION_UPDATE;
	const json_t *servers = json_object_get(domain, "servers");
	size_t i;
	json_t *server;

	buf_reset(line);
	buf_printf(line, "%s %" PRId64 " %s %s", answer_text(domain, "name"),
	           answer_number(domain, "serial"), answer_text(domain, "task"),
	           answer_text(domain, "status"));
	json_array_foreach((json_t *)servers, i, server)
		if (wait_is_shown(servers, server, action))
			wait_describe_server(server, line);
}

/* A terminal shows one line that changes. Elsewhere `watch` prints each new line. */
static void wait_show(struct watcher *watcher)
{
	const char *reason = answer_text(watcher->domain, "reason");
	struct buf line = { 0 };

	wait_describe(watcher->domain, &line);
	if (!watcher->is_told || watcher->progress.is_live)
		progress_line(&watcher->progress, "%s%s%s", buf_string(&line),
		              *reason ? ": " : "", reason);
	if (watcher->is_told && !watcher->progress.is_live && !watcher->cli->out.json &&
	    strcmp(buf_string(&line), buf_string(&watcher->line)) != 0) {
		struct buf escaped = { 0 };

		output_escape(buf_string(&line), &escaped);
		puts(buf_string(&escaped));
		fflush(stdout);
		buf_clear(&escaped);
	}
	buf_clear(&watcher->line);
	watcher->line = line;
}

static enum err wait_poll_once(struct watcher *watcher, struct domain_view *view)
{
	struct cli *cli = watcher->cli;
	json_t *status;
	enum err err = cli_call(cli, "get_status", json_pack("{s:s}", "domain",
	                        watcher->goal.domain), &status);

	if (err == ERR_NOT_FOUND && watcher->domain) {
		view->status = STATUS_DELETED;
		return OK;
	}
	if (err)
		return err;
	json_decref(watcher->domain);
	watcher->domain = json_incref(json_object_get(status, "domain"));
	json_decref(status);
	wait_read_view(watcher->domain, &watcher->goal, view);
	wait_show(watcher);
	return OK;
}

/*
 * The rows of the domain's servers. A deletion has its own rows: the other rows are from
 * before the deletion.
 */
static json_t *wait_list_rows(const json_t *domain)
{
	bool is_deletion = !strcmp(answer_text(domain, "task"), "DELETE");
	json_t *rows = json_array(), *server;
	size_t i;

	json_array_foreach(json_object_get(domain, "servers"), i, server)
		if (!is_deletion || wait_is_action(server, ACTION_DELETE))
			json_array_append(rows, server);
	return rows;
}

/* True: the server has not succeeded for REASON. */
static bool wait_has_reason(const json_t *server, const char *reason)
{
	return strcmp(answer_text(server, "status"), "SUCCESS") != 0 &&
	       !strcmp(answer_text(server, "reason"), reason);
}

/* True: a row before END has this reason. ID: only rows of this server; NULL: all. */
static bool wait_had_reason(const json_t *servers, size_t end, const char *reason,
                            const char *id)
{
	for (size_t i = 0; i < end; i++) {
		const json_t *server = json_array_get(servers, i);

		if (wait_has_reason(server, reason) &&
		    (!id || !strcmp(answer_text(server, "id"), id)))
			return true;
	}
	return false;
}

/* Writes "bind, nsd: REASON". A server has a row for each action: it is named once. */
static void wait_explain_reason(const json_t *servers, const char *reason,
                                struct buf *words)
{
	const char *comma = words->len ? "; " : "";

	for (size_t i = 0; i < json_array_size(servers); i++) {
		const json_t *server = json_array_get(servers, i);
		const char *id = answer_text(server, "id");

		if (!wait_has_reason(server, reason) ||
		    wait_had_reason(servers, i, reason, id))
			continue;
		buf_printf(words, "%s%s", comma, id);
		comma = ", ";
	}
	buf_printf(words, ": %s", reason);
}

void wait_explain_servers(const json_t *domain, struct buf *words)
{
	json_t *servers = wait_list_rows(domain);

	for (size_t i = 0; i < json_array_size(servers); i++) {
		const char *reason = answer_text(json_array_get(servers, i), "reason");

		if (*reason && wait_has_reason(json_array_get(servers, i), reason) &&
		    !wait_had_reason(servers, i, reason, NULL))
			wait_explain_reason(servers, reason, words);
	}
	json_decref(servers);
}

/* The reason of the domain, or else the reasons of its servers, or else its state. */
static void wait_explain_open(const json_t *domain, struct buf *words)
{
	buf_text(words, answer_text(domain, "reason"));
	if (!words->len)
		wait_explain_servers(domain, words);
	if (!words->len)
		wait_describe(domain, words);
}

static enum err wait_out_of_time(struct watcher *watcher)
{
	struct buf words = { 0 };

	wait_explain_open(watcher->domain, &words);
	cli_fail(watcher->cli, ERR_TIMEOUT,
	         "%s: the change is not on the name servers after %.1f s, and the domain "
	         "is %s: %s", answer_text(watcher->domain, "name"),
	         cli_elapsed(watcher->cli), answer_text(watcher->domain, "status"),
	         buf_string(&words));
	buf_clear(&words);
	return ERR_TIMEOUT;
}

/* At the time limit, a domain in ERROR fails with its reason. */
static enum err wait_at_limit(struct watcher *watcher, enum wait_outcome *outcome)
{
	if (!watcher->goal.error_since_ms)
		return wait_out_of_time(watcher);
	*outcome = WAIT_ERROR;
	return OK;
}

/* A failed call may pass. The progress shows it. */
static void wait_show_failure(struct watcher *watcher)
{
	progress_line(&watcher->progress, "%s  %s", watcher->goal.domain,
	              watcher->cli->why.text);
}

static enum err wait_watch(struct watcher *watcher, enum wait_outcome *outcome)
{
	struct domain_view view;
	int pause_ms = 0;

	for (;;) {
		enum err err = wait_poll_once(watcher, &view);

		if (err && (!client_may_recover(err) ||
		            client_was_refused(watcher->cli->client)))
			return err;
		if (err)
			wait_show_failure(watcher);
		else
			*outcome = wait_allow_retries(&watcher->goal,
			                              wait_decide(&watcher->goal, &view),
			                              clock_ms());
		if (*outcome != WAIT_OPEN)
			return OK;
		if (watcher->until_ms && clock_ms() >= watcher->until_ms)
			return err ? err : wait_at_limit(watcher, outcome);
		client_pause(watcher->cli->client, &pause_ms);
	}
}

/* ---- result ---- */

/* Writes "example.org. is in ERROR: ", and the reasons of the failed servers or of the
 * domain. */
static void wait_describe_error(const json_t *domain, struct buf *in_error)
{
	struct buf words = { 0 };

	wait_explain_servers(domain, &words);
	if (!words.len)
		buf_text(&words, answer_text(domain, "reason"));
	buf_printf(in_error, "%s is in ERROR: %s", answer_text(domain, "name"),
	           words.len ? buf_string(&words) : "central gives no reason");
	buf_clear(&words);
}

static enum err wait_ended_in_error(struct watcher *watcher)
{
	struct cli *cli = watcher->cli;
	struct buf words = { 0 };

	wait_describe_error(watcher->domain, &words);
	cli_fail(cli, ERR_CONFLICT, "%s", buf_string(&words));
	buf_clear(&words);
	cli->status = EXIT_IN_ERROR;
	cli->class = "InError";
	return ERR_CONFLICT;
}

enum err wait_poll(struct cli *cli, struct goal *goal, enum wait_outcome *outcome,
                   struct buf *in_error)
{
	struct watcher watcher = { .cli = cli, .goal = *goal };
	struct domain_view view;
	enum err err = wait_poll_once(&watcher, &view);

	*outcome = WAIT_OPEN;
	if (err)
		return err;
	if (!goal->serial)
		goal->serial = view.serial;
	*outcome = wait_allow_retries(goal, wait_decide(goal, &view), clock_ms());
	buf_reset(in_error);
	if (goal->error_since_ms)
		wait_describe_error(watcher.domain, in_error);
	json_decref(watcher.domain);
	buf_clear(&watcher.line);
	return OK;
}

static enum err wait_check_end(struct watcher *watcher, enum wait_outcome outcome)
{
	if (outcome == WAIT_ERROR)
		return wait_ended_in_error(watcher);
	if (outcome == WAIT_DELETED && wait_must_exist(&watcher->goal))
		return fail(&watcher->cli->why, ERR_NOT_FOUND,
		            "%.200s was deleted before it was ACTIVE",
		            answer_text(watcher->domain, "name"));
	return OK;
}

static void wait_note_end(struct watcher *watcher, enum wait_outcome outcome,
                          json_t *result)
{
	const char *status = outcome == WAIT_DELETED ? "DELETED"
	                   : outcome == WAIT_ACTIVE ? "ACTIVE"
	                   : answer_text(watcher->domain, "status");
	const char *task = outcome == WAIT_OPEN || outcome == WAIT_ERROR
	                 ? answer_text(watcher->domain, "task") : "NONE";

	if (!json_object_get(result, "serial"))
		json_object_set(result, "serial",
		                json_object_get(watcher->domain, "serial"));
	json_object_set_new(result, "task", json_string(task));
	json_object_set_new(result, "status", json_string(status));
	json_object_set_new(result, "seconds", json_real(cli_elapsed(watcher->cli)));
}

static void wait_print_end(const struct watcher *watcher, enum wait_outcome outcome)
{
	const struct cli *cli = watcher->cli;

	if (cli->out.quiet || cli->out.json)
		return;
	if (outcome == WAIT_DELETED)
		printf("DELETED after %.3f s\n", cli_elapsed(cli));
	else
		printf("ACTIVE at serial %" PRId64 " after %.3f s\n",
		       answer_number(watcher->domain, "serial"), cli_elapsed(cli));
}

static enum err watcher_run(struct watcher *watcher, int64_t wait_s, json_t *result)
{
	enum wait_outcome outcome = WAIT_OPEN;
	enum err err = cli_seconds(watcher->cli, OPT_WAIT_TIMEOUT, WAIT_MAX_S, &wait_s);

	if (err)
		return err;
	watcher->until_ms = wait_s ? clock_ms() + wait_s * 1000 : 0;
	if (!wait_s && !watcher->goal.is_until_active)
		watcher->goal.patience = PATIENCE_30_S;
	progress_begin(&watcher->progress, &watcher->cli->out);
	err = wait_watch(watcher, &outcome);
	progress_end(&watcher->progress);
	wait_note_end(watcher, outcome, result);
	if (!err)
		err = wait_check_end(watcher, outcome);
	if (!err)
		wait_print_end(watcher, outcome);
	json_decref(watcher->domain);
	buf_clear(&watcher->line);
	return err;
}

void wait_take_warnings(struct cli *cli, json_t *result)
{
	json_t *text;
	size_t i;

	json_array_foreach(json_object_get(result, "warnings"), i, text)
		output_warn(&cli->out, json_string_value(text));
	json_object_del(result, "warnings");
}

enum err wait_finish(struct cli *cli, json_t *result, const struct goal *goal,
                     const char *line)
{
	struct watcher watcher = { .cli = cli, .goal = *goal };
	struct buf escaped = { 0 };

	wait_take_warnings(cli, result);
	cli_answer(cli, result);
	output_escape(line, &escaped);
	if (!cli->out.quiet && !cli->out.json)
		puts(buf_string(&escaped));
	buf_clear(&escaped);
	if (!cli_has(cli, OPT_WAIT))
		return OK;
	fflush(stdout);
	return watcher_run(&watcher, WAIT_DEFAULT_S, result);
}

static enum err wait_check_until(struct cli *cli)
{
	const char *until = cli->option[OPT_UNTIL];

	if (!until || !strcmp(until, "active"))
		return OK;
	return cli_usage(cli, "--until: must be active, not '%.100s'", until);
}

enum err watch_domain(struct cli *cli)
{
	char domain[NAME_MAX_TEXT + 1];
	struct watcher watcher = {
		.cli = cli, .is_told = !cli->out.quiet,
		.goal = { .domain = domain, .is_any = true,
		          .is_until_active = cli_has(cli, OPT_UNTIL) },
	};
	json_t *result = json_object();
	enum err err = wait_check_until(cli);

	if (!err)
		err = cli_domain(cli, 0, domain);

	json_object_set_new(result, "domain", json_string(err ? "" : domain));
	cli_answer(cli, result);
	return err ? err : watcher_run(&watcher, 0, result);
}
