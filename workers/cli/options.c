#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/suggest.h"

/* The codes of long options are greater than all letters. */
enum { OPTION_BASE = 256, WRONG_MAX = 256 };

const struct option_row option_rows[OPT_COUNT] = {
	[OPT_CONFIG]       = { "config", 'c', "FILE",
		"read the settings from FILE. Without this option, the client reads the "
		"file in the variable ZONEFLEET_CONFIG. If the variable is not set, the "
		"client reads /etc/zonefleet/zonefleet.cfg" },
	[OPT_JSON]         = { "json", 'j', NULL, "print one JSON document" },
	[OPT_TENANT]       = { "tenant", 0, "T", "act for the tenant T. The setting "
		"client.tenant has the same effect" },
	[OPT_ADMIN]        = { "admin", 0, NULL,
		"act as an administrator. The setting client.admin has the same effect" },
	[OPT_TIMEOUT]      = { "timeout", 0, "TIME",
		"wait at most TIME for an answer, for example 10 (seconds) or 2m "
		"(minutes). The setting client.timeout has the same effect" },
	[OPT_QUIET]        = { "quiet", 'q', NULL,
		"print no headers, progress, warnings or summary" },
	[OPT_NO_COLOR]     = { "no-color", 0, NULL,
		"print no colors on a terminal. The environment variable NO_COLOR has "
		"the same effect" },
	[OPT_VERBOSE]      = { "verbose", 'v', NULL,
		"also print log lines. The setting log.level sets the lowest severity of "
		"the printed lines" },
	[OPT_SAMPLE]       = { "sample", 0, NULL,
		"print the settings with their defaults" },
	[OPT_HELP]         = { "help", 'h', NULL, "explain the command" },
	[OPT_VERSION]      = { "version", 0, NULL, "print the version" },
	[OPT_WAIT]         = { "wait", 'w', NULL,
		"wait until the name servers serve the change and the status is ACTIVE "
		"or DELETED. 'router drain' waits until the router has no route. The "
		"status ERROR does not stop the wait before the time limit, because the "
		"pool manager tries again" },
	[OPT_WAIT_TIMEOUT] = { "wait-timeout", 0, "TIME",
		"wait at most TIME. Without this option, 'watch' has no time limit, and "
		"other commands wait at most 60 seconds" },
	[OPT_UNTIL]        = { "until", 0, "STATUS",
		"wait until the domain has this status. The only possible STATUS is "
		"active. With this option, the status ERROR does not stop the command" },
	[OPT_EMAIL]        = { "email", 0, "ADDRESS",
		"set the email address of the person responsible for the domain (RNAME "
		"in the SOA record)",
		.is_name = true },
	[OPT_PRIMARY]      = { "primary", 0, "HOST",
		"set the primary name server (MNAME in the SOA record)",
		.is_name = true },
	[OPT_TTL]          = { "ttl", 0, "TIME",
		"set the TTL, for example 3600 or 1h" },
	[OPT_REFRESH]      = { "refresh", 0, "TIME",
		"set the refresh time in the SOA record" },
	[OPT_RETRY]        = { "retry", 0, "TIME",
		"set the retry time in the SOA record" },
	[OPT_EXPIRE]       = { "expire", 0, "TIME",
		"set the expiry time in the SOA record" },
	[OPT_MINIMUM]      = { "minimum", 0, "TIME",
		"set the minimum in the SOA record, which is the TTL of negative "
		"answers" },
	[OPT_DESCRIPTION]  = { "description", 0, "TEXT",
		"set the description, which can be any text" },
	[OPT_TARGET_TENANT] = { "target-tenant", 0, "TENANT",
		"let only TENANT accept the request. With an empty value (''), each "
		"tenant that has the key can accept it" },
	[OPT_EXPIRES_IN]   = { "expires-in", 0, "TIME",
		"set the time until the request expires, from 1m to 90d. The default is "
		"7d" },
	[OPT_AT]           = { "at", 0, "NAME",
		"share only NAME and all names below NAME. NAME is relative to the "
		"domain, as the names of records", .is_name = true },
	[OPT_RECORDSETS]   = { "recordsets", 0, "WHAT",
		"decide about the record sets that no other share covers. delete: delete "
		"them. keep: give them to the tenant of the domain. Without this option, "
		"central refuses to delete the share" },
	[OPT_KEY_FILE]     = { "key-file", 0, "FILE",
		"read the key from FILE. If FILE is -, the client reads standard input" },
	[OPT_ATTRIBUTES]   = { "attributes", 0, "KEY=VALUE,...",
		"replace all attributes. An empty value ('') removes all attributes" },
	[OPT_POOL]         = { "pool", 0, "POOL", "select the pool of name servers" },
	[OPT_NS]           = { "ns", 0, "HOST,...",
		"set the hosts in the NS records at the apex",
		.is_name = true },
	[OPT_CATALOG]      = { "catalog", 0, "NAME",
		"set the catalog zone, which lists the pool's domains (RFC 9432). \"\" "
		"deletes the catalog zone",
		.is_name = true },
	[OPT_ALL_TENANTS]  = { "all-tenants", 0, NULL,
		"list the objects of all tenants (administrators only). The setting "
		"client.all_tenants has the same effect" },
	[OPT_STATUS]       = { "status", 0, "STATUS",
		"list only objects with this status. STATUS is PENDING, ACTIVE or "
		"ERROR" },
	[OPT_TYPE]         = { "type", 0, "TYPE", "select only records of this type" },
	[OPT_SORT]         = { "sort", 0, "KEY",
		"sort by name, created_at or updated_at. 'domain list' also sorts by "
		"serial. A - before the key, for example -name, reverses the order" },
	[OPT_LIMIT]        = { "limit", 0, "N",
		"list at most N objects. In 'record list', N is the largest number of "
		"record sets, and the list contains all records of these record sets" },
	[OPT_ALGORITHM]    = { "algorithm", 0, "A",
		"use the algorithm A: hmac-sha1, hmac-sha224, hmac-sha256, hmac-sha384 "
		"or hmac-sha512. Without this option, 'tsigkey create' uses "
		"hmac-sha256" },
	[OPT_DOMAIN]       = { "domain", 0, "DOMAIN",
		"allow clients to transfer this domain if they sign their queries with "
		"the key",
		.is_name = true },
	[OPT_SECRET_FILE]  = { "secret-file", 0, "FILE",
		"read the secret in base64 from FILE, or from standard input if FILE is "
		"-" },
	[OPT_SECRET]       = { "secret", 0, NULL, "also print the secret" },
	[OPT_FORMAT]       = { "format", 0, "SERVER",
		"print the key as a clause for the configuration of SERVER: bind, knot, "
		"nsd or powerdns" },
	[OPT_MAN]          = { "man", 0, NULL, "print the man page" },
	[OPT_DEEP]         = { "deep", 0, NULL,
		"also compare the records on the name servers with the records of the "
		"domain" },
	[OPT_RESOURCE]     = { "resource", 0, "NAME",
		"select the resource with this name, for example ingress/shop/web. "
		"Without this option, 'owner apply' uses the resource by-hand" },
	[OPT_PARTIAL]      = { "partial", 0, NULL,
		"keep all former endpoints of the resource, even if they are not in "
		"FILE" },
	[OPT_YES]          = { "yes", 0, NULL,
		"make the change. Without this option, the command only shows the "
		"change" },
	[OPT_VOUCH]        = { "vouch", 0, NULL,
		"send the message under your own broker account" },
	[OPT_OWNER]        = { "owner", 0, "ID",
		"list only records of this owner. '' means records without an owner" },
	[OPT_NAME]         = { "name", 0, "NAME",
		"select only records with this name. NAME is relative (www, or @ for the "
		"zone itself) or absolute with a final dot",
		.is_name = true },
	[OPT_BELOW]        = { "below", 0, NULL,
		"also select all names below the name in --name" },
	[OPT_ALL]          = { "all", 0, NULL,
		"select all record sets of STORAGE_ID in the zone" },
	[OPT_WANTED]       = { "wanted", 0, NULL,
		"select all record sets that have no owner and are identical to "
		"an endpoint of a resource" },
	[OPT_DRY_RUN]      = { "dry-run", 0, NULL,
		"show what the command would do, but change nothing" },
	[OPT_DNS_NAME]     = { "dns-name", 0, "NAME",
		"set the name of the port. NAME is relative, for example vm01, or "
		"absolute with a final dot. '' removes the name, so the port has only "
		"its generated names",
		.is_name = true },
	[OPT_DNS_DOMAIN]   = { "dns-domain", 0, "DOMAIN",
		"set the domain of the port's name. '' means the domain of the network",
		.is_name = true },
	[OPT_MAC]          = { "mac", 0, "MAC",
		"set the MAC address, for example fa:16:3e:00:00:01" },
	[OPT_NO_PUBLISH]   = { "no-publish", 0, NULL,
		"publish no records for the addresses in the subnet" },
	[OPT_DNS]          = { "dns", 0, "NAME",
		"set the domain of the router. By default, the domain is the name of the "
		"router below the domain in routes.suffix",
		.is_name = true },
	[OPT_LABEL]        = { "label", 0, "KEY=VALUE,...",
		"set the labels that match routes to routers. A router has at most one "
		"label. A route can have several labels. An empty value ('') removes all "
		"labels. If routes.strategy is not \"label\", zonefleet-routes ignores "
		"the labels" },
	[OPT_CAPACITY]     = { "capacity", 0, "N",
		"set the largest number of routes of the router or of domains of the "
		"pool. '' means no limit. Without the filter capacity in "
		"central.scheduler_filters, central ignores the capacity of a pool" },
	[OPT_UNDO]         = { "undo", 0, NULL, "allow the router to get routes again" },
	[OPT_FORCE]        = { "force", 0, NULL,
		"also delete and replace records that zonefleet-ports, zonefleet-routes "
		"or zonefleet-ownership manages. If one of these programs needs a "
		"deleted record, the program adds the record again. With this option, "
		"'domain import' and 'domain delete' also delete record sets of other "
		"tenants, and "
		"'router delete' deletes the router even if the former names of moved "
		"routes still lead to the router" },
	[OPT_HOST]         = { "host", 0, "NAME",
		"set the host of the route to your own name, or to a wildcard such as "
		"*.shop.example.org. '' means the generated name. The host must be "
		"outside the domain in routes.suffix. Only administrators may use a "
		"wildcard such as *.com",
		.is_name = true },
	[OPT_BACKEND]      = { "backend", 0, "NAME",
		"set the name of the backend in the router's configuration. By default, "
		"the name is NAMESPACE_NAME" },
	[OPT_ROUTER]       = { "router", 0, "NAME", "list only routes of this router" },
	[OPT_PHASE]        = { "phase", 0, "PHASE",
		"list only routes in this phase: new or scheduled" },
	[OPT_IGNORE_OUT_OF_ZONE] = { "ignore-out-of-zone", 0, NULL,
		"skip records outside the domain, with a warning for each record" },
	[OPT_PATTERN]      = { "pattern", 0, "REGEX",
		"set the regular expression of the entry, for example '^ns[0-9]*\\.'" },
	[OPT_REPLACE]      = { "replace", 0, NULL,
		"also delete the suffixes that are not in FILE" },
	[OPT_PRIVATE]      = { "private", 0, NULL,
		"also import the private domains of a Public Suffix List" },
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

/*
 * WORD is the beginning of several options, or of none. -wiat is not the option -w, but
 * a --wait with two mistakes.
 */
static void options_describe_unknown(const char *word, char wrong[WRONG_MAX])
{
	size_t len = strcspn(word, "="), count = 0;
	char given[SUGGEST_WORD_MAX + 2], option[SUGGEST_WORD_MAX], meant[SUGGEST_TEXT];
	struct suggest suggest = suggest_for(given);
	struct buf list = { 0 };

	snprintf(given, sizeof given, "%s%.*s", word[1] == '-' ? "" : "-", (int)len,
	         word);
	for (int i = 0; i < OPT_COUNT; i++) {
		snprintf(option, sizeof option, "--%s", option_rows[i].name);
		suggest_offer(&suggest, option, strlen(option));
		if (!strncmp(option, word, len))
			buf_printf(&list, "%s%s", count++ ? ", " : "", option);
	}
	if (word[1] != '-')
		snprintf(wrong, WRONG_MAX, "there is no option -%c%s", optopt,
		         strlen(word) > 3 ? suggest_text(&suggest, "", meant) : "");
	else if (count)
		snprintf(wrong, WRONG_MAX, "write the whole option: %s is the beginning "
		         "of %s", given, buf_string(&list));
	else
		snprintf(wrong, WRONG_MAX, "there is no option %s%s", given,
		         suggest_text(&suggest, "", meant));
	buf_clear(&list);
}

/* WORD is a long option, or a group of short options: optopt is then the wrong one. */
static void options_describe(int code, const char *word, char wrong[WRONG_MAX])
{
	bool is_long = word[1] == '-';

	if (code == ':' && is_long)
		snprintf(wrong, WRONG_MAX, "%s needs a value", word);
	else if (code == ':')
		snprintf(wrong, WRONG_MAX, "-%c needs a value", optopt);
	else if (is_long && optopt)
		snprintf(wrong, WRONG_MAX, "%.*s does not accept a value",
		         (int)strcspn(word, "="), word);
	else
		options_describe_unknown(word, wrong);
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
	for (;;) {
		/* getopt_long() stays at a group of short options until its end */
		int at = optind ? optind : 1;

		code = options_next(&scanner, argc, argv);
		if (code == -1)
			break;
		if (code == 1) {
			argv[words++] = optarg;
		} else if (code != '?' && code != ':') {
			values[options_by_code(code)] = optarg ? optarg : "";
		} else if (is_good) {
			options_describe(code, argv[at], wrong);
			is_good = false;
		}
	}
	while (words > 1)		/* in front of those behind "--" */
		argv[--optind] = argv[--words];
	*first = optind;
	return is_good;
}
