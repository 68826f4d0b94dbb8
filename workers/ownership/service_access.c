#include "codec.h"
#include "runtime/access.h"
#include "service_private.h"

enum err service_registry(struct ownership *ownership, struct request *req,
                          struct registry **registry)
{
	enum err err = codec_registry(req->args, &ownership->registries, registry,
	                              &req->why);

	if (err || access_is_owner(req, (*registry)->settings->tenant))
		return err;
	return codec_no_registry((*registry)->settings->storage_id,
	                         (*registry)->zone_text, &req->why);
}

struct changed *service_note_registry(struct request *req,
                                      const struct registry *registry)
{
	return rpc_changed(req, "registry",
	                   arena_printf(req->arena, "%s/%s",
	                                registry->settings->storage_id,
	                                registry->zone_text));
}
