#include "command.h"
#include "handlers.h"

#define WAIT (OPT(WAIT) | OPT(WAIT_TIMEOUT))
#define SELECTOR (OPT(NAME) | OPT(BELOW) | OPT(TYPE) | OPT(RESOURCE))
#define SOA (OPT(EMAIL) | OPT(PRIMARY) | OPT(TTL) | OPT(REFRESH) | OPT(RETRY) | \
             OPT(EXPIRE) | OPT(MINIMUM) | OPT(DESCRIPTION) | OPT(ATTRIBUTES))
#define POOL_VALUES (OPT(NS) | OPT(DESCRIPTION) | OPT(CATALOG) | OPT(ATTRIBUTES) | \
                     OPT(CAPACITY))

const struct command commands[] = {
	{ "domain create", "NAME", 1, 1, WAIT | SOA | OPT(POOL) | OPT(NS),
	  NEED_BROKER, domain_create,
	  "create a domain with its SOA and NS records",
	  "Creates the domain NAME for the tenant. The name servers of the domain's pool "
	  "will serve the domain. By default, the NS records at the apex contain the "
	  "hosts of the pool. If you give --ns, the NS records contain the hosts in "
	  "--ns. If you do not set a value of the SOA record with an option, central "
	  "uses the default in its settings.\n"
	  "A name on the command line may contain letters outside ASCII. The client "
	  "converts each label that contains such letters to ASCII (IDNA2008). The "
	  "converted label begins with xn--. 'domain show' and 'status' show both forms "
	  "of a name. Lists and JSON show only the ASCII form.\n"
	  "The command prints the serial and the id of the domain immediately. If you "
	  "give --wait, the command also waits until the name servers serve this serial. "
	  "The domain stays PENDING if no pool manager of the pool is running, if the "
	  "pool has no name server in service, or if no mini-DNS is running. In these "
	  "three cases, the command warns.",
	  "zonefleet domain create example.org --wait\n"
	  "zonefleet domain create example.org --email admin@example.org --ttl 10m "
	  "--ns ns1.example.net,ns2.example.net" },
	{ "domain list", "[PATTERN]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(STATUS) | OPT(POOL) | OPT(SORT) | OPT(LIMIT),
	  NEED_BROKER, domain_list,
	  "list the domains of the tenant",
	  "Lists the domains of the tenant. The list shows the serial, the number of "
	  "records and the status of each domain. PATTERN is a name in which each * "
	  "matches any number of characters. For example, *shop* matches all names that "
	  "contain shop, and *.example.org matches all domains below example.org. "
	  "--all-tenants lists the domains of all tenants (administrators only).",
	  "zonefleet domain list '*example*'\n"
	  "zonefleet domain list --status ERROR --sort -updated_at\n"
	  "zonefleet domain list --admin --all-tenants --json" },
	{ "domain show", "DOMAIN", 1, 1, 0, NEED_BROKER, domain_show,
	  "show a domain",
	  "Shows the status of the domain, the values of its SOA record, and the number "
	  "of its record sets and records. 'zonefleet status DOMAIN' shows the state of "
	  "the domain on each name server.",
	  "zonefleet domain show example.org" },
	{ "domain set", "DOMAIN", 1, 1, WAIT | SOA, NEED_BROKER, domain_set,
	  "change SOA values, TTL or description of a domain",
	  "Changes the values that you set with options. All other values stay the same. "
	  "--ttl sets the TTL of the domain. A record set without its own TTL has the "
	  "TTL of the domain. To change records, use the 'zonefleet record' commands.",
	  "zonefleet domain set example.org --email dns@example.org --ttl 5m --wait" },
	{ "domain delete", "DOMAIN", 1, 1, WAIT | OPT(FORCE), NEED_BROKER, domain_delete,
	  "delete a domain and all its records",
	  "Deletes the domain and removes its zone from the name servers. The domain "
	  "becomes DELETED when polls show that the name servers no longer serve the "
	  "zone. Until the domain is DELETED, you cannot create a new domain with this "
	  "name.\n"
	  "If zonefleet-ports, zonefleet-routes or zonefleet-ownership manages records "
	  "of the domain, the command needs --force.",
	  "zonefleet domain delete example.org --wait" },
	{ "domain abandon", "DOMAIN", 1, 1, OPT(YES), NEED_BROKER, domain_abandon,
	  "abandon a deletion (administrators only)",
	  "Without --yes, the command changes nothing. It shows the domain. The task of "
	  "the domain must be DELETE. For each name server, it shows why the domain is "
	  "not DELETED yet. With --yes, the domain becomes DELETED immediately, and you "
	  "can create a new domain with this name. It is possible that some name servers "
	  "continue to serve the zone. The log of central lists these servers. The pool "
	  "manager continues to try to delete the zone on these servers until a new "
	  "domain has the same name.",
	  "zonefleet domain abandon example.org --admin\n"
	  "zonefleet domain abandon example.org --admin --yes" },
	{ "domain import", "NAME FILE", 2, 2,
	  WAIT | OPT(POOL) | OPT(ATTRIBUTES) | OPT(IGNORE_OUT_OF_ZONE) | OPT(FORCE),
	  NEED_BROKER, domain_import,
	  "import a zone file",
	  "Imports the zone file FILE (a master file, RFC 1035). If the name of the file "
	  "ends in .xz or .gz, the client decompresses the file. If FILE is -, the "
	  "client reads standard input. If the domain does not exist, central creates "
	  "the domain. --pool and --attributes apply only to a new domain. If the domain "
	  "exists, central replaces its records with the records in the file. The import "
	  "is one change with one serial. If the serial in the file is newer than the "
	  "serial of the domain, the domain gets the serial in the file.\n"
	  "The client reads the file in the same way as BIND. The file may contain "
	  "$ORIGIN, $TTL, $INCLUDE and $GENERATE lines. A file in an $INCLUDE line must "
	  "be in the folder of FILE or in a folder below that folder. One $GENERATE line "
	  "can create at most 65536 records. The first record must have a TTL, follow a "
	  "$TTL line, or be an SOA record. Otherwise the client refuses the file. If the "
	  "file begins with an SOA record without a TTL, the minimum of this SOA record "
	  "becomes the TTL of all records without a TTL. If the records of a record set "
	  "have different TTLs, the client warns and uses the same TTL as BIND. If these "
	  "records are adjacent in the file, the record set gets the TTL of the first "
	  "record. If records of other names come between these records, the last group "
	  "of adjacent records determines the TTL of the record set.\n"
	  "The client differs from BIND in the following points. If the file has no SOA "
	  "record, central creates an SOA record. If a string in a TXT record has more "
	  "than 255 octets, the client splits the string. The client also accepts MD and "
	  "MF records, and a URI target without quotes. The client refuses control "
	  "characters, and it refuses octets above 127 in names. Write each of these "
	  "octets as \\DDD. The client also refuses a TTL above 2147483647, an owner "
	  "name in quotes, two strings without a blank between them, an empty URI "
	  "target, and NULL records. For some types, write the number of the type "
	  "and the data in hexadecimal (RFC 3597), for example TYPE261 \\# 2 0102. These "
	  "types are A6, ATMA, AVC, CLA, DOA, DSYNC, GID, IPN, NINFO, NSAP, NSAP-PTR, "
	  "NXT, RESINFO, RKEY, SINK, TA, UID, UINFO, UNSPEC, WALLET, WKS and all types "
	  "that are newer than this version of the client.\n"
	  "If the client or central refuses a record, the reason begins with the name of "
	  "the file and the number of the line. Central changes nothing before it has "
	  "received and checked all records. If the import would delete a record that "
	  "zonefleet-ports, zonefleet-routes or zonefleet-ownership manages, the command "
	  "needs --force.\n"
	  "In the output of all commands, the number of records does not include the SOA "
	  "record.",
	  "zonefleet domain import example.org example.org.zone --wait\n"
	  "zonefleet domain import example.org example.org.zone --ignore-out-of-zone\n"
	  "xzcat root.zone.xz | zonefleet domain import . - --admin" },
	{ "domain export", "DOMAIN [FILE]", 1, 2, 0, NEED_BROKER, domain_export,
	  "export a domain as a zone file",
	  "Writes the domain as a zone file (a master file, RFC 1035) that begins with "
	  "the SOA record. If you give no FILE, the command writes to standard output. "
	  "The command creates or replaces FILE only after it has written the whole zone "
	  "to a temporary file. The name of FILE must not end in .xz or .gz, because the "
	  "command does not compress FILE. The number of records in the output does not "
	  "include the SOA record. The quota export_recordsets limits the record sets of "
	  "a domain that a tenant can export.",
	  "zonefleet domain export example.org example.org.zone" },

	{ "record add", "DOMAIN NAME TYPE DATA...", 4, -1,
	  WAIT | OPT(TTL) | OPT(DESCRIPTION), NEED_BROKER, record_add,
	  "add records to a record set",
	  "Adds one record for each DATA argument. Write DATA as in a zone file. If DATA "
	  "contains blanks or other characters with a special meaning in the shell, put "
	  "shell quotes around DATA. NAME is a relative name (www, or @ for the domain "
	  "itself) or an absolute name with a final dot. If NAME begins with -, write -- "
	  "before DOMAIN. Each name in DATA must be an absolute name with a final dot. "
	  "The existing records of the record set stay. All records of a record set have "
	  "the same TTL, so --ttl also changes the TTL of the existing records.\n"
	  "If the DATA of a TXT record contains no quotes, the client makes one string "
	  "from the whole DATA. To write several strings, put each string in quotes. "
	  "Programs that read the record join the strings without a space between them. "
	  "Central splits a string of more than 255 octets. In a CAA or URI record, the "
	  "client puts the value in quotes if you do not. In a HINFO or NAPTR record, "
	  "you must put each string in quotes. In notes and errors, \"value 1\" means "
	  "the first DATA argument.",
	  "zonefleet record add example.org www A 192.0.2.1 192.0.2.2 --ttl 5m --wait\n"
	  "zonefleet record add example.org @ MX '10 mail.example.org.'\n"
	  "zonefleet record add example.org @ TXT 'v=spf1 -all'\n"
	  "zonefleet record add example.org @ TXT '\"first string\" \"second\"'\n"
	  "zonefleet record add example.org @ CAA '0 issue ca.example.net; account=7'" },
	{ "record list", "DOMAIN [NAME]", 1, 2,
	  OPT(TYPE) | OPT(STATUS) | OPT(SORT) | OPT(LIMIT),
	  NEED_BROKER, record_list,
	  "list the records of a domain",
	  "Lists the records of the domain. The column TASK shows the work that remains "
	  "on the name servers. The column STATUS shows the progress of this work. Write "
	  "NAME as in 'record add'. Each * in NAME matches any number of characters. For "
	  "example, www* matches all names that begin with www, and *_dmarc matches all "
	  "names of the domain that end in _dmarc. However, if NAME begins with *., this "
	  "* matches only a wildcard record. For example, *.www matches only the "
	  "wildcard record below www. To match the character * itself, write \\*. If the "
	  "column TTL shows -, the record set has the TTL of the domain.",
	  "zonefleet record list example.org\n"
	  "zonefleet record list example.org www --type A\n"
	  "zonefleet record list example.org --status ERROR --json" },
	{ "record set", "DOMAIN NAME TYPE DATA...", 4, -1,
	  WAIT | OPT(TTL) | OPT(FORCE) | OPT(DESCRIPTION), NEED_BROKER, record_set,
	  "replace the records of a record set",
	  "Replaces the records of the record set. After the command, the record set "
	  "contains the records in DATA and no other records. Without --ttl, the record "
	  "set keeps its TTL. If you repeat the command, nothing changes. Write DATA as "
	  "in 'record add'. To replace a record that zonefleet-ports, zonefleet-routes "
	  "or zonefleet-ownership manages, use --force.",
	  "zonefleet record set example.org www A 192.0.2.9 --ttl 1h --wait" },
	{ "record delete", "DOMAIN NAME TYPE [DATA...]", 3, -1, WAIT | OPT(FORCE),
	  NEED_BROKER, record_delete,
	  "delete records or a whole record set",
	  "Deletes one record for each DATA argument. If you give no DATA, the command "
	  "deletes the whole record set. If a record does not exist, the output counts "
	  "this record as unchanged. Write DATA as in 'record add'. To delete a record "
	  "that zonefleet-ports, zonefleet-routes or zonefleet-ownership manages, use "
	  "--force.",
	  "zonefleet record delete example.org www A 192.0.2.1\n"
	  "zonefleet record delete example.org old CNAME --wait" },
	{ "record apply", "DOMAIN FILE", 2, 2, WAIT | OPT(FORCE), NEED_BROKER,
	  record_apply,
	  "make many changes under one serial",
	  "Reads changes from FILE. If FILE is -, the client reads standard input. "
	  "Central makes all changes under one serial. If central refuses one change, it "
	  "makes no change. Each line has the form `add|set|delete NAME TTL TYPE DATA`. "
	  "If the TTL is -, the record set gets the TTL of the domain. If the TTL of "
	  "delete is -, the other records of the set keep their TTL. A line that begins "
	  "with # or ; is a comment. DATA is the rest of the line. Write DATA as in "
	  "'record add'. If only the DATA of consecutive lines is different, the client "
	  "combines these lines into one change. If two lines give different TTLs to the "
	  "same record set, the client warns, and the record set gets the TTL of the "
	  "later line. Instead of such lines, FILE may contain a JSON list of {\"op\", "
	  "\"name\", \"type\", \"ttl\", \"records\": [...]}. In the JSON list, put "
	  "quotes around each string of a TXT record (docs/rpc.md). If there are several "
	  "words without quotes, the client warns, because central stores each word as a "
	  "string. To delete or replace records that zonefleet-ports, zonefleet-routes "
	  "or zonefleet-ownership manages, use --force.",
	  "printf 'add www 300 A 192.0.2.1\\nadd @ - MX 10 mail.example.org.\\n' |\n"
	  "  zonefleet record apply example.org - --wait" },

	{ "pool list", "", 0, 0, OPT(LIMIT), NEED_BROKER, pool_list,
	  "list the pools of name servers (administrators only)",
	  "Lists the pools. The column NS shows the hosts that a new domain gets in its "
	  "NS records.",
	  "zonefleet pool list --admin" },
	{ "pool show", "[POOL]", 0, 1, 0, NEED_BROKER, pool_show,
	  "show a pool (administrators only)",
	  "Shows the hosts that a new domain of the pool gets in its NS records. Also "
	  "shows the name servers of the pool. The column DOMAINS BEHIND shows how many "
	  "domains are behind on the server. A domain is behind if the server does not "
	  "serve its newest serial yet. The column LIMIT shows records that the RFCs "
	  "allow, but that the servers in the column SERVERS reject. If you give no "
	  "POOL, the command shows the pool with the name default.",
	  "zonefleet pool show --admin" },
	{ "pool create", "POOL", 1, 1, POOL_VALUES,
	  NEED_BROKER, pool_create,
	  "create a pool (administrators only)",
	  "Creates a pool of name servers. After this command, set poolmgr.pool_name to "
	  "the name of the pool in the settings of a pool manager, and start this pool "
	  "manager. --ns sets the hosts in the NS records at the apex of new domains. "
	  "--catalog sets the name of the catalog zone of the pool. If a name server "
	  "reads the catalog zone, the server itself creates and deletes the zones that "
	  "the catalog zone lists. The filters in central.scheduler_filters can use "
	  "--attributes and --capacity to select the pool of a new domain.",
	  "zonefleet pool create edge --ns ns1.example.net,ns2.example.net --admin" },
	{ "pool set", "POOL", 1, 1, POOL_VALUES,
	  NEED_BROKER, pool_set,
	  "change a pool (administrators only)",
	  "Changes the values that you set with options. All other values stay the same. "
	  "Existing domains keep their NS records and stay in the pool. --catalog NAME "
	  "creates the "
	  "catalog zone NAME of the pool. --catalog \"\" deletes the catalog zone. The "
	  "deletion is complete when no name server serves the catalog zone.",
	  "zonefleet pool set default --ns ns1.example.net,ns2.example.net --admin\n"
	  "zonefleet pool set default --catalog catalog.example.net --admin" },

	{ "pool delete", "POOL", 1, 1, 0, NEED_BROKER, pool_delete,
	  "delete a pool without domains (administrators only)",
	  "Deletes the pool POOL and all data about its name servers. Central refuses "
	  "the deletion if the pool has domains or a catalog zone, or if a pool manager "
	  "of the pool is running. So first delete the domains and the catalog zone. "
	  "Then stop the pool managers of the pool. A stopped pool manager counts as "
	  "running for the time in fleet.timeout (15 s by default). If no pool manager "
	  "of the pool is running, the deletion of a domain does not complete. In this "
	  "case, use 'domain abandon' to complete the deletion of the domain. 'pool "
	  "delete' deletes no zones on the name servers.",
	  "zonefleet domain list --pool edge --admin --all-tenants\n"
	  "zonefleet pool delete edge --admin" },

	{ "blacklist add", "[NAME]", 0, 1, OPT(PATTERN) | OPT(DESCRIPTION), NEED_BROKER,
	  blacklist_add,
	  "add a blacklist entry (administrators only)",
	  "Adds NAME or the pattern in --pattern to the blacklist. After this command, "
	  "only administrators can create the domain NAME, a domain below NAME, or a "
	  "domain whose name contains a match of the pattern. NAME must not be a "
	  "wildcard.\n"
	  "A pattern is a regular expression of PCRE2. Central searches the name of the "
	  "domain in lower case, with its final dot. ^ matches the start of the name, "
	  "and $ matches its end. Central ignores upper and lower case in the pattern. "
	  "Central refuses back-references, recursion, conditions and verbs. The "
	  "blacklist can have at most 100 patterns.",
	  "zonefleet blacklist add internal.example --description 'not yours' --admin\n"
	  "zonefleet blacklist add --pattern '^ns[0-9]*\\.' --admin" },
	{ "blacklist list", "", 0, 0, OPT(LIMIT), NEED_BROKER, blacklist_list,
	  "list the blacklist (administrators only)",
	  "Lists the names and the patterns on the blacklist.",
	  "zonefleet blacklist list --admin" },
	{ "blacklist set", "ENTRY", 1, 1, OPT(PATTERN) | OPT(DESCRIPTION), NEED_BROKER,
	  blacklist_set,
	  "change a blacklist entry (administrators only)",
	  "Changes the values that you set with options. ENTRY is the name, the pattern "
	  "or the id of the entry. If the entry has a name, the pattern in --pattern "
	  "replaces the name.",
	  "zonefleet blacklist set internal.example --description 'ours' --admin\n"
	  "zonefleet blacklist set '^ns[0-9]*\\.' --pattern '^ns[0-9]+\\.' --admin" },
	{ "blacklist delete", "ENTRY", 1, 1, 0, NEED_BROKER, blacklist_delete,
	  "delete a blacklist entry (administrators only)",
	  "Deletes the entry ENTRY from the blacklist. ENTRY is the name, the pattern or "
	  "the id of the entry. After this command, all tenants can create the domains "
	  "that the entry reserved, unless another entry reserves them.",
	  "zonefleet blacklist delete internal.example --admin" },

	{ "tld add", "NAME", 1, 1, OPT(DESCRIPTION), NEED_BROKER, tld_add,
	  "add a permitted suffix (administrators only)",
	  "Adds the suffix NAME to the list of permitted suffixes. If the list has a "
	  "suffix, a tenant can create only domains whose names are below a suffix of "
	  "the list. Tenants cannot create the suffix itself. Administrators can create "
	  "all domains.\n"
	  "NAME has the form of the Public Suffix List (publicsuffix.org): 'co.uk', "
	  "'*.ck' for each name directly below ck, and '!www.ck' for an exception from "
	  "'*.ck'. If several suffixes match a name, central uses the exception. Without "
	  "an exception, it uses the suffix with the most labels.",
	  "zonefleet tld add org --admin\n"
	  "zonefleet tld add '*.ck' --description 'since 2026' --admin" },
	{ "tld list", "[PATTERN]", 0, 1, OPT(LIMIT), NEED_BROKER, tld_list,
	  "list the permitted suffixes (administrators only)",
	  "Lists the permitted suffixes. Each * in PATTERN matches any number of "
	  "characters. Write \\* for the * of a suffix.",
	  "zonefleet tld list --admin\n"
	  "zonefleet tld list '*.uk' --admin" },
	{ "tld delete", "NAME", 1, 1, 0, NEED_BROKER, tld_delete,
	  "delete a permitted suffix (administrators only)",
	  "Deletes the suffix NAME from the list of permitted suffixes. NAME can also be "
	  "the id of the suffix. Existing domains stay. If the list becomes empty, "
	  "tenants can create domains below all names.",
	  "zonefleet tld delete '*.ck' --admin" },
	{ "tld import", "FILE", 1, 1, OPT(REPLACE) | OPT(PRIVATE) | OPT(DRY_RUN),
	  NEED_BROKER, tld_import,
	  "import a file of suffixes (administrators only)",
	  "Adds the suffixes in FILE to the list of permitted suffixes. FILE contains "
	  "one suffix on each line. The client ignores text after a blank, and lines "
	  "that begin with // or #. So FILE can be a Public Suffix List "
	  "(publicsuffix.org). The client skips the private domains of such a list, "
	  "unless you give --private. If the name of FILE ends in .xz or .gz, the client "
	  "decompresses the file. If FILE is -, the client reads standard input. The "
	  "client converts names with letters outside ASCII.\n"
	  "If the client or central refuses a suffix, the reason begins with the name of "
	  "the file and the number of the line. The client first checks the whole file. "
	  "Then it changes at most 1000 suffixes with each call. If the list is empty "
	  "and one call is not enough, the client first adds the suffix '*', and deletes "
	  "it with the last call. So the list permits too many names during the import, "
	  "not too few. If a call fails, run the command again: only a complete import "
	  "deletes this '*'.",
	  "zonefleet tld import public_suffix_list.dat --replace --dry-run --admin\n"
	  "zonefleet tld import public_suffix_list.dat --replace --admin" },

	{ "share create", "DOMAIN TENANT", 2, 2, OPT(AT), NEED_BROKER, share_create,
	  "let another tenant create record sets in a domain",
	  "Gives TENANT the right to create record sets in DOMAIN, at all names below "
	  "DOMAIN or, with --at, at one name and all names below it. TENANT can change "
	  "and delete only the record sets that it created. TENANT can also read the "
	  "domain, its status and these record sets. TENANT cannot create NS, DS and "
	  "DNAME records. The record sets count for the quotas of your tenant.",
	  "zonefleet share create example.org acme --at acme" },
	{ "share list", "[DOMAIN]", 0, 1, OPT(ALL_TENANTS) | OPT(LIMIT),
	  NEED_BROKER, share_list,
	  "list the shares",
	  "Lists the shares of the domains of your tenant, and the shares that give a "
	  "right to your tenant. If you give DOMAIN, lists only the shares of DOMAIN.",
	  "zonefleet share list example.org" },
	{ "share show", "ID", 1, 1, 0, NEED_BROKER, share_show,
	  "show a share",
	  "Shows the share.",
	  "zonefleet share show 5d2b8a5c6a0f4c529a513f0a8a1c7c11" },
	{ "share delete", "ID", 1, 1, OPT(RECORDSETS), NEED_BROKER, share_delete,
	  "delete a share",
	  "Deletes the share. If the target tenant has record sets that no other share "
	  "covers, the command needs --recordsets. The target tenant can also run this "
	  "command.",
	  "zonefleet share delete 5d2b8a5c6a0f4c529a513f0a8a1c7c11 --recordsets keep" },
	{ "transfer create", "DOMAIN", 1, 1,
	  OPT(TARGET_TENANT) | OPT(EXPIRES_IN) | OPT(DESCRIPTION),
	  NEED_BROKER, transfer_create,
	  "make a request to give a domain to another tenant",
	  "Makes a random key and a request to give DOMAIN to another tenant. Give the "
	  "id and the key to the other tenant, who then runs 'transfer accept'. The "
	  "domain belongs to your tenant until then. Only this command prints the key: "
	  "the database has only its hash. If you lose the key, withdraw the request and "
	  "make another one. A domain has at most one open request.",
	  "zonefleet transfer create example.org\n"
	  "zonefleet transfer create example.org --target-tenant acme --expires-in 1d" },
	{ "transfer list", "", 0, 0, OPT(ALL_TENANTS) | OPT(LIMIT),
	  NEED_BROKER, transfer_list,
	  "list the transfer requests",
	  "Lists the requests that your tenant made or accepted. Also lists the requests "
	  "whose target is your tenant. A request is OPEN, ACCEPTED, WITHDRAWN or "
	  "EXPIRED. central deletes a request 30 days after it was accepted or "
	  "withdrawn, or expired.",
	  "zonefleet transfer list" },
	{ "transfer show", "ID", 1, 1, 0, NEED_BROKER, transfer_show,
	  "show a transfer request",
	  "Shows the request without its key.",
	  "zonefleet transfer show 5d2b8a5c6a0f4c529a513f0a8a1c7c11" },
	{ "transfer set", "ID", 1, 1, OPT(TARGET_TENANT) | OPT(DESCRIPTION),
	  NEED_BROKER, transfer_set,
	  "change an open transfer request",
	  "Changes the target tenant or the description of an open request.",
	  "zonefleet transfer set 5d2b8a5c6a0f4c529a513f0a8a1c7c11 --description sold" },
	{ "transfer accept", "ID [KEY]", 1, 2, OPT(KEY_FILE),
	  NEED_BROKER, transfer_accept,
	  "accept a transfer request and get its domain",
	  "Gives the domain of the request and all record sets of the domain to your "
	  "tenant. The name servers serve the domain as before. The quotas of your "
	  "tenant must allow one more domain. They must also allow the numbers of record "
	  "sets and records in this domain. If you give KEY as an argument, other users "
	  "of the machine can read the key in the list of processes. --key-file avoids "
	  "this.",
	  "zonefleet transfer accept 5d2b8a5c6a0f4c529a513f0a8a1c7c11 --key-file -" },
	{ "transfer withdraw", "ID", 1, 1, 0, NEED_BROKER, transfer_withdraw,
	  "withdraw an open transfer request",
	  "Withdraws an open request. After this command, no tenant can accept the "
	  "request.",
	  "zonefleet transfer withdraw 5d2b8a5c6a0f4c529a513f0a8a1c7c11" },

	{ "tsigkey create", "NAME", 1, 1,
	  OPT(ALGORITHM) | OPT(DOMAIN) | OPT(SECRET_FILE), NEED_BROKER, tsigkey_create,
	  "create a TSIG key (administrators only)",
	  "Creates the key NAME. If you give no --domain, the key is for name servers. "
	  "In the settings of the pool manager, set tsig_key of each of these servers to "
	  "the name of the key. After that, mini-DNS and the server sign transfers, "
	  "NOTIFY messages and polls with the key. If you give --domain, the key is for "
	  "clients. A client may transfer the domain from any address if it signs its "
	  "queries with the key. When central deletes the domain, central also deletes "
	  "the key.\n"
	  "By default, central generates a random secret, which is as long as the hash "
	  "of the algorithm. --secret-file sets your own secret of 16 to 128 octets. "
	  "'tsigkey show --secret' prints the secret.",
	  "zonefleet tsigkey create pool-key --admin\n"
	  "zonefleet tsigkey create partner.example --domain example.org --admin\n"
	  "zonefleet tsigkey create old-key --secret-file old-key.secret --admin" },
	{ "tsigkey list", "", 0, 0, OPT(LIMIT), NEED_BROKER, tsigkey_list,
	  "list the TSIG keys (administrators only)",
	  "Lists the keys without their secrets. If the column DOMAIN shows -, the key "
	  "is for name servers.",
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
	  "--secret-file. If you do not give --algorithm, the algorithm stays the same. "
	  "At most ten seconds after the command, mini-DNS begins to refuse the old "
	  "secret. To change a secret without an interruption, create a second key "
	  "instead. Configure the second key on all servers and clients. Then delete the "
	  "first key.",
	  "zonefleet tsigkey rotate pool-key --admin" },
	{ "tsigkey delete", "NAME", 1, 1, 0, NEED_BROKER, tsigkey_delete,
	  "delete a TSIG key (administrators only)",
	  "Deletes the key. If the key is the tsig_key of a name server, central refuses "
	  "the deletion. At most ten seconds after the command, mini-DNS begins to "
	  "refuse transfers with the key.",
	  "zonefleet tsigkey delete partner.example --admin" },

	{ "quota show", "[TENANT]", 0, 1, 0, NEED_BROKER, quota_show,
	  "show the quotas of a tenant",
	  "Shows the limits of the tenant. SOURCE is 'tenant' if the tenant has its own "
	  "limit, and 'settings' if the limit in the settings of central applies. USED "
	  "is the number of domains of the tenant. The other limits apply to each "
	  "domain, record set or export. Quotas do not apply to administrators. If you "
	  "give no TENANT, the command shows the quotas of the tenant in --tenant or "
	  "client.tenant. Only administrators may give another TENANT. zonefleet has no "
	  "list of tenants, so a misspelled tenant is not an error. If the tenant has no "
	  "domains, the command prints a note.",
	  "zonefleet quota show" },
	{ "quota list", "", 0, 0, OPT(LIMIT), NEED_BROKER, quota_list,
	  "list the own limits of tenants (administrators only)",
	  "Lists the tenants that have their own limits, with these limits. USED is the "
	  "number of domains of the tenant. --limit is the largest number of tenants.",
	  "zonefleet quota list --admin" },
	{ "quota set", "TENANT RESOURCE LIMIT", 3, 3, 0, NEED_BROKER, quota_set,
	  "change a quota of a tenant (administrators only)",
	  "Sets a quota of the tenant. 'quota show' prints the names for RESOURCE. LIMIT "
	  "is a number, 'unlimited' (or -1), or 'default'. 'default' means the limit in "
	  "the settings of central. Quotas do not apply to requests with --admin or "
	  "client.admin. If the tenant has no domains yet, the command sets the quota "
	  "and prints a note.",
	  "zonefleet quota set acme domains 500 --admin" },
	{ "quota reset", "TENANT", 1, 1, 0, NEED_BROKER, quota_reset,
	  "delete the limits of a tenant (administrators only)",
	  "Deletes all own limits of the tenant, so that the limits in the settings of "
	  "central apply.",
	  "zonefleet quota reset acme --admin" },

	{ "status", "[DOMAIN]", 0, 1, OPT(POOL), NEED_BROKER, status_show,
	  "show the status of a domain or of the fleet",
	  "Shows the status of the domain. The line 'consensus' shows how many name "
	  "servers serve the serial of the domain. For each name server, the command "
	  "shows the serial that the last poll found. SERIALS BEHIND is the difference "
	  "between the serial of the domain and the serial on the server. This "
	  "difference is neither a time nor a number of changes. STATUS shows the last "
	  "report about the domain on the server. If the records on the server differ "
	  "from the database, STATUS is ERROR. HEALTH shows whether the server answers "
	  "now (see 'zonefleet servers'). The command also shows the last error on each "
	  "name server and the time of the next attempt. With --json, the command prints "
	  "{\"domain\": {...}}. This object also contains the name servers.\n"
	  "If you give no DOMAIN, the command shows whether the whole fleet works "
	  "(administrators only). First the command lists all name servers, with the "
	  "same columns as 'zonefleet servers'. After the servers, the command lists up "
	  "to 20 domains in ERROR and up to 20 PENDING domains. Each list begins with "
	  "the domain that has not changed for the longest time. To learn which record a "
	  "server refuses, use 'status DOMAIN'.\n"
	  "At the end, the command lists the problems of the fleet. The list contains "
	  "missing workers, pools without a name server in service, name servers that do "
	  "not work, and failed operations on name servers. It also contains domains in "
	  "ERROR, PARKED repairs that need an operator, and dead letters. If a domain "
	  "has been PENDING for more than a minute, the list contains the oldest PENDING "
	  "domain. mini-DNS is missing if no mini-DNS process is running. The pool "
	  "manager of a pool is missing if the pool has domains but no running pool "
	  "manager. zonefleet-ports is missing if a process of zonefleet-ports was "
	  "running in the last 30 days, but no such process is running now. The same "
	  "rule applies to zonefleet-routes and zonefleet-ownership.\n"
	  "If you give no DOMAIN, the exit status is 0 if there are no problems, and 1 "
	  "if there are problems.",
	  "zonefleet status example.org\n"
	  "zonefleet status example.org --json | jq -r .domain.status\n"
	  "zonefleet status --admin" },
	{ "network set", "NETWORK DOMAIN", 2, 2, WAIT, NEED_BROKER, network_set,
	  "set the domain of a network",
	  "Registers a network in zonefleet-ports and sets the domain of the network. "
	  "NETWORK is a UUID. If the network is already registered, the command changes "
	  "only its domain, and zonefleet-ports renames all ports of the network "
	  "immediately. If DOMAIN is '', the ports have no names. DOMAIN must belong to "
	  "the tenant. --wait waits until the records of all ports of the network are on "
	  "the name servers, as in 'port create'.",
	  "zonefleet network set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 dev.example.org "
	  "--wait\n"
	  "zonefleet network set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 ''" },
	{ "network list", "", 0, 0,
	  OPT(ALL_TENANTS) | OPT(LIMIT), NEED_BROKER, network_list,
	  "list the networks and their domains",
	  "Lists the networks that are registered in zonefleet-ports. An administrator "
	  "sees the networks of all tenants.",
	  "zonefleet network list --admin" },
	{ "network show", "NETWORK", 1, 1, 0, NEED_BROKER, network_show,
	  "show a network",
	  "Shows the domain and the tenant (project) of the network.",
	  "zonefleet network show 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "network delete", "NETWORK", 1, 1, 0, NEED_BROKER, network_delete,
	  "delete a network that has no ports",
	  "Deletes the network and its subnets. If the network has ports, "
	  "zonefleet-ports refuses the deletion. So delete the ports first.",
	  "zonefleet network delete 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "subnet set", "NETWORK CIDR", 2, 2, WAIT | OPT(NO_PUBLISH), NEED_BROKER,
	  subnet_set,
	  "register a subnet, and publish or hide its addresses",
	  "Registers the subnet CIDR (for example 10.1.0.0/16 or fd00::/64) of NETWORK, "
	  "or changes a registered subnet. By default, zonefleet-ports publishes forward "
	  "and reverse records for the port addresses in the subnet. If you give "
	  "--no-publish, zonefleet-ports publishes no records for these addresses. The "
	  "change applies to all ports of the subnet immediately. If a port address is "
	  "in no registered subnet, zonefleet-ports publishes records for this address, "
	  "too. There is one exception. If ports.publish is \"flagged\" and the port is "
	  "from Neutron, zonefleet-ports publishes no records for this address. Two "
	  "subnets of a network must not overlap.",
	  "zonefleet subnet set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.0.0/16 "
	  "--no-publish\n"
	  "zonefleet subnet set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.0.0/16" },
	{ "subnet list", "[NETWORK]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(LIMIT), NEED_BROKER, subnet_list,
	  "list subnets",
	  "Lists the subnets that are registered in zonefleet-ports. The column "
	  "PUBLISHED shows whether zonefleet-ports publishes records for the addresses "
	  "of a subnet. An administrator sees the subnets of all tenants.",
	  "zonefleet subnet list 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "subnet show", "SUBNET", 1, 1, 0, NEED_BROKER, subnet_show,
	  "show a subnet",
	  "Shows the subnet and the domain of its network. The line 'flag' shows the "
	  "value from 'subnet set' or from Neutron (dns_publish_fixed_ip). The line "
	  "'published' shows whether zonefleet-ports publishes records for the addresses "
	  "of the subnet. The value of this line depends on the flag and on the setting "
	  "ports.publish.",
	  "zonefleet subnet show 8c1e4a52-1f0b-4a5e-8d53-7f6f0c2b9e21" },
	{ "subnet delete", "SUBNET", 1, 1, 0, NEED_BROKER, subnet_delete,
	  "delete a subnet",
	  "Deletes the subnet. After the deletion, the addresses of the subnet are in no "
	  "registered subnet (see 'subnet set').",
	  "zonefleet subnet delete 8c1e4a52-1f0b-4a5e-8d53-7f6f0c2b9e21" },
	{ "port create", "NETWORK ADDRESS...", 2, -1,
	  WAIT | OPT(DNS_NAME) | OPT(DNS_DOMAIN) | OPT(MAC),
	  NEED_BROKER, port_create,
	  "create a port with its addresses",
	  "Creates a port of the network with the given addresses. Each address gets a "
	  "generated name (for example host-10-1-1-1) in the domain of the network. "
	  "--dns-name sets the name of the port. No other port of the network may have "
	  "this name. The reverse record of each address contains the name of the port. "
	  "If you give no --dns-name, the reverse record contains the generated name. "
	  "With --dns-domain, the name of the port is in the given domain instead of the "
	  "domain of the network. The generated names stay in the domain of the "
	  "network.\n"
	  "--wait waits until central has accepted the records, and then until the name "
	  "servers serve the records. If you have no right to see a domain, the command "
	  "does not wait for the name servers of this domain. For example, only "
	  "administrators may see reverse domains. If central refuses records, the "
	  "command fails with the class InError and the reason.",
	  "zonefleet port create 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.1.1 "
	  "2001:db8::1 --dns-name vm01 --wait\n"
	  "zonefleet port create 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.1.2 "
	  "--dns-name www --dns-domain example.org" },
	{ "port list", "[NETWORK]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(LIMIT), NEED_BROKER, port_list,
	  "list ports",
	  "Lists ports with their names and addresses. A port is PENDING until central "
	  "has accepted all its records. After that, the port is ACTIVE. A port is in "
	  "ERROR if central refuses some of its records, for example because other "
	  "records with the same name exist. The column REASON shows why a port is "
	  "PENDING or in ERROR. REASON also shows why a port does not have the desired "
	  "name, for example because another port has this name. In this case, the port "
	  "has only its generated names.",
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
	  "Changes the values that you give. All other values stay the same. If you give "
	  "addresses, they replace all addresses of the port. PORT is an id or a full "
	  "name. --wait waits as in 'port create', and also until the name servers no "
	  "longer serve the former records.",
	  "zonefleet port set vm01.dev.example.org --dns-name web --wait\n"
	  "zonefleet port set 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10 10.1.1.7" },
	{ "port delete", "PORT", 1, 1, WAIT, NEED_BROKER, port_delete,
	  "delete a port and its records",
	  "Deletes the port and its records. PORT is an id or a full name. Another port "
	  "can use the name immediately. --wait waits until the name servers no longer "
	  "serve the records. As in 'port create', the command waits only for domains "
	  "that you have the right to see.",
	  "zonefleet port delete 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10\n"
	  "zonefleet port delete web.dev.example.org --wait" },
	{ "router create", "NAME [ADDRESS...]", 1, -1,
	  WAIT | OPT(DNS) | OPT(LABEL) | OPT(CAPACITY) | OPT(TTL) | OPT(DESCRIPTION),
	  NEED_BROKER, router_create,
	  "create a router and its domain (administrators only)",
	  "Creates the router NAME and its domain. The router is a group of instances at "
	  "the given addresses. Each instance serves all routes of the router. All names "
	  "below the domain resolve to the addresses of the router. If the domain exists "
	  "already, delete all other A and AAAA records at '*'. Otherwise the domain of "
	  "the router is in ERROR. Write ADDRESS=down for an instance that is not up "
	  "yet. If routes without a router match the new router, zonefleet-routes "
	  "immediately binds them to this router.",
	  "zonefleet router create shard1 10.245.2.2 10.245.2.3 --dns "
	  "shard1.v3.example.com --admin --wait\n"
	  "zonefleet router create east 10.245.3.2 --label zone=east --capacity 500 "
	  "--admin" },
	{ "router list", "", 0, 0, OPT(LIMIT), NEED_BROKER, router_list,
	  "list the routers",
	  "Lists the routers with their domains, states and addresses. The column ZONE "
	  "shows the status of the domain. Only administrators see the columns ROUTES, "
	  "CAPACITY, SERIAL and REASON.\n"
	  "An address without a suffix is up, and the domain contains the address. The "
	  "suffix =down means that the operator has marked the address as down. =silent "
	  "means that the agent of the instance has sent no report for longer than "
	  "routes.alive_timeout (15 s by default). =kept means that the address is down "
	  "or silent, but stays in the domain because no other address is up. =coming "
	  "means that zonefleet-routes will soon add the address to the domain.",
	  "zonefleet router list --admin\n"
	  "zonefleet router list --json" },
	{ "router show", "ROUTER", 1, 1, 0, NEED_BROKER, router_show,
	  "show a router",
	  "Shows the router and its addresses. The column UP shows the state that the "
	  "operator has set. ALIVE is 'no' if UP is 'no', or if the agent of the "
	  "instance is silent. SHOWN is 'yes' if the domain contains the address.",
	  "zonefleet router show shard1 --admin" },
	{ "router set", "ROUTER [ADDRESS...]", 1, -1,
	  WAIT | OPT(LABEL) | OPT(CAPACITY) | OPT(TTL) | OPT(DESCRIPTION),
	  NEED_BROKER, router_set,
	  "change a router (administrators only)",
	  "Changes the values that you give. All other values stay the same. If you give "
	  "addresses, they replace all addresses of the router. Write ADDRESS=down for "
	  "an instance that must get no requests. zonefleet-routes changes the domain of "
	  "the router immediately.",
	  "zonefleet router set shard1 10.245.2.2 10.245.2.3=down --admin --wait\n"
	  "zonefleet router set shard1 --capacity 1000 --admin" },
	{ "router drain", "ROUTER", 1, 1, WAIT | OPT(UNDO), NEED_BROKER, router_drain,
	  "move all routes to other routers (administrators only)",
	  "Moves all routes of the router to other routers. The router gets no new "
	  "routes. When a route moves, its generated name changes. After the move, the "
	  "former name has a CNAME record to the new name for the time in "
	  "routes.rebind_grace (5 minutes by default). The command prints how many "
	  "routes will move. --wait waits until the router has no route. With --undo, "
	  "the command instead allows the router to get routes again. --undo does not "
	  "move routes back.",
	  "zonefleet router drain shard1 --admin --wait\n"
	  "zonefleet router drain shard1 --admin --undo" },
	{ "router delete", "ROUTER", 1, 1, WAIT | OPT(FORCE), NEED_BROKER, router_delete,
	  "delete a router without routes (administrators only)",
	  "Deletes the router and its records. The command also deletes the domain of "
	  "the router if zonefleet-routes created this domain and the domain contains no "
	  "other records. If the router has routes, zonefleet-routes refuses the "
	  "deletion. First move the routes with 'router drain'. After a move, the former "
	  "name or the host of a route can still lead clients to this router. This is "
	  "possible until the time in routes.rebind_grace (5 minutes by default) has "
	  "passed and no resolver has the name in its cache. During this time, "
	  "zonefleet-routes refuses to delete the router. --force deletes the router "
	  "even during this time.",
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
	  "--wait waits until the route has a router, and until the name servers serve "
	  "the domain of this router. If another route has the host, --wait fails "
	  "immediately. The error message contains the name of the other route. If the "
	  "other route belongs to another tenant, the message says only that another "
	  "tenant has the host.",
	  "zonefleet route create myapp/test --wait\n"
	  "zonefleet route create myapp/shop --host www.example.org --label "
	  "zone=east,tier=gold --backend shop_8080" },
	{ "route list", "[NAMESPACE]", 0, 1,
	  OPT(ALL_TENANTS) | OPT(ROUTER) | OPT(PHASE) | OPT(LIMIT),
	  NEED_BROKER, route_list,
	  "list routes",
	  "Lists routes with their names and routers. An administrator sees the routes "
	  "of all tenants. The column PHASE shows new if the route has no router, and "
	  "scheduled if the route has a router. The column REASON shows why a route has "
	  "no router, or why a route has not moved away from a drained router. In both "
	  "cases, zonefleet-routes tries again.",
	  "zonefleet route list myapp\n"
	  "zonefleet route list --router shard1 --admin\n"
	  "zonefleet route list --phase new --admin" },
	{ "route show", "ROUTE", 1, 1, 0, NEED_BROKER, route_show,
	  "show a route with its name and its router",
	  "Shows the route. ROUTE is NAMESPACE/NAME or an id.",
	  "zonefleet route show myapp/test" },
	{ "route set", "ROUTE", 1, 1, WAIT | OPT(HOST) | OPT(LABEL) | OPT(BACKEND),
	  NEED_BROKER, route_set,
	  "change the host, the labels or the backend of a route",
	  "Changes the values that you give. All other values stay the same. If you set "
	  "a new host, another route can get the former host immediately. The route that "
	  "has waited longest for the former host gets it. The router of the route stays "
	  "the same, even if the labels change.",
	  "zonefleet route set myapp/test --host test.example.org\n"
	  "zonefleet route set myapp/test --host '' --label zone=west" },
	{ "route delete", "ROUTE", 1, 1, WAIT, NEED_BROKER, route_delete,
	  "delete a route",
	  "Deletes the route. Another route can get its host immediately. "
	  "zonefleet-routes also removes the former names of the deleted route from the "
	  "domains of other routers. --wait waits until the name servers serve no name "
	  "of the deleted route.",
	  "zonefleet route delete myapp/test --wait" },
	{ "route bind", "ROUTE ROUTER", 2, 2, WAIT, NEED_BROKER, route_bind,
	  "bind a route to a router (administrators only)",
	  "Binds the route to the router, even if the route already has a different "
	  "router. The command does not follow the setting routes.strategy. If "
	  "routes.strategy is \"external\", zonefleet-routes does not bind routes "
	  "itself. In this case, you must bind each route with this command or with "
	  "another program. After the command, the former generated name has a CNAME "
	  "record to the new name for the time in routes.rebind_grace (5 minutes by "
	  "default).",
	  "zonefleet route bind myapp/test shard2 --admin --wait" },
	{ "watch", "DOMAIN", 1, 1, OPT(WAIT_TIMEOUT) | OPT(UNTIL), NEED_BROKER,
	  watch_domain,
	  "watch a domain until it is ACTIVE",
	  "Shows the state of the domain and of each name server, until the domain is "
	  "ACTIVE or DELETED. By default, the command fails if the domain has been in "
	  "ERROR for 30 s. With --wait-timeout, the command continues to wait in spite "
	  "of an ERROR, but at most for the given time. With --until active, the command "
	  "also waits in spite of an ERROR, and fails if the domain becomes DELETED. On "
	  "a terminal, the command updates one line. If the output is not a terminal, "
	  "the command prints one line for each change. After a temporary error, for "
	  "example Unavailable, the command tries again.",
	  "zonefleet watch example.org\n"
	  "zonefleet watch example.org --until active --wait-timeout 10m" },
	{ "workers", "", 0, 0, 0, NEED_BROKER, workers_show,
	  "list processes and their shares (administrators only)",
	  "Lists the processes of each service. The master of a service divides the "
	  "periodic work of the service into shares. The column SHARES shows the number "
	  "of shares. SHARE shows which of these shares the process has. GENERATION "
	  "increases each time the master divides the work again. STATUS is active if "
	  "the process has a share, and down if the process has no share yet. HEARD "
	  "shows the time since the last heartbeat of the process. If this time exceeds "
	  "fleet.timeout (15 s by default), STATUS is dead, and the master gives the "
	  "share of the dead process to other processes. If a process stops normally, "
	  "its HEARD begins at fleet.timeout plus one second, so it counts as dead "
	  "immediately. If all processes of a service "
	  "are dead, the column ROLE shows which process was the last master. The list "
	  "contains a dead process for about one hour. If the service has no living "
	  "process, the list contains its dead processes for 30 days.",
	  "zonefleet workers --admin" },
	{ "locks", "", 0, 0, 0, NEED_BROKER, locks_show,
	  "list the locks and their holders (administrators only)",
	  "Lists the objects that processes have locked. An object is a domain, a "
	  "tenant, or the election of the master of a service (election:SERVICE). "
	  "Processes lock tenants only if poolmgr.lock_scope is \"tenant\". The column "
	  "TTL shows how long a lock is valid after its holder has renewed it. After "
	  "this time, another process may get the lock. FENCE increases each time a "
	  "different process gets the lock. A process with an old fence cannot write.",
	  "zonefleet locks --admin" },
	{ "repairs", "", 0, 0, 0, NEED_BROKER, repairs_show,
	  "list drifts and repairs (administrators only)",
	  "Lists the drifts between the name servers and the database, and the repair of "
	  "each drift. The column KIND shows the kind of the drift. CONTENT means that "
	  "the zone on the name server has the right serial, but its records differ from "
	  "the records in the database. STRAY means that the zone is an orphan zone, "
	  "which belongs to no domain of the pool. SERIAL means that the server answers, "
	  "but does not serve the serial of the domain. OPTIONS means that the masters, "
	  "the key, the template or the pattern of the zone on the server differed from "
	  "the settings of the pool manager. MISSING means that the name server had lost "
	  "the zone.\n"
	  "The column STATE shows the progress of the repair. SEEN means that the pool "
	  "manager has found the drift once and checks the zone again in the next round. "
	  "CONFIRMED means that the pool manager is repairing the drift. ORDERED means "
	  "that the server has accepted the command to transfer the zone, or to delete "
	  "the zone and create it again. 'zonefleet status DOMAIN' shows whether the "
	  "server has updated the zone. DONE means that the repair has succeeded. FAILED "
	  "means that the repair has failed. PARKED means that the pool manager does not "
	  "repair the drift. If a drift comes back too often, or if the server refuses "
	  "the repair, the pool manager parks the drift. The pool manager also parks an "
	  "orphan zone that possibly belongs to another fleet. In these three cases, an "
	  "operator must look for the cause. If a CONTENT drift remains after two "
	  "transfers, the pool manager assumes that the server always serves these "
	  "records in a different form. The pool manager parks such a drift, too, but "
	  "the drift needs no operator, and the server counts for the consensus. ENDED "
	  "means that the drift was PARKED and no longer exists.",
	  "zonefleet repairs --admin" },
	{ "servers", "", 0, 0, OPT(POOL), NEED_BROKER, servers_show,
	  "show the state of name servers (administrators only)",
	  "Lists the name servers of the pools. The column DOMAINS BEHIND shows how many "
	  "domains are behind on the server. A domain is behind if the server does not "
	  "serve its newest serial yet. DOMAINS FAILED counts the domains for which the "
	  "last operation on the server failed. It also counts the domains whose records "
	  "on the server differ from the database. If a poll gets no answer, DOMAINS "
	  "FAILED counts the domain only if it is behind on the server. For all other "
	  "domains, only HEALTH shows that the server is silent. After a change of their "
	  "settings, the pool managers check all zones on the server. ZONES UNCHECKED "
	  "shows how many zones they have not checked yet. The check compares the "
	  "masters, the key, the template or the pattern of a zone with the settings. On "
	  "PowerDNS, it also compares the metadata IXFR. "
	  "HEALTH is OK until three polls or three commands in a row have failed. After "
	  "that, HEALTH shows what failed. NO_DNS means that the server did not answer "
	  "the polls. NO_CONTROL means that the control channel of the server did not "
	  "answer the commands. NO_ANSWER means that neither the server nor its control "
	  "channel answered. mini-DNS also polls a server while no domain changes, so "
	  "HEALTH becomes NO_DNS within about 40 s after a server has stopped. HEALTH is "
	  "OK again when the server answers polls and commands again. NO_POOL_MANAGER "
	  "means that no pool manager of the pool is running. NO_MINIDNS means that no "
	  "mini-DNS is running. If HEALTH is NO_POOL_MANAGER or NO_MINIDNS, zonefleet "
	  "does not know whether the server answers. STATE is the state that the "
	  "operator has set. The pool managers send no changes to a DRAINED or REMOVED "
	  "server, and the server does not count for the consensus. The pool managers "
	  "also delete all data about a REMOVED server from the database.",
	  "zonefleet servers --admin" },
	{ "server drain", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_drain,
	  "stop changes to a name server (administrators only)",
	  "Stops changes to the server. The pool managers neither change nor poll the "
	  "server, and domains become ACTIVE without this server. The server continues "
	  "to serve its zones, and may transfer zones from mini-DNS. 'server add' puts "
	  "the server back into service.",
	  "zonefleet server drain ns2 --admin" },
	{ "server add", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_add,
	  "put a name server into service (administrators only)",
	  "Puts a drained or removed server back into service. After this command, the "
	  "pool managers update the zones on the server. Do not use this command for a "
	  "new server. Instead, add the new server to the settings of the pool managers "
	  "and restart the pool managers.",
	  "zonefleet server add ns2 --admin" },
	{ "server remove", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_remove,
	  "remove a name server (administrators only)",
	  "Stops changes to the server, as 'server drain' does. The pool managers also "
	  "delete all data about the server from the database, and mini-DNS refuses "
	  "transfers to the server. The server keeps its zones. After this command, "
	  "remove the server from the settings of the pool managers and restart the pool "
	  "managers. 'zonefleet servers' lists the server until about three rounds of "
	  "the sync have passed.",
	  "zonefleet server remove ns2 --admin" },
	{ "sync", "DOMAIN", 1, 1, OPT(DEEP), NEED_BROKER, sync_domain,
	  "start the pending work of a domain now",
	  "Starts the pending work of the domain on its name servers now. The pool "
	  "manager does not wait for the time of the next retry. mini-DNS sends NOTIFY "
	  "messages and polls to all name servers of the domain. Without this command, "
	  "the periodic sync starts the pending work within "
	  "poolmgr.periodic_sync_interval (2 minutes by default).\n"
	  "With --deep, the pool manager also compares the records on each name server "
	  "with the records of the domain. A few seconds later, it compares these "
	  "records again. If it finds the same drift again, it repairs the drift. With "
	  "--deep, the pool manager also repairs a parked drift (see 'zonefleet "
	  "repairs'). If a server serves an old serial, --deep makes the server transfer "
	  "the zone immediately, even if earlier attempts have failed.",
	  "zonefleet sync example.org\n"
	  "zonefleet sync example.org --deep" },
	{ "owner list", "", 0, 0, OPT(ALL_TENANTS), NEED_BROKER, owner_list,
	  "list the shared zones",
	  "Lists the shared zones from the setting registries.zones of "
	  "zonefleet-ownership. The column STORAGE-ID shows the owner that "
	  "zonefleet-ownership uses for its records in the zone. An administrator sees "
	  "all zones. Other callers see the zones of their tenant.\n"
	  "The column STATE shows the state of the zone. NEW means that the first round "
	  "is not complete yet. OK means that the last round succeeded. HELD means that "
	  "changes are waiting for 'owner approve'. FAILED means that the last round "
	  "failed and that zonefleet-ownership tries again. PARKED means that the "
	  "primary refuses all changes.",
	  "zonefleet owner list --admin" },
	{ "owner plan", "STORAGE_ID ZONE", 2, 2, OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_plan,
	  "read a shared zone and show the planned changes",
	  "Starts a round for the zone now. zonefleet-ownership reads the zone, plans "
	  "the changes and makes all changes that it does not hold. The command shows "
	  "how many record sets STORAGE_ID owns. It also lists each record set that the "
	  "round changes or holds. If a resource wants a record set that "
	  "zonefleet-ownership cannot write, the list contains this record set with the "
	  "reason. The reason UNMANAGED means that the record set has no owner. The "
	  "reason FOREIGN means that the record set has another owner. The column "
	  "RECORDS shows the present records, the sign ->, and the planned records.\n"
	  "If dry_run is true in the settings of the registry, the round changes "
	  "nothing.",
	  "zonefleet owner plan cluster-1 example.org\n"
	  "zonefleet owner plan cluster-1 example.org --json | jq .plan.reasons" },
	{ "owner apply", "STORAGE_ID ZONE FILE", 3, 3, OPT(RESOURCE) | OPT(PARTIAL),
	  NEED_BROKER, owner_apply,
	  "set the records that a resource wants",
	  "Reads the endpoints of the resource from FILE. If FILE is -, the client reads "
	  "standard input. FILE must contain a JSON list of endpoints. An endpoint has "
	  "the form {\"dnsname\", \"type\", \"targets\": [...]}. An endpoint may also "
	  "contain \"ttl\", \"set_id\" and \"shared\". The list must contain all "
	  "endpoints that the resource wants, because zonefleet-ownership removes former "
	  "endpoints that are not in the list. If you give --partial, "
	  "zonefleet-ownership keeps these former endpoints. After a list with "
	  "--partial, zonefleet-ownership holds each change that removes records of the "
	  "resource, until the resource gets a complete list. If you apply the same list "
	  "again, nothing changes.",
	  "echo '[{\"dnsname\": \"www.example.org.\", \"type\": \"A\", "
	  "\"targets\": [\"192.0.2.1\"]}]' |\n"
	  "  zonefleet owner apply cluster-1 example.org - --resource ingress/shop/web" },
	{ "owner approve", "STORAGE_ID ZONE [DIGEST]", 2, 3, OPT(YES), NEED_BROKER,
	  owner_approve,
	  "approve held changes",
	  "Shows the held changes and their digest. zonefleet-ownership holds deletions "
	  "and updates that exceed a limit of the zone. It also holds changes that "
	  "remove records of a resource if the list of this resource is missing or "
	  "incomplete. If you give a DIGEST, the command approves exactly the changes "
	  "with this digest. --yes approves the changes that the command shows. The next "
	  "round makes the approved changes. If the held changes no longer have the "
	  "approved digest, zonefleet-ownership refuses the approval.",
	  "zonefleet owner approve cluster-1 example.org\n"
	  "zonefleet owner approve cluster-1 example.org --yes" },
	{ "owner records", "STORAGE_ID ZONE", 2, 2, OPT(OWNER) | OPT(NAME),
	  NEED_BROKER, owner_records,
	  "list the records of a shared zone and their owners",
	  "Lists the records that zonefleet-ownership found when it last read the zone. "
	  "The list shows the owner of each record. To read the zone now, use 'owner "
	  "plan'. The column OWNER shows the STORAGE_ID of the owner. If the record sets "
	  "of a name have several owners, OWNER shows all these owners, separated by "
	  "commas. If OWNER shows -, the record has no owner. With --json, "
	  "each record has the same fields as in the output of 'owner export'.",
	  "zonefleet owner records cluster-1 example.org --owner cluster-1\n"
	  "zonefleet owner records cluster-1 example.org --owner ''\n"
	  "zonefleet owner records cluster-1 example.org --name www" },
	{ "owner export", "STORAGE_ID ZONE [FILE]", 2, 3, 0, NEED_BROKER, owner_export,
	  "export records and their owners",
	  "Writes the records that zonefleet-ownership found when it last read the zone, "
	  "and the owner of each record. If you give no FILE, the command writes to "
	  "standard output. The command creates or replaces FILE only after it has "
	  "written the whole output to a temporary file. The name of FILE must not end "
	  "in .xz or .gz, because the command does not compress FILE. The output is a "
	  "ConfigMap of Kubernetes, in JSON. The string data.records in the ConfigMap "
	  "contains a JSON list of {\"dnsname\", \"owner\", \"target\", \"type\"}. All "
	  "records in the output are from the same serial of the zone. If the "
	  "setting storage is \"table\", keep the file on a different machine from the "
	  "database. If you lose the database, import the file with 'owner import'.",
	  "zonefleet owner export cluster-1 example.org example.org.owners\n"
	  "zonefleet owner export cluster-1 example.org | jq -r .data.records" },
	{ "owner import", "STORAGE_ID ZONE FILE", 3, 3, 0, NEED_BROKER, owner_import,
	  "import the owners of records",
	  "Imports the owners of records from FILE. FILE contains the output of 'owner "
	  "export', or only its list of records. If the name of the file ends in .xz or "
	  ".gz, the client decompresses the file. If FILE is -, the client reads "
	  "standard input. After the next round, STORAGE_ID owns each record that has "
	  "the owner STORAGE_ID in the file and is still in the zone. The owners of all "
	  "other records stay the same. The output shows how many records in FILE have "
	  "other owners or no owner. If the setting storage is \"table\", use this "
	  "command after the loss of the database. If storage is \"txt\", this command "
	  "is not necessary, because the ownership marks in the zone contain the owners. "
	  "If you import the same file again, nothing changes.\n"
	  "Before this command, run 'owner apply' for all resources. Otherwise "
	  "zonefleet-ownership deletes the records of STORAGE_ID because no resource "
	  "wants them.",
	  "zonefleet owner import cluster-1 example.org example.org.owners" },
	{ "owner transfer", "STORAGE_ID ZONE TO_STORAGE_ID", 3, 3,
	  SELECTOR | OPT(ALL) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_transfer,
	  "give record sets to another owner",
	  "Gives the selected record sets of STORAGE_ID to TO_STORAGE_ID. The setting "
	  "registries.zones must contain TO_STORAGE_ID with the same zone. TO_STORAGE_ID "
	  "also gets the endpoints of these record sets, under the same resource names. "
	  "The records stay the same. Only their ownership marks change. The command "
	  "waits until the work is complete. The command prints the number of selected "
	  "record sets, the number of changed record sets and the number of refused "
	  "record sets. It also prints the names of up to 100 selected record sets. If "
	  "zonefleet-ownership refuses some record sets, it changes all other selected "
	  "record sets, and the command fails with the class Refused and the reasons.\n"
	  "First run the command with --dry-run. With this option, the command changes "
	  "nothing.",
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
	  "records stay in the zone without an owner. Until you run 'owner adopt', "
	  "zonefleet-ownership does not change these records, even if a resource wants "
	  "them. The output has the same form as the output of 'owner transfer'.",
	  "zonefleet owner release cluster-1 example.org --name www --type A\n"
	  "zonefleet owner release cluster-1 example.org --all --dry-run" },
	{ "owner adopt", "STORAGE_ID ZONE [NAME TYPE TARGET...]", 2, -1,
	  SELECTOR | OPT(WANTED) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_adopt,
	  "take over record sets that have no owner",
	  "Makes STORAGE_ID the owner of the record set with the given name and type. "
	  "The record set must have no owner, and a resource must want the record set "
	  "(see 'owner apply'). The given targets must be exactly the records of the "
	  "record set, so you cannot take over records that you do not know. Write each "
	  "target like DATA in 'record add'. After the command, zonefleet-ownership "
	  "writes the records that the resource wants. --wanted takes over all selected "
	  "record sets that have no owner and are identical to an endpoint of a "
	  "resource. The output has the same form as the output of 'owner transfer'.",
	  "zonefleet owner adopt cluster-1 example.org www A 192.0.2.1 192.0.2.2\n"
	  "zonefleet owner adopt cluster-1 example.org --wanted --dry-run" },
	{ "queues", "", 0, 0, OPT(POOL), NEED_BROKER, queues_show,
	  "list queues and their messages (administrators only)",
	  "Lists the work queues of the services that have run in this fleet. The column "
	  "CONSUMERS shows the number of processes that receive messages from the queue. "
	  "MESSAGES READY is the number of messages that are waiting for a process. "
	  "MESSAGES DELAYED is the number of messages that are waiting for a retry. DEAD "
	  "LETTERS is the number of dead letters (see 'zonefleet dead-letters'). If the "
	  "name of a queue ends in .recovery, the queue contains messages about repairs. "
	  "Workers process the changes of users before repairs.",
	  "zonefleet queues --admin" },
	{ "dead-letters list", "", 0, 0, OPT(LIMIT) | OPT(POOL), NEED_BROKER,
	  dead_letters_list,
	  "list dead letters (administrators only)",
	  "Lists the messages that a worker could not process, and the reason for each "
	  "message. Either the worker could not read the message, or the requested work "
	  "failed permanently. If the message is an order inside the fleet, the sync "
	  "does the missing work. If the message is a cast from a program outside the "
	  "fleet, this program must send the cast again. The ID of a message depends on "
	  "its queue and on its content.",
	  "zonefleet dead-letters list --admin" },
	{ "dead-letters show", "ID", 1, 1, OPT(POOL), NEED_BROKER, dead_letters_show,
	  "show a dead letter (administrators only)",
	  "Prints the whole message as JSON. If ID is \"all\", the command prints one "
	  "JSON document for each dead letter. With --json, the command prints a single "
	  "document, and its list \"dead_letters\" contains the messages.",
	  "zonefleet dead-letters show 5f0d7c3e9a2b4d6f8a1c3e5f7a9b1d3f --admin" },
	{ "dead-letters retry", "ID", 1, 1, OPT(POOL) | OPT(VOUCH), NEED_BROKER,
	  dead_letters_retry,
	  "send a dead letter again (administrators only)",
	  "Puts the message back into its queue. If ID is \"all\", the command puts all "
	  "dead letters back into their queues. If a worker gets the same message twice, "
	  "the second copy has no effect. The command sends the message without the name "
	  "of a broker account. So a worker can refuse the message if the settings of "
	  "this worker contain broker.require_user_id or broker.administrators. --vouch "
	  "sends one message under your own account and with your rights. Before you use "
	  "--vouch, read the message with 'zonefleet dead-letters show'. You cannot use "
	  "--vouch if ID is \"all\".",
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
	  "command calls central, minidns and pool_manager.default, and names the other "
	  "services on standard error. If you give no TOPIC and you are not an "
	  "administrator, the command calls only central.\n"
	  "By default, the command waits 5 seconds for the broker and for an answer. "
	  "--timeout changes this time. The exit status is 0 if all topics answer. "
	  "Otherwise the first topic that fails determines the exit status. Status 5: no "
	  "process of the topic answered in time. Status 6: the broker did not answer in "
	  "time, or it has no queue of the topic.",
	  "zonefleet ping --admin\n"
	  "zonefleet ping pool_manager.default", .timeout_s = 5 },

	{ "db migrate", "", 0, 0, 0, NEED_DATABASE, db_migrate,
	  "create or upgrade the tables",
	  "Creates the tables in an empty database, or upgrades the tables to the "
	  "version of this program. The command never changes the tables back to an "
	  "older version. Only one migration runs at a time. If the tables already have "
	  "the version of this program, the command changes nothing. After an upgrade, "
	  "the command lists the same tenants as 'db tenants'. The command warns if the "
	  "database server has an unsuitable value of max_allowed_packet or "
	  "innodb_flush_log_at_trx_commit. The exit status does not depend on these "
	  "warnings.",
	  "zonefleet db migrate --config /etc/zonefleet/zonefleet.cfg" },
	{ "db version", "", 0, 0, 0, NEED_DATABASE, db_version,
	  "show the version of the tables",
	  "Shows the version of the tables in the database, and the version that this "
	  "program needs.",
	  "zonefleet db version" },
	{ "db tenants", "", 0, 0, 0, NEED_DATABASE, db_tenants,
	  "list tenants with invalid or similar names",
	  "Reads the tenants (projects) of all rows in the database. The command lists "
	  "tenants with a name that zonefleet refuses. For example, zonefleet refuses a "
	  "name that contains a control character, or that begins or ends with a blank. "
	  "The command also lists tenants with similar names. Names are similar if they "
	  "differ only in upper and lower case, or only in blanks and control characters "
	  "at the beginning and end.",
	  "zonefleet db tenants\n"
	  "zonefleet db tenants --json" },

	{ "completion", "bash", 1, 1, 0, NEED_NOTHING, completion_print,
	  "print the completion script for a shell",
	  "Prints a script for bash that completes the commands and options of the "
	  "client.",
	  "source <(zonefleet completion bash)" },
	{ "help", "[COMMAND]", 0, 2, OPT(MAN), NEED_NOTHING, help_command,
	  "explain a command, or list all commands",
	  "Explains the command COMMAND and its options, and shows examples. 'zonefleet "
	  "COMMAND --help' does the same. If you give no COMMAND, 'zonefleet help' lists "
	  "all commands. In this case, 'zonefleet help --json' prints the help texts of "
	  "all commands. --man prints the man page.",
	  "zonefleet help record add\n"
	  "zonefleet help --man | man -l -" },
	{ 0 }
};
