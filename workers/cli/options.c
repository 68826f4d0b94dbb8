#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The codes of long options are greater than all letters. */
enum { OPTION_BASE = 256, WRONG_MAX = 256 };

const struct option_row option_rows[OPT_COUNT] = {
	[OPT_CONFIG]       = { "config", 'c', "FILE",
		"read the settings from FILE; default $ZONEFLEET_CONFIG, then "
		"/etc/zonefleet/zonefleet.cfg" },
	[OPT_JSON]         = { "json", 'j', NULL, "print one JSON document" },
	[OPT_TENANT]       = { "tenant", 0, "T", "act for this tenant (client.tenant)" },
	[OPT_ADMIN]        = { "admin", 0, NULL,
		"act as an administrator (client.admin)" },
	[OPT_ALL_TENANTS]  = { "all-tenants", 0, NULL,
		"as an administrator, list the objects of all tenants "
		"(client.all_tenants)" },
	[OPT_TIMEOUT]      = { "timeout", 0, "TIME",
		"wait at most TIME for an answer (client.timeout): 10, 2m" },
	[OPT_QUIET]        = { "quiet", 'q', NULL,
		"print no headers, progress or summary" },
	[OPT_NO_COLOR]     = { "no-color", 0, NULL,
		"print no color on a terminal; $NO_COLOR has the same effect" },
	[OPT_VERBOSE]      = { "verbose", 'v', NULL, "print log lines of log.level or "
						     "worse" },
	[OPT_SAMPLE]       = { "sample", 0, NULL,
		"print the settings with their defaults" },
	[OPT_HELP]         = { "help", 'h', NULL, "explain the command" },
	[OPT_VERSION]      = { "version", 0, NULL, "print the version" },
	[OPT_WAIT]         = { "wait", 'w', NULL,
		"wait until the change is on the name servers: ACTIVE or DELETED "
		"(router drain: until the router has no route)" },
	[OPT_WAIT_TIMEOUT] = { "wait-timeout", 0, "TIME",
		"wait at most TIME; default 60 seconds (watch: no limit)" },
	[OPT_EMAIL]        = { "email", 0, "ADDRESS",
		"the address of the person in charge (the SOA's RNAME)" },
	[OPT_PRIMARY]      = { "primary", 0, "HOST",
		"the primary name server (the SOA's MNAME)" },
	[OPT_TTL]          = { "ttl", 0, "TIME", "the time to live: 3600, 1h" },
	[OPT_REFRESH]      = { "refresh", 0, "TIME", "the SOA's refresh" },
	[OPT_RETRY]        = { "retry", 0, "TIME", "the SOA's retry" },
	[OPT_EXPIRE]       = { "expire", 0, "TIME", "the SOA's expire" },
	[OPT_MINIMUM]      = { "minimum", 0, "TIME",
		"the SOA's minimum: the TTL of negative answers" },
	[OPT_DESCRIPTION]  = { "description", 0, "TEXT", "a note for people" },
	[OPT_POOL]         = { "pool", 0, "POOL", "the pool of name servers" },
	[OPT_NS]           = { "ns", 0, "HOST,...",
		"hosts of the NS records at the apex" },
	[OPT_CATALOG]      = { "catalog", 0, "NAME",
		"the zone that lists the pool's domains (RFC 9432); \"\" removes it" },
	[OPT_STATUS]       = { "status", 0, "STATUS",
		"list only objects in this status: PENDING, ACTIVE or ERROR" },
	[OPT_TYPE]         = { "type", 0, "TYPE", "list only records of this type" },
	[OPT_SORT]         = { "sort", 0, "KEY",
		"sort by name, created_at or updated_at; \"-name\" reverses the order" },
	[OPT_LIMIT]        = { "limit", 0, "N", "list at most N" },
	[OPT_ALGORITHM]    = { "algorithm", 0, "A",
		"hmac-sha256 (the default), or -sha1, -sha224, -sha384, -sha512" },
	[OPT_DOMAIN]       = { "domain", 0, "DOMAIN",
		"a client that signs with the key may transfer this domain" },
	[OPT_SECRET_FILE]  = { "secret-file", 0, "FILE",
		"read the secret, in base64, from FILE, or - for standard input" },
	[OPT_SECRET]       = { "secret", 0, NULL, "also print the secret" },
	[OPT_FORMAT]       = { "format", 0, "SERVER",
		"print the clause that bind, knot, nsd or powerdns takes" },
	[OPT_MAN]          = { "man", 0, NULL, "print the man page" },
	[OPT_DEEP]         = { "deep", 0, NULL, "also compare the records" },
	[OPT_RESOURCE]     = { "resource", 0, "NAME",
		"the resource that wants the records: ingress/shop/web (apply: "
		"default by-hand)" },
	[OPT_PARTIAL]      = { "partial", 0, NULL,
		"keep the other records of the resource" },
	[OPT_YES]          = { "yes", 0, NULL, "make the change that the command shows "
					       "without this option" },
	[OPT_VOUCH]        = { "vouch", 0, NULL,
		"send the message under your own broker account" },
	[OPT_OWNER]        = { "owner", 0, "ID",
		"only records of this owner; '' for records without an owner" },
	[OPT_NAME]         = { "name", 0, "NAME",
		"only this name: www, @, or absolute with its final dot" },
	[OPT_BELOW]        = { "below", 0, NULL, "also all names below it" },
	[OPT_ALL]          = { "all", 0, NULL, "all record sets of STORAGE_ID in the zone" },
	[OPT_WANTED]       = { "wanted", 0, NULL,
		"all record sets without a mark that are exactly as a resource wants them" },
	[OPT_DRY_RUN]      = { "dry-run", 0, NULL,
		"show what the command would do, and change nothing" },
	[OPT_DNS_NAME]     = { "dns-name", 0, "NAME",
		"the name of the port: vm01, or absolute with its final dot; '' for "
		"the generated names only" },
	[OPT_DNS_DOMAIN]   = { "dns-domain", 0, "DOMAIN",
		"the domain of the name; '' for the domain of the network" },
	[OPT_MAC]          = { "mac", 0, "MAC", "the MAC address: fa:16:3e:00:00:01" },
	[OPT_NO_PUBLISH]   = { "no-publish", 0, NULL,
		"publish no records of its addresses" },
	[OPT_DNS]          = { "dns", 0, "NAME",
		"the router's domain; default NAME.SUFFIX, by routes.suffix" },
	[OPT_LABEL]        = { "label", 0, "KEY=VALUE,...",
		"labels that match routes to routers: one label for a router, any number "
		"for a route; '' removes the labels" },
	[OPT_CAPACITY]     = { "capacity", 0, "N",
		"the largest number of routes; '' for no limit" },
	[OPT_UNDO]         = { "undo", 0, NULL, "let the router take routes again" },
	[OPT_FORCE]        = { "force", 0, NULL,
		"delete the router although former names of routes still lead to other "
		"routers" },
	[OPT_HOST]         = { "host", 0, "NAME",
		"your own name, or *.NAME; '' for a generated name; not in "
		"routes.suffix. Only administrators may use a wildcard such as *.com" },
	[OPT_BACKEND]      = { "backend", 0, "NAME",
		"the backend in the router's configuration; default NAMESPACE_NAME" },
	[OPT_ROUTER]       = { "router", 0, "NAME", "list only routes of this router" },
	[OPT_PHASE]        = { "phase", 0, "PHASE", "list only new or scheduled routes" },
};

