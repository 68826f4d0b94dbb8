#include "command.h"
#include "handlers.h"

#define WAIT (OPT(WAIT) | OPT(WAIT_TIMEOUT))
#define SELECTOR (OPT(NAME) | OPT(BELOW) | OPT(TYPE) | OPT(RESOURCE))
#define SOA (OPT(EMAIL) | OPT(PRIMARY) | OPT(TTL) | OPT(REFRESH) | OPT(RETRY) | \
             OPT(EXPIRE) | OPT(MINIMUM) | OPT(DESCRIPTION))

const struct command commands[] = {
	{ "domain create", "NAME", 1, 1, WAIT | SOA | OPT(POOL) | OPT(NS),
	  NEED_BROKER, domain_create,
	  "create a domain with its SOA and NS records",
	  "Creates the domain NAME for the tenant. The name servers of its pool then "
	  "serve the domain. The NS records at the apex name the hosts of the pool, or "
	  "the hosts in --ns. For each value of the SOA record that no option sets, "
	  "central uses the default in its settings.\n"
	  "All names on the command line may contain letters outside ASCII. The client "
	  "converts each label with such letters as IDNA2008 says. The converted label "
	  "begins with xn--. 'domain show' and 'status' show both forms of a name. Lists "
	  "and JSON show only the ASCII form.\n"
	  "The command prints the serial and the id of the domain immediately. If you "
	  "give --wait, the command then waits until the name servers serve that serial. "
	  "If the pool has no running pool manager or no name server in service, or if "
	  "no mini-DNS is running, the domain stays PENDING. The command warns in these "
	  "cases.",
	  "zonefleet domain create example.org --wait\n"
	  "zonefleet domain create example.org --email admin@example.org --ttl 10m "
	  "--ns ns1.example.net,ns2.example.net" },
	{ "domain list", "[PATTERN]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(STATUS) | OPT(POOL) | OPT(SORT) | OPT(LIMIT),
	  NEED_BROKER, domain_list,
	  "list the domains of the tenant",
	  "Lists domains with their serial, number of records and status. PATTERN is a "
	  "name. Each * in PATTERN matches any number of characters. For example, *shop* "
	  "matches all names that contain shop, and *.example.org matches all domains "
	  "below example.org. --all-tenants lists the domains of all tenants "
	  "(administrators only).",
	  "zonefleet domain list '*example*'\n"
	  "zonefleet domain list --status ERROR --sort -updated_at\n"
	  "zonefleet domain list --admin --all-tenants --json" },
	{ "domain show", "DOMAIN", 1, 1, 0, NEED_BROKER, domain_show,
	  "show a domain",
	  "Shows the SOA values and the status of the domain, and how many record sets "
	  "and records it has. 'zonefleet status DOMAIN' shows the state of the domain "
	  "on each name server.",
	  "zonefleet domain show example.org" },
	{ "domain set", "DOMAIN", 1, 1, WAIT | SOA, NEED_BROKER, domain_set,
	  "change SOA values, TTL or description of a domain",
	  "Changes the values that the options name. All other values stay the same. "
	  "--ttl sets the TTL of the domain. Record sets without their own TTL use the "
	  "TTL of the domain. To change records, use 'zonefleet record'.",
	  "zonefleet domain set example.org --email dns@example.org --ttl 5m --wait" },
	{ "domain delete", "DOMAIN", 1, 1, WAIT | OPT(FORCE), NEED_BROKER, domain_delete,
	  "delete a domain and all its records",
	  "Deletes the domain and removes its zone from the name servers. The domain "
	  "becomes DELETED when polls show that the name servers no longer serve the "
	  "zone. Before the domain is DELETED, no new domain can have the same name.\n"
	  "If zonefleet-ports, zonefleet-routes or zonefleet-ownership manages records "
	  "of the domain, the command needs --force.",
	  "zonefleet domain delete example.org --wait" },
	{ "domain abandon", "DOMAIN", 1, 1, OPT(YES), NEED_BROKER, domain_abandon,
	  "abandon a deletion (administrators only)",
	  "Shows a domain whose task is DELETE. For each name server, the command shows "
	  "why the domain is not DELETED yet. If you give --yes, the domain becomes "
	  "DELETED immediately and its name is free. It is possible that some name "
	  "servers continue to serve the zone. The log of central names these servers. "
	  "The pool manager continues its attempts to delete the zone on these servers "
	  "until a new domain gets the same name.",
	  "zonefleet domain abandon example.org --admin\n"
	  "zonefleet domain abandon example.org --admin --yes" },
	{ "domain import", "NAME FILE", 2, 2,
	  WAIT | OPT(POOL) | OPT(IGNORE_OUT_OF_ZONE) | OPT(FORCE),
	  NEED_BROKER, domain_import,
	  "import a zone file",
	  "Imports the zone file FILE (a master file, RFC 1035). If FILE ends in .xz or "
	  ".gz, the client decompresses it. If FILE is -, the client reads standard "
	  "input. If the domain does not exist, central creates the domain. If the "
	  "domain exists, central replaces its records with the records in the file. The "
	  "import is one change with one serial. If the serial in the file is newer than "
	  "the serial of the domain, the domain gets the serial in the file.\n"
	  "The client reads FILE as BIND does. FILE may contain $ORIGIN, $TTL, $INCLUDE "
	  "and $GENERATE. A file that $INCLUDE names must be in the folder of FILE or in "
	  "a folder below it. One $GENERATE line makes at most 65536 records. If no $TTL "
	  "comes before the first record, the first record must have a TTL or be an SOA "
	  "record. Otherwise the client refuses FILE. If the first record is an SOA "
	  "record without a TTL, its minimum is the TTL of all records without a TTL. "
	  "All records of a record set must have the same TTL. Otherwise the client "
	  "warns and uses the same TTL as BIND. If the records of a record set are "
	  "adjacent, all of them get the TTL of the first record. If records of other "
	  "names come between these records, the last group of adjacent records "
	  "determines the TTL of the record set.\n"
	  "The client differs from BIND in these points. If FILE has no SOA record, "
	  "central creates one. If a string in a TXT record has more than 255 octets, "
	  "the client splits the string. The client also accepts MD and MF records. It "
	  "refuses control characters, and it refuses octets above 127 in names. Write "
	  "such octets as \\DDD. The client also refuses a TTL above 2147483647, an "
	  "owner name in quotes, two strings without a blank between them, and NULL "
	  "records. If the client does not know a type by its name, write the number of "
	  "the type and the data in octets, for example TYPE261 \\# 2 0102.\n"
	  "If the client or central refuses a record, the reason begins with the name of "
	  "the file and the number of the line. Central changes nothing before it has "
	  "received and checked all records. If the import would delete a record that "
	  "zonefleet-ports, zonefleet-routes or zonefleet-ownership manages, the command "
	  "needs --force.\n"
	  "The number of records in the output does not include the SOA record. This is "
	  "true of all commands.",
	  "zonefleet domain import example.org example.org.zone --wait\n"
	  "zonefleet domain import example.org example.org.zone --ignore-out-of-zone\n"
	  "xzcat root.zone.xz | zonefleet domain import . - --admin" },
	{ "domain export", "DOMAIN [FILE]", 1, 2, 0, NEED_BROKER, domain_export,
	  "export a domain as a zone file",
	  "Writes the domain as a zone file (a master file, RFC 1035) that begins with "
	  "the SOA record. If you give no FILE, the command writes to standard output. "
	  "The command creates FILE only when the output is complete. The number of "
	  "records in the output does not include the SOA record.",
	  "zonefleet domain export example.org example.org.zone" },

	{ "record add", "DOMAIN NAME TYPE DATA...", 4, -1, WAIT | OPT(TTL),
	  NEED_BROKER, record_add,
	  "add records to a record set",
	  "Adds one record for each DATA. Write DATA as in a zone file, and put shell "
	  "quotes around DATA if it contains blanks or other special characters. NAME is "
	  "a relative name (www, or @ for the domain itself) or an absolute name with a "
	  "final dot. If NAME begins with -, write -- before DOMAIN. Each name in DATA "
	  "must be an absolute name with a final dot. Existing records stay. All records "
	  "of a record set have the same TTL, so --ttl also changes existing records.\n"
	  "If the DATA of a TXT record contains no quotes, the client puts quotes around "
	  "the whole text, which is then one string. To write several strings, put each "
	  "string in quotes. Programs that read the record join the strings without a "
	  "space between them. Central splits a string of more than 255 octets. The "
	  "client also puts quotes around the value in a CAA or URI record. In a HINFO "
	  "or NAPTR record, put each string in quotes. In notes and errors, \"value 1\" "
	  "means the first DATA argument.",
	  "zonefleet record add example.org www A 192.0.2.1 192.0.2.2 --ttl 5m --wait\n"
	  "zonefleet record add example.org @ MX '10 mail.example.org.'\n"
	  "zonefleet record add example.org @ TXT 'v=spf1 -all'\n"
	  "zonefleet record add example.org @ TXT '\"first string\" \"second\"'\n"
	  "zonefleet record add example.org @ CAA '0 issue ca.example.net; account=7'" },
	{ "record list", "DOMAIN [NAME]", 1, 2,
	  OPT(TYPE) | OPT(STATUS) | OPT(SORT) | OPT(LIMIT),
	  NEED_BROKER, record_list,
	  "list the records of a domain",
	  "Lists the records of the domain. TASK is the work that remains on the name "
	  "servers. STATUS is the progress of this work. Write NAME as in 'record add'. "
	  "Each * in NAME matches any number of characters. For example, www* matches "
	  "all names that begin with www, and *_dmarc matches all names of the domain "
	  "that end in _dmarc. But *.www is the name of a wildcard record. To match the "
	  "character * itself, write \\*. If the column TTL shows -, the record set has "
	  "the TTL of the domain.",
	  "zonefleet record list example.org\n"
	  "zonefleet record list example.org www --type A\n"
	  "zonefleet record list example.org --status ERROR --json" },
	{ "record set", "DOMAIN NAME TYPE DATA...", 4, -1, WAIT | OPT(TTL) | OPT(FORCE),
	  NEED_BROKER, record_set,
	  "replace the records of a record set",
	  "Replaces the records of the record set with the records in DATA. Central "
	  "adds the missing records and removes all other records. If you repeat the "
	  "command, nothing changes. Write DATA as in 'record add'. To replace a record "
	  "that zonefleet-ports, zonefleet-routes or zonefleet-ownership manages, use "
	  "--force.",
	  "zonefleet record set example.org www A 192.0.2.9 --ttl 1h --wait" },
	{ "record delete", "DOMAIN NAME TYPE [DATA...]", 3, -1, WAIT | OPT(FORCE),
	  NEED_BROKER, record_delete,
	  "delete records or a whole record set",
	  "Deletes the records in DATA. If you give no DATA, the command deletes the "
	  "whole record set. The output counts records that do not exist as unchanged. "
	  "Write DATA as in 'record add'. To delete a record that zonefleet-ports, "
	  "zonefleet-routes or zonefleet-ownership manages, give --force.",
	  "zonefleet record delete example.org www A 192.0.2.1\n"
	  "zonefleet record delete example.org old CNAME --wait" },
	{ "record apply", "DOMAIN FILE", 2, 2, WAIT | OPT(FORCE), NEED_BROKER,
	  record_apply,
	  "make many changes under one serial",
	  "Reads changes from FILE, or from standard input if FILE is -. Central makes "
	  "all changes under one serial, or makes no change. A line has the form "
	  "`add|set|delete NAME TTL TYPE DATA`. A TTL of - means the TTL of the "
	  "domain. A line that begins with # or ; is a comment. DATA is the rest of "
	  "the line, and has the same form as in 'record add'. If consecutive lines "
	  "differ only in DATA, the client combines them into one change to a record "
	  "set. If lines of one record set have different TTLs, the client warns, and "
	  "the record set gets the last of these TTLs. Instead of lines, FILE may "
	  "contain a JSON list of {\"op\", \"name\", \"type\", \"ttl\", \"records\": "
	  "[...]}. In this list, each string of a TXT record must have quotes "
	  "(docs/rpc.md). To delete or replace records that zonefleet-ports, "
	  "zonefleet-routes or zonefleet-ownership manages, give --force.",
	  "printf 'add www 300 A 192.0.2.1\\nadd @ - MX 10 mail.example.org.\\n' |\n"
	  "  zonefleet record apply example.org - --wait" },

	{ "pool list", "", 0, 0, OPT(LIMIT), NEED_BROKER, pool_list,
	  "list the pools of name servers (administrators only)",
	  "Lists the pools. NS shows the hosts in the NS records of new domains.",
	  "zonefleet pool list --admin" },
	{ "pool show", "[POOL]", 0, 1, 0, NEED_BROKER, pool_show,
	  "show a pool (administrators only)",
	  "Shows the hosts in the NS records of the pool, and the name servers of the "
	  "pool. For each server, the command shows how many domains are behind: the "
	  "server does not serve their newest serial yet. The last table lists records "
	  "that obey the RFCs, but that the servers reject. If you give no POOL, the "
	  "command shows the pool with the name default.",
	  "zonefleet pool show --admin" },
	{ "pool create", "POOL", 1, 1, OPT(NS) | OPT(DESCRIPTION) | OPT(CATALOG),
	  NEED_BROKER, pool_create,
	  "create a pool (administrators only)",
	  "Creates a pool of name servers. After this command, set poolmgr.pool_name to "
	  "the name of the pool in the settings of a pool manager, and start that pool "
	  "manager. --ns sets the hosts in the NS records at the apex of new domains. "
	  "--catalog sets the name of the catalog zone of the pool. Name servers that "
	  "read the catalog zone create and delete the zones in it themselves.",
	  "zonefleet pool create edge --ns ns1.example.net,ns2.example.net --admin" },
	{ "pool set", "POOL", 1, 1, OPT(NS) | OPT(DESCRIPTION) | OPT(CATALOG),
	  NEED_BROKER, pool_set,
	  "change a pool (administrators only)",
	  "Changes the hosts in the NS records, the description or the catalog zone of "
	  "the pool. Existing domains keep their NS records. --catalog NAME creates the "
	  "catalog zone NAME of the pool. --catalog \"\" deletes the catalog zone. The "
	  "deletion ends when no name server serves the catalog zone any more.",
	  "zonefleet pool set default --ns ns1.example.net,ns2.example.net --admin\n"
	  "zonefleet pool set default --catalog catalog.example.net --admin" },

	{ "pool delete", "POOL", 1, 1, 0, NEED_BROKER, pool_delete,
	  "delete a pool without domains (administrators only)",
	  "Deletes the pool POOL and all data about its name servers. Central refuses "
	  "to delete a pool that has domains or a catalog zone, or a pool with a running "
	  "pool manager. So first delete the domains and the catalog zone. Then stop the "
	  "pool managers of the pool, and wait until they count as dead (fleet.timeout; "
	  "default: 15 s). If the pool has no running pool manager, the deletion of a "
	  "domain does not complete. To end such a deletion, use 'domain abandon'. The "
	  "command deletes no zones on the name servers.",
	  "zonefleet domain list --pool edge --admin --all-tenants\n"
	  "zonefleet pool delete edge --admin" },

	{ "blacklist add", "NAME", 1, 1, OPT(DESCRIPTION), NEED_BROKER, blacklist_add,
	  "add a name to the blacklist (administrators only)",
	  "Adds NAME to the blacklist. After that, only administrators may create the "
	  "domain NAME or a domain below it.",
	  "zonefleet blacklist add internal.example --description 'not yours' --admin" },
	{ "blacklist list", "", 0, 0, OPT(LIMIT), NEED_BROKER, blacklist_list,
	  "list the names on the blacklist (administrators only)",
	  "Lists the names on the blacklist.",
	  "zonefleet blacklist list --admin" },
	{ "blacklist delete", "NAME", 1, 1, 0, NEED_BROKER, blacklist_delete,
	  "remove a name from the blacklist (administrators only)",
	  "Removes NAME from the blacklist. After that, all tenants may create the "
	  "domain NAME and domains below it again.",
	  "zonefleet blacklist delete internal.example --admin" },

	{ "tsigkey create", "NAME", 1, 1,
	  OPT(ALGORITHM) | OPT(DOMAIN) | OPT(SECRET_FILE), NEED_BROKER, tsigkey_create,
	  "create a TSIG key (administrators only)",
	  "Creates the key NAME. If you give no --domain, the command creates a key for "
	  "name servers. In the settings of the pool manager, set tsig_key of a server "
	  "to the name of this key. mini-DNS and the server then sign transfers, NOTIFY "
	  "messages and polls with the key. If you give --domain, a client that signs "
	  "its queries with the key may transfer that domain from any address. When "
	  "central deletes the domain, it also deletes the key.\n"
	  "Central generates a random secret with the length of the algorithm's hash. "
	  "--secret-file sets your own secret of 16 to 128 octets instead. 'tsigkey show "
	  "--secret' prints the secret.",
	  "zonefleet tsigkey create pool-key --admin\n"
	  "zonefleet tsigkey create partner.example --domain example.org --admin\n"
	  "zonefleet tsigkey create old-key --secret-file old-key.secret --admin" },
	{ "tsigkey list", "", 0, 0, OPT(LIMIT), NEED_BROKER, tsigkey_list,
	  "list the TSIG keys (administrators only)",
	  "Lists the keys without their secrets. If DOMAIN is -, the key is for name "
	  "servers.",
	  "zonefleet tsigkey list --admin" },
	{ "tsigkey show", "NAME", 1, 1, OPT(SECRET) | OPT(FORMAT),
	  NEED_BROKER, tsigkey_show,
	  "show a TSIG key (administrators only)",
	  "Shows the key. --secret also shows its secret. --format prints the key as a "
	  "clause for the configuration of a name server. The clause contains the "
	  "secret.",
	  "zonefleet tsigkey show pool-key --admin\n"
	  "zonefleet tsigkey show pool-key --format bind --admin > pool-key.conf" },
	{ "tsigkey rotate", "NAME", 1, 1, OPT(ALGORITHM) | OPT(SECRET_FILE),
	  NEED_BROKER, tsigkey_rotate,
	  "change the secret of a TSIG key (administrators only)",
	  "Replaces the secret of the key with a random secret, or with the secret in "
	  "--secret-file. The algorithm stays the same unless you give --algorithm. "
	  "mini-DNS refuses the old secret after at most ten seconds. To change a secret "
	  "without an interruption, create a second key, and configure the second key "
	  "everywhere. Then delete the first key.",
	  "zonefleet tsigkey rotate pool-key --admin" },
	{ "tsigkey delete", "NAME", 1, 1, 0, NEED_BROKER, tsigkey_delete,
	  "delete a TSIG key (administrators only)",
	  "Deletes the key. Central refuses to delete a key that is the tsig_key of a "
	  "name server. mini-DNS refuses transfers with the key after at most ten "
	  "seconds.",
	  "zonefleet tsigkey delete partner.example --admin" },

	{ "quota show", "[TENANT]", 0, 1, 0, NEED_BROKER, quota_show,
	  "show the quotas of a tenant",
	  "Shows how many domains the tenant may have. It also shows how many record "
	  "sets a domain may have, and how many records a record set may have. A quota "
	  "of -1 means no limit. Quotas do not apply to administrators. If you give no "
	  "TENANT, the command shows the quotas of the tenant in --tenant or "
	  "client.tenant. Only administrators may name another tenant. zonefleet has no "
	  "list of tenants, so a misspelled tenant is not an error. If the tenant has no "
	  "domains, the command prints a note.",
	  "zonefleet quota show" },
	{ "quota set", "TENANT RESOURCE LIMIT", 3, 3, 0, NEED_BROKER, quota_set,
	  "change a quota of a tenant (administrators only)",
	  "Sets a quota of the tenant. RESOURCE is domains, domain_recordsets or "
	  "recordset_records. LIMIT is a number, or 'default' for the limit in the "
	  "settings of central. -1 means no limit. Quotas do not apply to requests with "
	  "--admin or client.admin. If the tenant has no domains yet, the command sets "
	  "the quota and prints a note.",
	  "zonefleet quota set acme domains 500 --admin" },

	{ "status", "[DOMAIN]", 0, 1, OPT(POOL), NEED_BROKER, status_show,
	  "show the status of a domain or of the fleet",
	  "Shows the status of DOMAIN and the number of name servers that serve its "
	  "serial (consensus). For each name server, the command shows the serial that "
	  "the last poll found. SERIALS BEHIND is the difference between this serial and "
	  "the serial of the domain. It is neither a time nor a number of changes. "
	  "STATUS is the last report about the server, and ERROR while the records of "
	  "the server differ from the database. HEALTH says whether the server answers "
	  "now, as in 'zonefleet servers'. The command also shows, for each name server, "
	  "the last error and the time of the next attempt. With --json, the command "
	  "prints {\"domain\": {...}} with the servers of this domain.\n"
	  "If you give no DOMAIN, the command says whether the fleet is well "
	  "(administrators only). The command lists all name servers. BEHIND is the "
	  "number of domains whose serial the server does not serve yet. FAILED is the "
	  "number of domains whose last operation on the server failed, or whose records "
	  "on the server differ, as in 'zonefleet servers'. Then the command lists up to "
	  "20 domains in ERROR and up to 20 PENDING domains. Each list begins with the "
	  "domain that has not changed for the longest time. To learn which record a "
	  "server refuses, use 'status DOMAIN'.\n"
	  "At the end, the command lists what is wrong: missing workers, pools without a "
	  "name server in service, name servers that do not work, domains in ERROR, the "
	  "oldest domain that has been PENDING for more than a minute, PARKED repairs "
	  "that need an operator, and dead letters. mini-DNS is missing if no process of "
	  "it is running. The pool manager of a pool is missing if the pool has domains "
	  "and no process of this pool manager is running. zonefleet-ports, "
	  "zonefleet-routes or zonefleet-ownership is missing if it was running in the "
	  "last 30 days and no process of it is running now.\n"
	  "Without DOMAIN, the exit status is 0 if the fleet is well, and 1 if the fleet "
	  "is not well.",
	  "zonefleet status example.org\n"
	  "zonefleet status example.org --json | jq -r .domain.status\n"
	  "zonefleet status --admin" },
	{ "network set", "NETWORK DOMAIN", 2, 2, WAIT, NEED_BROKER, network_set,
	  "set the domain of a network",
	  "Registers the network NETWORK (a UUID) with zonefleet-ports. If the network "
	  "is already registered, the command changes its domain to DOMAIN, and "
	  "zonefleet-ports renames all ports of the network immediately. If DOMAIN is "
	  "'', the ports have no names. DOMAIN must belong to the tenant. --wait waits "
	  "until the records of all ports are on the name servers, as in 'port create'.",
	  "zonefleet network set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 dev.example.org "
	  "--wait\n"
	  "zonefleet network set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 ''" },
	{ "network list", "", 0, 0,
	  OPT(ALL_TENANTS) | OPT(LIMIT), NEED_BROKER, network_list,
	  "list the networks and their domains",
	  "Lists the networks that zonefleet-ports knows. An administrator sees the "
	  "networks of all tenants.",
	  "zonefleet network list --admin" },
	{ "network show", "NETWORK", 1, 1, 0, NEED_BROKER, network_show,
	  "show a network",
	  "Shows the domain and the tenant (project) of the network.",
	  "zonefleet network show 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "network delete", "NETWORK", 1, 1, 0, NEED_BROKER, network_delete,
	  "delete a network that has no ports",
	  "Deletes the network and its subnets. zonefleet-ports refuses to delete a "
	  "network that has ports: delete the ports first.",
	  "zonefleet network delete 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "subnet set", "NETWORK CIDR", 2, 2, WAIT | OPT(NO_PUBLISH), NEED_BROKER,
	  subnet_set,
	  "register a subnet, and publish or hide its addresses",
	  "Registers the subnet CIDR (for example 10.1.0.0/16 or fd00::/64) of NETWORK, "
	  "or changes a registered subnet. zonefleet-ports publishes forward and reverse "
	  "records for the port addresses in the subnet. If you give --no-publish, "
	  "zonefleet-ports publishes no records for these addresses. The change applies "
	  "to all ports of the subnet immediately. zonefleet-ports also publishes "
	  "records for an address outside all known subnets, unless the port is from "
	  "Neutron and ports.publish is \"flagged\". Two subnets of a network must not "
	  "overlap.",
	  "zonefleet subnet set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.0.0/16 "
	  "--no-publish\n"
	  "zonefleet subnet set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.0.0/16" },
	{ "subnet list", "[NETWORK]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(LIMIT), NEED_BROKER, subnet_list,
	  "list subnets",
	  "Lists the subnets that zonefleet-ports knows. PUBLISHED says whether the "
	  "addresses of a subnet have records. An administrator sees the subnets of all "
	  "tenants.",
	  "zonefleet subnet list 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "subnet show", "SUBNET", 1, 1, 0, NEED_BROKER, subnet_show,
	  "show a subnet",
	  "Shows the subnet and the domain of its network. Also shows whether the "
	  "addresses of the subnet have records. The line 'flag' shows the value from "
	  "'subnet set' or from Neutron (dns_publish_fixed_ip). The line 'published' "
	  "says whether zonefleet-ports publishes records for the addresses. This "
	  "depends on the flag and on ports.publish.",
	  "zonefleet subnet show 8c1e4a52-1f0b-4a5e-8d53-7f6f0c2b9e21" },
	{ "subnet delete", "SUBNET", 1, 1, 0, NEED_BROKER, subnet_delete,
	  "delete a subnet",
	  "Deletes the subnet. After that, the addresses of the subnet are outside all "
	  "known subnets (see 'subnet set').",
	  "zonefleet subnet delete 8c1e4a52-1f0b-4a5e-8d53-7f6f0c2b9e21" },
	{ "port create", "NETWORK ADDRESS...", 2, -1,
	  WAIT | OPT(DNS_NAME) | OPT(DNS_DOMAIN) | OPT(MAC),
	  NEED_BROKER, port_create,
	  "create a port with its addresses",
	  "Creates a port of NETWORK with the given addresses. Each address has a "
	  "generated name (for example host-10-1-1-1) in the domain of the network. "
	  "--dns-name sets the name of the port. No other port of the network may have "
	  "this name. The reverse record of each address contains the name of the "
	  "port, or the generated name if you give no --dns-name. --dns-domain DOMAIN "
	  "moves the name of the port from the domain of the network to DOMAIN. The "
	  "generated names stay in the domain of the network.\n"
	  "--wait waits until central has accepted the records, and then until the "
	  "name servers serve the records. If the caller has no right to see a domain, "
	  "the command does not wait for the name servers of this domain. Only "
	  "administrators may see reverse domains. If central refuses records, the "
	  "command fails with the reason (InError).",
	  "zonefleet port create 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.1.1 "
	  "2001:db8::1 --dns-name vm01 --wait\n"
	  "zonefleet port create 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.1.2 "
	  "--dns-name www --dns-domain example.org" },
	{ "port list", "[NETWORK]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(LIMIT), NEED_BROKER, port_list,
	  "list ports",
	  "Lists ports with their names and addresses. A port is PENDING until central "
	  "has accepted all its records. Then the port is ACTIVE. A port is in ERROR if "
	  "central refuses some of its records, for example because other records with "
	  "the same name exist. REASON says why a port is PENDING or in ERROR. REASON "
	  "also says why a port does not have the desired name, for example because "
	  "another port has this name. In this case, the port has only its generated "
	  "names.",
	  "zonefleet port list 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "port show", "PORT", 1, 1, 0, NEED_BROKER, port_show,
	  "show a port and the names of its addresses",
	  "Shows the port and its addresses. For each address, the command shows the "
	  "name in the reverse record. PORT is an id or a full name. If ports of two "
	  "networks have the same full name, use the id.",
	  "zonefleet port show 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10\n"
	  "zonefleet port show vm01.dev.example.org" },
	{ "port set", "PORT [ADDRESS...]", 1, -1,
	  WAIT | OPT(DNS_NAME) | OPT(DNS_DOMAIN) | OPT(MAC),
	  NEED_BROKER, port_set,
	  "change the name or the addresses of a port",
	  "Changes the values that you give. All other values stay the same. ADDRESS... "
	  "replaces all addresses of the port. PORT is an id or a full name. --wait "
	  "waits as in 'port create', and also until the former records are gone from "
	  "the name servers.",
	  "zonefleet port set vm01.dev.example.org --dns-name web --wait\n"
	  "zonefleet port set 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10 10.1.1.7" },
	{ "port delete", "PORT", 1, 1, WAIT, NEED_BROKER, port_delete,
	  "delete a port and its records",
	  "Deletes the port and its records. PORT is an id or a full name. The name of "
	  "the port is free immediately. --wait waits until the records are gone from "
	  "the name servers, as in 'port create'.",
	  "zonefleet port delete 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10\n"
	  "zonefleet port delete web.dev.example.org --wait" },
	{ "router create", "NAME [ADDRESS...]", 1, -1,
	  WAIT | OPT(DNS) | OPT(LABEL) | OPT(CAPACITY) | OPT(TTL) | OPT(DESCRIPTION),
	  NEED_BROKER, router_create,
	  "create a router and its domain (administrators only)",
	  "Creates the router NAME and its domain. The router is a group of instances at "
	  "the given addresses. Each instance serves all routes of the router. All names "
	  "below the domain resolve to the addresses of the router. If the domain exists "
	  "already and has other A or AAAA records at '*', the domain of the router is "
	  "in ERROR until you delete these records. Write ADDRESS=down for an instance "
	  "that is not up yet. If routes are waiting for a router, zonefleet-routes "
	  "immediately binds the routes that match the new router.",
	  "zonefleet router create shard1 10.245.2.2 10.245.2.3 --dns "
	  "shard1.v3.example.com --admin --wait\n"
	  "zonefleet router create east 10.245.3.2 --label zone=east --capacity 500 "
	  "--admin" },
	{ "router list", "", 0, 0, OPT(LIMIT), NEED_BROKER, router_list,
	  "list the routers",
	  "Lists the routers with their domains, states and addresses. ZONE is the "
	  "status of the domain. Only administrators see ROUTES, CAPACITY, SERIAL and "
	  "REASON.\n"
	  "An address without a suffix is up and in the domain. =down: the operator "
	  "has marked the address as down. =silent: the agent of the instance has sent "
	  "no report for longer than routes.alive_timeout (default: 15 s). =kept: the "
	  "address is down or silent, but it stays in the domain because no other "
	  "address is up. =coming: zonefleet-routes will soon add the address to the "
	  "domain.",
	  "zonefleet router list --admin\n"
	  "zonefleet router list --json" },
	{ "router show", "ROUTER", 1, 1, 0, NEED_BROKER, router_show,
	  "show a router",
	  "Shows the router and its addresses. UP is the state that the operator has "
	  "set. ALIVE is 'no' if UP is 'no', or if the agent of the instance is silent. "
	  "SHOWN says whether the domain contains the address.",
	  "zonefleet router show shard1 --admin" },
	{ "router set", "ROUTER [ADDRESS...]", 1, -1,
	  WAIT | OPT(LABEL) | OPT(CAPACITY) | OPT(TTL) | OPT(DESCRIPTION),
	  NEED_BROKER, router_set,
	  "change a router (administrators only)",
	  "Changes the values that you give. All other values stay the same. ADDRESS... "
	  "replaces all addresses of the router. Write ADDRESS=down for an instance that "
	  "must get no requests. zonefleet-routes changes the domain of the router "
	  "immediately.",
	  "zonefleet router set shard1 10.245.2.2 10.245.2.3=down --admin --wait\n"
	  "zonefleet router set shard1 --capacity 1000 --admin" },
	{ "router drain", "ROUTER", 1, 1, WAIT | OPT(UNDO), NEED_BROKER, router_drain,
	  "move all routes to other routers (administrators only)",
	  "Moves all routes of the router to other routers. The router gets no new "
	  "routes. If a route moves, its generated name changes. For the time "
	  "routes.rebind_grace (default: 5 min) after the move, the former name has a "
	  "CNAME record to the new name. The command prints how many routes will move. "
	  "--wait waits until the router has no route. After --undo, the router can get "
	  "routes again. But --undo does not move routes back.",
	  "zonefleet router drain shard1 --admin --wait\n"
	  "zonefleet router drain shard1 --admin --undo" },
	{ "router delete", "ROUTER", 1, 1, WAIT | OPT(FORCE), NEED_BROKER, router_delete,
	  "delete a router without routes (administrators only)",
	  "Deletes the router and its records. If zonefleet-routes created the domain of "
	  "the router and the domain is empty, the command also deletes the domain. "
	  "zonefleet-routes refuses to delete a router that has routes. First move the "
	  "routes with 'router drain'. After a move, the former name or the host of a "
	  "route can continue to lead to this router. This time lasts for "
	  "routes.rebind_grace (default: 5 min), and then until no resolver has the name "
	  "in its cache. During this time, zonefleet-routes refuses to delete the "
	  "router. --force deletes the router without this wait.",
	  "zonefleet router delete shard1 --admin --wait" },
	{ "route create", "NAMESPACE/NAME", 1, 1,
	  WAIT | OPT(HOST) | OPT(LABEL) | OPT(BACKEND), NEED_BROKER, route_create,
	  "create a route",
	  "Creates the route NAME in NAMESPACE. The route gets a router, and the "
	  "generated name NAMESPACE-NAME in the domain of that router. If you give "
	  "--host, the route has this host name instead of the generated name. "
	  "zonefleet-routes creates no record for the host name. So create a CNAME "
	  "record from the host name to a name in the router's domain. A host belongs to "
	  "the first route that requests it. Other routes wait until the host is free. "
	  "--wait waits until the route has a router and the name servers serve the "
	  "domain of this router. If another route has the host, --wait fails "
	  "immediately. The error names that route, or says that another tenant has the "
	  "host.",
	  "zonefleet route create myapp/test --wait\n"
	  "zonefleet route create myapp/shop --host www.example.org --label "
	  "zone=east,tier=gold --backend shop_8080" },
	{ "route list", "[NAMESPACE]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(ROUTER) | OPT(PHASE) | OPT(LIMIT),
	  NEED_BROKER, route_list,
	  "list routes",
	  "Lists routes with their names and routers. An administrator sees the routes "
	  "of all tenants. PHASE is new if the route has no router, and scheduled if the "
	  "route has a router. REASON says why a route has no router, or why a route has "
	  "not moved from a drained router to another router. In both cases, "
	  "zonefleet-routes tries again.",
	  "zonefleet route list myapp\n"
	  "zonefleet route list --router shard1 --admin\n"
	  "zonefleet route list --phase new --admin" },
	{ "route show", "ROUTE", 1, 1, 0, NEED_BROKER, route_show,
	  "show a route with its name and its router",
	  "Shows the route. ROUTE is NAMESPACE/NAME or an id.",
	  "zonefleet route show myapp/test" },
	{ "route set", "ROUTE", 1, 1, WAIT | OPT(HOST) | OPT(LABEL) | OPT(BACKEND),
	  NEED_BROKER, route_set,
	  "change the host, labels or backend of a route",
	  "Changes the values that you give. All other values stay the same. If you set "
	  "a new host, the former host is free immediately. The route that has waited "
	  "longest for the former host gets this host. The router of the route stays the "
	  "same, even if the labels change.",
	  "zonefleet route set myapp/test --host test.example.org\n"
	  "zonefleet route set myapp/test --host '' --label zone=west" },
	{ "route delete", "ROUTE", 1, 1, WAIT, NEED_BROKER, route_delete,
	  "delete a route",
	  "Deletes the route. Its host is free immediately. zonefleet-routes removes the "
	  "former names of the route from the domains of other routers. --wait waits "
	  "until all names of the route are gone from the name servers.",
	  "zonefleet route delete myapp/test --wait" },
	{ "route bind", "ROUTE ROUTER", 2, 2, WAIT, NEED_BROKER, route_bind,
	  "bind a route to a router (administrators only)",
	  "Binds the route to ROUTER, even if the route has another router or "
	  "routes.strategy would choose another router. If routes.strategy is "
	  "\"external\", zonefleet-routes does not bind routes itself. In this case, "
	  "this command or another program must bind each route. For the time "
	  "routes.rebind_grace (default: 5 min) after the command, the former generated "
	  "name has a CNAME record to the new name.",
	  "zonefleet route bind myapp/test shard2 --admin --wait" },
	{ "watch", "DOMAIN", 1, 1, OPT(WAIT_TIMEOUT) | OPT(UNTIL), NEED_BROKER,
	  watch_domain,
	  "watch a domain until it is ACTIVE",
	  "Shows the progress of the name servers until the domain is ACTIVE or DELETED, "
	  "or has been in ERROR for 30 s. If you give --wait-timeout, an ERROR does not "
	  "end the command before the time in --wait-timeout is over. If you give "
	  "--until active, an ERROR does not end the command, and the command fails if "
	  "the domain becomes DELETED. On a terminal, the command updates one line. "
	  "Otherwise, the command prints one line for each change. After a temporary "
	  "error, for example Unavailable, the command tries again.",
	  "zonefleet watch example.org\n"
	  "zonefleet watch example.org --until active --wait-timeout 10m" },
	{ "workers", "", 0, 0, 0, NEED_BROKER, workers_show,
	  "list processes and their shares (administrators only)",
	  "Lists the processes of the fleet by service. The master of a service divides "
	  "the periodic work of the service into TOTAL shares. FACTOR is the number of "
	  "the share that a process has. GENERATION grows each time the master divides "
	  "the work again. STATUS is active if the process has a share, and down if the "
	  "process has no share yet. HEARD is the time since the last heartbeat of the "
	  "process. If HEARD exceeds fleet.timeout (default: 15 s), STATUS is dead, and "
	  "the master gives the share of the dead process to other processes. If all "
	  "processes of a service are dead, ROLE shows which process was the last "
	  "master. The list contains a dead process for about one hour, or for 30 days "
	  "if the service has no living process.",
	  "zonefleet workers --admin" },
	{ "locks", "", 0, 0, 0, NEED_BROKER, locks_show,
	  "list the locks and their holders (administrators only)",
	  "Lists the objects that processes have locked. An object is a domain, a tenant "
	  "(if poolmgr.lock_scope is \"tenant\"), or the election of the master of a "
	  "service (election:SERVICE). If the holder does not renew a lock within TTL, "
	  "another process may take over the lock. FENCE grows each time a different "
	  "process takes the lock. A process with an old fence cannot write.",
	  "zonefleet locks --admin" },
	{ "repairs", "", 0, 0, 0, NEED_BROKER, repairs_show,
	  "list drifts and repairs (administrators only)",
	  "Lists the drifts between the name servers and the database, and their "
	  "repairs. CONTENT: the zone on the name server has the right serial, but its "
	  "records differ from the records in the database. STRAY: the zone is an "
	  "orphan zone, which belongs to no domain of the pool. SERIAL: the server "
	  "answers, but does not serve the serial of the domain. OPTIONS: the zone on "
	  "the server had other masters, another key, another template or another "
	  "pattern than in the settings of the pool manager. MISSING: the name server "
	  "had lost the zone.\n"
	  "SEEN: the pool manager has found the drift once and checks it again in the "
	  "next round. CONFIRMED: the pool manager is repairing the drift. ORDERED: the "
	  "server has accepted the command to transfer the zone, or to delete the zone "
	  "and create it again. 'zonefleet status DOMAIN' shows whether the server has "
	  "updated the zone. DONE: the repair has succeeded. FAILED: the repair has "
	  "failed. PARKED: the pool manager does not repair the drift, and waits for an "
	  "operator. The pool manager parks a drift that comes back too often. If a "
	  "difference remains after two transfers, the pool manager assumes that the "
	  "server always serves these records in a different form. The pool manager "
	  "parks this difference, too. In this case, the server counts for the "
	  "consensus, and the difference needs no operator. The pool manager also parks "
	  "a repair that the server refuses, and an orphan zone that can belong to "
	  "another fleet. ENDED: the drift was PARKED, and it has ended.",
	  "zonefleet repairs --admin" },
	{ "servers", "", 0, 0, OPT(POOL), NEED_BROKER, servers_show,
	  "show the state of name servers (administrators only)",
	  "Lists the name servers of the pools. BEHIND is the number of domains whose "
	  "serial the server does not serve yet. FAILED is the number of domains whose "
	  "last operation on the server failed, or whose records on the server differ "
	  "from the database. If a poll gets no answer, the domain counts in FAILED only "
	  "if the server does not serve the serial of the domain yet. For all other "
	  "domains, only HEALTH shows that the server is silent. "
	  "UNCHECKED is the number of zones on the server that the pool managers have "
	  "not checked since the settings of the pool managers changed. The check "
	  "compares the masters, key, template or pattern of a zone with the settings. "
	  "HEALTH is OK until three polls or three commands in a row have failed. HEALTH "
	  "is then NO_DNS if the server did not answer the polls, NO_CONTROL if its "
	  "control channel did not answer the commands, and NO_ANSWER if neither the "
	  "server nor its control channel answered. mini-DNS also polls a server while "
	  "no domain changes, so HEALTH becomes NO_DNS within about 40 s after a server "
	  "has stopped. HEALTH is OK again when the server answers polls and commands "
	  "again. HEALTH is NO_POOL_MANAGER if no pool manager of the pool is running, "
	  "and NO_MINIDNS if no mini-DNS is running. With these two values, zonefleet "
	  "does not know whether the server answers. STATE is the state that the "
	  "operator has set. The pool managers send no changes to a DRAINED or REMOVED "
	  "server, and the server does not count for the consensus. The pool managers "
	  "also delete all data about a REMOVED server.",
	  "zonefleet servers --admin" },
	{ "server drain", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_drain,
	  "stop changes to a name server (administrators only)",
	  "Stops changes to the server. The pool managers neither change nor poll the "
	  "server, and domains become ACTIVE without it. The server continues to serve "
	  "its zones and may transfer zones. 'server add' puts the server back into "
	  "service.",
	  "zonefleet server drain ns2 --admin" },
	{ "server add", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_add,
	  "put a name server into service (administrators only)",
	  "Puts a drained or removed server back into service. The pool managers then "
	  "bring the zones of the server up to date. For a new server, do not use this "
	  "command. Add the new server to the settings of the pool managers and restart "
	  "the pool managers.",
	  "zonefleet server add ns2 --admin" },
	{ "server remove", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_remove,
	  "remove a name server (administrators only)",
	  "Stops changes to the server, as 'server drain' does. The pool managers also "
	  "delete all data about the server, and mini-DNS refuses its transfers. The "
	  "zones on the server stay. After this command, remove the server from the "
	  "settings of the pool managers and restart the pool managers. 'zonefleet "
	  "servers' lists the server until about three rounds of the sync have passed.",
	  "zonefleet server remove ns2 --admin" },
	{ "sync", "DOMAIN", 1, 1, OPT(DEEP), NEED_BROKER, sync_domain,
	  "start the pending work of a domain now",
	  "Starts the pending work of the domain on its name servers now, without the "
	  "pause before a retry. mini-DNS sends NOTIFY messages and polls to all name "
	  "servers of the domain. Without this command, the periodic sync starts the "
	  "pending work within poolmgr.periodic_sync_interval (default: 2 min).\n"
	  "--deep also compares the records on each name server with the records of the "
	  "domain. If a second comparison a few seconds later finds the same drift, the "
	  "pool manager repairs the drift. With --deep, the pool manager also repairs a "
	  "parked drift (see 'zonefleet repairs'). If a server serves an old serial, "
	  "--deep makes the server transfer the zone immediately, without the pause "
	  "after earlier attempts.",
	  "zonefleet sync example.org\n"
	  "zonefleet sync example.org --deep" },
	{ "owner list", "", 0, 0, OPT(ALL_TENANTS), NEED_BROKER, owner_list,
	  "list the shared zones",
	  "Lists the shared zones in registries.zones, in the settings of "
	  "zonefleet-ownership. STORAGE-ID is the owner that zonefleet-ownership uses "
	  "for its records in the zone. An administrator sees all zones. Other callers "
	  "see the zones of their tenant.\n"
	  "NEW: no round has ended yet. OK: the last round succeeded. HELD: changes are "
	  "waiting for 'owner approve'. FAILED: the last round failed, and "
	  "zonefleet-ownership tries again. PARKED: the primary refuses all changes.",
	  "zonefleet owner list --admin" },
	{ "owner plan", "STORAGE_ID ZONE", 2, 2, OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_plan,
	  "read a shared zone and show the planned changes",
	  "Starts a round for the zone now. zonefleet-ownership reads the zone, plans "
	  "the changes and makes all changes that it does not hold. The command shows "
	  "how many record sets STORAGE_ID owns. The list contains each changed or held "
	  "record set. It also contains each record set that a resource wants but "
	  "zonefleet-ownership cannot write, with the reason. UNMANAGED is a record set "
	  "without an owner. FOREIGN is a record set of another owner. RECORDS shows the "
	  "present records, then ->, then the planned records.\n"
	  "If dry_run is true in the settings of the registry, the round changes "
	  "nothing.",
	  "zonefleet owner plan cluster-1 example.org\n"
	  "zonefleet owner plan cluster-1 example.org --json | jq .plan.reasons" },
	{ "owner apply", "STORAGE_ID ZONE FILE", 3, 3, OPT(RESOURCE) | OPT(PARTIAL),
	  NEED_BROKER, owner_apply,
	  "set the records that a resource wants",
	  "Reads endpoints from FILE, or from standard input if FILE is -. FILE contains "
	  "a JSON list of endpoints: {\"dnsname\", \"type\", \"targets\": [...]}. An "
	  "endpoint may also contain \"ttl\", \"set_id\" and \"shared\". The list must "
	  "contain all endpoints that the resource wants, because zonefleet-ownership "
	  "removes former endpoints that are not in the list. If you give --partial, "
	  "zonefleet-ownership keeps these former endpoints. After a partial list, "
	  "zonefleet-ownership holds all removals of records of the resource until it "
	  "gets a complete list. If you apply the same list again, nothing changes.",
	  "echo '[{\"dnsname\": \"www.example.org.\", \"type\": \"A\", "
	  "\"targets\": [\"192.0.2.1\"]}]' |\n"
	  "  zonefleet owner apply cluster-1 example.org - --resource ingress/shop/web" },
	{ "owner approve", "STORAGE_ID ZONE [DIGEST]", 2, 3, OPT(YES), NEED_BROKER,
	  owner_approve,
	  "approve held changes",
	  "Shows the held changes and their digest. zonefleet-ownership holds deletions "
	  "and updates that exceed a limit of the zone. It also holds changes that "
	  "remove records of a resource whose list is missing or incomplete. If you give "
	  "a DIGEST, the command approves exactly the changes with that digest. --yes "
	  "approves the changes that the command shows. The next round then makes the "
	  "approved changes. If the held changes have a different digest when the "
	  "approval arrives, zonefleet-ownership refuses the approval.",
	  "zonefleet owner approve cluster-1 example.org\n"
	  "zonefleet owner approve cluster-1 example.org --yes" },
	{ "owner records", "STORAGE_ID ZONE", 2, 2, OPT(OWNER) | OPT(NAME),
	  NEED_BROKER, owner_records,
	  "list the records of a shared zone and their owners",
	  "Lists the records that zonefleet-ownership found when it last read the zone. "
	  "The list shows the owner of each record. To read the zone now, use 'owner "
	  "plan'. OWNER is a STORAGE_ID. If several owners share the name of a record, "
	  "OWNER contains the ids of all these owners, separated by commas. If OWNER is "
	  "-, the record has no owner. With --json, each record has the same fields as "
	  "in the output of 'owner export'.",
	  "zonefleet owner records cluster-1 example.org --owner cluster-1\n"
	  "zonefleet owner records cluster-1 example.org --owner ''\n"
	  "zonefleet owner records cluster-1 example.org --name www" },
	{ "owner export", "STORAGE_ID ZONE [FILE]", 2, 3, 0, NEED_BROKER, owner_export,
	  "export records and their owners",
	  "Writes the records that zonefleet-ownership found when it last read the zone, "
	  "and the owner of each record. If you give no FILE, the command writes to "
	  "standard output. The command creates FILE only when the output is complete. "
	  "The output is a ConfigMap of Kubernetes, in JSON. The string data.records in "
	  "the ConfigMap contains a JSON list of {\"dnsname\", \"owner\", \"target\", "
	  "\"type\"}. All records in the output are from the same serial of the zone. If "
	  "the setting storage is \"table\", do not keep the file on the machine of the "
	  "database. If you lose the database, import the file with 'owner import'.",
	  "zonefleet owner export cluster-1 example.org example.org.owners\n"
	  "zonefleet owner export cluster-1 example.org | jq -r .data.records" },
	{ "owner import", "STORAGE_ID ZONE FILE", 3, 3, 0, NEED_BROKER, owner_import,
	  "import the owners of records",
	  "Imports the owners of records from FILE. FILE contains the output of 'owner "
	  "export', or only its list of records. If FILE ends in .xz or .gz, the client "
	  "decompresses it. If FILE is -, the client reads standard input. If FILE names "
	  "STORAGE_ID as the owner of a record, and the zone still contains the same "
	  "record, STORAGE_ID owns the record again after the next round. The owners of "
	  "all other records stay the same. The output shows how many records in FILE "
	  "have other owners or no owner. Use this command after the loss of the "
	  "database if the setting storage is \"table\". If the setting is \"txt\", this "
	  "command is not necessary, because the ownership marks in the zone name the "
	  "owners. If you import the same file again, nothing changes.\n"
	  "Before this command, run 'owner apply' for all resources, because "
	  "zonefleet-ownership deletes records of STORAGE_ID that no resource wants.",
	  "zonefleet owner import cluster-1 example.org example.org.owners" },
	{ "owner transfer", "STORAGE_ID ZONE TO_STORAGE_ID", 3, 3,
	  SELECTOR | OPT(ALL) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_transfer,
	  "give record sets to another owner",
	  "Gives the selected record sets of STORAGE_ID to TO_STORAGE_ID. "
	  "registries.zones must list TO_STORAGE_ID for the same zone. TO_STORAGE_ID "
	  "also gets the endpoints of these record sets, under the same resource "
	  "names. The records stay the same. Only their ownership marks change. The "
	  "command waits until the work has ended. The command prints how many record "
	  "sets the selection matched, how many of them zonefleet-ownership has changed, "
	  "and how many of them zonefleet-ownership has refused to change. It also "
	  "prints the names of up to 100 selected record sets. If zonefleet-ownership "
	  "refuses some record sets, it changes the other record sets, and the command "
	  "fails with the reasons (Refused).\n"
	  "First run the command with --dry-run, which changes nothing.",
	  "zonefleet owner transfer cluster-1 example.org cluster-2 --name shop --below "
	  "--dry-run\n"
	  "zonefleet owner transfer cluster-1 example.org cluster-2 --resource "
	  "ingress/shop/web\n"
	  "zonefleet owner transfer cluster-1 example.org cluster-2 --all" },
	{ "owner release", "STORAGE_ID ZONE", 2, 2,
	  SELECTOR | OPT(ALL) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_release,
	  "remove ownership marks, and keep the records",
	  "Removes the ownership marks of the selected record sets of STORAGE_ID. The "
	  "records stay in the zone without an owner. If a resource wants these records, "
	  "zonefleet-ownership does not change them until you run 'owner adopt'. The "
	  "output has the same form as the output of 'owner transfer'.",
	  "zonefleet owner release cluster-1 example.org --name www --type A\n"
	  "zonefleet owner release cluster-1 example.org --all --dry-run" },
	{ "owner adopt", "STORAGE_ID ZONE [NAME TYPE TARGET...]", 2, -1,
	  SELECTOR | OPT(WANTED) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_adopt,
	  "take over record sets that have no owner",
	  "Takes over the record set of NAME and TYPE for STORAGE_ID. The record set "
	  "must have no owner, and a resource must want it (see 'owner apply'). The "
	  "TARGETs must be exactly the records of the record set, so you cannot take "
	  "over records that you do not know. Write each TARGET like DATA in 'record "
	  "add'. zonefleet-ownership then writes the records that the resource wants. "
	  "--wanted takes over all selected record sets that have no owner and are "
	  "identical to an endpoint of a resource. The output has the same form as the "
	  "output of 'owner transfer'.",
	  "zonefleet owner adopt cluster-1 example.org www A 192.0.2.1 192.0.2.2\n"
	  "zonefleet owner adopt cluster-1 example.org --wanted --dry-run" },
	{ "queues", "", 0, 0, OPT(POOL), NEED_BROKER, queues_show,
	  "list queues and their messages (administrators only)",
	  "Lists the work queues of the services that have run in this fleet. "
	  "CONSUMERS is the number of processes that take messages from the queue. "
	  "READY messages are waiting for a process. DELAYED messages are waiting for "
	  "a retry. DEAD messages are dead letters (see 'zonefleet dead-letters'). A "
	  "queue whose name ends in .recovery contains messages about repairs. Workers "
	  "process the changes of users before repairs.",
	  "zonefleet queues --admin" },
	{ "dead-letters list", "", 0, 0, OPT(LIMIT) | OPT(POOL), NEED_BROKER,
	  dead_letters_list,
	  "list dead letters (administrators only)",
	  "Lists the messages that a worker could not process, and the reason for each "
	  "message. Either the worker could not read the message, or the requested work "
	  "failed permanently. If the message is an order inside the fleet, the sync "
	  "does the missing work. If the message is a cast of another program, that "
	  "program must send it again. The queue and the content of a message determine "
	  "its ID.",
	  "zonefleet dead-letters list --admin" },
	{ "dead-letters show", "ID", 1, 1, OPT(POOL), NEED_BROKER, dead_letters_show,
	  "show a dead letter (administrators only)",
	  "Prints the whole message as JSON. If ID is \"all\", the command prints one "
	  "document for each message. With --json, the command prints one document with "
	  "the list \"dead_letters\".",
	  "zonefleet dead-letters show 5f0d7c3e9a2b4d6f8a1c3e5f7a9b1d3f --admin" },
	{ "dead-letters retry", "ID", 1, 1, OPT(POOL) | OPT(VOUCH), NEED_BROKER,
	  dead_letters_retry,
	  "send a dead letter again (administrators only)",
	  "Puts the message back into its queue. If ID is \"all\", the command puts "
	  "all dead letters back into their queues. If a worker gets the same message "
	  "twice, the second copy has no effect. The command sends the message without "
	  "the name of a broker account. So a worker can refuse this message if the "
	  "settings of the worker contain broker.require_user_id or "
	  "broker.administrators. --vouch sends one message under your own account and "
	  "with your rights. Before you use --vouch, read the message with 'zonefleet "
	  "dead-letters show'. You cannot use --vouch if ID is \"all\".",
	  "zonefleet dead-letters retry all --admin" },
	{ "dead-letters drop", "ID", 1, 1, OPT(POOL), NEED_BROKER, dead_letters_drop,
	  "delete a dead letter (administrators only)",
	  "Deletes the message permanently. If ID is \"all\", the command deletes all "
	  "dead letters.",
	  "zonefleet dead-letters drop 5f0d7c3e9a2b4d6f8a1c3e5f7a9b1d3f --admin" },
	{ "ping", "[TOPIC]", 0, 1, 0, NEED_BROKER, ping_topic,
	  "test whether workers answer",
	  "Calls one process of TOPIC and prints the time until the answer. TOPIC is "
	  "central, minidns, ownership, ports, routes or pool_manager.POOL. If you give "
	  "no TOPIC and you are an administrator, the command calls central and all "
	  "services in the list of 'zonefleet workers' at the same time. It prints each "
	  "answer when the answer arrives. If central does not give this list, the "
	  "command calls central, minidns and pool_manager.default, and names the "
	  "other services on standard error. If you give no TOPIC and you are not an "
	  "administrator, the command calls only central.\n"
	  "The command waits 5 seconds for an answer, or the time in --timeout. The exit "
	  "status is 0 if all topics answer. Otherwise the first topic that fails "
	  "determines the exit status. It is 5 if no answer arrived in time, and 6 if no "
	  "process receives messages of the topic.",
	  "zonefleet ping --admin\n"
	  "zonefleet ping pool_manager.default" },

	{ "db migrate", "", 0, 0, 0, NEED_DATABASE, db_migrate,
	  "create or upgrade the tables",
	  "Creates the tables in an empty database, or upgrades the tables to the "
	  "version of this program. The command never changes the tables back to an "
	  "older version. Only one migration runs at a time. If the tables already have "
	  "the version of this program, the command changes nothing. After an upgrade, "
	  "the command lists the same tenants as 'db tenants'. The command warns if "
	  "max_allowed_packet or innodb_flush_log_at_trx_commit of the database server "
	  "does not have a value that zonefleet needs. The exit status does not depend "
	  "on these warnings.",
	  "zonefleet db migrate --config /etc/zonefleet/zonefleet.cfg" },
	{ "db version", "", 0, 0, 0, NEED_DATABASE, db_version,
	  "show the version of the tables",
	  "Shows the version of the tables in the database, and the version that this "
	  "program needs.",
	  "zonefleet db version" },
	{ "db tenants", "", 0, 0, 0, NEED_DATABASE, db_tenants,
	  "list tenants with invalid or similar names",
	  "Reads the tenants (projects) of all rows in the database. The command lists "
	  "tenants whose names zonefleet refuses, for example names that contain a "
	  "control character, or that begin or end with a blank. The command also lists "
	  "tenants with similar names. Similar names differ only in case, or only in "
	  "blanks and control characters at the beginning and end.",
	  "zonefleet db tenants\n"
	  "zonefleet db tenants --json" },

	{ "completion", "bash", 1, 1, 0, NEED_NOTHING, completion_print,
	  "print the completion script for a shell",
	  "Prints a script for bash that completes the commands and options of the "
	  "client.",
	  "source <(zonefleet completion bash)" },
	{ "help", "[COMMAND]", 0, 2, OPT(MAN), NEED_NOTHING, help_command,
	  "explain a command, or list all commands",
	  "Explains COMMAND, its options and its examples. 'zonefleet COMMAND --help' "
	  "does the same. If you give no COMMAND, 'zonefleet help' lists all commands, "
	  "and 'zonefleet help --json' prints the texts of all commands. --man prints "
	  "the man page.",
	  "zonefleet help record add\n"
	  "zonefleet help --man | man -l -" },
	{ 0 }
};
