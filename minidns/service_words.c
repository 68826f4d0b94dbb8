#include "runtime/rpc_method_doc.h"
#include "service.h"

static const struct rpc_method_doc words[] = {
	{ "notify_zone_changed", "Orders to send NOTIFY for a zone to a name server." },
	{ "poll_for_serial_number", "Orders to poll a name server for the serial of a zone." },
	{ "propagate_zones", "Orders NOTIFY and a poll for several zones and name servers." },
	{ "poll_zones", "Orders polls for several zones and name servers." },
	{ "compare_zones", "Orders to compare the records of zones on name servers." },
	{ "transfer_ended", "Tells the other processes that a name server has transferred a zone." },
	{ "news", "Tells the other processes the newest serials of zones." },
	{ 0 }
};

static const struct rpc_method *methods(void)
{
	return service_methods;
}

const struct rpc_topic rpc_topics[] = {
	{ "minidns", "Orders to mini-DNS, and announcements between its processes.", methods, words },
	{ 0 }
};
