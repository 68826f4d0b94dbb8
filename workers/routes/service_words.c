#include "agent.h"
#include "codec.h"
#include "core/router_domain.h"
#include "routes.h"
#include "runtime/rpc_reference.h"

#define FIELDS(...) (const struct json_field[]){ __VA_ARGS__, { 0 } }
#define OWNER RPC_OWNER
#define ADMIN RPC_ADMINISTRATOR
#define ANYONE RPC_ANYONE

static const struct json_field args[] = {
	{ "route", "string", "the id of the route, or NAMESPACE/NAME" },
	{ "router", "string", "the name of the router", .max = ROUTE_LABEL_MAX },
	{ "marker", "id", "the `marker` of the previous page", "the first page" },
	{ "limit", "number from 1", "the largest number of items in the answer",
	  "100", LIST_MAX },
	{ 0 }
};

static const struct json_field list_routes[] = {
	{ "namespace", "string", "list only routes of this namespace",
	  "all", ROUTE_LABEL_MAX },
	{ "router", "string", "list only routes of this router", "all", ROUTE_LABEL_MAX },
	{ "phase", "string", "list only routes in this phase: `new` or `scheduled`",
	  "both" },
	{ 0 }
};

static const struct rpc_method_doc words[] = {
	{ "create_route", "Creates a route. The scheduler then binds the route to a "
	  "router.", OWNER,
	  "`route`: [route]",
	  "{'route': {'namespace': 'myapp', 'name': 'web', 'labels': {'tier': 'gold'}}}",
	  FIELDS({ "route", "[new route]", "the route" }) },
	{ "update_route", "Changes the host, the labels or the backend of a route.",
	  OWNER, "`route`: [route]",
	  "{'route': 'myapp/web', 'values': {'host': 'www.example.net'}}",
	  FIELDS({ "values", "[new route] (changeable fields)", "the new values" }) },
	{ "delete_route", "Deletes a route. `routers`: the routers that served the "
	  "names of the route. If the broker delivers the message twice, the answer can "
	  "be null.", OWNER, "`routers`: list of strings",
	  "{'route': 'myapp/web'}" },
	{ "get_route", "Shows a route.", OWNER, "`route`: [route]",
	  "{'route': 'myapp/web'}" },
	{ "list_routes", "Lists routes.", OWNER,
	  "`routes`: list of [route]; `marker`: id or null",
	  "{'namespace': 'myapp', 'phase': 'scheduled'}", list_routes },
	{ "create_router", "Creates a router and its domain.", ADMIN,
	  "`router`: [router]",
	  "{'router': {'name': 'shard1', 'dns': 'shard1.example.net', "
	  "'addresses': ['10.245.2.2', {'address': '10.245.2.3', 'up': false}]}}",
	  FIELDS({ "router", "[new router]", "the router" }) },
	{ "update_router", "Changes a router.", ADMIN, "`router`: [router]",
	  "{'router': 'shard1', 'values': {'capacity': 1000}}",
	  FIELDS({ "values", "[new router] (changeable fields)", "the new values" }) },
	{ "drain_router", "Moves all routes of a router to other routers, or allows the "
	  "router to accept routes again.",
	  ADMIN, "`router`: [router]", "{'router': 'shard1', 'drain': false}",
	  FIELDS({ "drain", "true or false", "false: the router accepts routes again",
	           "true" }) },
	{ "delete_router", "Deletes a router and its domain. The call fails with "
	  "`Conflict` if the router has routes, or if its domain still contains former "
	  "names of routes that have moved to other routers.", ADMIN, "null",
	  "{'router': 'shard1'}",
	  FIELDS({ "force", "true or false", "true: delete the router even if its domain "
	  "contains former names of moved routes",
	           "false" }) },
	{ "get_router", "Shows a router.", ANYONE, "`router`: [router]",
	  "{'router': 'shard1'}" },
	{ "list_routers", "Lists routers.", ANYONE,
	  "`routers`: list of [router]; `marker`: string or null", "{'limit': 10}",
	  FIELDS({ "marker", "string", "the `marker` of the previous page",
	           "the first page" }) },
	{ "report_address", "Reports that the instance at an address is alive. The call "
	  "fails with `NotFound` if the router does not have the address.", ADMIN, "null",
	  "{'router': 'shard1', 'address': '10.245.2.2'}",
	  FIELDS({ "address", "string", "the address of the instance" },
	         { "version", "number",
	           "the version of the hosts that HAProxy serves (`version` of "
	           "`router_hosts`)",
	           "unknown" }) },
	{ "create_route_binding", "Binds a route to a router, in the same way as the "
	                          "scheduler. The binding must contain `router` or "
	                          "`dns`.", ADMIN, "`binding`: [binding]",
	  "{'binding': {'route_namespace': 'myapp', 'route_name': 'web', 'router': "
	  "'shard1'}}",
	  FIELDS({ "binding", "[new binding]", "the binding" }) },
	{ "list_route_bindings", "Lists bindings.", ADMIN,
	  "`bindings`: list of [binding]; `marker`: id or null", "{'router': 'shard1'}",
	  FIELDS({ "router", "string", "list only bindings to this router", "all",
	           ROUTE_LABEL_MAX }) },
	{ "router_hosts", "Lists the hosts and backends that the instances of a router "
	  "serve.", ADMIN,
	  "`hosts`: list of [route hosts]; `marker`: id or null; `version`: number",
	  "{'router': 'shard1', 'limit': 500}",
	  FIELDS({ "routes", "list of ids", "list only these routes", "all routes", 100 },
	         { "limit", "number from 1",
	           "the largest number of routes in the answer. A larger value than 500 "
	           "counts as 500",
	           "100", LIST_MAX }) },
	{ "hosts_versions", "Shows the version of the hosts of each router. `versions` "
	  "contains a number for the name of each router. The number grows with each "
	  "change.",
	  ADMIN, "`versions`: object",
	  "{'routers': ['shard1']}",
	  FIELDS({ "routers", "list of strings", "the names of routers", .max = 500 }) },
	{ 0 }
};

