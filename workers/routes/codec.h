/*
 * codec -- decodes and encodes routers, routes and bindings as JSON. Each table has a row
 * for each field. core/router_domain.h contains the fields of a router's zone.
 *
 * In messages about routers and bindings, "dns" is the domain of the router. The default
 * of "dns" is NAME.SUFFIX, where SUFFIX is the option routes.suffix. In a binding,
 * "route_dns" is the name of the route. Only zonefleet-routes sets `phase` and `dns` of a
 * route (binding.h).
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
extern const struct json_field codec_route_fields[], codec_route_shown[];
extern const struct json_field codec_status_fields[];
extern const struct json_field codec_binding_fields[], codec_binding_shown[];

/*
 * The values of a router in a message. If the message lacks a value,
 * codec_router_complete() copies the value from the stored router.
 */
struct router_input {
	bool has_description, has_label, has_capacity, has_ttl, has_addresses;
	struct router_row router;
};
enum err codec_router_decode(const struct routes *routes, struct request *req,
                             struct router_input *input);
enum err codec_router_decode_values(struct request *req, struct router_input *input);
void codec_router_complete(struct router_input *input, const struct router_row *router);
/* Decodes the argument "router", a name. */
enum err codec_router_decode_name(const struct request *req, const char **name,
                                  struct why *why);
/*
 * Decodes the argument KEY, the name of a router. KEY is a filter or the marker of a
 * list. *name is NULL if the call does not contain KEY.
 */
enum err codec_router_decode_filter(const struct request *req, const char *key,
                                    const char **name, struct why *why);
/*
 * Encodes a router. The result contains the capacity, the number of routes, the serial
 * and the reason only if IS_ADMIN is set.
 */
json_t *codec_router_encode(const struct router_row *router, bool is_admin,
                            const struct routes *routes);

/*
 * The values of a route in a message. If the message lacks a value,
 * codec_route_complete() copies the value from the stored route.
 */
struct route_input {
	bool has_host, has_labels, has_backend;
	struct route_row route;
	/*
	 * values of `phase` and `dns` that the caller expects; NULL: the caller expects
	 * no value
	 */
	const char *phase, *dns;
};
enum err codec_route_decode(struct request *req, struct route_input *input);
enum err codec_route_decode_values(struct request *req, struct route_input *input);
void codec_route_complete(struct route_input *input, const struct route_row *route);
/* Decodes the argument "route": an id, or "namespace/name". */
enum err codec_route_decode_key(struct request *req, struct route_key *key);
json_t *codec_route_encode(const struct route_row *route);

struct binding_input {
	const char *namespace, *name, *router, *dns;
};
enum err codec_binding_decode(struct request *req, struct binding_input *input);
json_t *codec_binding_encode(const struct binding_row *binding);

/* Decode the arguments of lists. */
enum err codec_decode_limit(const struct request *req, int *limit, struct why *why);
enum err codec_route_decode_filter(struct request *req, struct route_filter *filter);
