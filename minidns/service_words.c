#include "runtime/rpc_reference.h"
#include "service.h"

static const struct rpc_method_doc words[] = {
	{ "notify_zone_changed", "Orders mini-DNS to send a NOTIFY message for a zone "
	  "to a name server." },
	{ "poll_for_serial_number", "Orders mini-DNS to poll a name server for the "
	  "serial of a zone." },
	{ "propagate_zones", "Orders mini-DNS to send NOTIFY messages and polls for "
	  "several zones to several name servers." },
	{ "poll_zones", "Orders mini-DNS to poll several name servers for the serials of "
	  "several zones." },
	{ "compare_zones", "Orders mini-DNS to compare the records of zones on name "
	  "servers with the database." },
	{ "check_servers", "Orders mini-DNS to send each name server one query, and to "
	  "report with update_servers whether the server answers." },
	{ "transfer_ended", "Tells the other mini-DNS processes that a name server has "
	  "transferred a zone." },
	{ "zone_differs", "Tells all mini-DNS processes that the records of a zone on a "
	  "name server differ from the database, or that the server does not load the "
	  "zone. The processes then count the transfers of the zone to this server." },
	{ "zone_transferred", "Tells all mini-DNS processes that a name server whose "
	  "records differ has transferred the whole zone." },
	{ "news", "Tells the other mini-DNS processes the newest serials of zones." },
	{ 0 }
};

static const struct rpc_method *methods(void)
{
	return service_methods;
}

const struct rpc_topic rpc_topics[] = {
	{ "minidns", "Orders to mini-DNS, and announcements between its processes.",
	  methods, words },
	{ 0 }
};