static const struct rpc_object objects[] = {
	{ "new route", "A route that a caller creates or changes.", codec_route_fields },
	{ "route status", "The state of a route. Only a binding changes this state.",
	  codec_status_fields },
	{ "route", "A route in an answer.", codec_route_shown, true },
	{ "new router", "A router that a caller creates or changes.",
	  codec_router_fields },
	{ "instance", "An address of a router.", codec_address_fields },
	{ "router zone", "The initial content of the domain of a router.",
	  router_domain_fields },
	{ "router SOA", "Values of the SOA record in the domain of a router.",
	  router_domain_soa_fields },
	{ "first record", "A record set in the initial content of the domain of a "
	  "router.",
	  router_domain_record_fields },
	{ "router", "A router in an answer. Only administrators see the last four "
	  "fields.", codec_router_shown, true },
	{ "instance state", "An address of a router in an answer.",
	  codec_address_shown, true },
	{ "new binding", "A binding that a caller creates.", codec_binding_fields },
	{ "binding", "A binding in an answer.", codec_binding_shown, true },
	{ "route hosts", "The hosts of a route on the instances of a router.", FIELDS(
		{ "route", "id", "the route" },
		{ "map", "string", "lines of the form `host backend`" }), true },
	{ 0 }
};

static const struct rpc_method_doc agent_words[] = {
	{ "routes_changed", "Tells the agents of a router which routes have changed." },
	{ 0 }
};

static const struct rpc_method *routes_words_methods(void)
{
	return routes_methods;
}

static const struct rpc_method *routes_words_of_agent(void)
{
	return routes_agent.methods;
}

const struct rpc_topic rpc_topics[] = {
	{ "routes", "Routes, routers and bindings.", routes_words_methods, words, args,
	  objects },
	{ "routes.ROUTER", "A fanout to the agents of a router.", routes_words_of_agent,
	  agent_words },
	{ 0 }
};
