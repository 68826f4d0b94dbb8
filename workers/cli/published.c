#include "published.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "await.h"
#include "base/mem.h"
#include "names.h"
#include "wait.h"

struct site {
	char *domain;
	struct goal goal;	/* the serial with all records in central; 0: not yet */
	struct buf in_error;	/* the ERROR of the domain; "": no ERROR */
	/* on the name servers, or the caller may not see the domain */
	bool is_out;
};

/* ---- at zonefleet-ports ---- */

static void published_add_site(struct published *published, const char *domain)
{
	for (size_t i = 0; i < published->count; i++)
		if (!strcmp(published->sites[i].domain, domain))
			return;
	published->sites = xrealloc(published->sites, (published->count + 1) *
	                                              sizeof(*published->sites));
	published->sites[published->count++] = (struct site){ .domain = xstrdup(domain) };
}

static bool published_is_reverse(const char *domain)
{
	static const char end[] = ".arpa.";
	size_t len = strlen(domain), tail = sizeof(end) - 1;

	return len > tail && !strcmp(domain + len - tail, end);
}

/* True: the change touches records in the domain. */
static bool published_counts(const struct published *published, const char *domain)
{
	return !published->to || !strcmp(domain, published->to) ||
	       (published->from && !strcmp(domain, published->from)) ||
	       published_is_reverse(domain);
}

/* The refused records of a domain tell more than open records. */
static void published_add_waiting(struct published *published, const json_t *row)
{
	int64_t refused = answer_number(row, "refused");

	if (json_object_get(row, "domain") &&
	    !published_counts(published, answer_text(row, "domain")))
		return;
	if (!*published->reason || (refused && !published->refused)) {
		snprintf(published->reason, sizeof(published->reason), "%s",
		         answer_text(row, "reason"));
		snprintf(published->port, sizeof(published->port), "%s",
		         answer_text(row, "port"));
	}
	published->open += answer_number(row, "open");
	published->refused += refused;
}

/* " (port ID)", or "" if the command is about one port. */
static const char *published_port(const struct published *published, char text[64])
{
	text[0] = '\0';
	if (*published->port && strcmp(published->key, "port") != 0)
		snprintf(text, 64, " (port %s)", published->port);
	return text;
}

enum err published_read(struct cli *cli, struct published *published)
{
	json_t *answer, *domain, *row;
	size_t i;
	enum err err = client_call(cli->client, "ports", "get_published",
	                           json_pack("{s:s}", published->key, published->id),
	                           &answer, &cli->why);

	if (err)
		return err;
	json_array_foreach(json_object_get(answer, "domains"), i, domain)
		if (published_counts(published, json_string_value(domain)))
			published_add_site(published, json_string_value(domain));
	published->open = published->refused = 0;
	published->reason[0] = published->port[0] = '\0';
	if (json_is_array(json_object_get(answer, "waiting")))
		json_array_foreach(json_object_get(answer, "waiting"), i, row)
			published_add_waiting(published, row);
	else		/* an older zonefleet-ports gives only the sums */
		published_add_waiting(published, answer);
	published->retry_s = json_number_value(json_object_get(answer, "retry_seconds"));
	json_decref(answer);
	return OK;
}

/* ---- at central ---- */

static enum err published_poll_site(struct cli *cli, struct site *site)
{
	enum wait_outcome outcome;

	site->goal.domain = site->domain;
	enum err err = wait_poll(cli, &site->goal, &outcome, &site->in_error);
	site->is_out = err == ERR_NOT_FOUND || (!err && outcome != WAIT_OPEN);
	return err == ERR_NOT_FOUND ? OK : err;
}

/* The first domain that is not on its name servers yet; NULL: all domains are. */
static const struct site *published_next_site(const struct published *published)
{
	for (size_t i = 0; i < published->count; i++)
		if (!published->sites[i].is_out)
			return &published->sites[i];
	return NULL;
}

static enum err published_poll_sites(struct cli *cli, struct published *published)
{
	enum err err = OK;

	for (size_t i = 0; !err && i < published->count; i++)
		if (!published->sites[i].is_out)
			err = published_poll_site(cli, &published->sites[i]);
	return err;
}

