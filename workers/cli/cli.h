/*
 * cli -- one run of the client: the command line, the settings and the functions that all
 * commands use.
 *
 * A command is a function enum err (struct cli *). It puts its reason for a failure into
 * cli->why. main.c prints the reason once and makes the exit status from the error. With
 * --json a command leaves one document, and main.c prints it; a failure adds "error".
 * Progress (progress.h) goes to standard error.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "client.h"
#include "model/name.h"
#include "options.h"
#include "output.h"
#include "runtime/worker.h"

enum exit_status {
	EXIT_GOOD,
	EXIT_FAILED,		/* the worker refused it, or the request failed */
	EXIT_USAGE,		/* the command line or the settings are wrong */
	EXIT_NOT_FOUND,
	EXIT_IN_ERROR,		/* --wait: the state stayed ERROR */
	EXIT_TIMEOUT,
	EXIT_UNREACHABLE,	/* the broker, the database or the worker */
	EXIT_COUNT
};
extern const char *const cli_exit_meanings[EXIT_COUNT];	/* for help and the man page */

struct cli {
	/* from the command line */
	const struct command *command;
	const char *option[OPT_COUNT];	/* NULL: not given; "": takes no value */
	int argc;
	char **argv;			/* the arguments after the command's words */
	/* set up by main.c */
	const char *config;		/* path of the settings */
	struct worker_common common;	/* the groups broker, database, log */
	struct client_config settings;	/* the group client, after the options */
	struct output out;
	struct client *client;		/* for commands that NEED_BROKER */
	int64_t started_us;
	/* result */
	json_t *document;		/* for --json */
	struct why why;
	enum exit_status status;	/* EXIT_GOOD: derive it from the error */
	const char *class;		/* NULL: derive it from the error */
};

static inline bool cli_has(const struct cli *cli, enum cli_option option)
{
	return cli->option[option] != NULL;
}

/* Sets the document for --json. Takes JSON over. */
void cli_answer(struct cli *cli, json_t *json);
double cli_elapsed(const struct cli *cli);	/* seconds since the broker was reached */

/* Calls central. Takes ARGS over. The caller frees *result; a NULL RESULT drops it. */
enum err cli_call(struct cli *cli, const char *method, json_t *args, json_t **result);

/* Wrong use of the command line: sets EXIT_USAGE; main.c adds a hint. */
enum err cli_usage(struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Reads an option's value as a number or a time ("1h"). Without the option *value is
 * unchanged.
 */
enum err cli_number(struct cli *cli, enum cli_option option, int64_t min, int64_t max,
                    int64_t *value);
enum err cli_seconds(struct cli *cli, enum cli_option option, int64_t max,
                     int64_t *value);
/* Sets KEY of INTO to the option's text, if the command line has the option. */
void cli_put_text(const struct cli *cli, enum cli_option option, json_t *into,
                  const char *key);
/* cli_put_text() for a host name, which gets its final dot. */
void cli_put_host(const struct cli *cli, enum cli_option option, json_t *into,
                  const char *key);
/* cli_put_text() for host names with commas between them. */
void cli_put_hosts(const struct cli *cli, enum cli_option option, json_t *into,
                   const char *key);

/* Writes the argument in the form that central takes (names.h). */
enum err cli_domain(struct cli *cli, int argument, char text[NAME_MAX_TEXT + 1]);
