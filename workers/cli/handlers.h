/*
 * handlers -- declares the functions that run the commands in commands.c. The comments
 * name the file of each function.
 */
#pragma once

#include "cli.h"

typedef enum err command_fn(struct cli *cli);

command_fn domain_create, domain_list, domain_show;			/* domain.c */
command_fn domain_set, domain_delete, domain_abandon;
command_fn domain_import;						/* import.c */
command_fn domain_export;						/* export.c */
command_fn record_add, record_list, record_set, record_delete;		/* record.c */
command_fn record_apply;						/* apply.c */
/* pool.c */
command_fn pool_list, pool_show, pool_create, pool_set, pool_delete;
command_fn blacklist_add, blacklist_list, blacklist_set;		/* blacklist.c */
command_fn blacklist_delete;
command_fn tld_add, tld_list, tld_delete;				/* tld.c */
command_fn tld_import;							/* tld_import.c */
command_fn quota_show, quota_list, quota_set, quota_reset;		/* quota.c */
command_fn share_create, share_list, share_show, share_delete;		/* share.c */
command_fn transfer_create, transfer_list, transfer_show;		/* transfer.c */
command_fn transfer_set, transfer_withdraw, transfer_accept;
command_fn tsigkey_create, tsigkey_list, tsigkey_show;			/* tsigkey.c */
command_fn tsigkey_rotate, tsigkey_delete;
command_fn status_show;							/* status.c */
command_fn workers_show, locks_show, repairs_show, servers_show;	/* fleet.c */
command_fn server_drain, server_add, server_remove, sync_domain;
command_fn queues_show;							/* queues.c */
/* dead_letters.c */
command_fn dead_letters_list, dead_letters_show, dead_letters_retry, dead_letters_drop;
command_fn owner_list;						/* owner.c */
command_fn owner_plan, owner_approve;				/* owner_plan.c */
command_fn owner_apply;						/* owner_apply.c */
command_fn owner_records;					/* owner_records.c */
command_fn owner_export;					/* owner_export.c */
command_fn owner_import;					/* owner_import.c */
command_fn owner_transfer, owner_release, owner_adopt;		/* owner_order.c */
command_fn network_set, network_show, network_list, network_delete;	/* port.c */
command_fn subnet_set, subnet_show, subnet_list, subnet_delete;
command_fn port_create, port_show, port_list, port_set, port_delete;
command_fn router_create, router_list, router_show, router_set;	/* router.c */
command_fn router_drain, router_delete;
command_fn route_create, route_list, route_show, route_set;		/* route.c */
command_fn route_delete, route_bind;
command_fn watch_domain;						/* wait.c */
command_fn db_migrate, db_version, db_tenants;				/* db.c */
command_fn ping_topic;							/* ping.c */
command_fn completion_print;						/* completion.c */
command_fn help_command;						/* help.c */
