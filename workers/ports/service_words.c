#include "agent.h"
#include "codec.h"
#include "ports.h"
#include "runtime/rpc_reference.h"

#define FIELDS(...) (const struct json_field[]){ __VA_ARGS__, { 0 } }
#define OWNER RPC_OWNER
#define ADMIN RPC_ADMINISTRATOR

static const struct json_field args[] = {
	{ "port", "id", "the port" },
	{ "network", "id", "the network" },
	{ "subnet", "id", "the subnet" },
	{ "marker", "id", "the `marker` of the previous page", "the first page" },
	{ "limit", "number from 1", "the largest number of items in the answer",
	  "100", LIST_MAX },
	{ 0 }
};

static const struct json_field of_network[] = {
	{ "network", "id", "list only objects of this network", "all networks" },
	{ "dns_fqdn", "name", "list only ports with this full name", "all names" },
	{ 0 }
};

static const struct rpc_method_doc words[] = {
	{ "create_port", "Creates a port and publishes its names. If a port with this id "
	  "and the same values exists, the call returns this port. The call fails with "
	  "`Duplicate` if another port of the network already has the name, or if the id "
	  "belongs or belonged to a different port. The call fails with `NotFound` if "
	  "the network does not exist.", OWNER, "`port`: [port]",
	  "{'port': {'id': '0b5a6b6e2f0e4a439be73b8d2f8a3d10', "
	  "'network_id': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'dns_name': 'vm01', "
	  "'fixed_ips': [{'ip_address': '10.1.1.1'}]}}",
	  FIELDS({ "port", "[new port]", "the port" }) },
	{ "update_port", "Changes the name or the addresses of a port.", OWNER,
	  "`port`: [port]",
	  "{'port': '0b5a6b6e2f0e4a439be73b8d2f8a3d10', 'values': {'dns_name': 'web'}}",
	  FIELDS({ "values", "[new port] (changeable fields)", "the new values" }) },
	{ "delete_port", "Deletes a port. zonefleet-ports then deletes the records of "
	  "the port.",
	  OWNER, "null",
	  "{'port': '0b5a6b6e2f0e4a439be73b8d2f8a3d10'}" },
	{ "get_port", "Shows a port.", OWNER, "`port`: [port]",
	  "{'port': '0b5a6b6e2f0e4a439be73b8d2f8a3d10'}" },
	{ "list_ports", "Lists ports.", OWNER,
	  "`ports`: list of [port]; `marker`: id or null",
	  "{'network': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'limit': 10}", of_network },
	{ "get_published", "Shows the state of the records of a port or a network. "
	  "`open`: number of records that central has not accepted yet. `refused`: "
	  "number of records that central refused, with the `reason`. zonefleet-ports "
	  "sends the refused records again after at most `retry_seconds`. `domains`: the "
	  "domains that contain the records. `waiting`: one object for each domain that "
	  "has open or refused records. The object contains `open`, `refused` and "
	  "`reason` for this domain, and in `port` the id of one port that has such "
	  "records. The call must contain `port` or `network`.",
	  OWNER,
	  "`open`: number; `refused`: number; `reason`: string; `retry_seconds`: number; "
	  "`domains`: list of names; `waiting`: list of objects with `domain`, `open`, "
	  "`refused`, `reason` and `port`",
	  "{'port': '0b5a6b6e2f0e4a439be73b8d2f8a3d10'}",
	  FIELDS({ "port", "id", "the port", "all ports of `network`" },
	         { "network", "id", "the network", "the network of `port`" }) },
	{ "set_network", "Creates a network, or changes its domain and renames its "
	                 "ports. `ports`: number of renamed ports. `unnamed`: the first "
	                 "ports that did not get the desired name.", OWNER,
	  "`network`: [network]; `ports`: number; `unnamed`: list of ids",
	  "{'network': {'id': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'dns_domain': "
	  "'example.org.'}}",
	  FIELDS({ "network", "[new network]", "the network" }) },
	{ "get_network", "Shows a network.", OWNER, "`network`: [network]",
	  "{'network': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "list_networks", "Lists networks.", OWNER,
	  "`networks`: list of [network]; `marker`: id or null", "{'limit': 10}" },
	{ "delete_network", "Deletes a network and its subnets. The call fails with "
	  "`Conflict` if the network has ports.", OWNER,
	  "null", "{'network': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}" },
	{ "set_subnet", "Creates a subnet, or changes whether zonefleet-ports publishes "
	  "its addresses.", OWNER,
	  "`subnet`: [subnet]",
	  "{'subnet': {'id': '8c1e4a521f0b4a5e8d537f6f0c2b9e21', "
	  "'network_id': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'cidr': '10.1.0.0/16'}}",
	  FIELDS({ "subnet", "[new subnet]", "the subnet" }) },
	{ "get_subnet", "Shows a subnet.", OWNER, "`subnet`: [subnet]",
	  "{'subnet': '8c1e4a521f0b4a5e8d537f6f0c2b9e21'}" },
	{ "list_subnets", "Lists subnets.", OWNER,
	  "`subnets`: list of [subnet]; `marker`: id or null",
	  "{'network': '5d2b8a5c6a0f4c529a513f0a8a1c7c11'}", of_network },
	{ "delete_subnet", "Deletes a subnet.", OWNER, "null",
	  "{'subnet': '8c1e4a521f0b4a5e8d537f6f0c2b9e21'}" },
	{ "hosts_export", "Exports the dnsmasq lines of each port of a network.",
	  OWNER,
	  "`hosts`: list of [host lines]; `marker`: id or null; `version`: number",
	  "{'network': '5d2b8a5c6a0f4c529a513f0a8a1c7c11', 'limit': 50}",
	  FIELDS({ "ports", "list of ids", "export only these ports", "all ports", 100 },
	         { "limit", "number from 1", "the largest number of ports in the answer. "
	           "A larger value than 50 counts as 50",
	           "50", LIST_MAX }) },
	{ "hosts_versions", "Shows the version of the dnsmasq lines of each network. "
	  "`versions` contains a number for each network id. The number grows with each "
	  "change.",
	  ADMIN, "`versions`: object",
	  "{'networks': ['5d2b8a5c6a0f4c529a513f0a8a1c7c11']}",
	  FIELDS({ "networks", "list of ids", "the networks", .max = 500 }) },
	{ "compare", "Shows the last comparison with Neutron. `ended`: number of "
	  "comparisons that have ended. `looked_at`: number of compared objects. "
	  "`differing`: number of objects that differed in the first pass. `repaired`: "
	  "number of objects that the second pass corrected. `reason`: why the "
	  "comparison is incomplete. The call fails with `Conflict` if `ports.feed` is "
	  "empty.",
	  ADMIN, "`ended`: number; `looked_at`: number; `differing`: number; `repaired`: "
	  "number; `reason`: string", "{'now': false}",
	  FIELDS({ "now", "true or false", "true: also begin the next comparison "
	           "immediately", "false" }) },
	{ 0 }
};

