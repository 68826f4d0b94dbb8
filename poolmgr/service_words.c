#include "poolmgr.h"
#include "runtime/rpc_reference.h"

static const struct rpc_method_doc words[] = {
	{ "create_domain", "Orders to create a domain on the name servers of the pool." },
	{ "update_domain", "Orders to bring a change of a domain to the name servers." },
	{ "update_domains", "Orders the same for several domains." },
	{ "delete_domain", "Orders to delete a domain on the name servers." },
	{ "sync_domain", "Orders to compare the serials of a domain at once." },
	{ "compare_domain", "Orders to compare the records of a domain at once." },
	{ "update_status", "Reports the state of a domain on a name server." },
	{ "update_statuses", "Reports the same for several domains or name servers." },
	{ 0 }
};

static const struct rpc_method *poolmgr_method_rows(void)
{
	return poolmgr_methods;
}

const struct rpc_topic rpc_topics[] = {
	{ "pool_manager.POOL", "Orders to a pool manager, and reports of mini-DNS.",
	  poolmgr_method_rows, words },
	{ 0 }
};
