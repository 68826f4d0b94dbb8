#include "service.h"

#include <string.h>

#include "edit.h"

#define PAGE " criterion? marker? limit? sort_key? sort_dir?"

static const struct method {
	const char *name, *args;
	rpc_handler *read;
	write_handler *write;		/* has one effect for each message: write.h */
	rpc_batch *reads;		/* handles several requests together */
	write_handler *decode;
	void (*prefetch)(struct tx *tx, struct write *writes, size_t count);
	const char *subject;		/* NULL: "domain" of a write */
	bool fleet;			/* only for the pool manager */
} methods[] = {
	{ "create_domain",    "domain",               .write = service_create_domain    },
	{ "get_domain",       "domain",               .reads = service_get_domains      },
	{ "find_domains",     PAGE,                   .read  = service_find_domains     },
	{ "update_domain",    "domain values version?",
	                                              .write = service_update_domain    },
	{ "delete_domain",    "domain version? if_empty? force?",
	                                              .write = service_delete_domain    },
	{ "abandon_domain",   "domain",               .write = service_abandon_domain   },
	{ "create_recordset", "domain recordset version?",
	                                              .write = service_create_recordset },
	{ "get_recordset",    "domain recordset",     .read  = service_get_recordset    },
	{ "find_recordsets",  "domain?" PAGE,         .read  = service_find_recordsets  },
	{ "update_recordset", "domain recordset values version? force?",
	                                              .write = service_update_recordset },
	{ "delete_recordset", "domain recordset version? force?",
	                                              .write = service_delete_recordset },
	{ "find_records",     "domain?" PAGE,         .read  = service_find_records     },
	{ "apply_changes",    "domain changes serial? soa? version? force? replace?",
	                                              .write = service_apply_changes,
	                                              .decode = service_decode_changes,
	                                              .prefetch = edit_prefetch     },
	{ "create_pool",      "pool",                 .write = service_create_pool,
	                                              .subject = "pool"                 },
	{ "get_pool",         "pool",                 .read  = service_get_pool         },
	{ "find_pools",       PAGE,                   .read  = service_find_pools       },
	{ "update_pool",      "pool values",          .write = service_update_pool,
	                                              .subject = "pool"                 },
	{ "delete_pool",      "pool",                 .write = service_delete_pool,
	                                              .subject = "pool"                 },
	{ "begin_import",     "domain mode? force?",  .write = service_begin_import,
	                                              .subject = ""                     },
	{ "add_to_import",    "import part records",  .read  = service_add_to_import,
	                                              .subject = "import"               },
	{ "commit_import",    "import version?",      .read  = service_commit_import,
	                                              .subject = "import"               },
	{ "get_import",       "import",               .read  = service_get_import       },
	{ "cancel_import",    "import",               .read  = service_cancel_import,
	                                              .subject = "import"               },
	{ "export_domain",    "domain marker? limit?",
	                                              .read  = service_export_domain    },
	{ "create_blacklist", "blacklist",            .write = service_create_blacklist,
	                                              .subject = "blacklist"            },
	{ "get_blacklist",    "blacklist",            .read  = service_get_blacklist    },
	{ "find_blacklists",  PAGE,                   .read  = service_find_blacklists  },
	{ "update_blacklist", "blacklist values",     .write = service_update_blacklist,
	                                              .subject = "blacklist"            },
	{ "delete_blacklist", "blacklist",            .write = service_delete_blacklist,
	                                              .subject = "blacklist"            },
	{ "create_tld",       "tld",                  .write = service_create_tld,
	                                              .subject = "tld"                  },
	{ "get_tld",          "tld",                  .read  = service_get_tld          },
	{ "find_tlds",        PAGE,                   .read  = service_find_tlds        },
	{ "update_tld",       "tld values",           .write = service_update_tld,
	                                              .subject = "tld"                  },
	{ "delete_tld",       "tld",                  .write = service_delete_tld,
	                                              .subject = "tld"                  },
	{ "apply_tlds",       "add? remove?",         .write = service_apply_tlds,
	                                              .subject = ""                     },
	{ "create_share",     "share",                .write = service_create_share,
	                                              .subject = "share.domain"         },
	{ "get_share",        "share",                .read  = service_get_share        },
	{ "find_shares",      PAGE,                   .read  = service_find_shares      },
	{ "delete_share",     "share recordsets?",    .write = service_delete_share,
	                                              .subject = "share"                },
	{ "create_transfer",  "transfer",             .write = service_create_transfer,
	                                              .subject = "transfer.domain"      },
	{ "get_transfer",     "transfer",             .read  = service_get_transfer     },
	{ "find_transfers",   PAGE,                   .read  = service_find_transfers   },
	{ "update_transfer",  "transfer values",      .write = service_update_transfer,
	                                              .subject = "transfer"             },
	{ "withdraw_transfer", "transfer",            .write = service_withdraw_transfer,
	                                              .subject = "transfer"             },
	{ "accept_transfer",  "transfer key",         .write = service_accept_transfer,
	                                              .subject = "transfer"             },
	{ "set_quota",        "tenant resource hard_limit",
	                                              .write = service_set_quota,
	                                              .subject = "tenant"               },
	{ "reset_quotas",     "tenant",               .write = service_reset_quotas,
	                                              .subject = "tenant"               },
	{ "find_quotas",      "marker? limit?",       .read  = service_find_quotas      },
	{ "get_quotas",       "tenant",               .read  = service_get_quotas       },
	{ "create_tsigkey",   "tsigkey",              .write = service_create_tsigkey,
	                                              .subject = "tsigkey"              },
	{ "get_tsigkey",      "tsigkey",              .read  = service_get_tsigkey      },
	{ "find_tsigkeys",    PAGE,                   .read  = service_find_tsigkeys    },
	{ "update_tsigkey",   "tsigkey values",       .write = service_update_tsigkey,
	                                              .subject = "tsigkey"              },
	{ "delete_tsigkey",   "tsigkey",              .write = service_delete_tsigkey,
	                                              .subject = "tsigkey"              },
	{ "get_status",       "domain? pool?",        .read  = service_get_status       },
	{ "find_workers",     "",                     .read  = service_find_workers     },
	{ "find_locks",       "",                     .read  = service_find_locks       },
	{ "find_repairs",     "",                     .read  = service_find_repairs     },
	{ "update_server",    "pool server state",    .write = service_update_server,
	                                              .subject = "server"               },
	{ "sync_domain",      "domain deep?",         .read  = service_sync_domain      },
	{ "update_status",    "domain status serial_number reason?",
	                                              .read  = service_update_status,
	                                              .fleet = true                     },
	{ "update_statuses",  "reports",              .read  = service_update_statuses,
	                                              .fleet = true                     },
};

enum { METHODS = sizeof methods / sizeof methods[0] };

static void service_run_writes(void *self, struct request *const *reqs, size_t count,
                               enum err *errs)
{
	size_t i = 0;

	while (strcmp(methods[i].name, reqs[0]->method))
		i++;
	write_run(self, reqs, count,
	          &(struct write_method){ methods[i].decode, methods[i].write,
	                                methods[i].prefetch }, errs);
}

const struct rpc_method *service_methods(void)
{
	static struct rpc_method rows[METHODS + 1];

	for (size_t i = 0; i < METHODS; i++)
		rows[i] = (struct rpc_method){
			.name = methods[i].name,
			.args = methods[i].args,
			.handler = methods[i].read,
			.batch = methods[i].write ? service_run_writes : methods[i].reads,
			.subject = methods[i].subject ? methods[i].subject :
			           methods[i].write ? "domain" : NULL,
			.fleet = methods[i].fleet,
		};
	return rows;
}