static const struct rpc_object objects[] = {
	{ "new port", "A port that a caller creates or changes.", codec_port_fields },
	{ "port address", "An address of a port.", codec_address_fields },
	{ "port", "A port in an answer.", codec_port_shown, true },
	{ "assignment", "The name of an address, as in Neutron's `dns_assignment`.",
	  codec_assignment_shown, true },
	{ "new network", "A network that a caller creates or changes.",
	  codec_network_fields },
	{ "network", "A network in an answer.", codec_network_shown, true },
	{ "new subnet", "A subnet that a caller creates or changes.",
	  codec_subnet_fields },
	{ "subnet", "A subnet in an answer.", codec_subnet_shown, true },
	{ "host lines", "The dnsmasq lines of a port.", FIELDS(
		{ "port", "id", "the port" },
		{ "addn_hosts", "string", "the lines of the port for the file of "
		  "`--addn-hosts`" },
		{ "dhcp_hosts", "string", "the lines of the port for the file of "
		  "`--dhcp-hostsfile`" }), true },
	{ 0 }
};

static const struct rpc_method_doc agent_words[] = {
	{ "hosts_changed", "Tells the agents of a network which ports have changed." },
	{ 0 }
};

static const struct rpc_method *words_ports_methods(void)
{
	return ports_methods;
}

static const struct rpc_method *words_agent_methods(void)
{
	return ports_agent.methods;
}

const struct rpc_topic rpc_topics[] = {
	{ "ports", "Networks, subnets and ports, and their names.", words_ports_methods,
	  words, args, objects },
	{ "ports_agent", "A fanout to the agents of zonefleet-ports.",
	  words_agent_methods, agent_words },
	{ 0 }
};
