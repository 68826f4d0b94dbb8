/*
 * server_checker -- the method check_servers: sends each server one query for the SOA
 * record of a zone, and casts update_servers to the pool managers with the result. The
 * result shows only whether the server answers. With these checks, the pool managers
 * notice that a server fails or works again, even if no domain changes.
 */
#pragma once

#include <jansson.h>

#include "base/err.h"

struct dns_requests;
struct rpc_client;
struct server_checker;

struct server_checker *server_checker_new(struct dns_requests *requests,
                                          struct rpc_client *rpc);
/* Ends all checks without a result. */
void server_checker_free(struct server_checker **checker);
/*
 * Starts the checks. ARGS: the arguments of "check_servers". ERR_INVALID: an argument is
 * not valid. If only the zone, the address or the key of a server is not valid, mini-DNS
 * starts the checks of the other servers. ERR_BUSY: too many checks are running. In this
 * case, mini-DNS starts no check.
 */
enum err server_checker_start(struct server_checker *checker, const json_t *args,
                              struct why *why);