struct scanner {
	struct option longs[OPT_COUNT + 1];
	char shorts[2 * OPT_COUNT + 3];
};

static void scanner_add_short(struct scanner *scanner, const struct option_row *row)
{
	char *end = scanner->shorts + strlen(scanner->shorts);

	*end++ = row->letter;
	if (row->argument)
		*end++ = ':';
	*end = '\0';
}

static void scanner_init(struct scanner *scanner)
{
	*scanner = (struct scanner){ .shorts = "-:" };	/* words in their order */
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_row *row = &option_rows[i];

		scanner->longs[i] = (struct option){
			row->name, row->argument ? required_argument : no_argument, NULL,
			row->letter ? row->letter : OPTION_BASE + i,
		};
		if (row->letter)
			scanner_add_short(scanner, row);
	}
}

static enum cli_option options_by_code(int code)
{
	for (int i = 0; i < OPT_COUNT; i++)
		if (code == OPTION_BASE + i ||
		    (code < OPTION_BASE && option_rows[i].letter == code))
			return i;
	return OPT_COUNT;
}

/* optopt has a short option, perhaps of a group. WORD is the long option. */
static void options_describe(int code, const char *word, char wrong[WRONG_MAX])
{
	if (code == ':')
		snprintf(wrong, WRONG_MAX, "%s needs a value", word);
	else if (optopt && optopt < OPTION_BASE && word[1] != '-')
		snprintf(wrong, WRONG_MAX, "there is no option -%c", optopt);
	else if (optopt)
		snprintf(wrong, WRONG_MAX, "%.*s does not accept a value",
		         (int)strcspn(word, "="), word);
	else
		snprintf(wrong, WRONG_MAX,
		         "%s is not an option, or matches several options", word);
}

/* A quota of -1 is a word, not an option. */
static bool options_is_number(const char *word)
{
	return word && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/* The next code of getopt_long(), 1 for a word. */
static int options_next(struct scanner *scanner, int argc, char **argv)
{
	if (optind && options_is_number(argv[optind])) {
		optarg = argv[optind++];
		return 1;
	}
	return getopt_long(argc, argv, scanner->shorts, scanner->longs, NULL);
}

/* Scans to the end even after a mistake: a later --json decides how to print it. */
bool options_scan(int argc, char **argv, const char *values[OPT_COUNT], int *first,
                  char wrong[256])
{
	struct scanner scanner;
	bool is_good = true;
	int code, words = 1;		/* argv[1] to argv[words - 1] */

	scanner_init(&scanner);
	opterr = 0;
	optind = 0;
	while ((code = options_next(&scanner, argc, argv)) != -1) {
		if (code == 1) {
			argv[words++] = optarg;
		} else if (code != '?' && code != ':') {
			values[options_by_code(code)] = optarg ? optarg : "";
		} else if (is_good) {
			options_describe(code, argv[optind - 1], wrong);
			is_good = false;
		}
	}
	while (words > 1)		/* in front of those behind "--" */
		argv[--optind] = argv[--words];
	*first = optind;
	return is_good;
}
