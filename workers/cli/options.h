/*
 * options -- parses the options of the command line with getopt_long(). Only options.c
 * includes <getopt.h>, because the struct option of <getopt.h> conflicts with the struct
 * option of base/option.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All options of all commands. The rows are in options.c. */
enum cli_option {
	OPT_CONFIG, OPT_JSON, OPT_TENANT, OPT_ADMIN, OPT_TIMEOUT,
	OPT_QUIET, OPT_NO_COLOR, OPT_VERBOSE, OPT_SAMPLE, OPT_HELP,
	OPT_VERSION,
	OPT_COMMON_COUNT,	/* all commands accept the options above */
	OPT_WAIT = OPT_COMMON_COUNT, OPT_WAIT_TIMEOUT, OPT_UNTIL,
	OPT_EMAIL, OPT_PRIMARY, OPT_TTL, OPT_REFRESH, OPT_RETRY, OPT_EXPIRE, OPT_MINIMUM,
	OPT_DESCRIPTION, OPT_POOL, OPT_NS, OPT_CATALOG,
	OPT_ALL_TENANTS, OPT_STATUS, OPT_TYPE, OPT_SORT, OPT_LIMIT,
	OPT_ALGORITHM, OPT_DOMAIN, OPT_SECRET_FILE, OPT_SECRET, OPT_FORMAT, OPT_MAN,
	OPT_DEEP, OPT_RESOURCE, OPT_PARTIAL, OPT_YES,
	OPT_OWNER, OPT_NAME, OPT_BELOW, OPT_ALL, OPT_WANTED, OPT_DRY_RUN,
	OPT_DNS_NAME, OPT_DNS_DOMAIN, OPT_MAC, OPT_NO_PUBLISH,
	OPT_DNS, OPT_LABEL, OPT_CAPACITY, OPT_UNDO, OPT_FORCE,
	OPT_HOST, OPT_BACKEND, OPT_ROUTER, OPT_PHASE, OPT_VOUCH,
	OPT_IGNORE_OUT_OF_ZONE,
	OPT_PATTERN, OPT_REPLACE, OPT_PRIVATE, OPT_ATTRIBUTES,
	OPT_TARGET_TENANT, OPT_EXPIRES_IN, OPT_KEY_FILE, OPT_AT, OPT_RECORDSETS,
	OPT_COUNT
};
_Static_assert(OPT_COUNT <= 128, "a set of options has 128 bits");

/* A set of options: OPT(WAIT) | OPT(TTL). */
__extension__ typedef unsigned __int128 option_set;
#define OPT_BIT(option) ((option_set)1 << (option))
#define OPT(name) OPT_BIT(OPT_##name)
#define OPT_COMMON (OPT_BIT(OPT_COMMON_COUNT) - 1)

struct option_row {
	const char *name;		/* long form of the option, "wait-timeout" */
	char letter;	/* short form of the option; '\0': no short form */
	/* word for the value in the help, "TIME"; NULL: the option takes no value */
	const char *argument;
	const char *help;
	/*
	 * true: the value contains names, and the client converts these names to ASCII
	 * (idn.h)
	 */
	bool is_name;
};
extern const struct option_row option_rows[OPT_COUNT];

/*
 * Writes the value of each given option to VALUES ("" if the option takes no value).
 * Moves the words that are neither options nor values to the end of ARGV. Writes the
 * index of the first moved word to FIRST. False: an option is wrong, and WRONG contains
 * the reason. In this case, VALUES contains the other options.
 */
bool options_scan(int argc, char **argv, const char *values[OPT_COUNT], int *first,
                  char wrong[256]);
