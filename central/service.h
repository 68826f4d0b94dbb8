/*
 * service -- the methods of central. A table in service.c has a row for each method. The
 * handlers are in service_*.c, one file for each kind of object. A handler decodes the
 * call, reads rows and decides on the answer. The handler of a change also writes rows,
 * and central sends casts after the commit. write.h runs the methods that have a `write`
 * handler.
 *
 * An answer about a domain contains the version of the domain, which grows with each
 * change. A call that changes a domain may contain the argument `version`: the version
 * that the caller has read. If the domain has a different version, the call fails with
 * ERR_CONFLICT (requirements: seed 004).
 */
#pragma once

#include "central.h"
#include "model/json.h"
#include "write.h"

/* Returns the table of the methods for worker.methods. The last row is all zeroes. */
const struct rpc_method *service_methods(void);
/* Registers the metrics. Call it before the fork. */
void service_metrics(void);

/* Reads the argument KEY, which must be an id. */
static inline enum err service_id(struct request *req, const char *key,
                                  char id[ID_LEN + 1])
{
	return json_get_id(req->args, key, JSON_REQUIRED, id, &req->why);
}

/* Reads the argument KEY, which must be an object. */
static inline enum err service_object(struct request *req, const char *key,
                                      const json_t **object)
{
	return json_get_object(req->args, key, JSON_REQUIRED, object, &req->why);
}

extern const struct json_field service_blacklist_fields[];
extern const struct json_field service_blacklist_change_fields[];
extern const struct json_field service_tld_fields[], service_tld_change_fields[];

/*
 * The reason in the error of a call that needs the name of a domain whose deletion is not
 * complete. Only a caller that may see the domain gets this reason.
 */
#define DOMAIN_IS_GOING \
	"the domain %.200s is being deleted: its name is free when its name servers no " \
	"longer serve it"

/*
 * Reads the domain that the argument `domain` names. ERR_NOT_FOUND: there is no such
 * domain, or the caller may not see it.
 */
enum err service_domain_get(struct request *req, struct tx *tx, struct zone *zone);
struct share_rights;
/*
 * Like service_domain_get(), but also finds a domain of which the tenant of the caller
 * has a share. *share: the rights of such a caller, or NULL.
 */
enum err service_domain_get_shared(struct request *req, struct tx *tx, struct zone *zone,
                                   const struct share_rights **share);
/*
 * Checks that the pool NAME exists. ERR_NOT_FOUND in the transaction: there is no such
 * pool. If NAME is NULL, the function checks nothing.
 */
void service_check_pool(struct tx *tx, const char *name, struct arena *arena);
struct domain_spec;
/*
 * Checks that the caller may create the domain of SPEC. ERR_INVALID: the name is not
 * allowed, or is not below a permitted suffix. ERR_DENIED: the caller may not create the
 * domain, because of the tenant, the pool, the blacklist, or a domain of another tenant
 * above or below the new domain.
 */
enum err service_domain_check_new(struct write *write, const struct domain_spec *spec);
/*
 * service_tld_check() checks the name of a new domain with the list of permitted
 * suffixes, and service_blacklist_check() with the blacklist. TEXT: the text of NAME.
 * Both accept all names from an administrator, and return ERR_INVALID or ERR_DENIED as
 * service_domain_check_new().
 */
enum err service_tld_check(struct write *write, const struct name *name,
                           const char *text);
enum err service_blacklist_check(struct write *write, const struct name *name,
                                 const char *text);
enum err service_domain_insert(struct write *write, const struct domain_spec *spec);
/*
 * Appends a warning for each of the fields pool, ttl, description and attributes if its
 * value in SPEC differs from the value of the existing domain. The call does not change
 * these fields of an existing domain.
 */
void service_domain_warn_kept(const struct zone *zone, const struct domain_spec *spec,
                              json_t *warnings);
/*
 * Calls store_domain_check_relatives(), unless the caller is an administrator. Call this
 * function as the last step of the creation of a domain.
 */
enum err service_domain_check_race(struct write *write, const struct domain_spec *spec);
/*
 * Gives the locked write->zone the task DELETE, and sets write->cast_method. Deletes the
 * TSIG keys of the domain, except keys that a server uses.
 */
void service_domain_remove(struct write *write);

write_handler service_create_domain, service_update_domain, service_delete_domain;
write_handler service_abandon_domain;
rpc_batch service_get_domains;
rpc_handler service_find_domains, service_export_domain;

write_handler service_create_recordset, service_update_recordset;
write_handler service_delete_recordset, service_apply_changes, service_decode_changes;
rpc_handler service_get_recordset, service_find_recordsets, service_find_records;

write_handler service_create_pool, service_update_pool, service_delete_pool;
rpc_handler service_get_pool, service_find_pools;
/*
 * Creates the default pool if it does not exist. If the pool has no hosts for NS records,
 * writes the hosts of the setting central.ns_records.
 */
enum err service_pool_default(struct central *central, struct why *why);

write_handler service_begin_import;
rpc_handler service_add_to_import, service_commit_import, service_get_import;
rpc_handler service_cancel_import;

write_handler service_create_blacklist, service_update_blacklist;
write_handler service_delete_blacklist;
rpc_handler service_get_blacklist, service_find_blacklists;

write_handler service_create_tld, service_update_tld, service_delete_tld;
write_handler service_apply_tlds;
rpc_handler service_get_tld, service_find_tlds;

rpc_handler service_get_status;

extern const struct json_field service_share_fields[], service_share_find_fields[];

write_handler service_create_share, service_delete_share;
/*
 * For a domain that TENANT gets: gives the record sets that TENANT created to the tenant
 * of the domain, and deletes the shares with TENANT.
 */
void service_share_take(struct write *write, const char *domain_id, const char *tenant);
rpc_handler service_get_share, service_find_shares;

write_handler service_create_transfer, service_update_transfer;
write_handler service_withdraw_transfer, service_accept_transfer;
rpc_handler service_get_transfer, service_find_transfers;

write_handler service_set_quota, service_reset_quotas;
rpc_handler service_get_quotas, service_find_quotas;
rpc_handler service_find_workers, service_find_locks, service_find_repairs;
rpc_handler service_sync_domain;
write_handler service_update_server;

write_handler service_create_tsigkey, service_update_tsigkey, service_delete_tsigkey;
rpc_handler service_get_tsigkey, service_find_tsigkeys;

rpc_handler service_update_status, service_update_statuses;
