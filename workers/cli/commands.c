#include "command.h"
#include "handlers.h"

#define WAIT (OPT(WAIT) | OPT(WAIT_TIMEOUT))
#define SELECTOR (OPT(NAME) | OPT(BELOW) | OPT(TYPE) | OPT(RESOURCE))
#define SOA (OPT(EMAIL) | OPT(PRIMARY) | OPT(TTL) | OPT(REFRESH) | OPT(RETRY) | \
             OPT(EXPIRE) | OPT(MINIMUM) | OPT(DESCRIPTION))

const struct command commands[] = {
	{ "domain create", "NAME", 1, 1, WAIT | SOA | OPT(POOL) | OPT(NS),
	  NEED_BROKER, domain_create,
	  "create a domain, with its SOA and NS records",
	  "Creates the domain NAME for the tenant and has the name servers of its pool "
	  "serve it. The NS records at its apex are the pool's, or those of --ns; what "
	  "is not said about the SOA record is central's default.\n"
	  "It prints the domain's serial and id at once; --wait waits until the name "
	  "servers answer with that serial.",
	  "zonefleet domain create example.org --wait\n"
	  "zonefleet domain create example.org --email admin@example.org --ttl 10m "
	  "--ns ns1.example.net,ns2.example.net" },
	{ "domain list", "[PATTERN]", 0, 1,
	  OPT(STATUS) | OPT(POOL) | OPT(SORT) | OPT(LIMIT),
	  NEED_BROKER, domain_list,
	  "list the tenant's domains",
	  "Lists domains with their serial, number of records and state. PATTERN is a "
	  "name, or the beginning of names with a * behind it, or their end with a * "
	  "before it. An administrator sees those of all tenants by --all-tenants.",
	  "zonefleet domain list '*example.org.'\n"
	  "zonefleet domain list --status ERROR --sort -updated_at\n"
	  "zonefleet domain list --admin --all-tenants --json" },
	{ "domain show", "DOMAIN", 1, 1, 0, NEED_BROKER, domain_show,
	  "show all about a domain",
	  "Shows the domain's SOA values, its state and its counts; for what each name "
	  "server has, see 'zonefleet status'.",
	  "zonefleet domain show example.org" },
	{ "domain set", "DOMAIN", 1, 1, WAIT | SOA, NEED_BROKER, domain_set,
	  "change a domain's SOA values, TTL or description",
	  "Changes what the options name and leaves the rest. --ttl is the default of "
	  "all record sets that have none of their own. Records are changed by "
	  "'zonefleet record'.",
	  "zonefleet domain set example.org --email dns@example.org --ttl 5m --wait" },
	{ "domain delete", "DOMAIN", 1, 1, WAIT, NEED_BROKER, domain_delete,
	  "delete a domain and all its records",
	  "Takes the domain off the name servers. It is DELETED when they were seen "
	  "not to serve it any more; until then its name is not free.",
	  "zonefleet domain delete example.org --wait" },
	{ "domain abandon", "DOMAIN", 1, 1, OPT(YES), NEED_BROKER, domain_abandon,
	  "end a deletion that does not complete (administrators)",
	  "Shows the domain, which is being deleted, and each name server with what keeps "
	  "it from being DELETED. With --yes it is DELETED at once: its name is free, and "
	  "what these servers serve is left to them. The pool manager goes on trying to "
	  "delete it there until a new domain takes the name. The log of central names "
	  "the servers.",
	  "zonefleet domain abandon example.org --admin\n"
	  "zonefleet domain abandon example.org --admin --yes" },
	{ "domain import", "NAME FILE", 2, 2, WAIT | OPT(POOL),
	  NEED_BROKER, domain_import,
	  "import a zone file",
	  "Reads the master file (RFC 1035) FILE, packed by xz or gzip if its suffix "
	  "says so, or - for standard input. The domain is created if it is not there; "
	  "if it is, its records become exactly the file's. All of it is one change "
	  "with one serial: that of the file's SOA record if it is newer than the "
	  "domain's.\n"
	  "Nothing is changed before the last record was read and checked.",
	  "zonefleet domain import example.org example.org.zone --wait\n"
	  "xzcat root.zone.xz | zonefleet domain import . - --admin" },
	{ "domain export", "DOMAIN [FILE]", 1, 2, 0, NEED_BROKER, domain_export,
	  "export a domain as a zone file",
	  "Writes the domain as a master file, its SOA record first, to standard "
	  "output or to FILE, which appears when it is whole.",
	  "zonefleet domain export example.org example.org.zone" },

	{ "record add", "DOMAIN NAME TYPE DATA...", 4, -1, WAIT | OPT(TTL),
	  NEED_BROKER, record_add,
	  "add records to a record set",
	  "Adds one record for each DATA, which is the record's data as in a master "
	  "file, quoted for the shell as one word. NAME is relative to the domain "
	  "(www, or @ for the domain itself), or absolute with its final dot; names in "
	  "DATA are absolute. Records that are there already stay as they are.",
	  "zonefleet record add example.org www A 192.0.2.1 192.0.2.2 --ttl 5m --wait\n"
	  "zonefleet record add example.org @ MX '10 mail.example.org.'\n"
	  "zonefleet record add example.org @ TXT '\"v=spf1 -all\"'" },
	{ "record list", "DOMAIN [NAME]", 1, 2,
	  OPT(TYPE) | OPT(STATUS) | OPT(SORT) | OPT(LIMIT),
	  NEED_BROKER, record_list,
	  "list the records of a domain",
	  "Lists the records, each with what is owed to the name servers (TASK) and "
	  "how that is going (STATUS). NAME is as in 'record add', or the beginning of "
	  "names with a * behind it, or the end of absolute names with a * before it. "
	  "A TTL of - is the domain's.",
	  "zonefleet record list example.org\n"
	  "zonefleet record list example.org www --type A\n"
	  "zonefleet record list example.org --status ERROR --json" },
	{ "record set", "DOMAIN NAME TYPE DATA...", 4, -1, WAIT | OPT(TTL),
	  NEED_BROKER, record_set,
	  "replace a record set",
	  "The record set of that NAME and TYPE becomes exactly the records of DATA: "
	  "those that are missing are added, others are removed. Saying it again "
	  "changes nothing.",
	  "zonefleet record set example.org www A 192.0.2.9 --ttl 1h --wait" },
	{ "record delete", "DOMAIN NAME TYPE [DATA...]", 3, -1, WAIT,
	  NEED_BROKER, record_delete,
	  "delete records or a whole record set",
	  "Deletes the records of DATA, or without DATA the whole record set. What is "
	  "not there counts as unchanged.",
	  "zonefleet record delete example.org www A 192.0.2.1\n"
	  "zonefleet record delete example.org old CNAME --wait" },
	{ "record apply", "DOMAIN FILE", 2, 2, WAIT, NEED_BROKER, record_apply,
	  "make many changes under one serial",
	  "Reads changes from FILE, or - for standard input: lines of `add|set|delete "
	  "NAME TTL TYPE DATA` (a TTL of - is the domain's; # begins a comment; lines "
	  "of one record set that follow each other are one change of it), or a JSON "
	  "list of {\"op\", \"name\", \"type\", \"ttl\", \"records\": [...]}. All of "
	  "them are made, or none is.",
	  "printf 'add www 300 A 192.0.2.1\\nadd @ - MX 10 mail.example.org.\\n' |\n"
	  "  zonefleet record apply example.org - --wait" },

	{ "pool list", "", 0, 0, OPT(LIMIT), NEED_BROKER, pool_list,
	  "list the pools of name servers (administrators)",
	  "Lists the pools and the hosts of the NS records that their new domains get.",
	  "zonefleet pool list --admin" },
	{ "pool show", "[POOL]", 0, 1, 0, NEED_BROKER, pool_show,
	  "show a pool (administrators)",
	  "Shows the pool, by default the one named default: its NS hosts, its name "
	  "servers and how many domains each is behind with.",
	  "zonefleet pool show --admin" },
	{ "pool create", "POOL", 1, 1, OPT(NS) | OPT(DESCRIPTION) | OPT(CATALOG),
	  NEED_BROKER, pool_create,
	  "create a pool (administrators)",
	  "Creates a pool of name servers. Its pool manager is started with "
	  "poolmgr.pool_name of the same name. --ns is what the apex of its new "
	  "domains gets as NS records; --catalog names the zone that lists its domains "
	  "for servers that provision themselves.",
	  "zonefleet pool create edge --ns ns1.example.net,ns2.example.net --admin" },
	{ "pool set", "POOL", 1, 1, OPT(NS) | OPT(DESCRIPTION) | OPT(CATALOG),
	  NEED_BROKER, pool_set,
	  "change a pool (administrators)",
	  "Changes the NS hosts or the description. Domains that exist keep their NS "
	  "records. --catalog makes the pool's catalog zone, or with \"\" removes it, "
	  "which is done when the servers do not serve it any more.",
	  "zonefleet pool set default --ns ns1.example.net,ns2.example.net --admin\n"
	  "  zonefleet pool set default --catalog catalog.example.net --admin" },

	{ "blacklist add", "NAME", 1, 1, OPT(DESCRIPTION), NEED_BROKER, blacklist_add,
	  "reserve a name (administrators)",
	  "From now on only administrators may create NAME, or a domain below it.",
	  "zonefleet blacklist add internal.example --description 'not yours' --admin" },
	{ "blacklist list", "", 0, 0, OPT(LIMIT), NEED_BROKER, blacklist_list,
	  "list reserved names (administrators)",
	  "Lists the blacklist.",
	  "zonefleet blacklist list --admin" },
	{ "blacklist delete", "NAME", 1, 1, 0, NEED_BROKER, blacklist_delete,
	  "release a reserved name (administrators)",
	  "Takes NAME off the blacklist.",
	  "zonefleet blacklist delete internal.example --admin" },

	{ "tsigkey create", "NAME", 1, 1,
	  OPT(ALGORITHM) | OPT(DOMAIN) | OPT(SECRET_FILE), NEED_BROKER, tsigkey_create,
	  "create a TSIG key (administrators)",
	  "Creates the key NAME. Without --domain it is for the name servers whose "
	  "tsig_key in the pool manager's settings names it: zones, notifies and polls "
	  "between them and mini-DNS are signed with it. With --domain, whoever signs "
	  "with it may transfer that domain, from any address; it goes with the "
	  "domain.\n"
	  "The secret is made at random, as long as the algorithm's hash, unless "
	  "--secret-file brings one of 16 to 128 octets. It is not printed: see "
	  "'tsigkey show'.",
	  "zonefleet tsigkey create pool-key --admin\n"
	  "zonefleet tsigkey create partner.example --domain example.org --admin\n"
	  "zonefleet tsigkey create old-key --secret-file old-key.secret --admin" },
	{ "tsigkey list", "", 0, 0, OPT(LIMIT), NEED_BROKER, tsigkey_list,
	  "list the TSIG keys (administrators)",
	  "Lists the keys, without their secrets. A DOMAIN of - is a key for name "
	  "servers.",
	  "zonefleet tsigkey list --admin" },
	{ "tsigkey show", "NAME", 1, 1, OPT(SECRET) | OPT(FORMAT),
	  NEED_BROKER, tsigkey_show,
	  "show a TSIG key (administrators)",
	  "Shows the key; its secret only with --secret. --format prints the clause, "
	  "with the secret, that makes it known to a name server of that kind.",
	  "zonefleet tsigkey show pool-key --admin\n"
	  "zonefleet tsigkey show pool-key --format bind --admin > pool-key.conf" },
	{ "tsigkey rotate", "NAME", 1, 1, OPT(ALGORITHM) | OPT(SECRET_FILE),
	  NEED_BROKER, tsigkey_rotate,
	  "change the secret of a TSIG key (administrators)",
	  "The secret becomes a new one, made at random or read from --secret-file; "
	  "the algorithm stays, unless --algorithm names another. Who has the old "
	  "secret is refused within ten seconds: to change without a gap, create a second "
	  "key, make it known everywhere, and delete the first.",
	  "zonefleet tsigkey rotate pool-key --admin" },
	{ "tsigkey delete", "NAME", 1, 1, 0, NEED_BROKER, tsigkey_delete,
	  "delete a TSIG key (administrators)",
	  "Deletes the key, unless it is the tsig_key of a name server. Within ten "
	  "seconds nobody transfers with it any more.",
	  "zonefleet tsigkey delete partner.example --admin" },

	{ "quota show", "[TENANT]", 0, 1, 0, NEED_BROKER, quota_show,
	  "show a tenant's limits (administrators)",
	  "Shows how many domains the tenant may have, how many record sets a domain, "
	  "and how many records a record set; -1 is no limit. Without TENANT: of "
	  "--tenant.",
	  "zonefleet quota show acme --admin" },
	{ "quota set", "TENANT RESOURCE LIMIT", 3, 3, 0, NEED_BROKER, quota_set,
	  "change a limit of a tenant (administrators)",
	  "RESOURCE is domains, domain_recordsets or recordset_records; LIMIT is a "
	  "number, or -1 for none.",
	  "zonefleet quota set acme domains 500 --admin" },

	{ "status", "[DOMAIN]", 0, 1, OPT(POOL), NEED_BROKER, status_show,
	  "show how far each name server is",
	  "Of a domain: its state, the serial that enough servers agree on "
	  "(consensus), and for each server the serial it was seen to serve, how far "
	  "it lags, its last error and its next attempt. Without DOMAIN (for "
	  "administrators): each server with the number of domains whose serial it does "
	  "not have yet (BEHIND), or that it failed at when it was tried last (FAILED); "
	  "and the domains that are PENDING or in ERROR.",
	  "zonefleet status example.org\n"
	  "zonefleet status --admin" },
	{ "network set", "NETWORK DOMAIN", 2, 2, WAIT, NEED_BROKER, network_set,
	  "set the domain of a network",
	  "Makes the network, whose id (a UUID) is NETWORK, known to zonefleet-ports, or "
	  "gives it another DOMAIN: its ports are renamed at once, all of them. With '' "
	  "they have no names. The domain is one of the tenant's own. --wait waits until "
	  "all their records are on the name servers, as of 'port create'.",
	  "zonefleet network set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 dev.example.org "
	  "--wait\n"
	  "zonefleet network set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 ''" },
	{ "network list", "", 0, 0, OPT(LIMIT), NEED_BROKER, network_list,
	  "list the networks and their domains",
	  "Lists the networks that zonefleet-ports knows; an administrator sees those of "
	  "all tenants.",
	  "zonefleet network list --admin" },
	{ "network show", "NETWORK", 1, 1, 0, NEED_BROKER, network_show,
	  "show a network",
	  "Shows the network's domain and whose it is.",
	  "zonefleet network show 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "network delete", "NETWORK", 1, 1, 0, NEED_BROKER, network_delete,
	  "delete a network that has no ports",
	  "Forgets the network and its subnets. One that has ports stays: delete them "
	  "first.",
	  "zonefleet network delete 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "subnet set", "NETWORK CIDR", 2, 2, WAIT | OPT(NO_PUBLISH), NEED_BROKER,
	  subnet_set,
	  "publish the addresses of a subnet, or not",
	  "Makes the subnet CIDR (10.1.0.0/16, fd00::/64) of NETWORK known, or changes "
	  "it: with --no-publish the addresses of its ports have no records, neither "
	  "names nor reverse ones, and without it they have. It holds at once for all "
	  "its ports. An address in no subnet that is known has records. Two subnets of "
	  "a network may not overlap.",
	  "zonefleet subnet set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.0.0/16 "
	  "--no-publish\n"
	  "zonefleet subnet set 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.0.0/16" },
	{ "subnet list", "[NETWORK]", 0, 1, OPT(LIMIT), NEED_BROKER, subnet_list,
	  "list subnets",
	  "Lists the subnets that zonefleet-ports knows, and whether their addresses "
	  "have records; an administrator sees those of all tenants.",
	  "zonefleet subnet list 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "subnet show", "SUBNET", 1, 1, 0, NEED_BROKER, subnet_show,
	  "show a subnet",
	  "Shows the subnet, its network's domain, and whether its addresses have "
	  "records: the flag is what was said of it (in Neutron, dns_publish_fixed_ip), "
	  "published what holds by that and by ports.publish.",
	  "zonefleet subnet show 8c1e4a52-1f0b-4a5e-8d53-7f6f0c2b9e21" },
	{ "subnet delete", "SUBNET", 1, 1, 0, NEED_BROKER, subnet_delete,
	  "delete a subnet",
	  "Forgets the subnet: its addresses are in none that is known.",
	  "zonefleet subnet delete 8c1e4a52-1f0b-4a5e-8d53-7f6f0c2b9e21" },
	{ "port create", "NETWORK ADDRESS...", 2, -1,
	  WAIT | OPT(DNS_NAME) | OPT(DNS_DOMAIN) | OPT(MAC),
	  NEED_BROKER, port_create,
	  "create a port with its addresses",
	  "Makes a port of NETWORK with these addresses. Each has a generated name "
	  "(host-10-1-1-1) in the network's domain, and the one of --dns-name if there "
	  "is one, which no other port of the network may have; its reverse record is "
	  "the latter. With --dns-domain it has that name there, and the generated ones "
	  "in the network's domain.\n"
	  "--wait waits until central has taken its records, and then until their "
	  "domains are on the name servers; of domains that are not the tenant's own, "
	  "as reverse ones, only administrators see the latter. If records are refused, "
	  "it fails with the reason (InError).",
	  "zonefleet port create 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.1.1 "
	  "2001:db8::1 --dns-name vm01 --wait\n"
	  "zonefleet port create 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11 10.1.1.2 "
	  "--dns-name www --dns-domain example.org" },
	{ "port list", "[NETWORK]", 0, 1, OPT(LIMIT), NEED_BROKER, port_list,
	  "list ports",
	  "Lists ports with their names and addresses. A port is PENDING until central "
	  "has all its records, then ACTIVE; ERROR: some are refused, for something else "
	  "is there in the domain. REASON is why, or what keeps it PENDING, or why it is "
	  "not called as it should be, for another port has its name, say: then it has "
	  "its generated names only.",
	  "zonefleet port list 5d2b8a5c-6a0f-4c52-9a51-3f0a8a1c7c11" },
	{ "port show", "PORT", 1, 1, 0, NEED_BROKER, port_show,
	  "show a port and the names of its addresses",
	  "Shows the port, each of its addresses with the name that its reverse record "
	  "is. PORT is its id, or its full name, if no other one is called so: ports of "
	  "two networks may be.",
	  "zonefleet port show 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10\n"
	  "zonefleet port show vm01.dev.example.org" },
	{ "port set", "PORT [ADDRESS...]", 1, -1,
	  WAIT | OPT(DNS_NAME) | OPT(DNS_DOMAIN) | OPT(MAC),
	  NEED_BROKER, port_set,
	  "change the name or the addresses of a port",
	  "Changes what is said and leaves the rest; with addresses, they are all that "
	  "the port has from then on. PORT is its id or its full name; --wait is as of "
	  "'port create', and what the port had before is gone by then, too.",
	  "zonefleet port set vm01.dev.example.org --dns-name web --wait\n"
	  "zonefleet port set 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10 10.1.1.7" },
	{ "port delete", "PORT", 1, 1, WAIT, NEED_BROKER, port_delete,
	  "delete a port and its records",
	  "Deletes the port, called by its id or its full name; its name is free at "
	  "once, and its records go. --wait waits until they are gone from the name "
	  "servers, as of 'port create'.",
	  "zonefleet port delete 0b5a6b6e-2f0e-4a43-9be7-3b8d2f8a3d10\n"
	  "zonefleet port delete web.dev.example.org --wait" },
	{ "router create", "NAME [ADDRESS...]", 1, -1,
	  WAIT | OPT(DNS) | OPT(LABEL) | OPT(CAPACITY) | OPT(TTL) | OPT(DESCRIPTION),
	  NEED_BROKER, router_create,
	  "create a router and its domain (administrators)",
	  "Makes the router NAME, a shard: what runs at its addresses are its instances, "
	  "and all of them have all of its routes. All names below its domain lead to "
	  "those addresses. ADDRESS=down is one that is not up yet. Routes that wait "
	  "for a router get it at once.",
	  "zonefleet router create shard1 10.245.2.2 10.245.2.3 --dns "
	  "shard1.v3.example.com --admin --wait\n"
	  "zonefleet router create east 10.245.3.2 --label zone=east --capacity 500 "
	  "--admin" },
	{ "router list", "", 0, 0, OPT(LIMIT), NEED_BROKER, router_list,
	  "list the routers",
	  "Lists the routers with their domains, states and addresses. An address alone "
	  "is up, and in the domain; =down, its operator says that it is; =silent, its "
	  "agent said nothing for routes.alive_timeout; =kept, it is either, but in the "
	  "domain, for no other one is up; =coming, it will be in the domain at once. "
	  "ZONE is how far the domain is on its name servers. How many routes a router "
	  "has and may have, its serial and REASON are for administrators.",
	  "zonefleet router list --admin\n"
	  "zonefleet router list --json" },
	{ "router show", "ROUTER", 1, 1, 0, NEED_BROKER, router_show,
	  "show a router",
	  "Shows the router, and each of its addresses: UP is its operator's word, ALIVE "
	  "that its agent says so too, if it has one, SHOWN that the domain has it.",
	  "zonefleet router show shard1 --admin" },
	{ "router set", "ROUTER [ADDRESS...]", 1, -1,
	  WAIT | OPT(LABEL) | OPT(CAPACITY) | OPT(TTL) | OPT(DESCRIPTION),
	  NEED_BROKER, router_set,
	  "change a router (administrators)",
	  "Changes what is said and leaves the rest; with addresses, they are all that "
	  "the router has from then on, and ADDRESS=down is one that is to get nothing. "
	  "Its domain follows at once.",
	  "zonefleet router set shard1 10.245.2.2 10.245.2.3=down --admin --wait\n"
	  "zonefleet router set shard1 --capacity 1000 --admin" },
	{ "router drain", "ROUTER", 1, 1, WAIT | OPT(UNDO), NEED_BROKER, router_drain,
	  "move all routes to other routers (administrators)",
	  "The router takes no more routes, and those that it has move to others. A name "
	  "that was generated is another one then; the old one leads to it for "
	  "routes.rebind_grace. It says how many routes are to move; --wait waits until "
	  "none is left. --undo lets it take routes again; what has moved stays.",
	  "zonefleet router drain shard1 --admin --wait\n"
	  "zonefleet router drain shard1 --admin --undo" },
	{ "router delete", "ROUTER", 1, 1, WAIT | OPT(FORCE), NEED_BROKER, router_delete,
	  "delete a router without routes (administrators)",
	  "Deletes the router and its domain. A router that has routes stays: drain it "
	  "first. A router with former names of routes that still lead to other routers "
	  "also stays, until routes.rebind_grace is over and no resolver can have such a "
	  "name; --force ends that.",
	  "zonefleet router delete shard1 --admin --wait" },
	{ "route create", "NAMESPACE NAME", 2, 2,
	  WAIT | OPT(HOST) | OPT(LABEL) | OPT(BACKEND), NEED_BROKER, route_create,
	  "create a route",
	  "Makes the route NAME of NAMESPACE. It gets a router, and a name in that one's "
	  "domain, NAMESPACE-NAME; or it has the host of --host, a name of your own, "
	  "which you have to lead to the router yourself. A host is the route's who asked for "
	  "it first: others wait until it is free. --wait waits until the route has a "
	  "router whose domain is on its name servers; of a route that waits for its "
	  "host it says at once whose it is, and fails (Waiting).",
	  "zonefleet route create myapp test --wait\n"
	  "zonefleet route create myapp shop --host www.example.org --label "
	  "zone=east,tier=gold --backend shop_8080" },
	{ "route list", "[NAMESPACE]", 0, 1, OPT(ROUTER) | OPT(PHASE) | OPT(LIMIT),
	  NEED_BROKER, route_list,
	  "list routes",
	  "Lists routes with their names and routers; an administrator sees those of all "
	  "tenants. A route is new until it has a router, and then scheduled. REASON is "
	  "why it has none, or keeps one that is drained; it is tried again.",
	  "zonefleet route list myapp\n"
	  "zonefleet route list --router shard1 --admin\n"
	  "zonefleet route list --phase new --admin" },
	{ "route show", "ROUTE", 1, 1, 0, NEED_BROKER, route_show,
	  "show a route with its name and its router",
	  "Shows the route; ROUTE is NAMESPACE/NAME, or its id.",
	  "zonefleet route show myapp/test" },
	{ "route set", "ROUTE", 1, 1, WAIT | OPT(HOST) | OPT(LABEL) | OPT(BACKEND),
	  NEED_BROKER, route_set,
	  "change the host, labels or backend of a route",
	  "Changes what is said and leaves the rest. Another host frees the one that it "
	  "had: who waited longest for that one has it at once. Its router stays the "
	  "same, whatever its labels are.",
	  "zonefleet route set myapp/test --host test.example.org\n"
	  "zonefleet route set myapp/test --host '' --label zone=west" },
	{ "route delete", "ROUTE", 1, 1, WAIT, NEED_BROKER, route_delete,
	  "delete a route",
	  "Deletes the route; its host is free at once. Names that it had at other "
	  "routers before go from their domains; --wait waits until they are gone from "
	  "the name servers.",
	  "zonefleet route delete myapp/test --wait" },
	{ "route bind", "ROUTE ROUTER", 2, 2, WAIT, NEED_BROKER, route_bind,
	  "bind a route to a router (administrators)",
	  "The route gets ROUTER, whatever routes.strategy would say, and whether it has "
	  "one or not; with routes.strategy = \"external\" there is no other way. The "
	  "name that it had leads to its new one for routes.rebind_grace.",
	  "zonefleet route bind myapp/test shard2 --admin --wait" },
	{ "watch", "DOMAIN", 1, 1, OPT(WAIT_TIMEOUT), NEED_BROKER, watch_domain,
	  "watch a domain until it is ACTIVE",
	  "Shows how the name servers come along, until the domain is ACTIVE, or "
	  "DELETED, or in ERROR. On a terminal it is one line that changes, else a "
	  "line for each change.",
	  "zonefleet watch example.org" },
	{ "workers", "", 0, 0, 0, NEED_BROKER, workers_show,
	  "list the workers and their shares (administrators)",
	  "Lists the processes of the fleet by their service. The master of a service "
	  "shares its periodic work out: of TOTAL shares each process has the one of "
	  "its FACTOR, in one GENERATION. Who was not heard of for fleet.timeout is "
	  "down, and has none; it is forgotten after an hour.",
	  "zonefleet workers --admin" },
	{ "locks", "", 0, 0, 0, NEED_BROKER, locks_show,
	  "list the locks and their holders (administrators)",
	  "Lists the objects that are locked at present: domains that are worked on at "
	  "name servers, and the master's seat of each service (election:SERVICE). A "
	  "lock that is not renewed for its TTL may be taken over; its fence rises "
	  "then, and what the old holder still writes is refused.",
	  "zonefleet locks --admin" },
	{ "repairs", "", 0, 0, 0, NEED_BROKER, repairs_show,
	  "list differences on name servers (administrators)",
	  "Lists what name servers were seen to have otherwise than the database: CONTENT "
	  "is a zone whose records are others under the right serial, STRAY a zone that no "
	  "domain stands for. SEEN once, it waits for the next round; CONFIRMED, it is "
	  "being put right; DONE, it was; PARKED, it is left to you, for it came back too "
	  "often, or may be another fleet's.",
	  "zonefleet repairs --admin" },
	{ "servers", "", 0, 0, OPT(POOL), NEED_BROKER, servers_show,
	  "show the name servers and their state (administrators)",
	  "Lists the name servers of the pools: the number of domains whose serial each "
	  "does not have yet (BEHIND), or that it failed at when it was tried last "
	  "(FAILED), and its last error. STATE is the operator's word: a DRAINED server "
	  "is left alone and not counted, a REMOVED one is forgotten, too.",
	  "zonefleet servers --admin" },
	{ "server drain", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_drain,
	  "stop changes to a name server (administrators)",
	  "From now on the pool managers neither change nor ask the server, and changes "
	  "are ACTIVE without it. It goes on serving what it has, and may transfer "
	  "zones. 'server add' takes it back.",
	  "zonefleet server drain ns2 --admin" },
	{ "server add", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_add,
	  "put a name server into service (administrators)",
	  "Takes back a server that was drained or removed: what it missed is made up "
	  "for, without anyone asking. A new server needs no command: it is in service "
	  "when the pool managers are started with settings that name it.",
	  "zonefleet server add ns2 --admin" },
	{ "server remove", "SERVER", 1, 1, OPT(POOL), NEED_BROKER, server_remove,
	  "remove a name server (administrators)",
	  "As 'server drain', and what is known of it is forgotten; it may transfer "
	  "zones no more. The zones on it stay. Take it out of the pool managers' "
	  "settings then: within three rounds of the sync it is not listed any more.",
	  "zonefleet server remove ns2 --admin" },
	{ "sync", "DOMAIN", 1, 1, OPT(DEEP), NEED_BROKER, sync_domain,
	  "compare the name servers with a domain now",
	  "What is owed to the domain's name servers is tried now and not at its time, "
	  "and all of them are notified and asked. The periodic sync does so anyway, "
	  "within poolmgr.periodic_sync_interval.\n"
	  "--deep also compares the records of each name server with the domain's. If a "
	  "second comparison, seconds later, finds the difference again, it is repaired, "
	  "even if the repair was parked (see 'zonefleet repairs'). A server that does "
	  "not follow must transfer at once, without the pause after earlier tries.",
	  "zonefleet sync example.org\n"
	  "zonefleet sync example.org --deep" },
	{ "owner list", "", 0, 0, 0, NEED_BROKER, owner_list,
	  "list the shared zones",
	  "Lists the zones of somebody else's primary that zonefleet-ownership keeps "
	  "records in (its settings, registries.zones), and the STORAGE-ID of each: who "
	  "we are there. An administrator sees all, others those of their tenant. A "
	  "zone is OK; HELD, for something waits to be approved (see 'owner approve'); "
	  "FAILED, and tried again; or PARKED, for its primary takes nothing from us.",
	  "zonefleet owner list --admin" },
	{ "owner plan", "STORAGE_ID ZONE", 2, 2, OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_plan,
	  "read a shared zone and show the planned changes",
	  "Has the zone read and planned now, does what may be done, and shows what "
	  "that was: how many record sets are ours, and each that changes, is held, or "
	  "is left as it is though it is wanted, with the reason. UNMANAGED and FOREIGN "
	  "are somebody else's; what is as it should be is not listed. RECORDS are those "
	  "that were there, and behind -> those that come.\n"
	  "With dry_run in the settings nothing is done.",
	  "zonefleet owner plan cluster-1 example.org\n"
	  "zonefleet owner plan cluster-1 example.org --json | jq .plan.reasons" },
	{ "owner apply", "STORAGE_ID ZONE FILE", 3, 3, OPT(RESOURCE) | OPT(PARTIAL),
	  NEED_BROKER, owner_apply,
	  "set the records that a resource wants",
	  "Reads endpoints from FILE, or - for standard input: a JSON list of "
	  "{\"dnsname\", \"type\", \"targets\": [...]}, and if need be \"ttl\", "
	  "\"set_id\", \"shared\". They are all that the resource wants: what it "
	  "wanted before and does not name now goes. With --partial the others stay; "
	  "but from then on, until a list is whole again, whatever the zone would lose "
	  "is held. Saying it again changes nothing.",
	  "echo '[{\"dnsname\": \"www.example.org.\", \"type\": \"A\", "
	  "\"targets\": [\"192.0.2.1\"]}]' |\n"
	  "  zonefleet owner apply cluster-1 example.org - --resource ingress/shop/web" },
	{ "owner approve", "STORAGE_ID ZONE [DIGEST]", 2, 3, OPT(YES), NEED_BROKER,
	  owner_approve,
	  "approve held changes",
	  "Shows what is held, and its digest: deletions that are too many at once, and "
	  "what the zone would lose while a source is in doubt. With the DIGEST just "
	  "that is approved, and done in the next round; with --yes, what is shown. If "
	  "it is another plan by then, nothing is approved.",
	  "zonefleet owner approve cluster-1 example.org\n"
	  "zonefleet owner approve cluster-1 example.org --yes" },
	{ "owner records", "STORAGE_ID ZONE", 2, 2, OPT(OWNER) | OPT(NAME),
	  NEED_BROKER, owner_records,
	  "list the records of a shared zone and their owners",
	  "Lists all records of the zone with their owners, as it was read last "
	  "('owner plan' reads it now). OWNER is a storage id, or several joined by "
	  "commas if they share the name; - is nobody. In the JSON document the records "
	  "are as in that of 'owner export'.",
	  "zonefleet owner records cluster-1 example.org --owner cluster-1\n"
	  "zonefleet owner records cluster-1 example.org --owner ''\n"
	  "zonefleet owner records cluster-1 example.org --name www" },
	{ "owner export", "STORAGE_ID ZONE [FILE]", 2, 3, 0, NEED_BROKER, owner_export,
	  "export records and their owners",
	  "Writes all records of the zone with their owners, as it was read last, to "
	  "standard output or to FILE, which appears when it is whole: a ConfigMap whose "
	  "data.records is the JSON text of a list of {\"dnsname\", \"owner\", "
	  "\"target\", \"type\"}. All of them are of one serial. With storage \"table\" "
	  "keep it where the database is not: 'owner import' reads it.",
	  "zonefleet owner export cluster-1 example.org example.org.owners\n"
	  "zonefleet owner export cluster-1 example.org | jq -r .data.records" },
	{ "owner import", "STORAGE_ID ZONE FILE", 3, 3, 0, NEED_BROKER, owner_import,
	  "import the owners of records",
	  "Reads what 'owner export' wrote, or its list of records alone, from FILE, "
	  "packed by xz or gzip if its suffix says so, or - for standard input. What "
	  "STORAGE_ID owns there, and the zone still has just so, is ours again with the "
	  "next round; the others are only counted. It is for storage \"table\" after "
	  "its database was lost; marks in the zone need no copy. Saying it again "
	  "changes nothing.\n"
	  "What is ours and nobody wants goes: say first what is wanted ('owner apply').",
	  "zonefleet owner import cluster-1 example.org example.org.owners" },
	{ "owner transfer", "STORAGE_ID ZONE TO_STORAGE_ID", 3, 3,
	  SELECTOR | OPT(ALL) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_transfer,
	  "give record sets to another owner",
	  "What is selected of ours belongs to TO_STORAGE_ID from then on, one of the "
	  "same zone in the settings; and who wanted it here wants it there. The "
	  "records stay as they are, only their marks change. It waits until that is "
	  "done, and says how many sets were matched, done and refused, and their names "
	  "(a hundred of them). If any was refused, it fails with the reasons (Refused), "
	  "and the others are done all the same.\n"
	  "Say it with --dry-run first: nothing is done then.",
	  "zonefleet owner transfer cluster-1 example.org cluster-2 --name shop --below "
	  "--dry-run\n"
	  "zonefleet owner transfer cluster-1 example.org cluster-2 --resource "
	  "ingress/shop/web\n"
	  "zonefleet owner transfer cluster-1 example.org cluster-2 --all" },
	{ "owner release", "STORAGE_ID ZONE", 2, 2,
	  SELECTOR | OPT(ALL) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_release,
	  "remove the marks of record sets, and keep the records",
	  "What is selected of ours becomes nobody's: the records stay in the zone, "
	  "their marks go. If somebody here wants them still, they are left alone until "
	  "they are adopted again. What is told is as of 'owner transfer'.",
	  "zonefleet owner release cluster-1 example.org --name www --type A\n"
	  "zonefleet owner release cluster-1 example.org --all --dry-run" },
	{ "owner adopt", "STORAGE_ID ZONE [NAME TYPE TARGET...]", 2, -1,
	  SELECTOR | OPT(WANTED) | OPT(DRY_RUN) | OPT(WAIT_TIMEOUT),
	  NEED_BROKER, owner_adopt,
	  "take over record sets without a mark",
	  "The record set of NAME and TYPE becomes ours, if it is nobody's, somebody "
	  "here wants it (see 'owner apply'), and its records are just those of TARGET, "
	  "each as in a master file, quoted for the shell as one word: what you did not "
	  "see is not taken over. From then on it becomes what is wanted. With --wanted "
	  "each set of nobody's does that is just as it is wanted, or of these what is "
	  "selected. What is told is as of 'owner transfer'.",
	  "zonefleet owner adopt cluster-1 example.org www A 192.0.2.1 192.0.2.2\n"
	  "zonefleet owner adopt cluster-1 example.org --wanted --dry-run" },
	{ "queues", "", 0, 0, OPT(POOL), NEED_BROKER, queues_show,
	  "list the queues and their messages (administrators)",
	  "Lists the work queues of the fleet at the broker: who takes from each "
	  "(CONSUMERS), what waits to be taken (READY), what waits to be tried again "
	  "(DELAYED), and what was given up (DEAD: see 'zonefleet dead-letters'). Those "
	  "ending in .recovery are for the repairs, behind users' changes.",
	  "zonefleet queues --admin" },
	{ "dead-letters list", "", 0, 0, OPT(LIMIT) | OPT(POOL), NEED_BROKER,
	  letters_list,
	  "list dead letters (administrators)",
	  "Lists messages that no worker could take, with the reason: broken ones, and "
	  "those that failed for good. What they asked for is not lost by that: the "
	  "database says what is owed, and the pool managers see to it. ID names a "
	  "message by its queue and its content.",
	  "zonefleet dead-letters list --admin" },
	{ "dead-letters show", "ID", 1, 1, OPT(POOL), NEED_BROKER, letters_show,
	  "show a dead letter (administrators)",
	  "Prints the message with all that it says, as JSON. all shows every one.",
	  "zonefleet dead-letters show 5f0d7c3e9a2b4d6f8a1c3e5f7a9b1d3f --admin" },
	{ "dead-letters retry", "ID", 1, 1, OPT(POOL) | OPT(VOUCH), NEED_BROKER,
	  letters_retry,
	  "send a dead letter to its queue again (administrators)",
	  "Puts the message back into the queue that it came from; all does so with "
	  "every message. A message that a worker gets twice has one effect. The message "
	  "names no broker account, so a worker with broker.require_user_id or "
	  "broker.administrators may refuse it again. --vouch sends it under your own "
	  "account, with your rights: first read it with 'zonefleet dead-letters show'. "
	  "--vouch sends one message, never all.",
	  "zonefleet dead-letters retry all --admin" },
	{ "dead-letters drop", "ID", 1, 1, OPT(POOL), NEED_BROKER, letters_drop,
	  "delete a dead letter (administrators)",
	  "Removes the message for good; all removes every one.",
	  "zonefleet dead-letters drop 5f0d7c3e9a2b4d6f8a1c3e5f7a9b1d3f --admin" },
	{ "ping", "[TOPIC]", 0, 1, 0, NEED_BROKER, ping_topic,
	  "test whether a worker answers",
	  "Calls central, or whoever serves TOPIC (central, minidns, ownership, ports, "
	  "routes or pool_manager.POOL), and tells how long the answer took.",
	  "zonefleet ping\n"
	  "zonefleet ping pool_manager.default" },

	{ "db migrate", "", 0, 0, 0, NEED_DATABASE, db_migrate,
	  "create or upgrade the tables",
	  "Creates the tables in an empty database, or applies what this version adds "
	  "to them. It only goes forward, runs once at a time, and may be run again. If "
	  "it applied something, it lists the same tenants as db tenants.",
	  "zonefleet db migrate --config /etc/zonefleet/zonefleet.cfg" },
	{ "db version", "", 0, 0, 0, NEED_DATABASE, db_version,
	  "show the version of the tables",
	  "Shows the version that the database has, and the one that this program knows.",
	  "zonefleet db version" },
	{ "db tenants", "", 0, 0, 0, NEED_DATABASE, db_tenants,
	  "list tenants whose names are not valid or look alike",
	  "Reads the tenants (projects) of all rows in the database. Lists those that are "
	  "refused in calls (a blank at an end, control characters), and those that differ "
	  "from another tenant only by blanks, control characters or the case of letters.",
	  "zonefleet db tenants\n"
	  "zonefleet db tenants --json" },

	{ "completion", "bash", 1, 1, 0, NEED_NOTHING, completion_print,
	  "print the completion for a shell",
	  "Prints what teaches bash to complete the client's commands and options.",
	  "source <(zonefleet completion bash)" },
	{ "help", "[COMMAND]", 0, 2, OPT(MAN), NEED_NOTHING, help_command,
	  "explain a command, or list them all",
	  "Explains COMMAND with its options and examples; so does --help behind it. "
	  "--man prints the man page.",
	  "zonefleet help record add\n"
	  "zonefleet help --man | man -l -" },
	{ 0 }
};
