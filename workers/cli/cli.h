/*
 * cli -- one run of the client: the command line, the settings and the functions that all
 * commands use.
 *
 * A command is a function of the type enum err (struct cli *). A command that fails
 * writes the reason to cli->why. main.c prints the reason once and derives the exit
 * status from the error. If --json is given, a command makes one JSON document, and
 * main.c prints the document. If the command fails, the document also contains "error".
 * The client writes its progress to standard error (progress.h).
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
	/* the worker refused the request, or the request failed */
	EXIT_FAILED,
	EXIT_USAGE,		/* the command line or the settings are wrong */
	EXIT_NOT_FOUND,
	/* --wait: the status was still ERROR at the end of the wait */
	EXIT_IN_ERROR,
	EXIT_TIMEOUT,
	/* the broker, the database or the worker is unreachable */
	EXIT_UNREACHABLE,
	EXIT_COUNT
};
/* the meaning of each exit status, for the help and the man page */
extern const char *const cli_exit_meanings[EXIT_COUNT];

struct cli {
	/* ---- from the command line ---- */
	const struct command *command;
	/*
	 * the value of each option; NULL: the option is not given; "": the option takes
	 * no value, or the value is empty
	 */
	const char *option[OPT_COUNT];
	/* the converted value, if idn.c has converted the value of the option to ASCII */
	char *ascii[OPT_COUNT];
	int argc;
	char **argv;			/* the arguments after the command's words */
	/* ---- from main.c ---- */
	const char *config;		/* path of the settings file */
	/* the groups broker, database and log of the settings */
	struct worker_common common;
	/* the group client of the settings, changed by the options of the command line */
	struct client_config settings;
	struct output out;
	struct client *client;		/* only for commands with NEED_BROKER */
	int64_t started_us;
	/* ---- the result of the command ---- */
	json_t *document;		/* the document for --json */
	struct why why;
	/* the whole reason from cli_fail(); NULL: `why` contains the whole reason */
	char *reason;
	/*
	 * exit status of a command that fails; EXIT_GOOD: main.c derives the exit status
	 * from the error
	 */
	enum exit_status status;
	/*
	 * class of the error in texts and JSON; NULL: main.c derives the class from the
	 * error
	 */
	const char *class;
};

static inline bool cli_has(const struct cli *cli, enum cli_option option)
{
	return cli->option[option] != NULL;
}

/* Sets the document for --json. Takes over JSON. */
void cli_answer(struct cli *cli, json_t *json);
/*
 * Returns the seconds since the command began. The time in which the client connects to
 * the broker does not count.
 */
double cli_elapsed(const struct cli *cli);

/*
 * Calls a method of central. Takes over ARGS. The caller frees the result. RESULT may be
 * NULL.
 */
enum err cli_call(struct cli *cli, const char *method, json_t *args, json_t **result);

/*
 * Like fail(), but for a reason that can be too long for struct why. main.c prints the
 * whole reason.
 */
enum err cli_fail(struct cli *cli, enum err err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/*
 * Reports an error in the command line: writes the reason to cli->why, sets EXIT_USAGE
 * and returns ERR_ARGUMENTS. main.c adds a hint.
 */
enum err cli_usage(struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * These functions convert the value of an option and write the result to VALUE.
 * cli_number() converts a number. cli_seconds() converts a time such as "1h" to seconds.
 * If the option is not given, the functions do not change VALUE.
 */
enum err cli_number(struct cli *cli, enum cli_option option, int64_t min, int64_t max,
                    int64_t *value);
enum err cli_seconds(struct cli *cli, enum cli_option option, int64_t max,
                     int64_t *value);
/*
 * Sets KEY of INTO to the value of the option, if the command line contains the option.
 */
void cli_put_text(const struct cli *cli, enum cli_option option, json_t *into,
                  const char *key);
/* Puts `force` into the arguments of a call if the command line contains --force. */
void cli_put_force(const struct cli *cli, json_t *args);
/*
 * Like cli_put_text(), but for a host name. Adds the final dot. Refuses a single label
 * without a final dot (EXIT_USAGE).
 */
enum err cli_put_host(struct cli *cli, enum cli_option option, json_t *into,
                      const char *key);
/*
 * Puts the pairs of an option (KEY=VALUE,...) into INTO as an object KEY of strings. An
 * empty value of the option puts an empty object.
 */
enum err cli_put_pairs(struct cli *cli, enum cli_option option, json_t *into,
                       const char *key);
/* Like cli_put_host(), but for host names that are separated by commas. */
enum err cli_put_hosts(struct cli *cli, enum cli_option option, json_t *into,
                       const char *key);

/*
 * Sets KEY of INTO to a name or pattern in ASCII (idn.h). ARGUMENT: the index of the
 * argument with this name or pattern.
 */
enum err cli_put_name(struct cli *cli, int argument, json_t *into, const char *key);
/*
 * Writes the domain in an argument to TEXT, in the form that central accepts (names.h).
 * ARGUMENT: the index of the argument.
 */
enum err cli_domain(struct cli *cli, int argument, char text[NAME_MAX_TEXT + 1]);