/* ---- waiting ---- */

struct work {
	struct cli *cli;
	struct published *published;
	bool is_taken;			/* central has accepted all records */
};

static enum err published_were_refused(struct cli *cli, const struct published *published)
{
	char text[DURATION_TEXT], port[64];

	names_duration((int64_t)(published->retry_s + 0.5), text);
	cli_fail(cli, ERR_CONFLICT, "%s %.36s is in ERROR: central refuses %" PRId64
	         " of its records%s: %s; zonefleet-ports sends these records again "
	         "within %s",
	         published->key, published->id, published->refused,
	         published_port(published, port), published->reason, text);
	cli->status = EXIT_IN_ERROR;
	cli->class = "InError";
	return ERR_CONFLICT;
}

static enum err published_poll_taken(struct work *work)
{
	struct published *published = work->published;
	char port[64];
	enum err err = published_read(work->cli, published);

	if (err)
		return err;
	snprintf(published->what, sizeof(published->what), "waits for central: %" PRId64
	         " records%s", published->open, published_port(published, port));
	work->is_taken = !published->open;
	return work->is_taken && published->refused ? published_were_refused(work->cli,
	                                                                     published)
	                                            : OK;
}

static enum err published_poll(void *self, bool *is_over)
{
	struct work *work = self;
	struct published *published = work->published;
	enum err err = work->is_taken ? OK : published_poll_taken(work);

	*is_over = false;
	if (!err && work->is_taken) {
		err = published_poll_sites(work->cli, published);
		*is_over = !published_next_site(published);
		snprintf(published->what, sizeof(published->what),
		         "waits for the name servers");
	}
	return err;
}

static enum err published_stayed_in_error(const struct work *work)
{
	const struct published *published = work->published;
	struct cli *cli = work->cli;

	cli_fail(cli, ERR_CONFLICT, "%s %.36s: %s", published->key, published->id,
	         buf_string(&published_next_site(published)->in_error));
	cli->status = EXIT_IN_ERROR;
	cli->class = "InError";
	return ERR_CONFLICT;
}

static enum err published_out_of_time(const struct work *work)
{
	const struct published *published = work->published;
	struct cli *cli = work->cli;
	double after_s = cli_elapsed(cli);
	char port[64];
	const char *domain = work->is_taken ? published_next_site(published)->domain : "";

	if (work->is_taken && published_next_site(published)->in_error.len)
		return published_stayed_in_error(work);
	if (work->is_taken)
		return fail(&cli->why, ERR_TIMEOUT, "%s %.36s: the change is not on the "
		            "name servers of %.255s after %.1f s (see 'zonefleet status "
		            "%.255s')", published->key, published->id,
		            domain, after_s, domain);
	return cli_fail(cli, ERR_TIMEOUT, "%s %.36s: central has not accepted %" PRId64
	                " records%s after %.1f s%s%s", published->key, published->id,
	                published->open, published_port(published, port), after_s,
	                *published->reason ? ": " : "",
	                published->reason);
}

enum err published_wait(struct cli *cli, struct published *published, const char *status,
                        json_t *result)
{
	struct work work = { cli, published, false };
	struct await await = { .cli = cli, .subject = published->key,
	                       .what = published->what, .poll = published_poll, .self =
	                           &work };
	bool is_over = false;
	enum err err;

	if (!cli_has(cli, OPT_WAIT))
		return OK;
	err = await_in_time(&await, &is_over);
	if (!err && !is_over)
		err = published_out_of_time(&work);
	json_object_set_new(result, "seconds", json_real(cli_elapsed(cli)));
	if (err)
		return err;
	json_object_set_new(result, "status", json_string(status));
	if (!cli->out.json && !cli->out.quiet)
		printf("%s after %.3f s\n", status, cli_elapsed(cli));
	return OK;
}

void published_clear(struct published *published)
{
	for (size_t i = 0; i < published->count; i++) {
		free(published->sites[i].domain);
		buf_clear(&published->sites[i].in_error);
	}
	free(published->sites);
}
