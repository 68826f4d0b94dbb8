#include "poolmgr.h"
#include "runtime/rpc_reference.h"

static const struct rpc_method_doc words[] = {
	{ "create_domain", "Orders the pool manager to create a domain on the name "
	  "servers of the pool." },
	{ "update_domain", "Orders the pool manager to propagate a change to a domain." },
	{ "update_domains", "Orders the pool manager to propagate changes to several "
	  "domains." },
	{ "delete_domain", "Orders the pool manager to delete a domain on the name "
	  "servers." },
	{ "sync_domain", "Orders the pool manager to compare the serial of a domain on "
	  "its name servers with the database immediately." },
	{ "compare_domain", "Orders the pool manager to compare the records of a domain "
	  "on its name servers with the database immediately." },
	{ "update_status", "Reports the state of a domain on a name server to the pool "
	  "manager." },
	{ "update_statuses", "Reports the states of several domains on name servers to "
	  "the pool manager." },
	{ "update_servers", "Reports to the pool manager whether name servers answer "
	  "mini-DNS." },
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
