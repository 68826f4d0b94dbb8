/*
 * rpc_changed -- notes what a request has changed, and writes the line of the log.
 */
#include "runtime/rpc.h"

#include <inttypes.h>

#include "base/log.h"

#define OBJECT "%s changed: method=%s %s=%s"
#define COUNTS " added=%" PRId64 " updated=%" PRId64 " deleted=%" PRId64
#define CALLER " account=\"%s\" user=\"%s\" tenant=\"%s\""

struct changed *rpc_changed(struct request *req, const char *kind, const char *name)
{
	req->changed = arena_alloc(req->arena, sizeof(*req->changed));
	*req->changed = (struct changed){
		.kind = kind, .name = arena_strdup(req->arena, name),
	};
	return req->changed;
}

void rpc_log_changed(const struct request *req)
{
	const struct changed *of = req->changed;
	const struct context *by = &req->context;

	if (!of)
		return;
	if (of->has_serial)
		log_info(OBJECT " serial=%" PRIu32 COUNTS CALLER,
		         of->kind, req->method, of->kind, of->name, of->serial,
		         of->added, of->updated, of->deleted,
		         req->account, by->user, by->tenant);
	else if (of->has_counts)
		log_info(OBJECT COUNTS CALLER,
		         of->kind, req->method, of->kind, of->name,
		         of->added, of->updated, of->deleted,
		         req->account, by->user, by->tenant);
	else
		log_info(OBJECT CALLER, of->kind, req->method, of->kind, of->name,
		         req->account, by->user, by->tenant);
}
