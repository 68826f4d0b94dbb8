/*
 * codec -- routers, routes and bindings as messages have them. The fields are rows beside
 * their decoders; those of a router's zone are in core/router_domain.h.
 *
 * A router's dns is its domain, in bindings, too; without one it is NAME.`routes.suffix`.
 * What its route is called a binding answers as "route_dns". Phase and dns of a
 * route are its binding's: not set at its creation, not changed by an update (seed 003).
 */
#pragma once

#include <jansson.h>

#include "model/json.h"
#include "routes.h"
#include "store.h"

enum {
	ROUTER_ADDRESSES_MAX = 100, LABELS_MAX = 32,
	LIST_DEFAULT = 100, LIST_MAX = 1000,
};

extern const struct json_field codec_router_fields[], codec_address_fields[];
extern const struct json_field codec_router_shown[], codec_address_shown[];
extern const struct json_field codec_route_fields[], codec_status_fields[], codec_route_shown[];
extern const struct json_field codec_binding_fields[], codec_binding_shown[];

/* What a message says of a router; what it does not say is as it was. */
struct router_wish {
	bool has_description, has_label, has_capacity, has_ttl, has_addresses;
	struct router_row router;
};
enum err codec_router(const struct routes *routes, struct request *req,
                      struct router_wish *wish);
enum err codec_router_values(struct request *req, struct router_wish *wish);
void codec_router_complete(struct router_wish *wish, const struct router_row *router);
/* The argument "router": its name. */
enum err codec_router_name(const struct request *req, const char **name, struct why *why);
/* A router's name by which a list is narrowed, or goes on; it may be absent. */
enum err codec_router_sought(const struct request *req, const char *key,
                             const char **name, struct why *why);
/* IS_ADMIN: who may see how much it has to do. */
json_t *codec_encode_router(const struct router_row *router, bool is_admin,
                            const struct routes *routes);

struct route_wish {
	bool has_host, has_labels, has_backend;
	struct route_row route;
	const char *phase, *dns;	/* as the caller thinks they are; NULL: no word */
};
enum err codec_route(struct request *req, struct route_wish *wish);
enum err codec_route_values(struct request *req, struct route_wish *wish);
void codec_route_complete(struct route_wish *wish, const struct route_row *route);
/* The argument "route": an id, or "namespace/name". */
enum err codec_route_key(struct request *req, struct route_key *key);
json_t *codec_encode_route(const struct route_row *route);

struct binding_wish {
	const char *namespace, *name, *router, *dns;
};
enum err codec_binding(struct request *req, struct binding_wish *wish);
json_t *codec_encode_binding(const struct binding_row *binding);

/* The arguments of lists. */
enum err codec_limit(const struct request *req, int *limit, struct why *why);
enum err codec_route_filter(struct request *req, struct route_filter *filter);
